"""Motions of links on compliant joints, started from rest at zero.

Do not import it: `compliant_truth` binds the laws and compiles it. Runge-Kutta 4; motors are given at
every half step.
"""

from math import cos, sin
from typing import Any

from pliant.arrays import Matrix, Vector

first: Any
second: Any
"""Laws of the springs, one on each motor; or the first alone, on a motor, or on a motor and an adjuster."""
friction: Any
sensor: Any


def springs(q: float, theta: Vector, values: Vector) -> tuple[float, float]:
    """Torque and stiffness of one joint with (m,) motors; `values` are the springs' parameters in sequence."""
    p = first.load_parameters(values, 0)
    if first.ADJUSTED:
        u, x = theta[0], theta[1]
        return first.torque(q, u, x, p), first.stiffness(q, u, x, p)
    phi = q - theta[0]
    torque, stiffness = first.torque(phi, p), first.stiffness(phi, p)
    if first.ALONE:
        return torque, stiffness
    phi, other = q - theta[1], second.load_parameters(values, first.N_PARAMETERS)
    return torque + second.torque(phi, other), stiffness + second.stiffness(phi, other)


def stiffnesses(values: Vector, q: Vector, theta: Matrix, sigma: Vector) -> None:
    """At N positions (N,), (N, m), into (N,)."""
    for k in range(len(q)):
        sigma[k] = springs(q[k], theta[k], values)[1]


def pendulum(
    values: Vector,
    inertia: float,
    mgl: float,
    theta: Matrix,
    dt: float,
    substeps: int,
    positions: Vector,
    sigma: Vector,
) -> None:
    """One link, N samples.

    Args:
        values: of the springs. theta: (2 substeps (N - 1) + 1, m).
        positions, sigma: (N,) out, of the link and its stiffness.
    """
    q, v, h = 0.0, 0.0, dt / substeps
    for k in range(len(positions)):
        positions[k] = q
        sigma[k] = springs(q, theta[2 * substeps * k], values)[1]
        if k == len(positions) - 1:
            break
        for j in range(substeps):
            at = 2 * (substeps * k + j)
            a1 = -(mgl * sin(q) + springs(q, theta[at], values)[0]) / inertia
            q2, v2 = q + 0.5 * h * v, v + 0.5 * h * a1
            a2 = -(mgl * sin(q2) + springs(q2, theta[at + 1], values)[0]) / inertia
            q3, v3 = q + 0.5 * h * v2, v + 0.5 * h * a2
            a3 = -(mgl * sin(q3) + springs(q3, theta[at + 1], values)[0]) / inertia
            q4, v4 = q + h * v3, v + h * a3
            a4 = -(mgl * sin(q4) + springs(q4, theta[at + 2], values)[0]) / inertia
            q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
            v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)


def rate(values: Vector, terms: Vector, x: Vector, theta: Vector, out: Vector) -> None:
    """Rates of positions and speeds of two links under gravity, springs and the friction in x[4:].

    `terms` are those of `TwoLink`.
    """
    near, cross, far, g1, g2 = terms[0], terms[1], terms[2], terms[3], terms[4]
    m = len(theta) // 2
    q1, q2, v1, v2 = x[0], x[1], x[2], x[3]
    bc, h = cross * cos(q2), cross * sin(q2)
    load = g2 * sin(q1 + q2)
    f1 = h * v2 * (2.0 * v1 + v2) - g1 * sin(q1) - load - springs(q1, theta[:m], values)[0] - x[4]
    f2 = -h * v1 * v1 - load - springs(q2, theta[m:], values)[0] - x[5]
    m11, m12 = near + 2.0 * bc, far + bc
    det = m11 * far - m12 * m12
    out[0], out[1] = v1, v2
    out[2], out[3] = (far * f1 - m12 * f2) / det, (m11 * f2 - m12 * f1) / det


# Many arguments, because compiled code takes arrays and numbers one by one.
def arm(
    values: Vector,
    rubbing: Vector,
    viscous: float,
    terms: Vector,
    theta: Matrix,
    dt: float,
    substeps: int,
    work: Matrix,
    q: Matrix,
    sigma: Matrix,
) -> None:
    """Two links, N samples; the friction of each step is that at its beginning.

    Args:
        values, rubbing: of the springs of each joint, and of the law of friction.
        theta: (2 substeps (N - 1) + 1, 2 m). work: (6, 6) zeros.
        q, sigma: (N, 2) out.
    """
    m, h, p = theta.shape[1] // 2, dt / substeps, friction.load_parameters(rubbing, 0)
    x, at, rates = work[4], work[5], work[:4]
    z1, z2 = friction.start(p), friction.start(p)
    for k in range(len(q)):
        here = theta[2 * substeps * k]
        q[k, 0], q[k, 1] = x[0], x[1]
        sigma[k, 0] = springs(x[0], here[:m], values)[1]
        sigma[k, 1] = springs(x[1], here[m:], values)[1]
        for j in range(substeps if k < len(q) - 1 else 0):
            i = 2 * (substeps * k + j)
            at[4] = friction.torque(z1, p) + viscous * x[2]
            at[5] = friction.torque(z2, p) + viscous * x[3]
            q1, q2 = x[0], x[1]
            for stage in range(4):
                share = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
                for c in range(4):
                    at[c] = x[c] + share * h * rates[max(stage - 1, 0), c]
                half = i + (0 if stage == 0 else (2 if stage == 3 else 1))
                rate(values, terms, at, theta[half], rates[stage])
            for c in range(4):
                total = rates[0, c] + 2.0 * rates[1, c] + 2.0 * rates[2, c] + rates[3, c]
                x[c] += h / 6.0 * total
            z1, z2 = friction.step(z1, x[0] - q1, p), friction.step(z2, x[1] - q2, p)


def sensed(values: Vector, positions: Vector, dt: float, out: Vector) -> None:
    """(N,) positions as measured by a sensor with state."""
    p = sensor.load_parameters(values, 0)
    s = sensor.start(p)
    for k in range(len(positions)):
        s = sensor.step(s, p, dt)
        out[k] = sensor.measured(s, positions[k], p)
