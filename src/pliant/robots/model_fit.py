"""Whether recordings are of the model: positions within the joints' ranges, and what would put them there."""

from collections.abc import Iterator, Sequence

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog

SLACK = 0.3
"""[rad, m] Beyond its range a joint may be: calibrations and limits are that rough."""
QUARTERS = (1, -1, 2, -2)
"""Fractions of a turn by which zeros are commonly off, in quarters."""


def check_fits(model: mujoco.MjModel, logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
    """Refuse recordings whose positions the model's joints cannot have, and say what would fit.

    Raises:
        PliantError: names the joint, its range, and the unit, sign or zero with which they fit.
    """
    for joint in joints:
        entry = model.joint(joint)
        low, high = (float(x) for x in entry.range)
        for log in logs:
            line = log.position[:, log.column(joint)]
            if not (low < high) or _within(line, low, high):
                continue
            ways = [
                name for name, moved in _proposals(line, low, high) if _within(moved, low, high)
            ]
            hint = f"; they fit as {ways[0]}" if ways else ""
            raise PliantError(
                "is not within what the model allows the joint",
                file=log.path or log.name,
                field=f"position_{joint}",
                found=f"{line.min():.4g} to {line.max():.4g}",
                accepted=f"{low:.4g} to {high:.4g} rad{hint}",
            )


def _within(line: Floats, low: float, high: float) -> bool:
    return bool(line.min() >= low - SLACK and line.max() <= high + SLACK)


def _proposals(line: Floats, low: float, high: float) -> Iterator[tuple[str, Floats]]:
    """Readings of a column, the likeliest first."""
    if np.abs(line).max() > 2.0 * np.pi:
        yield "degrees", np.radians(line)
        if np.abs(line).max() <= 101.0:
            whole = 0.0 if line.min() >= 0.0 else -100.0
            share = (line - whole) / (100.0 - whole)
            yield "percent of the range", low + share * (high - low)
    yield "the other sign", -line
    for quarter in QUARTERS:
        yield f"a zero that is {90 * quarter:+d} degrees off", line + 0.5 * np.pi * quarter
