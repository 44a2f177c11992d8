"""The inner loop of the joint engine: recorded commands in, motion out.

Not a module to import: the lowering binds `topology` and `plant` and compiles it, for one candidate
or for several, each in a lane of a vector. A lane has its own clock and step; one that has come to
the end of a sample's interval waits there for the others. Within a step the order is that of a
physics engine: 1. actuator, 2. load, 3. friction, 4. speed, then position with the new speed
(semi-implicit Euler).
"""

from math import sqrt
from typing import Any

from pliant.arrays import IntegerMatrix, Integers, Matrix, Vector
from pliant.laws.friction_budget._stop_torque import stop_torque
from pliant.lower.drive import FINEST, PART
from pliant.lower.lanes import WIDTH, put, room, row, select, some, whole_room, wide

topology: Any


def longest_step(p: Any, inertia: float, wanted: float) -> float:
    """The wanted step [s], or as much shorter as motors and joint against the spring need."""
    fastest = max(topology.fastest(p), sqrt(topology.stiffest(p) / inertia))
    if wanted * fastest > 2.0 * PART:
        return max(2.0 * PART / fastest, wanted / FINEST)
    return wanted


# So many arguments: compiled code takes arrays and numbers one by one.
def pushed(
    s: Any,
    goal: float,
    preset: float,
    q: float,
    v: float,
    load: float,
    supply: float,
    on: float,
    p: Any,
    inertia: float,
    h: float,
) -> tuple[Any, float, float]:
    """Actuator and friction: the new state, the actuator's torque and that of friction [N m]."""
    s = topology.step(s, goal, preset, q, v, supply, on, p, h)
    tau_m = topology.torque(s, goal, preset, q, v, supply, on, p)
    budget = topology.resisted(s, v, tau_m, load, inertia - topology.armature(p), p)
    return s, tau_m, stop_torque(v, tau_m, load, budget, inertia, h)


def told(time: Any, goal: Any, t: float, h: float, j: int, hold: bool) -> tuple[int, float]:
    """The last sample whose command has arrived, and the command of the step from t to t + h [s].

    Args:
        j: the same sample one step earlier.
    """
    n = len(time)
    while j + 1 < n and time[j + 1] <= t:
        j += 1
    target = goal[j]
    if not hold and j + 1 < n and t > time[j]:
        target += (goal[j + 1] - goal[j]) * (t - time[j]) / (time[j + 1] - time[j])
    i = j  # what arrives within the step acts for its part of it
    while hold and i + 1 < n and time[i + 1] < t + h - 2e-9:
        target += (goal[i + 1] - goal[i]) * (t + h - time[i + 1]) / h
        i += 1
    return j, target


plant: Any

CLOCK, ISSUED, STEP = 0, 1, 2
"""Rows of the clocks: now, when the command was given that acts now, and the step [s]."""
COMMAND, SUPPLY, ON = 0, 1, 2
"""Rows of what a step gets: command, supply [V], whether the motor is powered."""
ARRIVED, PASSED = 0, 1
"""Rows of the places: last sample whose command has arrived, last one before the step's middle."""


# So many arguments: compiled code takes arrays and numbers one by one.
def commands(
    time: Vector,
    goal: Vector,
    supply: Vector,
    on: Vector,
    edge: float,
    hold: bool,
    count: int,
    clocks: Vector,
    places: Integers,
    inputs: Vector,
) -> int:
    """Read for each lane what its next step gets, and return how many lanes of `count` do one.

    Args:
        time, goal, supply, on: (N,) the log's samples. edge: [s] where this interval ends.
        clocks, places, inputs: rows of lanes; the places are moved on, the inputs written.
    """
    n = len(time)
    moving = 0
    for lane in range(WIDTH):
        clock = clocks[CLOCK * WIDTH + lane]
        if clock < edge:
            h = clocks[STEP * WIDTH + lane]
            issued = clocks[ISSUED * WIDTH + lane]
            j, target = told(time, goal, issued, h, places[ARRIVED * WIDTH + lane], hold)
            m = places[PASSED * WIDTH + lane]
            while m + 1 < n and time[m + 1] <= clock + 0.5 * h:
                m += 1
            places[ARRIVED * WIDTH + lane] = j
            places[PASSED * WIDTH + lane] = m
            inputs[COMMAND * WIDTH + lane] = target
            inputs[SUPPLY * WIDTH + lane] = supply[m]
            inputs[ON * WIDTH + lane] = on[m]
            moving += lane < count
    return moving


# So many arguments: compiled code takes arrays and numbers one by one.
def rollout(
    time: Vector,
    goal: Vector,
    supply: Vector,
    on: Vector,
    around: Matrix,
    courses: Matrix,
    followed: Integers,
    q0: float,
    v0: float,
    values: Vector,
    count: int,
    max_step: float,
    hold: bool,
    reference: bool,
    stop: Integers,
    positions: Matrix,
    torques: Vector,
) -> int:
    """Move `count` candidates through one log and return how many steps that took.

    Args:
        time, goal, supply, on: (N,) the log's samples.
        around: (N, 3) of a robot's joint, what the rest of the robot does to it: inertia, torque at
            angle 0, and slope of the torque in the angle; empty: nothing.
        courses: (N, F) numbers that were given anew with each sample; NaN: as the candidate has it.
        followed: (F,) which parameters they are.
        q0, v0: where the joint starts.
        values: (P WIDTH,) the actuator's parameters, then the plant's, of each lane; the lanes beyond
            `count` are computed in vain.
        max_step: the step [s], the same all along as in MuJoCo; shorter where samples are closer on
            average, or masses inside the actuator move faster.
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
        reference: the published program's position update, which counts acceleration 1.5 times.
        stop: (1,) not 0 once Ctrl-C was pressed: what is left is not simulated.
        positions: (count, N) out, between two steps on the line between their positions.
        torques: (3 N WIDTH,) out, of motor, load and friction at each sample; may be empty.
    """
    p = topology.load_parameters(values, 0)
    b = plant.load_parameters(values, topology.N_PARAMETERS)
    own = wide(plant.inertia(b) + topology.armature(p))
    inertia = own
    led = len(around) > 0
    if led:
        least = around[0, 0]
        for k in range(len(around)):
            least = min(least, around[k, 0])
        inertia = own + least
    q = wide(q0)
    v = wide(v0)
    s = topology.start(q, p)
    n = len(time)
    longest = wide(longest_step(p, inertia, wide(max_step)))
    h = wide(min(longest, (time[n - 1] - time[0]) / max(1, n - 1)))
    clock = wide(time[0])
    clocks, places, inputs = room(3), whole_room(2), room(3)
    for lane in range(WIDTH):
        places[ARRIVED * WIDTH + lane] = 0
        places[PASSED * WIDTH + lane] = 0
        for k in range(3):
            inputs[k * WIDTH + lane] = 0.0
    total = 0
    before = q
    motor, loaded, rubbed = wide(0.0), wide(0.0), wide(0.0)
    for c in range(count):
        positions[c, 0] = q0
    for k in range(n - 1):
        if stop[0] != 0:
            return total
        for f in range(len(followed)):
            if courses[k, f] == courses[k, f]:
                put(values, followed[f], wide(courses[k, f]))
        if len(followed) > 0:
            p = topology.load_parameters(values, 0)
        edge = time[k + 1] - 1e-9
        moving = clock < edge
        begins = True
        while some(moving):
            # 1. actuator
            put(clocks, CLOCK, clock)
            put(clocks, ISSUED, topology.issued(clock + 1e-9, p))
            put(clocks, STEP, h)
            total += commands(time, goal, supply, on, edge, hold, count, clocks, places, inputs)
            load = wide(plant.load(q, b))
            if led:
                part = (clock + 0.5 * h - time[k]) / (time[k + 1] - time[k])
                inertia = own + around[k, 0] + part * (around[k + 1, 0] - around[k, 0])
                load += around[k, 1] + part * (around[k + 1, 1] - around[k, 1])
                load += plant.angle(q, b) * (
                    around[k, 2] + part * (around[k + 1, 2] - around[k, 2])
                )
            target = plant.told(row(inputs, COMMAND), b)
            supplied, powered = row(inputs, SUPPLY), row(inputs, ON)
            then, tau_m, tau_f = pushed(
                s, target, 0.0, q, v, load, supplied, powered, p, inertia, h
            )
            s = select(moving, then, s)
            if begins and len(torques) > 0:
                motor = select(moving, tau_m, motor)
                loaded = select(moving, load, loaded)
                rubbed = select(moving, tau_f, rubbed)
            begins = False
            # 4. motion
            before = select(moving, q, before)
            a = (tau_m + load + tau_f) / inertia
            v = select(moving, v + a * h, v)
            q = select(moving, q + v * h, q)
            if reference:
                q = select(moving, q + 0.5 * a * h * h, q)
            clock = select(moving, clock + h, clock)
            moving = clock < edge
        if len(torques) > 0:
            put(torques, 3 * k, motor)
            put(torques, 3 * k + 1, loaded)
            put(torques, 3 * k + 2, rubbed)
        put(clocks, CLOCK, q - (q - before) * (clock - time[k + 1]) / h)
        for c in range(count):
            positions[c, k + 1] = clocks[CLOCK * WIDTH + c]
    return total


# So many arguments: compiled code takes arrays and numbers one by one.
def batch(
    time: Vector,
    goal: Vector,
    supply: Vector,
    on: Vector,
    around: Matrix,
    courses: Matrix,
    followed: Integers,
    starts: Integers,
    first: Matrix,
    values: Matrix,
    columns: Integers,
    settings: Matrix,
    jobs: IntegerMatrix,
    max_step: float,
    hold: bool,
    reference: bool,
    stop: Integers,
    chosen: Vector,
    positions: Matrix,
) -> int:
    """Many rollouts after each other, on the calling thread.

    Args:
        time, goal, supply, on: (M,) the samples of all logs, one after the other.
        around: (M, 3) or empty, courses: (M, F) or empty, followed: (F,), see `rollout`.
        starts: (L + 1,) where each log begins. first: (L, 2) its first position and speed.
        values: (C, P) the candidates.
        columns: (K,) which parameters a log sets. settings: (L, K) to what; NaN: this one does not.
        jobs: (J, 3) first candidate of each rollout, how many follow it, its log.
        stop: see `rollout`. chosen: (P WIDTH,) room for the parameters of the lanes.
        positions: (C, M) out.
    """
    total = 0
    for job in range(len(jobs)):
        c = jobs[job, 0]
        count = jobs[job, 1]
        log = jobs[job, 2]
        a = starts[log]
        z = starts[log + 1]
        for lane in range(WIDTH):
            for k in range(values.shape[1]):
                chosen[k * WIDTH + lane] = values[c + min(lane, count - 1), k]
            for k in range(len(columns)):
                if settings[log, k] == settings[log, k]:
                    chosen[columns[k] * WIDTH + lane] = settings[log, k]
        total += rollout(
            time[a:z],
            goal[a:z],
            supply[a:z],
            on[a:z],
            around[a:z],
            courses[a:z],
            followed,
            first[log, 0],
            first[log, 1],
            chosen,
            count,
            max_step,
            hold,
            reference,
            stop,
            positions[c : c + count, a:z],
            chosen[:0],
        )
    return total


# So many arguments: compiled code takes arrays and numbers one by one.
def trace(
    time: Vector,
    goal: Vector,
    preset: Vector,
    external: Vector,
    q: float,
    v: float,
    values: Vector,
    max_step: float,
    stop: Integers,
    motion: Matrix,
    states: Matrix,
    elastic: Matrix,
) -> int:
    """Move one joint under two commands and an external torque, and write down all of it.

    Commands and external torque hold between samples; the command's delay is kept.

    Args:
        time, goal, preset, external: (N,) samples [s, and as the actuator takes them, N m].
        stop: see `rollout`. motion: (N, 2) out, angle and speed. states: (N, S) out, the actuator's.
        elastic: (N, 5) out, torque on the joint, elastic torque of both motors, stiffness, energy.
    """
    p = topology.load_parameters(values, 0)
    b = plant.load_parameters(values, topology.N_PARAMETERS)
    inertia = plant.inertia(b) + topology.armature(p)
    s = topology.start(q, p)
    supply = topology.voltage(p)
    longest = longest_step(p, inertia, max_step)
    total = 0
    j = 0
    for k in range(len(time)):
        motion[k, 0] = q
        motion[k, 1] = v
        topology.store_state(s, states[k], 0)
        elastic[k, 0] = topology.torque(s, goal[j], preset[j], q, v, supply, 1.0, p)
        elastic[k, 1] = topology.load_1(s, q, p)
        elastic[k, 2] = topology.load_2(s, q, p)
        elastic[k, 3] = topology.stiffness(s, q, p)
        elastic[k, 4] = topology.energy(s, q, p)
        if k + 1 == len(time) or stop[0] != 0:
            break
        span = time[k + 1] - time[k]
        steps = max(1, int(span / longest + 0.999999))
        h = span / steps
        for i in range(steps):
            t = topology.issued(time[k] + i * h + 1e-9, p)
            while j + 1 < len(time) and time[j + 1] <= t:
                j += 1
            load = plant.load(q, b) + external[k]
            s, tau_m, tau_f = pushed(s, goal[j], preset[j], q, v, load, supply, 1.0, p, inertia, h)
            v += (tau_m + load + tau_f) / inertia * h
            q += v * h
        total += steps
    return total
