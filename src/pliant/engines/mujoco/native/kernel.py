"""The native actuator: what MuJoCo calls in every step, for all actuators of a plugin instance.

Not a module to import: the lowering binds `topology` and compiles it to C callbacks. Of each
actuator the model holds in `actuator_user` the parameters in flat order, in `actuator_dynprm` what
`attach` chose for its joint; `act` holds its state: see `engines.spec.slots`.

Left out: the torque of other actuators and of `actuatorfrcrange` in the friction budget.
"""

from math import nan
from typing import Any

from pliant.arrays import Int32
from pliant.engines.mujoco.native import checks, friction_rows, rows
from pliant.engines.mujoco.native.commands import NO_SECOND, delayed_command, second_command
from pliant.engines.mujoco.native.structs import MjData, MjModel, Numbers
from pliant.engines.mujoco.plugin.written import FINISH
from pliant.engines.spec.slots import AGE, REACTION, SECOND, STATE, SUBSTEPS
from pliant.lower.drive import (
    EXPLICIT,
    FARTHEST,
    acting,
    drive,
    drive_along,
    pace_along,
    substeps_for,
)

topology: Any

CLAMPCTRL = 1 << 8
ACTUATION = 1 << 11
"""mjDSBL_CLAMPCTRL and mjDSBL_ACTUATION."""


def nstate(model: MjModel, instance: Int32) -> Int32:
    """Numbers in `plugin_state`, asked for while MuJoCo compiles: of actuators that it alone read."""
    if checks.is_signed(model, instance):
        return 0
    count = 0
    for i in range(model.nactuator):
        count += model.actuator_plugin[i] == instance
    return 2 * (STATE + topology.N_STATE) * count


def reset(model: MjModel, state: Numbers, data: MjData, instance: Int32) -> None:
    """All at rest, as `act` after a reset."""
    own = state[rows.first_state(model, instance) - model.plugin_stateadr[instance] :]
    for k in range(model.plugin_statenum[instance]):  # MuJoCo does not know of the lock
        own[k] = 0.0


def init(model: MjModel, data: MjData, instance: Int32) -> Int32:
    """0, or MuJoCo's error naming the first actuator of `instance` that these laws cannot run."""
    signed, mark = (
        checks.is_signed(model, instance),
        rows.stamp(model, instance, topology.FINGERPRINT),
    )
    if not signed:
        problem = FINISH(model, data, instance, mark)
        if problem != 0:
            checks.complain(problem)
            return -1
    before = 0
    for i in range(model.nactuator):
        if model.actuator_plugin[i] != instance:
            continue
        written = rows.is_written(model, i)
        found = checks.fault(model, data, instance, i, before)
        before += written
        if topology.REFERENCES > 1 and found == checks.SOUND and checks.lost_second(model, i):
            found = checks.NO_SECOND_COMMAND
        if found == checks.SOUND and not (
            written or checks.same_laws(model, instance, topology.FINGERPRINT)
        ):
            found = checks.OTHER_LAWS
        if found == checks.SOUND:
            user = rows.parameters_of(model, data, instance, i, written)
            late = -topology.issued(0.0, topology.load_parameters(user, 0))
            if rows.unprepared(model, i, late):
                found = checks.OTHER_TIMESTEP
        if found != checks.SOUND:
            checks.refuse(model, i, found)
            return -1
    rows.lock(model, instance)
    if signed:
        rows.stamp_data(data, instance, mark)
    return 0


# One loop over the actuators, its parts numbered: split up, each part would look them up again.
def compute(model: MjModel, data: MjData, instance: Int32, capability: Int32) -> None:
    """Torque, next state and friction budget of every actuator of `instance`."""
    if rows.of_another(model, data, instance, topology.FINGERPRINT):
        checks.refuse(model, rows.first_of(model, instance), checks.OTHER_DATA)
        return
    stamped = rows.has_stamp(data, instance)
    h = model.opt.timestep
    per = 1.0 / h
    wrenches = friction_rows.any_wrench(model, data)
    guess = before = 0
    for i in range(model.nactuator):
        if model.actuator_plugin[i] != instance:
            continue
        output = model.actuator_outadr[i]
        # 0. what was sound in `init` may have been written to since. MuJoCo looks at qpos, qvel and
        # qacc, and not at `act`: a force that is no number becomes its warning about qacc.
        row = model.actuator_dynprm[i]
        written, place = rows.is_written(model, i), before
        before += written
        lost = checks.misplaced(model, i, instance, place)
        if lost or written == stamped or checks.unsound(row):
            data.actuator_force[output] = nan
            continue
        user = rows.parameters_of(model, data, instance, i, written)
        act, act_dot = rows.state_of(model, data, instance, i, written, place)
        joint = model.actuator_trnid[i, 0]
        gear = model.actuator_gear[output, 0]
        dof = 0
        if not topology.HAS_BUDGET and checks.off_joint(model, i):
            # From its length in the reference pose, like a drum; it has no DoF of its own.
            q = data.actuator_length[output] - model.actuator_length0[output]
            v = data.actuator_velocity[output]
        else:
            dof = model.jnt_dofadr[joint]
            q = gear * data.qpos[model.jnt_qposadr[joint]]
            v = gear * data.qvel[dof]

        if checks.beyond(user, topology.N_PARAMETERS, checks.LARGEST) or checks.beyond(
            act, STATE + topology.N_STATE, FARTHEST
        ):
            for k in range(STATE + topology.N_STATE):
                act_dot[k] = 0.0
            data.actuator_force[output] = nan
            continue

        # 1. actuator. `act` is zero after a reset, whatever the pose: age 0 means "rested here".
        p = topology.load_parameters(user, 0)
        s = topology.load_state(act, STATE)
        if act[AGE] == 0.0:
            s = topology.start(q, p)
        late = data.time - topology.issued(data.time, p)
        if rows.unprepared(model, i, late):
            checks.refuse(model, i, checks.OTHER_TIMESTEP)
            return
        delay = min(late, act[AGE])
        goal = command(model, data, i, delay)
        preset = 0.0
        if topology.REFERENCES > 1:
            second = second_command(model, i, row[SECOND])
            if second != NO_SECOND:
                preset = command(model, data, second, delay)
        on = enabled(model, i)
        substeps = int(row[SUBSTEPS])
        if rows.is_other(row, h):
            substeps = substeps_for(h, topology.fastest(p))
        supply = topology.voltage(p)
        mobility = rows.mobility_of(row, h)
        pace = 0.0
        if topology.IS_ELASTIC and mobility > 0.0 and not checks.off_joint(model, i):
            pace = pace_along(s, q, v, mobility, p, h)
        if topology.IS_ELASTIC and pace > EXPLICIT:
            others = friction_rows.load(data, dof) + act[REACTION]
            if wrenches:
                others += friction_rows.wrench_torque(model, data, dof)
            s, tau = drive_along(
                s, goal, preset, q, v, others / gear, mobility, pace, supply, on, p, h
            )
        else:
            s, tau = drive(s, goal, preset, q, v, supply, on, p, h, substeps)
        tau = limited(model, i, tau)
        topology.store_state(s, act_dot, STATE)
        for k in range(STATE, STATE + topology.N_STATE):
            act_dot[k] = (act_dot[k] - act[k]) * per
        act_dot[AGE] = 1.0
        act_dot[REACTION] = 0.0
        data.actuator_force[output] = tau

        # 2. load, 3. friction
        if not topology.HAS_BUDGET:
            continue
        held = friction_rows.friction_row(data, dof, guess)
        if held != friction_rows.NO_ROW:
            guess = held + 1
            tau_e = friction_rows.load(data, dof) + act[REACTION]
            if wrenches:
                tau_e += friction_rows.wrench_torque(model, data, dof)
            carried = 0.0
            if topology.NEEDS_INERTIA:
                carried = friction_rows.inertia(model, data, dof) / (gear * gear)
            budget = topology.resisted(s, v, tau, tau_e / gear, carried, p)
            if budget > 0.0 or friction_rows.is_bare(
                data, held
            ):  # else the joint keeps its own friction
                friction_rows.set_budget(data, held, abs(gear) * budget)
            friction_rows.hold(model, data, held, rows.slip_of(row, h))


def command(model: MjModel, data: MjData, actuator: int, delay: float) -> float:
    """The command that acts now, within its range; 0 for one that MuJoCo calls bad, as it does itself."""
    goal = delayed_command(model, data, actuator, delay)
    control = model.actuator_ctrladr[actuator]
    clamped = not model.opt.disableflags & CLAMPCTRL
    if clamped and goal == goal and model.actuator_ctrllimited[control] != 0:
        low, high = model.actuator_ctrlrange[control, 0], model.actuator_ctrlrange[control, 1]
        goal = min(max(goal, low), high)
    return acting(goal, 0.0)


def limited(model: MjModel, actuator: int, tau: float) -> float:
    """The torque that MuJoCo lets through, `forcerange`: the friction budget must know it."""
    if model.actuator_forcelimited[actuator] != 0:
        low, high = model.actuator_forcerange[actuator, 0], model.actuator_forcerange[actuator, 1]
        tau = min(max(tau, low), high)
    return tau


def enabled(model: MjModel, actuator: int) -> float:
    """0 while the actuator's group is disabled: torque off, the joint still has its friction."""
    group = model.actuator_group[actuator]
    if 0 <= group < 31 and (model.opt.disableactuator >> group) & 1:
        return 0.0
    return 1.0


def advance(model: MjModel, data: MjData, instance: Int32) -> None:
    """Keep what contacts and limits did to each joint: the load of the next step.

    MuJoCo freezes the state of an actuator whose group is disabled. Its motor coasts, so the state
    advances here; so does that of an actuator that MuJoCo alone has read.
    """
    h = model.opt.timestep
    computed = not model.opt.disableflags & ACTUATION
    if not computed and rows.of_another(model, data, instance, topology.FINGERPRINT):
        return  # `compute`, which refuses such data, was not called
    guess = before = 0
    for i in range(model.nactuator):
        if model.actuator_plugin[i] != instance:
            continue
        written, place = rows.is_written(model, i), before
        before += written
        if checks.misplaced(model, i, instance, place):
            continue
        act, act_dot = rows.state_of(model, data, instance, i, written, place)
        if computed and (written or enabled(model, i) == 0.0):
            for k in range(STATE + topology.N_STATE):
                act[k] += h * act_dot[k]
        if not topology.HAS_BUDGET:
            row = model.actuator_dynprm[i]
            if rows.mobility_of(row, h) == 0.0 or checks.off_joint(model, i):
                continue
        dof = model.jnt_dofadr[model.actuator_trnid[i, 0]]
        held = friction_rows.friction_row(data, dof, guess)
        if held != friction_rows.NO_ROW:
            guess = held + 1
        act[REACTION] = friction_rows.reaction(data, dof, held)
