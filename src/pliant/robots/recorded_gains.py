"""Gains that a recording states of its controllers: used instead of those of the actuators' files."""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.io.robot_log import OTHERS, RobotLog

GAINS = (("kp", "kp"), ("kp", "k_p"), ("kd", "kd"), ("kd", "k_d"))
"""Recorded gains, and what laws of controllers call them."""
SOURCE = "recorded with its commands"
EQUAL = 1e-3
"""Relative spread within which a gain is one."""


def with_recorded_gains(
    actuators: Mapping[str, Actuator], logs: Sequence[RobotLog]
) -> tuple[dict[str, Actuator], list[str]]:
    """The actuators with the gains that were commanded while their motors were on, and a word on each change.

    Args:
        actuators: joint to actuator; one whose controller takes no such gains stays. logs: recordings.

    Raises:
        PliantError: a gain changes within the recordings, which no actuator can follow.
    """
    found: dict[str, Actuator] = {}
    said: list[str] = []
    for joint, actuator in actuators.items():
        new: dict[str, float] = {}
        for name, symbol in GAINS:
            full = f"control.{symbol}"
            if full not in actuator.fields or actuator.fields[full].unit != OTHERS[name]:
                continue
            value = _gain(name, joint, logs)
            if value is not None and actuator.numbers[full].value != value:
                new[full] = value
        found[joint] = actuator.with_values(new, SOURCE, "firmware") if new else actuator
        if new:
            told = ", ".join(f"{name} {value:g}" for name, value in new.items())
            said.append(f"{joint}: {told}, as recorded with its commands")
    return found, said


def _gain(name: str, joint: str, logs: Sequence[RobotLog]) -> float | None:
    """The gain in all recordings that state it; None where none does."""
    values = [
        gains[log.enabled[:, k], k]
        for log in logs
        if (gains := log.others.get(name)) is not None
        for k in (log.column(joint),)
        if not np.isnan(gains[:, k]).any()
    ]
    values = [some for some in values if len(some)]
    if not values:
        return None
    every = np.concatenate(values)
    low, high = float(every.min()), float(every.max())
    if high - low > EQUAL * max(abs(high), abs(low)):
        raise PliantError(
            "a gain that was commanded changes in the recordings: an actuator has one",
            file=logs[0].path or logs[0].name,
            field=f"{name}_{joint}",
            found=f"{low:g} to {high:g}",
            accepted="recordings, or a part of them (--cut), with one gain",
        )
    return float(np.median(every))
