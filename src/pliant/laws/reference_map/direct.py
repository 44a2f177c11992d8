"""The two commands are the references of the two motors.

Operation modes 2, 4 and 5; mode 4 commands torques      compliant_actuators: 3.1

Left out: ranges of the two motors.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


def first(goal: float, preset: float, p: P) -> float:
    return goal


def second(goal: float, preset: float, p: P) -> float:
    return preset
