"""Gains that a recording states of its controllers: used instead of those of the actuators' files."""

from collections.abc import Mapping, Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.assemble.checks import check_range
from pliant.io.robot_log import RobotLog, gain_courses

SOURCE = "recorded with its commands"
EQUAL = 1e-3
"""Relative spread within which a gain is one."""


def with_recorded_gains(
    actuators: Mapping[str, Actuator], logs: Sequence[RobotLog]
) -> tuple[dict[str, Actuator], list[str]]:
    """The actuators with the median of the gains that were commanded, and a word on each change.

    Simulations of a recording follow its gains sample by sample; the median is what is written.

    Args:
        actuators: joint to actuator; one whose controller takes no such gains stays. logs: recordings.

    Raises:
        PliantError: a gain is outside the range of the controller's law.
    """
    found: dict[str, Actuator] = {}
    said: list[str] = []
    for joint, actuator in actuators.items():
        courses = stated_gains(joint, actuator, logs)
        for name, course in courses.items():
            for end in (course.min(), course.max()):
                check_range(name, float(end), actuator.fields[name])
        new = {name: float(np.median(course)) for name, course in courses.items()}
        new = {name: x for name, x in new.items() if actuator.numbers[name].value != x}
        found[joint] = actuator.with_values(new, SOURCE, "firmware") if new else actuator
        told = [_told(name, x) for name, x in courses.items() if name in new or np.ptp(x) > 0.0]
        if told:
            said.append(f"{joint}: {', '.join(told)}, as recorded with its commands")
    return found, said


def stated_gains(joint: str, actuator: Actuator, logs: Sequence[RobotLog]) -> dict[str, Floats]:
    """Each gain of the actuator's controller that recordings state, to all its values."""
    units = {name: field.unit for name, field in actuator.fields.items()}
    each = [gain_courses(log, joint, units) for log in logs]
    names = dict.fromkeys(name for courses in each for name in courses)
    return {n: np.concatenate([some[n] for some in each if n in some]) for n in names}


def _told(name: str, values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    if high - low <= EQUAL * max(abs(high), abs(low)):
        return f"{name} {np.median(values):g}"
    return f"{name} {low:g} to {high:g} (sample by sample; written is {np.median(values):g})"
