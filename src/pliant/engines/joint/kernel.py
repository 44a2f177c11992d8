"""The inner loop of the joint engine: recorded commands in, motion out.

Not a module to import: the lowering binds `topology` and `plant` and compiles it. Within a step the
order is that of a physics engine: 1. actuator, 2. load, 3. friction, 4. speed, then position with
the new speed (semi-implicit Euler).
"""

from typing import Any

from pliant.engines.joint.step import longest_step, pushed, told

topology: Any
plant: Any


# So many arguments: compiled code takes arrays and numbers one by one.
def rollout(
    time: Any,
    goal: Any,
    supply: Any,
    on: Any,
    around: Any,
    q: float,
    v: float,
    values: Any,
    max_step: float,
    substeps: int,
    hold: bool,
    aligned: bool,
    reference: bool,
    stop: Any,
    positions: Any,
    torques: Any,
) -> int:
    """Move one joint through one log and return how many steps that took.

    Args:
        time, goal, supply, on: (N,) the log's samples.
        around: (N, 3) of a robot's joint, what the rest of the robot does to it: inertia, torque at
            angle 0, and slope of the torque in the angle; empty: nothing.
        q, v: where the joint starts.
        values: (P,) the actuator's parameters, then the plant's.
        max_step: the step [s], the same all along as in MuJoCo; shorter where samples are closer on
            average, or masses inside the actuator move faster.
        substeps: the actuator's own steps in each.
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
        aligned: steps end at the samples: each interval of the log is cut into equal ones.
        reference: the published program's position update, which counts acceleration 1.5 times.
        stop: (1,) not 0 once Ctrl-C was pressed: what is left is not simulated.
        positions: (N,) out, between two steps on the line between their positions.
        torques: (N, 3) out, the motor's, the load and friction; may be empty.
    """
    p = topology.load_parameters(values, 0)
    b = plant.load_parameters(values, topology.N_PARAMETERS)
    own = plant.inertia(b) + topology.armature(p)
    inertia = own
    led = len(around) > 0
    if led:
        least = around[0, 0]
        for k in range(len(around)):
            least = min(least, around[k, 0])
        inertia += least
    s = topology.start(q, p)
    n = len(time)
    longest = longest_step(p, inertia, max_step)
    h = min(longest, (time[n - 1] - time[0]) / max(1, n - 1))
    clock = time[0]
    total = 0
    before = q
    j = 0  # the last sample whose command has arrived
    m = 0  # the last sample that the middle of the step has passed
    positions[0] = q
    for k in range(n - 1):
        if stop[0] != 0:
            return total
        if aligned:
            span = time[k + 1] - time[k]
            h = span / max(1, int(span / longest + 0.999999))
        begins = True
        while clock < time[k + 1] - 1e-9:
            # 1. actuator
            t = topology.issued(clock + 1e-9, p)
            j, target = told(time, goal, t, h, j, hold)
            while m + 1 < n and time[m + 1] <= clock + 0.5 * h:
                m += 1
            load = plant.load(q, b)
            if led:
                part = (clock + 0.5 * h - time[k]) / (time[k + 1] - time[k])
                inertia = own + around[k, 0] + part * (around[k + 1, 0] - around[k, 0])
                load += around[k, 1] + part * (around[k + 1, 1] - around[k, 1])
                load += plant.angle(q, b) * (
                    around[k, 2] + part * (around[k + 1, 2] - around[k, 2])
                )
            s, tau_m, tau_f = pushed(
                s, plant.told(target, b), 0.0, q, v, load, supply[m], on[m], p, inertia, h, substeps
            )
            if begins and len(torques) > 0:
                torques[k, 0] = tau_m
                torques[k, 1] = load
                torques[k, 2] = tau_f
            begins = False
            # 4. motion
            before = q
            a = (tau_m + load + tau_f) / inertia
            v += a * h
            q += v * h
            if reference:
                q += 0.5 * a * h * h
            clock += h
            total += 1
        if begins and k > 0 and len(torques) > 0:
            torques[k] = torques[k - 1]
        positions[k + 1] = q - (q - before) * (clock - time[k + 1]) / h
    return total


# So many arguments: compiled code takes arrays and numbers one by one.
def batch(
    time: Any,
    goal: Any,
    supply: Any,
    on: Any,
    around: Any,
    starts: Any,
    first: Any,
    values: Any,
    columns: Any,
    settings: Any,
    jobs: Any,
    max_step: float,
    substeps: int,
    hold: bool,
    aligned: bool,
    reference: bool,
    stop: Any,
    positions: Any,
) -> int:
    """Many rollouts, (candidate, log) after (candidate, log), on the calling thread.

    Args:
        time, goal, supply, on: (M,) the samples of all logs, one after the other.
        around: (M, 3) or empty, see `rollout`.
        starts: (L + 1,) where each log begins. first: (L, 2) its first position and speed.
        values: (C, P) the candidates.
        columns: (K,) which parameters a log sets. settings: (L, K) to what; NaN: this one does not.
        jobs: (J, 2) candidate and log of each rollout. stop: see `rollout`.
        positions: (C, M) out.
    """
    total = 0
    none = positions[:0]
    for job in range(len(jobs)):
        c = jobs[job, 0]
        log = jobs[job, 1]
        a = starts[log]
        z = starts[log + 1]
        chosen = values[c].copy()
        for k in range(len(columns)):
            if settings[log, k] == settings[log, k]:
                chosen[columns[k]] = settings[log, k]
        total += rollout(
            time[a:z],
            goal[a:z],
            supply[a:z],
            on[a:z],
            around[a:z],
            first[log, 0],
            first[log, 1],
            chosen,
            max_step,
            substeps,
            hold,
            aligned,
            reference,
            stop,
            positions[c, a:z],
            none,
        )
    return total


# So many arguments: compiled code takes arrays and numbers one by one.
def trace(
    time: Any,
    goal: Any,
    preset: Any,
    external: Any,
    q: float,
    v: float,
    values: Any,
    max_step: float,
    substeps: int,
    stop: Any,
    motion: Any,
    states: Any,
    elastic: Any,
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
            s, tau_m, tau_f = pushed(
                s, goal[j], preset[j], q, v, load, supply, 1.0, p, inertia, h, substeps
            )
            v += (tau_m + load + tau_f) / inertia * h
            q += v * h
        total += steps
    return total
