"""The actuators of one kind in Newton: torque before the solver's step, friction inside it.

A spring whose joint moves in its sub-steps needs the other forces on the joint of the same step,
which are known inside it: there `settle` computes the step once more, and corrects the torque.

Not a module to import: the lowering binds `topology` and compiles it with Warp. One thread is one
actuator. A row of `act` holds its age, the state in flat order, then the last commands, one a step,
for those that act late.
"""

from typing import Any

from pliant.lower.drive import acting, drive_either
from pliant.lower.late import arrived, older, reaction_of

topology: Any
wp: Any

AGE = 0
STATE = 1


# So many arguments: Warp takes arrays one by one.
def pull(
    h: float,
    positions: wp.array[float],
    velocities: wp.array[float],
    goals: wp.array[float],
    presets: wp.array[float],
    at_position: wp.array[wp.uint32],
    at_velocity: wp.array[wp.uint32],
    at_goal: wp.array[wp.uint32],
    at_preset: wp.array[wp.uint32],
    parameters: wp.array2d[float],
    steps: wp.array2d[float],
    load: wp.array[float],
    kept: int,
    act: wp.array2d[float],
    after: wp.array2d[float],
    asked: wp.array2d[float],
    forces: wp.array[float],
):
    """Torque and next state, with the load of the step before."""
    i = wp.tid()
    q = positions[at_position[i]]
    v = velocities[at_velocity[i]]
    now = act[i]
    then = after[i]
    step = steps[i]
    p = topology.load_parameters(parameters[i], 0)
    s = topology.load_state(now, STATE)
    if now[AGE] == 0.0:
        s = topology.start(q, p)
    age = wp.min(-topology.issued(0.0, p), now[AGE]) / h
    history = STATE + topology.N_STATE
    goal = arrived(now, history, kept, goals[at_goal[i]], age)
    remember(now, then, history, kept, goals[at_goal[i]])
    preset = 0.0
    if topology.REFERENCES > 1:  # noqa: SIM102 - the first is known when this is compiled
        if presets:
            preset = arrived(now, history + kept, kept, presets[at_preset[i]], age)
            remember(now, then, history + kept, kept, presets[at_preset[i]])
    asked[i, 0] = h
    asked[i, 1] = q
    asked[i, 2] = v
    goal = acting(goal, 0.0)
    preset = acting(preset, 0.0)
    asked[i, 3] = goal
    asked[i, 4] = preset
    supply = topology.voltage(p)
    s, tau = drive_either(s, goal, preset, q, v, load[i], step[2], supply, 1.0, p, h, int(step[0]))
    topology.store_state(s, then, STATE)
    then[AGE] = now[AGE] + h
    forces[i] = tau


# So many arguments: Warp takes arrays one by one.
def resist(
    h: float,
    place: wp.array2d[int],
    parameters: wp.array2d[float],
    steps: wp.array2d[float],
    after: wp.array2d[float],
    forces: wp.array[float],
    qvel: wp.array2d[float],
    passive: wp.array2d[float],
    bias: wp.array2d[float],
    applied: wp.array2d[float],
    wrench: wp.array2d[float],
    constraint: wp.array2d[float],
    row_force: wp.array2d[float],
    row: wp.array2d[int],
    load: wp.array[float],
    budget: wp.array2d[float],
    stiffening: wp.array2d[float],
    warmstart: wp.array2d[float],
    ran: wp.array[int],
):
    """Friction budget and load; the motor's torque is in `applied` already."""
    i = wp.tid()
    if i == 0:
        wp.atomic_add(ran, 0, 1)
    w = place[i, 0]
    dof = place[i, 1]
    p = topology.load_parameters(parameters[i], 0)
    reaction = 0.0
    if after[i, AGE] > 1.5 * h:
        reaction = reaction_of(w, dof, h, qvel, constraint, row_force, row, budget, warmstart)
    tau = forces[i]
    others = passive[w, dof] - bias[w, dof] + applied[w, dof] - tau + wrench[w, dof] + reaction
    load[i] = others
    budget[w, dof] = -1.0
    if topology.HAS_BUDGET:
        s = topology.load_state(after[i], STATE)
        budget[w, dof] = topology.resisted(s, qvel[w, dof], tau, others, steps[i, 3], p)
    stiffening[w, dof] = steps[i, 1]
    row[w, dof] = -1


# So many arguments: Warp takes arrays one by one.
def settle(
    place: wp.array2d[int],
    parameters: wp.array2d[float],
    steps: wp.array2d[float],
    asked: wp.array2d[float],
    before: wp.array2d[float],
    load: wp.array[float],
    after: wp.array2d[float],
    forces: wp.array[float],
    applied: wp.array2d[float],
):
    """The step that `pull` made once more, with the load of this step: torque and next state."""
    i = wp.tid()
    h = asked[i, 0]
    q = asked[i, 1]
    p = topology.load_parameters(parameters[i], 0)
    s = topology.load_state(before[i], STATE)
    if before[i, AGE] == 0.0:
        s = topology.start(q, p)
    s, tau = drive_either(
        s,
        asked[i, 3],
        asked[i, 4],
        q,
        asked[i, 2],
        load[i],
        steps[i, 2],
        topology.voltage(p),
        1.0,
        p,
        h,
        int(steps[i, 0]),
    )
    topology.store_state(s, after[i], STATE)
    applied[place[i, 0], place[i, 1]] += tau - forces[i]
    forces[i] = tau


def remember(now: wp.array[float], then: wp.array[float], at: int, kept: int, present: float):
    """Every kept command becomes one step older."""
    for k in range(kept):
        then[at + k] = older(now, at, k, present)
