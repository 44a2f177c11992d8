"""The knobs of a robot's joints: what can be commanded and changed, and between which bounds."""

import math
from collections.abc import Callable

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.report.derived import torque_at_full_command
from pliant.robots.robot import Robot
from pliant.view.frame import Joint, Knob

__all__ = ["TorqueLimits", "joint_of", "limits_of", "parameter_knob"]

TorqueLimits = Callable[[float], tuple[float, float]]
"""Speed [rad/s] to the least and the most [N m] that a motor can there; NaN if unlimited."""

WIDE = 4.0
"""A parameter whose file gives no bounds can be turned to this many times its value, and back."""
FASTEST = 10.0
"""[rad/s] A speed can be commanded to it."""
UNLIMITED = 1e5
"""[N m] A torque beyond it is no limit."""


def joint_of(robot: Robot, k: int, actuator: Actuator) -> Joint:
    """Joint number `k` of a robot, whose actuator has these numbers now."""
    name = robot.joints[k]
    limits = [
        actuator.value(f"{port}.max_def")
        for port in ("limit", "limit_1", "limit_2")
        if f"{port}.max_def" in actuator.fields
    ]
    finite = [x for x in limits if math.isfinite(x)]
    slides = int(robot.model.joint(name).type[0]) == int(mujoco.mjtJoint.mjJNT_SLIDE)
    return Joint(
        name=name,
        device=actuator.title,
        slides=slides,
        references=_references(robot, k, actuator),
        parameters=tuple(parameter_knob(actuator, name) for name in actuator.fields),
        deflection_limit=min(finite, default=None),
        position_range=_angles(robot, k),
    )


def limits_of(actuator: Actuator) -> TorqueLimits:
    """The limits of an actuator's first motor, at its numbers."""
    torque = torque_at_full_command(actuator)

    def limits(speed: float) -> tuple[float, float]:
        found = -float(torque(-speed)), float(torque(speed))
        return (math.nan, math.nan) if max(map(abs, found)) > UNLIMITED else found

    return limits


def _references(robot: Robot, k: int, actuator: Actuator) -> tuple[Knob, ...]:
    now = (float(robot.reference_1[k]), float(robot.reference_2[k]))
    law = next((x for port, x in actuator.laws.items() if port.startswith("control")), None)
    mode, unit = robot.modes[k], str(getattr(law and law.module, "GOAL", "rad"))
    if unit != "rad":
        most = {"1": 1.0, "rad/s": FASTEST}.get(unit) or _most_torque(actuator)
        low, high, meaning = -most, most, "command"
    else:
        (low, high), unit = _angles(robot, k), "rad"
        meaning = "equilibrium" if mode in (3, 6) else "goal"
    first = Knob("reference_1", unit, meaning, now[0], min(low, now[0]), max(high, now[0]))
    if math.isnan(now[1]):
        return (first,)
    low, high = robot.preset_ranges[k]
    if math.isinf(low):
        return (first, Knob("reference_2", unit, f"{meaning} 2", now[1], first.low, first.high))
    return (first, Knob("reference_2", "rad", "stiffness preset", now[1], low, high))


def _most_torque(actuator: Actuator) -> float:
    most = limits_of(actuator)(0.0)[1]
    return 10.0 if math.isnan(most) or most <= 0.0 else most


def _angles(robot: Robot, k: int) -> tuple[float, float]:
    joint = robot.model.joint(robot.joints[k])
    low, high = (float(x) for x in joint.range)
    if bool(joint.limited[0]) and low < high:
        return low, high
    return -math.pi, math.pi


def parameter_knob(actuator: Actuator, name: str) -> Knob:
    """A parameter, within the bounds of its file, or around its value where that has none."""
    number, field = actuator.numbers[name], actuator.fields[name]
    x = number.value
    spread = sorted((x / WIDE, x * WIDE)) if x else (-1.0, 1.0)
    low = spread[0] if number.low is None else number.low
    high = spread[1] if number.high is None else number.high
    low, high = (float(np.clip(end, field.low, field.high)) for end in (min(low, x), max(high, x)))
    return Knob(name, field.unit, field.meaning, x, low, high)
