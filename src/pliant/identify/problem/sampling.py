"""When a log's commands acted and its positions were true, as far as the log itself leaves open.

A recording loop reads and writes one after the other: the goal that stands beside a position may
act from then on, only after the next reading, or since the one before; and a position may be older
than the time beside it. One sample (5 ms) of that, taken wrongly, goes into damping and friction.

The age of a position cannot be told from a command delay by any open-loop fit: only their sum
shifts the motion. So the age is given, where it is known, and the delay that is fitted is the
actuator's.
"""

import dataclasses
from collections.abc import Sequence
from typing import Any, Literal, get_args

import numpy as np

from pliant.engines.joint.engine import JointSettings
from pliant.errors import PliantError
from pliant.identify.search.search import SearchSettings
from pliant.io.log import Log

Sampling = Literal["hold", "linear", "next", "before"]
SAMPLINGS: tuple[Sampling, ...] = get_args(Sampling)
"""From its sample on, held; linearly on to the next; held from the next sample on; held since the
sample before."""

QUICK = SearchSettings(starts=1, generations=20, polish=15, finalists=0, final_polish=0, rounds=0)
"""For each convention where the best is to be found."""

OLDEST = 0.1
"""[s] A position older than that belongs to another motion."""


def as_recorded(
    logs: Sequence[Log], settings: JointSettings, sampling: Sampling, age: float = 0.0
) -> tuple[list[Log], JointSettings]:
    """The logs and settings that say the same with commands that act from their sample on.

    Args:
        logs: as read. settings: of the joint engine.
        sampling: when a command acts, see `SAMPLINGS`; "hold" leaves `settings.hold` as it is.
        age: [s] how much older a position is than the time beside it.

    Raises:
        PliantError: no such convention, or an age out of range.
    """
    if sampling not in SAMPLINGS:
        raise PliantError(
            "no such convention", field="sampling", found=sampling, accepted=SAMPLINGS
        )
    if not 0.0 <= age <= OLDEST:
        raise PliantError(
            "out of range", field="sample age", found=age, accepted=f"0 to {OLDEST:g} s"
        )
    if sampling == "linear":
        settings = dataclasses.replace(settings, hold=False)
    shift = {"next": 1, "before": -1}.get(sampling, 0)
    return [_younger(_shifted(log, shift), age) for log in logs], settings


def _shifted(log: Log, by: int) -> Log:
    """Goals `by` samples later."""
    if by == 0:
        return log
    k = np.clip(np.arange(len(log.time)) - by, 0, len(log.time) - 1)
    return dataclasses.replace(log, goal=log.goal[k])


def _younger(log: Log, age: float) -> Log:
    """Positions of the times beside them, by a line through their neighbours."""
    if age == 0.0:
        return log
    kept = log.time + age <= log.time[-1]
    position = np.interp(log.time + age, log.time, log.position)
    channels: dict[str, Any] = {
        name: values[kept]
        for name in ("time", "goal", "enabled", "velocity", "voltage", "torque")
        if (values := getattr(log, name)) is not None
    }
    return dataclasses.replace(log, position=position[kept], **channels)
