"""The numbers of a robot's joints at one instant, all read from the robot: no physics here."""

from collections.abc import Mapping

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.robots.robot import Robot
from pliant.robots.robot_energies import EnergyMeter
from pliant.view.frame import READINGS
from pliant.view.knobs import TorqueLimits

__all__ = ["places", "readings"]


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
