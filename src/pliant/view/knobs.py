"""The knobs of a robot's joints and their bounds, and their numbers at one instant, all read from the robot."""

import math
from collections.abc import Callable, Mapping

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.report.derived import torque_at_full_command
from pliant.robots.robot import Robot
from pliant.robots.robot_energies import EnergyMeter
from pliant.view.commands import READINGS, Joint, Knob

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


def readings(
    robot: Robot,
    actuators: Mapping[str, Actuator],
    limits: Mapping[str, TorqueLimits],
    meter: EnergyMeter,
) -> dict[str, Floats]:
    """Name of every reading to its (n,) values.

    Args:
        actuators: joint to its actuator, with the numbers it has now. limits: of its motor.
    """
    link, motor_1, deflection, power = robot.link, robot.motor_1, robot.deflection, meter.power
    stiff = ~np.isnan(robot.stiffness)  # joints with a spring between motor and link
    entries = [robot.info.attachment[joint] for joint in robot.joints]
    speed = np.where(stiff & ~np.isnan(motor_1.velocity), motor_1.velocity, link.velocity)
    ends = np.array(
        [limits[j](float(v)) for j, v in zip(robot.joints, speed, strict=True)]
    ).reshape(-1, 2)
    found = {
        "goal": robot.reference_1,
        "preset": robot.reference_2,
        "position": link.position,
        "velocity": link.velocity,
        "motor_1": motor_1.position,
        "motor_2": robot.motor_2.position,
        "deflection": deflection[:, 0],
        "deflection_2": deflection[:, 1],
        "stiffness": robot.stiffness,
        "torque": link.torque,
        "motor_torque": np.where(stiff, motor_1.effort, link.torque),
        "torque_low": ends[:, 0],
        "torque_high": ends[:, 1],
        "budget": np.array([float(entry.budget(robot.data)) for entry in entries]),
        "friction": np.array([float(entry.friction(robot.data)) for entry in entries]),
        "sticking": np.array([float(entry.sticking(robot.data)) for entry in entries]),
        "current": power.current[:, 0],
        "power": power.total,
        "energy": np.nansum(meter.energy.drawn, axis=1),
        "supply": np.array([_supply(actuators[joint]) for joint in robot.joints]),
    }
    none = np.full(len(robot.joints), np.nan)
    return {r.name: np.array(found.get(r.name, none), dtype=np.float64) for r in READINGS}


def places(
    model: mujoco.MjModel, data: mujoco.MjData, joints: tuple[str, ...]
) -> tuple[Floats, ...]:
    """Places of bodies and joints, as the last fields of a `Frame`: position to direction."""
    ids = [int(model.joint(joint).id) for joint in joints]
    anchor, axis = (np.array(x[ids]).reshape(-1, 3) for x in (data.xanchor, data.xaxis))
    away = np.array(data.subtree_com[model.jnt_bodyid[ids]]).reshape(-1, 3) - anchor
    away -= np.sum(away * axis, axis=1, keepdims=True) * axis
    along = np.abs(away).max(axis=1) < 1e-9  # what it carries lies on the axis
    away[along] = np.cross(axis[along], [0.3, 0.5, 0.8])
    return (
        np.array(data.xpos),
        np.array(data.xmat).reshape(-1, 3, 3),
        anchor,
        axis,
        away / np.linalg.norm(away, axis=1, keepdims=True),
    )


def _supply(actuator: Actuator) -> float:
    return actuator.value("own.voltage") if "own.voltage" in actuator.fields else np.nan
