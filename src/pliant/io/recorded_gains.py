"""Gains that a recording states of its controllers, as courses of parameters of their laws."""

from collections.abc import Mapping

import numpy as np

from pliant.arrays import Floats
from pliant.io.robot_log import OTHERS, RobotLog

NAMES = (("kp", "control.kp"), ("kp", "control.k_p"), ("kd", "control.kd"), ("kd", "control.k_d"))
"""Recorded gains, and what laws of controllers call them."""


def gain_courses(log: RobotLog, joint: str, units: Mapping[str, str]) -> dict[str, Floats]:
    """(N,) Course of each gain that the log states of a joint, if it has it, from the sample of its command on.

    While the motor is off, the last gain stays (at the beginning, the first one to come).

    Args:
        units: of the actuator's parameters; a gain in another unit is none of its controller.
    """
    if joint not in log.joints:
        return {}
    k = log.column(joint)
    on = np.flatnonzero(log.enabled[:, k])
    last = np.searchsorted(on, np.arange(len(log.time)), side="right") - 1
    return {
        name: log.others[gain][on[np.maximum(last, 0)], k]
        for gain, name in NAMES
        if units.get(name) == OTHERS[gain]
        and gain in log.others
        and len(on)
        and not np.isnan(log.others[gain][:, k]).any()
    }
