"""The inner loop of the joint engine: recorded commands in, motion out.

Not a module to import: the lowering binds `topology` and `plant` and compiles it. Within a step the
order is that of a physics engine: 1. actuator, 2. load, 3. friction, 4. speed, then position with
the new speed (semi-implicit Euler).
"""

from math import sqrt
from typing import Any

from pliant.laws.friction_budget._stop_torque import stop_torque
from pliant.lower.drive import drive

topology: Any
plant: Any

PART = 0.2
"""Of the stability limit 2 / omega of the actuator's own masses (compliant_actuators: 2.6)."""
FINEST = 100.0
"""No step is cut finer than this. An actuator that needs more may overflow, and does not hang."""


def rollout(
    time: Any, goal: Any, supply: Any, on: Any, q: float, v: float, values: Any,
    max_step: float, substeps: int, hold: bool, reference: bool, positions: Any, torques: Any,
) -> int:  # fmt: skip
    """Move one joint through one log and return how many steps that took.

    Args:
        time, goal, supply, on: (N,) the log's samples.
        q, v: where the joint starts.
        values: (P,) the actuator's parameters, then the plant's.
        max_step: longest step [s]; each interval of the log is cut into equal ones, shorter where
            masses inside the actuator move faster.
        substeps: the actuator's own steps in each.
        hold: a command holds until the next sample; otherwise it moves linearly towards it.
        reference: the published program's position update, which counts acceleration 1.5 times.
        positions: (N,) out. torques: (N, 3) out, the motor's, the load and friction; may be empty.
    """
    p = topology.load_parameters(values, 0)
    b = plant.load_parameters(values, topology.N_PARAMETERS)
    inertia = plant.inertia(b) + topology.armature(p)
    s = topology.start(q, p)
    fastest = max(topology.fastest(p), sqrt(topology.stiffest(p) / inertia))
    if max_step * fastest > 2.0 * PART:
        max_step = max(2.0 * PART / fastest, max_step / FINEST)
    n = len(time)
    total = 0
    j = 0  # the last sample whose command has arrived
    positions[0] = q
    for k in range(n - 1):
        span = time[k + 1] - time[k]
        steps = max(1, int(span / max_step + 0.999999))
        h = span / steps
        for i in range(steps):
            # 1. actuator
            t = topology.issued(time[k] + i * h + 1e-9, p)
            while j + 1 < n and time[j + 1] <= t:
                j += 1
            target = goal[j]
            if not hold and j + 1 < n and t > time[j]:
                target += (goal[j + 1] - goal[j]) * (t - time[j]) / (time[j + 1] - time[j])
            s, tau_m = drive(s, target, 0.0, q, v, supply[k], on[k], p, h, substeps)
            # 2. load, 3. friction
            tau_e = plant.load(q, b)
            budget = topology.budget(v, tau_m, tau_e, p)
            tau_f = stop_torque(v, tau_m, tau_e, budget, inertia, h)
            if i == 0 and len(torques) > 0:
                torques[k, 0] = tau_m
                torques[k, 1] = tau_e
                torques[k, 2] = tau_f
            # 4. motion
            a = (tau_m + tau_e + tau_f) / inertia
            v += a * h
            q += v * h
            if reference:
                q += 0.5 * a * h * h
        total += steps
        positions[k + 1] = q
    return total


def batch(
    time: Any, goal: Any, supply: Any, on: Any, starts: Any, first: Any, values: Any, columns: Any,
    settings: Any, jobs: Any, max_step: float, substeps: int, hold: bool, reference: bool,
    positions: Any,
) -> int:  # fmt: skip
    """Many rollouts, (candidate, log) after (candidate, log), on the calling thread.

    Args:
        time, goal, supply, on: (M,) the samples of all logs, one after the other.
        starts: (L + 1,) where each log begins. first: (L, 2) its first position and speed.
        values: (C, P) the candidates.
        columns: (K,) which parameters a log sets. settings: (L, K) to what; NaN: this one does not.
        jobs: (J, 2) candidate and log of each rollout.
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
            time[a:z], goal[a:z], supply[a:z], on[a:z], first[log, 0], first[log, 1], chosen,
            max_step, substeps, hold, reference, positions[c, a:z], none,
        )  # fmt: skip
    return total
