"""Numbers of a robot's recordings that are not its actuators': age of the positions, supply of the day."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from pliant.assemble import Actuator
from pliant.identification.problem.recorder import AGE, NEAR, SAMPLES, STILL, SUPPLY, Part
from pliant.io.robot_log import RobotLog


def robot_parts(actuators: Mapping[str, Actuator], *, measured: bool) -> Sequence[Part]:
    """Parts that may differ between recordings of a robot.

    Args:
        actuators: joint to actuator. measured: the supply is that of the recordings, so that it is known.
    """
    supplied = any("motor.R" in actuator.fields for actuator in actuators.values())
    return (AGE,) if measured or not supplied else (AGE, _SUPPLY)


def _with_supply(log: Any, factor: float) -> Any:
    known = cast("RobotLog", log)
    return replace(known, supply_ratio=factor * known.supply_ratio)


def _idle_voltage(log: Any) -> float | None:
    """[V] measured while all joints that are told rest at their goals, where it was; only ratios count."""
    known = cast("RobotLog", log)
    told = [k for k, joint in enumerate(known.joints) if known.commanded(joint)]
    if known.supply is None or not told:
        return None
    position = known.position[:, told]
    still = np.abs(np.gradient(position, known.time, axis=0)) < STILL
    near = np.abs(known.goal[:, told] - position) < NEAR
    idle = (still & near & known.enabled[:, told]).all(axis=1)
    return float(np.median(known.supply[idle])) if int(idle.sum()) >= SAMPLES else None


_SUPPLY = replace(SUPPLY, put=_with_supply, meter=_idle_voltage)
