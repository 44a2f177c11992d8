"""The learning of Mengacci et al. 2021, Fig. 15, written down alone: numbers, springs, motors, arm.

Nothing of Pliant is in it: a Lagrangian of two links, four motors with their position loops, friction
as stop elements, Runge-Kutta steps. It says how many trials the learning takes.
"""

from math import exp

import numpy as np
from numba import njit

K1, A1 = np.array([0.01038, 0.1015]), np.array([6.257, 3.383])
K2, A2 = np.array([0.08918, 0.05944]), np.array([3.9, 7.011])
"""Springs of shoulder and elbow, [N m] and [1/rad]: printed with k and a exchanged."""
REACH = 0.8
"""[rad] Beyond, a spring pulls no harder."""
MASS, CENTRE, LENGTH, INERTIA = 0.5408, 0.0768, 0.09, 4.047e-3
"""A segment; the inertia is about its joint."""
DAMPING, FRICTION, STIFF = 0.065, 0.025, 100.0
"""Joints of the links; the friction builds up over 0.25 mrad."""
J, D, K_P, K_D, LIMIT, SLIP, HOLD = 0.0233, 0.2698, 125.0, 4.5, 6.0, 0.02, 1000.0
"""Motors: inertia, viscous drag, position loop, torque limit, friction and its stiffness."""
G = 9.81


@njit
def rates(x, z, wear, goal, preset, tip, out):
    """x: q, v (2 each), theta, omega (4 each); z: deflection of the joints' friction, wear: motors'."""
    m22 = INERTIA + tip * LENGTH**2
    far = MASS * CENTRE + tip * LENGTH
    near = MASS * CENTRE + (MASS + tip) * LENGTH
    c, s = np.cos(x[1]), np.sin(x[1])
    m12 = m22 + LENGTH * far * c
    m11 = INERTIA + (MASS + tip) * LENGTH**2 + m22 + 2.0 * LENGTH * far * c
    h = LENGTH * far * s
    f = np.empty(2)
    f[1] = -h * x[2] ** 2 - G * far * np.sin(x[0] + x[1])
    f[0] = h * x[3] * (2.0 * x[2] + x[3]) - G * near * np.sin(x[0]) - G * far * np.sin(x[0] + x[1])
    for j in range(2):
        pull1 = K1[j] * np.sinh(A1[j] * min(max(x[4 + j] - x[j], -REACH), REACH))
        pull2 = K2[j] * np.sinh(A2[j] * min(max(x[6 + j] - x[j], -REACH), REACH))
        f[j] += pull1 + pull2 - DAMPING * x[2 + j] - STIFF * z[j]
        for side, pull, sign in ((0, pull1, 1.0), (1, pull2, -1.0)):
            k = 2 * side + j
            u = K_P * (goal[j] + sign * preset - x[4 + k]) - K_D * x[8 + k]
            u = min(max(u, -LIMIT), LIMIT)
            out[4 + k] = x[8 + k]
            out[8 + k] = (u - D * x[8 + k] - HOLD * wear[k] - pull) / J
    det = m11 * m22 - m12 * m12
    out[0], out[1] = x[2], x[3]
    out[2] = (m22 * f[0] - m12 * f[1]) / det
    out[3] = (m11 * f[1] - m12 * f[0]) / det


@njit
def trial(goals, preset, tip, every, settle, h):
    """(T, 2) Positions at the end of each period, after `settle` steps on the first goal."""
    x, z, wear = np.zeros(12), np.zeros(2), np.zeros(4)
    a, b, c, d = np.empty(12), np.empty(12), np.empty(12), np.empty(12)
    for j in range(2):
        x[4 + j], x[6 + j] = goals[0, j] + preset, goals[0, j] - preset
    found = np.empty_like(goals)
    for step in range(settle + every * len(goals)):
        goal = goals[max(step - settle, 0) // every]
        before = x.copy()
        rates(x, z, wear, goal, preset, tip, a)
        rates(x + 0.5 * h * a, z, wear, goal, preset, tip, b)
        rates(x + 0.5 * h * b, z, wear, goal, preset, tip, c)
        rates(x + h * c, z, wear, goal, preset, tip, d)
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
        for j in range(2):
            z[j] = min(max(z[j] + x[j] - before[j], -FRICTION / STIFF), FRICTION / STIFF)
        for k in range(4):
            wear[k] = min(max(wear[k] + x[4 + k] - before[4 + k], -SLIP / HOLD), SLIP / HOLD)
        if step >= settle and (step - settle) % every == every - 1:
            found[(step - settle) // every] = x[:2]
    return found


def minimum_jerk(periods: int) -> np.ndarray:
    x = np.arange(1, periods + 1) / periods
    return np.repeat((0.8 * (10 * x**3 - 15 * x**4 + 6 * x**5))[:, None], 2, axis=1)


def errors(tip: float, h: float = 2.5e-4, trials: int = 40) -> list[np.ndarray]:
    """(T, 2) Errors [rad] of each trial, until the largest is below 0.08 rad."""
    wanted = minimum_jerk(2000)
    goals, found = wanted.copy(), []
    for n in range(1, trials + 1):
        moved = trial(goals, 0.2, tip, round(0.01 / h), round(5.0 / h), h)
        found.append(wanted - moved)
        if np.abs(found[-1]).max() < 0.08:
            break
        goals = goals + 0.5 * exp(-n / 10) * found[-1]
    return found
