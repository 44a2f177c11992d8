"""The zero of a pendulum's encoder, from gravity, whose torque is known if mass and length are.

    m g l sin(q + z) + m l² a = pull - drag - J a

q + z is 0 when it hangs down. The servo's pull rises with goal - q while its motor is on, friction opposes
the speed, and the rotor inertia J opposes acceleration: each is a sum of a few basis functions with
coefficients of one sign. With a wrong z they would have to be negative. Each term is averaged over windows
with a smooth weight, which also differentiates, so no samples are differenced. Only a zero far from 0 is
reported; a small one is left to the fit.
"""

import numpy as np

from pliant.io.faults_position import jumps
from pliant.io.findings import Fault, Finding
from pliant.io.table import Floats, Header, Table

GRAVITY = 9.81
STEP = 0.005
"""[s] Step to which samples are resampled."""
LONGEST = 600.0
"""[s] Length of the initial part of a recording that is used."""
HALF = 0.1
"""[s] Half of a window."""
SATURATIONS = (0.05, 0.15, 0.5, 1.5)
"""[rad] Errors at which a servo may saturate: its pull is modelled as a sum of clipped errors."""
TURNING = 0.05
"""[rad/s] Within which dry friction turns its direction."""
ZEROS = np.linspace(-np.pi, np.pi, 73)[:-1]
SWEEPS = 400
"""Accelerated projected gradients (Beck and Teboulle 2009): within 6 % of the least on 74 recordings."""
FAR = 0.7
"""[rad] A zero farther off is reported."""
BALANCED, UNBALANCED, TIMES = 0.2, 0.05, 8.0
"""Largest unexplained fraction of gravity and inertia with the zero found; smallest one with zeros near 0, absolute and
as a multiple of the first. In 62 real recordings the multiple is 1 with the right zero, 8.1 or more upside down."""
NEAR = 0.4
"""[rad] Distance from a quarter turn within which that is reported instead."""


def check_pendulum_zero(table: Table, header: Header) -> list[Fault]:
    """A zero with which gravity would pull the other way. There is no repair: `--columns` has a `zero`."""
    if not header.mass or not header.length:
        return []
    if len(jumps(table.time, table.channels["position"], table.channels["goal"]).rows):
        return []  # already reported: there is no single zero
    line, goal = table.channels["position"], table.channels["goal"]
    weight = GRAVITY * header.mass * header.length
    inertia = header.mass * header.length * header.length
    if header.arm_mass is not None:
        weight += 0.5 * GRAVITY * header.arm_mass * header.length
        inertia += header.arm_mass * header.length * header.length / 3.0
    if not np.isfinite(inertia / weight):
        return []
    on = table.channels["enabled"] > 0.5
    found = zero_by_gravity(table.time, line, goal, on, inertia / weight)
    if found is None:
        return []
    quarter = 0.5 * np.pi * round(found / (0.5 * np.pi))
    at = quarter if quarter and abs(found - quarter) < NEAR else found
    hangs = -at if abs(at) < np.pi - 0.01 else np.pi
    text = (
        f"gravity acts as if it hung down at {hangs:+.2f} rad, not at 0: the zero is elsewhere "
        f"(`zero` of --columns, the reading as it hangs, or --fit plant.position_offset=-3.2:3.2)"
    )
    return [(Finding("zero", table.names["position"], text, "warning"), None)]


def zero_by_gravity(
    time: Floats, line: Floats, goal: Floats, on: np.ndarray, ratio: float
) -> float | None:
    """[rad] Angle of the pendulum at encoder reading 0; None if near 0, or if gravity does not determine it.

    Args:
        time: (N,) [s]. line, goal: (N,) [rad]. on: (N,) whether its motor is on.
        ratio: [s²] inertia of the load over its largest torque of gravity.
    """
    if time[-1] - time[0] < 10.0 * HALF or not (np.isfinite(line) & np.isfinite(goal)).all():
        return None
    shapes, speeding, sine, cosine = _windows(time, line, goal, on)
    known = sine[:, None] * np.cos(ZEROS) + cosine[:, None] * np.sin(ZEROS)
    left = _left(shapes, known + ratio * speeding[:, None])
    best = int(np.argmin(left))
    near = float(left[np.abs(ZEROS) < FAR].min())
    if left[best] > BALANCED or near < max(UNBALANCED, TIMES * float(left[best])):
        return None
    return float(ZEROS[best])


def _windows(
    time: Floats, line: Floats, goal: Floats, on: np.ndarray
) -> tuple[Floats, Floats, Floats, Floats]:
    """Means over windows: (K, P) shapes of pull, drag and rotor; (K,) acceleration, sin q and cos q."""
    grid = np.arange(time[0], min(time[-1], time[0] + LONGEST), STEP)
    latest = np.searchsorted(time, grid + 1e-9, side="right") - 1
    q, error = np.interp(grid, time, line), goal[latest] - np.interp(grid, time, line)
    powered = on[latest].astype(np.float64)
    n = round(HALF / STEP)
    s = np.linspace(-1.0, 1.0, 2 * n + 1)
    weight = (1.0 - s**2) ** 3
    first = -6.0 * s * (1.0 - s**2) ** 2 / HALF
    second = (24.0 * s**2 * (1.0 - s**2) - 6.0 * (1.0 - s**2) ** 2) / HALF**2

    def mean(values: Floats, by: Floats = weight) -> Floats:
        return np.correlate(values, by, "valid") / weight.sum()

    speed = np.convolve(np.gradient(q, STEP), np.full(5, 0.2), "same")
    speeding = mean(q, second - second.mean())
    shapes = [
        *(mean(powered * np.clip(error, -most, most)) for most in SATURATIONS),
        mean(q, first),
        mean(-np.tanh(speed / TURNING)),
        mean(-powered * speed),
        -speeding,
    ]
    return np.column_stack(shapes), speeding, mean(np.sin(q)), mean(np.cos(q))


def _left(shapes: Floats, wanted: Floats) -> Floats:
    """(Z,) fraction of each column's mean square unexplained by sums of the shapes with coefficients >= 0."""
    shapes = shapes / np.maximum(np.linalg.norm(shapes, axis=0), 1e-300)
    squares, products = shapes.T @ shapes, shapes.T @ wanted
    step = 1.0 / float(np.linalg.eigvalsh(squares)[-1])
    found = ahead = np.zeros_like(products)
    for k in range(SWEEPS):
        last, found = found, np.maximum(ahead + step * (products - squares @ ahead), 0.0)
        ahead = found + k / (k + 3.0) * (found - last)
    rest = wanted - shapes @ found
    return (rest**2).sum(axis=0) / np.maximum((wanted**2).sum(axis=0), 1e-300)
