"""The zero of a pendulum's encoder, from gravity: a servo rests short of its goals by the load that it holds.

    goal - q = a sin(q + zero) + b + c tanh(v / v0)        a > 0

where q + zero is 0 as the pendulum hangs down. A zero far from 0 is told; a small one is for a fit.
"""

from __future__ import annotations

import numpy as np

from pliant.io.faults_position import jumps
from pliant.io.findings import Fault, Finding
from pliant.io.table import Floats, Header, Table

SLOW = 0.5
"""[rad/s] While it moves faster, inertia is part of the load."""
FEWEST = 60
"""Such samples, at least."""
AWAY = 0.5
"""[rad] Farther from its goal, a servo is at a limit."""
TURNING = 0.03
"""[rad/s] Within which dry friction turns its direction."""
SPAN = 0.5
"""[rad] Range of the angles, at least: in a smaller one a sine is a line."""
FAR = 0.7
"""[rad] A zero farther off is told."""
CLEARLY = 0.6
"""Part of the variance that 0 leaves, which the zero found may leave at most."""
SEEN = 0.3
"""Part of the variance that gravity explains, at least."""
NEAR = 0.15
"""[rad] From a quarter turn that is named instead."""


def check_pendulum_zero(table: Table, header: Header) -> list[Fault]:
    """A zero with which gravity would pull the other way. There is no repair: `--columns` has a `zero`."""
    if header.mass is None and header.length is None:
        return []
    if len(jumps(table.time, table.channels["position"], table.channels["goal"]).rows):
        return []  # told already: there is no one zero
    found = zero_by_gravity(
        table.time,
        table.channels["position"],
        table.channels["goal"],
        table.channels["enabled"] > 0.5,
    )
    if found is None or abs(found) < FAR:
        return []
    quarter = 0.5 * np.pi * round(found / (0.5 * np.pi))
    at = quarter if quarter and abs(found - quarter) < NEAR else found
    hangs = -at if at < np.pi - 0.01 else np.pi
    text = (
        f"gravity pulls as if it hung down at {hangs:+.2f} rad, not at 0: the zero is elsewhere "
        f"(`zero` of --columns, the reading as it hangs, or --fit plant.position_offset=-3.2:3.2)"
    )
    return [(Finding("zero", table.names["position"], text, "warning"), None)]


def zero_by_gravity(time: Floats, line: Floats, goal: Floats, enabled: np.ndarray) -> float | None:
    """[rad] Angle of the pendulum where its encoder reads 0; None where gravity does not tell.

    Args:
        time: (N,) [s]. line, goal: (N,) [rad]. enabled: (N,) whether its motor is on.
    """
    if not np.isfinite(line).all() or not np.isfinite(goal).all() or not goal.any():
        return None
    speed = np.gradient(line, time)
    error = goal - line
    used = enabled & (np.abs(speed) < SLOW) & (np.abs(error) < AWAY)
    if used.sum() < FEWEST or np.ptp(line[used]) < SPAN:
        return None
    q, e = line[used], error[used]
    rest = np.column_stack([np.ones(len(q)), np.tanh(speed[used] / TURNING)])
    at_zero, slope = _left(np.column_stack([np.sin(q), rest]), e)
    if slope <= 0.0:
        at_zero, _ = _left(rest, e)
    without, _ = _left(rest, e)
    columns = np.column_stack([np.sin(q), np.cos(q), rest])
    free, _ = _left(columns, e)
    if free > CLEARLY * at_zero or free > (1.0 - SEEN) * without:
        return None
    a, b = np.linalg.lstsq(columns, e, rcond=None)[0][:2]
    return float(np.arctan2(b, a))


def _left(columns: Floats, wanted: Floats) -> tuple[float, float]:
    """Mean square that a least-squares fit leaves, and its first coefficient."""
    found = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    return float(np.mean((wanted - columns @ found) ** 2)), float(found[0])
