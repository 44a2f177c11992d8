"""The actuators of one kind in MuJoCo Warp: what its callback does in every step of every world.

Not a module to import: the lowering binds `topology` and compiles it with Warp. One thread is one
actuator in one world. `act` holds, as in the C engine, the age, the reaction of the last step and
the state in flat order, then the last commands, one a step, for those that act late.

Left out: the torque of other actuators and of `actuatorfrcrange` in the friction budget.
"""

from typing import Any

from pliant.lower.drive import FARTHEST, drive_either
from pliant.lower.late import arrived, older, reaction_of

topology: Any
wp: Any

AGE = 0
REACTION = 1
STATE = 2


# So long and wide: Warp takes arrays one by one, and a launch for each part would cost more.
def actuate(
    timestep: wp.array[float],
    qpos: wp.array2d[float],
    qvel: wp.array2d[float],
    ctrl: wp.array2d[float],
    act: wp.array2d[float],
    passive: wp.array2d[float],
    bias: wp.array2d[float],
    applied: wp.array2d[float],
    wrench: wp.array2d[float],
    constraint: wp.array2d[float],
    row_force: wp.array2d[float],
    gears: wp.array2d[wp.spatial_vector],
    ctrl_limited: wp.array[bool],
    ctrl_range: wp.array2d[wp.vec2],
    force_limited: wp.array[bool],
    force_range: wp.array2d[wp.vec2],
    place: wp.array2d[int],
    enabled: wp.array[float],
    clamped: bool,
    parameters: wp.array3d[float],
    steps: wp.array3d[float],
    row: wp.array2d[int],
    act_dot: wp.array2d[float],
    force: wp.array2d[float],
    budget: wp.array2d[float],
    stiffening: wp.array2d[float],
    ran: wp.array[int],
    warmstart: wp.array2d[float],
):
    """Torque, next state and friction budget; `place` says where each actuator's things are."""
    w, i = wp.tid()
    if w == 0 and i == 0:
        wp.atomic_add(ran, 0, 1)
    number = place[i, 0]
    dof = place[i, 2]
    first = place[i, 3]
    kept = place[i, 6]
    h = timestep[w % timestep.shape[0]]
    gear = gears[w % gears.shape[0], number][0]
    q = gear * qpos[w, place[i, 1]]
    v = gear * qvel[w, dof]
    own = parameters[w % parameters.shape[0], i]
    step = steps[w % steps.shape[0], i]
    now = act[w]
    rate = act_dot[w]

    # 1. actuator. `act` is zero after a reset, whatever the pose: age 0 means "rested here".
    p = topology.load_parameters(own, 0)
    s = topology.load_state(now, first + STATE)
    reaction = now[first + REACTION]
    if now[first + AGE] == 0.0:
        s = topology.start(q, p)
    else:
        reaction = reaction_of(w, dof, h, qvel, constraint, row_force, row, budget, warmstart)
    delay = wp.min(-topology.issued(0.0, p), now[first + AGE])
    history = first + STATE + topology.N_STATE
    goal = arrived(now, history, kept, sent(ctrl[w, place[i, 4]]), delay / h)
    goal = within(
        goal,
        clamped and ctrl_limited[place[i, 4]],
        ctrl_range[w % ctrl_range.shape[0], place[i, 4]],
    )
    remember(now, rate, history, kept, sent(ctrl[w, place[i, 4]]), h)
    preset = 0.0
    if topology.REFERENCES > 1:
        second = place[i, 5]
        preset = arrived(now, history + kept, kept, sent(ctrl[w, second]), delay / h)
        preset = within(
            preset, clamped and ctrl_limited[second], ctrl_range[w % ctrl_range.shape[0], second]
        )
        remember(now, rate, history + kept, kept, sent(ctrl[w, second]), h)
    on = enabled[i]
    supply = topology.voltage(p)
    load = passive[w, dof] - bias[w, dof] + applied[w, dof] + wrench[w, dof] + reaction
    s, tau = drive_either(
        s, goal, preset, q, v, load / gear, step[2], supply, on, p, h, int(step[0])
    )
    tau = within(tau, force_limited[number], force_range[w % force_range.shape[0], number])
    topology.store_state(s, rate, first + STATE)
    for k in range(first + STATE, first + STATE + topology.N_STATE):
        rate[k] = (rate[k] - now[k]) / h
    rate[first + AGE] = 1.0
    rate[first + REACTION] = (reaction - now[first + REACTION]) / h
    force[w, number] = tau

    # 2. load, 3. friction
    budget[w, dof] = -1.0
    if topology.HAS_BUDGET:
        budget[w, dof] = wp.abs(gear) * topology.resisted(
            s, v, tau, load / gear, step[3] / (gear * gear), p
        )
    stiffening[w, dof] = step[1]
    row[w, dof] = -1


def sent(command: float):
    """A command; 0 for one that is no number, as in MuJoCo."""
    if command != command:
        return 0.0
    return command


def within(x: float, limited: bool, ends: wp.vec2):
    """A command within its range, where it has one; 0 for one that MuJoCo calls bad."""
    if limited:
        return wp.clamp(x, ends[0], ends[1])
    if wp.abs(x) > FARTHEST:
        return 0.0
    return x


def remember(
    now: wp.array[float], rate: wp.array[float], at: int, kept: int, present: float, h: float
):
    """Every kept command becomes one step older."""
    for k in range(kept):
        rate[at + k] = (older(now, at, k, present) - now[at + k]) / h
