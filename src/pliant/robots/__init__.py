"""Whole robots with compliant joints: arrays over all joints, references, controllers, URDF.

    robot = load_robot("arm.urdf")                      # or a robot's TOML, or MJCF
    robot.reference_1 = [0.5, 0.2]                      # equilibria, positions or torques
    robot.step(1000)                                    # robot.link.position, robot.stiffness

Everything is imported on first use.
"""

from typing import TYPE_CHECKING

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant.io.manager_file import read_manager
    from pliant.io.robot_log import RobotLog
    from pliant.io.robot_log_csv import write_robot_log
    from pliant.io.robot_logs import read_robot_logs
    from pliant.robots.bus import Bus, on_bus, with_encoder, with_noise
    from pliant.robots.controller import JointCommand, JointController, SetGains, with_rate
    from pliant.robots.identify import evaluate_robot, identify_robot, robot_rig
    from pliant.robots.log_energy import energy_of_log
    from pliant.robots.manager import Manager
    from pliant.robots.mode import LinkSide, with_mode
    from pliant.robots.power import Energy, Power, energy_over
    from pliant.robots.recorder_times import frame_times, without_recorder
    from pliant.robots.references import References, equilibrium, refs_for
    from pliant.robots.robot import Robot, RobotInfo
    from pliant.robots.robot_energies import EnergyMeter, energies_of_logs
    from pliant.robots.robot_file import load_robot
    from pliant.robots.sections import Sections
    from pliant.robots.urdf import load_urdf


__all__ = [
    "Bus",
    "Energy",
    "EnergyMeter",
    "JointCommand",
    "JointController",
    "LinkSide",
    "Manager",
    "Power",
    "References",
    "Robot",
    "RobotInfo",
    "RobotLog",
    "Sections",
    "SetGains",
    "energies_of_logs",
    "energy_of_log",
    "energy_over",
    "equilibrium",
    "evaluate_robot",
    "frame_times",
    "identify_robot",
    "load_robot",
    "load_urdf",
    "on_bus",
    "read_manager",
    "read_robot_logs",
    "refs_for",
    "robot_rig",
    "with_encoder",
    "with_mode",
    "with_noise",
    "with_rate",
    "without_recorder",
    "write_robot_log",
]

__getattr__ = on_first_use(__name__)


def __dir__() -> list[str]:
    return __all__
