"""One step of the joint engine, for the loops that take one candidate or several in lanes.

Not a module to import: the lowering binds `topology` and compiles it.
"""

from math import sqrt
from typing import Any

from pliant.laws.friction_budget._stop_torque import stop_torque
from pliant.lower.drive import FINEST, PART, drive

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
    substeps: int,
) -> tuple[Any, float, float]:
    """Actuator and friction: the new state, the actuator's torque and that of friction [N m]."""
    s, tau_m = drive(s, goal, preset, q, v, supply, on, p, h, substeps)
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
