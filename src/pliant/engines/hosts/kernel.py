"""One step of an actuator in a host that moves the joint itself.

1. the command that has arrived by now, 2. the actuator in its own sub-steps, 3. its friction budget.

Not a module to import: the lowering binds `topology` and compiles it, for the stepper, or writes it
in another language.

A delay line holds how many commands it has kept, then those commands, the newest first, one a step.
"""

from math import nan
from typing import Any

from pliant.arrays import Cube, Integers, Matrix, Vector
from pliant.engines.hosts.inverse import follow  # noqa: F401 # pyright: ignore[reportUnusedImport] - an entry of C headers
from pliant.laws.friction_budget._stop_torque import stop_torque
from pliant.lower.drive import acting, drive_either, substeps_for
from pliant.ports import Parameters, State

topology: Any


def start(q: float, p: Parameters) -> State:
    """The state of an actuator that has rested at q."""
    return topology.start(q, p)


def parameters_of(numbers: Vector) -> Parameters:
    """The parameters, of numbers in flat order."""
    return topology.load_parameters(numbers, 0)


def late(h: float, p: Parameters) -> float:
    """Age [steps of h] of the command that acts now."""
    return -topology.issued(0.0, p) / h


def arrived(line: Vector, present: float, age: float) -> float:
    """The command of `age` steps ago, interpolated linearly, or the first one there was.

    A command that arrives within the step acts as its mean over the step.
    """
    kept = len(line) - 1
    if kept == 0:
        return present
    age = min(max(age, 0.0), line[0])
    k = int(age)
    newer = present
    if k > 0:
        newer = line[min(k, kept)]
    return newer + (age - float(k)) * (line[min(k + 1, kept)] - newer)


def remember(line: Vector, present: float) -> None:
    """Every kept command becomes one step older."""
    kept = len(line) - 1
    if kept > 0:
        for k in range(kept, 1, -1):
            line[k] = line[k - 1]
        line[1] = present
        line[0] = min(line[0] + 1.0, float(kept))


# So many arguments: compiled code takes arrays and numbers one by one.
def step(
    s: State,
    goal: float,
    preset: float,
    q: float,
    v: float,
    load: float,
    inertia: float,
    supply: float,
    on: float,
    p: Parameters,
    h: float,
    substeps: int,
) -> tuple[State, float, float]:
    """The new state, the torque on the joint without friction, and the friction budget [N m].

    Args:
        goal, preset: the commands that have arrived; if one is invalid (`acting`) the torque is nan.
        load: the other torques on the joint [N m].
        inertia: that the joint carries [kg m^2]; 0: not known, then a spring that is too stiff for
            the step is not damped.
        substeps: of the actuator in the step; see `substeps_needed`.
    """
    mobility = 0.0
    if inertia > 0.0:
        mobility = 1.0 / (inertia + topology.armature(p))
    given = acting(goal, nan) + acting(preset, nan)
    goal = acting(goal, 0.0)
    preset = acting(preset, 0.0)
    s, tau = drive_either(s, goal, preset, q, v, load, mobility, supply, on, p, h, substeps)
    tau = tau if given == given else nan
    budget = 0.0  # where friction acts on the motors
    if topology.HAS_BUDGET:
        budget = topology.resisted(s, v, tau, load, inertia, p)
    return s, tau, budget


def substeps_needed(h: float, p: Parameters) -> int:
    """Sub-steps that the actuator needs in a step of h [s]."""
    return substeps_for(h, topology.fastest(p))


def friction(v: float, tau: float, load: float, budget: float, inertia: float, h: float) -> float:
    """Torque of friction [N m], for a host that has no friction of constraints.

    Args:
        inertia: all that moves with the joint [kg m^2], the actuator's `armature` too.
    """
    return stop_torque(v, tau, load, budget, inertia, h)


def armature(p: Parameters) -> float:
    """Inertia [kg m^2] that the actuator adds to the joint."""
    return topology.armature(p)


def voltage(p: Parameters) -> float:
    """Nominal supply [V]."""
    return topology.voltage(p)


def starts(at: Integers, inputs: Matrix, parameters: Matrix, rows: Matrix) -> None:
    """Each actuator at rest where its joint is; arguments as those of `steps`."""
    for i in range(len(at)):
        p = topology.load_parameters(parameters[i], 0)
        topology.store_state(topology.start(inputs[2, at[i]], p), rows[i], 0)


def steps(
    at: Integers,
    inputs: Matrix,
    parameters: Matrix,
    lines: Cube,
    rows: Matrix,
    out: Matrix,
    h: float,
) -> None:
    """One step of each of N actuators, among J joints.

    Args:
        at: (N,) joint of each.
        inputs: (8, J) goal, preset, q, v, load, inertia, supply, on, as in `step`.
        parameters: (N, P). lines: (N, 2, 1 + K) delay lines of both commands. rows: (N, S) states.
        out: (3, J) torque, friction budget and, where the inertia is known, friction [N m].
    """
    for i in range(len(at)):
        j = at[i]
        p = topology.load_parameters(parameters[i], 0)
        s = topology.load_state(rows[i], 0)
        age = late(h, p)
        goal = arrived(lines[i, 0], inputs[0, j], age)
        remember(lines[i, 0], inputs[0, j])
        preset = 0.0
        if topology.REFERENCES > 1:
            preset = arrived(lines[i, 1], inputs[1, j], age)
            remember(lines[i, 1], inputs[1, j])
        v = inputs[3, j]
        load = inputs[4, j]
        inertia = inputs[5, j]
        s, tau, budget = step(
            s,
            goal,
            preset,
            inputs[2, j],
            v,
            load,
            inertia,
            inputs[6, j],
            inputs[7, j],
            p,
            h,
            substeps_needed(h, p),
        )
        topology.store_state(s, rows[i], 0)
        out[0, j] = tau
        out[1, j] = budget
        out[2, j] = 0.0
        if topology.HAS_BUDGET and inertia > 0.0:
            out[2, j] = friction(v, tau, load, budget, inertia + topology.armature(p), h)


# So many arguments: compiled code takes arrays and numbers one by one.
def led(
    motion: Matrix,
    at: Integers,
    inputs: Matrix,
    parameters: Matrix,
    lines: Cube,
    rows: Matrix,
    out: Matrix,
    torques: Matrix,
    states: Cube,
    h: float,
) -> None:
    """M steps of all actuators along one motion; arguments as those of `steps`.

    Args:
        motion: (M, 4) goal, preset, q, v. torques: (M, J), filled. states: (M, N, S) before each step, filled.
    """
    for k in range(len(motion)):
        for i in range(len(at)):
            for m in range(4):
                inputs[m, at[i]] = motion[k, m]
            for s in range(len(rows[i])):
                states[k, i, s] = rows[i, s]
        steps(at, inputs, parameters, lines, rows, out, h)
        for i in range(len(at)):
            torques[k, at[i]] = out[0, at[i]]
