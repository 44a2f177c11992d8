"""Checks that every recording of a robot goes through, whatever format it came in."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.clock import check_plausible
from pliant.io.findings import Finding
from pliant.io.robot_log import OTHERS, RobotLog

LEAST = 10
"""Samples, below which there is no motion to speak of."""


# A run is put together from its channels; each is an argument of its own name.
def run(
    name: str,
    path: Path,
    joints: Sequence[str],
    time: Floats,
    position: Floats,
    *,
    goal: Floats | None = None,
    channels: Mapping[str, Floats] | None = None,
    supply: Floats | None = None,
    findings: Sequence[Finding] = (),
) -> RobotLog:
    """A recording from its arrays, checked.

    Args:
        name: of the run. path: of its file. joints: (J,) names. time: (N,) [s].
        position, goal: (N, J). channels: "speed", "current", "enabled" and keys of `OTHERS`, (N, J)
            each. supply: (N,) [V]. findings: about it so far.

    Raises:
        PliantError: too few samples, a number that is not finite, or time that does not increase.
    """
    known = dict(channels or {})
    nothing = np.full(position.shape, np.nan)
    enabled = known.get("enabled")
    check_run(joints, time, position)
    speed = known.get("speed", nothing)
    told = nothing if goal is None else goal
    _check_goals(joints, told)
    return RobotLog(
        name,
        tuple(joints),
        time - time[0],
        position,
        told,
        speed,
        np.ones(position.shape, bool) if enabled is None else enabled > 0.5,
        supply,
        known.get("current"),
        path,
        digest_of([time, position, told, speed]),
        {kind: known[kind] for kind in OTHERS if kind in known},
        tuple(findings),
    )


def digest_of(arrays: Iterable[Floats]) -> str:
    """SHA-256 of numbers: a data set is many files, of which a log is a part."""
    found = hashlib.sha256()
    for array in arrays:
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def check_run(joints: Sequence[str], time: Floats, position: Floats) -> None:
    """Refuse what is no recording.

    Raises:
        PliantError: names the field and the sample.
    """
    if len(set(joints)) < len(joints):
        twice = next(name for name in joints if list(joints).count(name) > 1)
        raise PliantError("two joints have the same name", field="joints", found=twice)
    if len(time) < LEAST:
        raise PliantError("has too few samples", found=len(time), accepted=f"at least {LEAST}")
    for name, values in [("time", time), *zip(joints, position.T, strict=True)]:
        bad = ~np.isfinite(values)
        if bad.any():
            k = int(np.argmax(bad))
            raise PliantError("is not finite", field=f"sample {k}, {name}", found=float(values[k]))
    still = np.diff(time) <= 0.0
    if still.any():
        k = int(np.argmax(still)) + 1
        raise PliantError(
            f"time does not increase ({np.count_nonzero(still)} times)",
            field=f"sample {k}, time",
            found=float(time[k] - time[0]),
            accepted=f"above {time[k - 1] - time[0]:.9g} s",
        )
    check_plausible(time)


def _check_goals(joints: Sequence[str], goal: Floats) -> None:
    """A joint has a goal in all samples or in none."""
    missing = ~np.isfinite(goal)
    part = missing.any(0) & ~missing.all(0)
    if part.any():
        j = int(np.argmax(part))
        k = int(np.argmax(missing[:, j]))
        raise PliantError(
            "is not finite", field=f"sample {k}, goal of {joints[j]}", found=float(goal[k, j])
        )
