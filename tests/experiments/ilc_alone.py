"""The learning of Mengacci et al. 2021, Fig. 15, written down alone: numbers, springs, motors, arm.

Nothing of Pliant is in it but the compiler: a Lagrangian of two links, four motors with their position loops, friction
as stop elements, Runge-Kutta steps. It says how many trials the learning takes.
"""

from math import cos, exp, sin, sinh
from pathlib import Path

import numpy as np

from pliant.arrays import Matrix, Vector
from pliant.lower.kernel import compiled_source
from pliant.lower.source import read_source

SPRINGS = np.array([[0.01038, 0.1015], [6.257, 3.383], [0.08918, 0.05944], [3.9, 7.011]])
"""Of shoulder and elbow; of each motor [N m] and [1/rad]: printed with k and a exchanged."""
REACH = 0.8
"""[rad] Beyond, a spring pulls no harder."""
MASS, CENTRE, LENGTH, INERTIA = 0.5408, 0.0768, 0.09, 4.047e-3
"""A segment; the inertia is about its joint."""
DAMPING, FRICTION, STIFF = 0.065, 0.025, 100.0
"""Joints of the links; the friction builds up over 0.25 mrad."""
J, D, K_P, K_D, LIMIT, SLIP, HOLD = 0.0233, 0.2698, 125.0, 4.5, 6.0, 0.02, 1000.0
"""Motors: inertia, viscous drag, position loop, torque limit, friction and its stiffness."""
G = 9.81


def rates(
    x: Vector,
    z: Vector,
    wear: Vector,
    springs: Matrix,
    goal: Vector,
    preset: float,
    tip: float,
    out: Vector,
) -> None:
    """x: q, v (2 each), theta, omega (4 each); z: deflection of the joints' friction, wear: motors'."""
    m22 = INERTIA + tip * LENGTH**2
    far = MASS * CENTRE + tip * LENGTH
    near = MASS * CENTRE + (MASS + tip) * LENGTH
    c, s = cos(x[1]), sin(x[1])
    m12 = m22 + LENGTH * far * c
    m11 = INERTIA + (MASS + tip) * LENGTH**2 + m22 + 2.0 * LENGTH * far * c
    h = LENGTH * far * s
    f1 = h * x[3] * (2.0 * x[2] + x[3]) - G * near * sin(x[0]) - G * far * sin(x[0] + x[1])
    f2 = -h * x[2] ** 2 - G * far * sin(x[0] + x[1])
    for j in range(2):
        pull1 = springs[0, j] * sinh(springs[1, j] * min(max(x[4 + j] - x[j], -REACH), REACH))
        pull2 = springs[2, j] * sinh(springs[3, j] * min(max(x[6 + j] - x[j], -REACH), REACH))
        pulled = pull1 + pull2 - DAMPING * x[2 + j] - STIFF * z[j]
        if j == 0:
            f1 += pulled
        else:
            f2 += pulled
        for side in range(2):
            k, pull = 2 * side + j, pull1 if side == 0 else pull2
            u = K_P * (goal[j] + (preset if side == 0 else -preset) - x[4 + k]) - K_D * x[8 + k]
            u = min(max(u, -LIMIT), LIMIT)
            out[4 + k] = x[8 + k]
            out[8 + k] = (u - D * x[8 + k] - HOLD * wear[k] - pull) / J
    det = m11 * m22 - m12 * m12
    out[0], out[1] = x[2], x[3]
    out[2] = (m22 * f1 - m12 * f2) / det
    out[3] = (m11 * f2 - m12 * f1) / det


def trial(
    goals: Matrix,
    springs: Matrix,
    preset: float,
    tip: float,
    every: int,
    settle: int,
    h: float,
    work: Matrix,
    found: Matrix,
) -> None:
    """Positions at the end of each period into (T, 2), after `settle` steps on the first goal.

    `work`: (9, 12) zeros.
    """
    x, z, wear, at, before = work[0], work[1], work[2], work[3], work[4]
    for j in range(2):
        x[4 + j], x[6 + j] = goals[0, j] + preset, goals[0, j] - preset
    for step in range(settle + every * len(goals)):
        goal = goals[max(step - settle, 0) // every]
        for stage in range(4):
            share = 0.0 if stage == 0 else 1.0 if stage == 3 else 0.5
            for c in range(12):
                before[c] = x[c]
                at[c] = x[c] + share * h * work[5 + max(stage - 1, 0), c]
            rates(at, z, wear, springs, goal, preset, tip, work[5 + stage])
        for c in range(12):
            x[c] += h / 6.0 * (work[5, c] + 2.0 * work[6, c] + 2.0 * work[7, c] + work[8, c])
        for j in range(2):
            z[j] = min(max(z[j] + x[j] - before[j], -FRICTION / STIFF), FRICTION / STIFF)
        for k in range(4):
            wear[k] = min(max(wear[k] + x[4 + k] - before[4 + k], -SLIP / HOLD), SLIP / HOLD)
        if step >= settle and (step - settle) % every == every - 1:
            for j in range(2):
                found[(step - settle) // every, j] = x[j]


def minimum_jerk(periods: int) -> np.ndarray:
    x = np.arange(1, periods + 1) / periods
    return np.repeat((0.8 * (10 * x**3 - 15 * x**4 + 6 * x**5))[:, None], 2, axis=1)


def errors(tip: float, h: float = 2.5e-4, trials: int = 40) -> list[np.ndarray]:
    """(T, 2) Errors [rad] of each trial, until the largest is below 0.08 rad."""
    wanted = minimum_jerk(2000)
    goals, found = wanted.copy(), []
    run = compiled_source(read_source(Path(__file__), "ilc"), ["trial"], "ilc_alone").functions
    for n in range(1, trials + 1):
        moved, work = np.empty_like(goals), np.zeros((9, 12))
        steps = round(0.01 / h), round(5.0 / h)
        run["trial"](goals, SPRINGS, 0.2, tip, *steps, h, work, moved)
        found.append(wanted - moved)
        if np.abs(found[-1]).max() < 0.08:
            break
        goals = goals + 0.5 * exp(-n / 10) * found[-1]
    return found
