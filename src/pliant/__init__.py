"""Simulated robot joints that behave like measured ones.

    actuator = pliant.load_actuator("xl330_bam_m6")     # or a TOML file of your own
    spec = mujoco.MjSpec.from_file("arm.xml")
    pliant.attach(spec, {"elbow": actuator})            # then compile and mj_step as ever

`pliant.jax` and `pliant.torch` have actuators with gradients. Everything is imported on first use:
`import pliant` alone loads no compiler and no engine.
"""

import sys
from typing import TYPE_CHECKING

if sys.version_info < (3, 11) or sys.maxsize < 2**32 or sys.byteorder != "little":
    raise ImportError(
        "Pliant needs Python 3.11 or newer, of 64 bits, on a little-endian system; this is "
        f"{sys.version.split()[0]} on {sys.platform}"
    )

from pliant.exports import on_first_use

if TYPE_CHECKING:
    from pliant import jax as jax
    from pliant import torch as torch
    from pliant.assemble import Actuator, with_law, with_laws
    from pliant.engines.hosts.stepper import Stepper
    from pliant.engines.mujoco.model_file import load_model
    from pliant.engines.mujoco.moved import load_binary
    from pliant.engines.spec.attachment import Attached, Attachment
    from pliant.engines.spec.messages import Caution
    from pliant.errors import PliantError, PliantWarning
    from pliant.examine import Checked, check
    from pliant.identification.fit import Identification, identify
    from pliant.identification.problem.evaluation import Evaluation, evaluate
    from pliant.io.actuator_file import load_actuator, write_actuator
    from pliant.io.log import Log, read_log, read_logs
    from pliant.io.overrides import actuator
    from pliant.lower.tabulated import write_tabulated_law
    from pliant.plain.export import Exported, export
    from pliant.report.listing import ActuatorList, actuators
    from pliant.robots.attach import attach
    from pliant.robots.compensator import Compensator
    from pliant.robots.mode import with_mode
    from pliant.robots.robot import Robot
    from pliant.robots.robot_file import load_robot
    from pliant.robots.robot_info import RobotInfo
    from pliant.robots.simulate import Simulated, simulate
    from pliant.robots.urdf import load_urdf

_HOMES = {
    "Actuator": "pliant.assemble",
    "ActuatorList": "pliant.report.listing",
    "Attached": "pliant.engines.spec.attachment",
    "Attachment": "pliant.engines.spec.attachment",
    "Caution": "pliant.engines.spec.messages",
    "Checked": "pliant.examine",
    "Compensator": "pliant.robots.compensator",
    "Evaluation": "pliant.identification.problem.evaluation",
    "Exported": "pliant.plain.export",
    "Identification": "pliant.identification.fit",
    "Log": "pliant.io.log",
    "Robot": "pliant.robots.robot",
    "RobotInfo": "pliant.robots.robot_info",
    "Stepper": "pliant.engines.hosts.stepper",
    "PliantError": "pliant.errors",
    "PliantWarning": "pliant.errors",
    "Simulated": "pliant.robots.simulate",
    "actuators": "pliant.report.listing",
    "actuator": "pliant.io.overrides",
    "attach": "pliant.robots.attach",
    "check": "pliant.examine",
    "evaluate": "pliant.identification.problem.evaluation",
    "export": "pliant.plain.export",
    "identify": "pliant.identification.fit",
    "jax": "pliant.jax",
    "load_actuator": "pliant.io.actuator_file",
    "load_binary": "pliant.engines.mujoco.moved",
    "load_model": "pliant.engines.mujoco.model_file",
    "load_robot": "pliant.robots.robot_file",
    "load_urdf": "pliant.robots.urdf",
    "read_log": "pliant.io.log",
    "read_logs": "pliant.io.log",
    "simulate": "pliant.robots.simulate",
    "torch": "pliant.torch",
    "with_law": "pliant.assemble",
    "with_laws": "pliant.assemble",
    "with_mode": "pliant.robots.mode",
    "write_actuator": "pliant.io.actuator_file",
    "write_tabulated_law": "pliant.lower.tabulated",
}

__all__ = [
    "Actuator",
    "ActuatorList",
    "Attached",
    "Attachment",
    "Caution",
    "Checked",
    "Compensator",
    "Evaluation",
    "Exported",
    "Identification",
    "Log",
    "PliantError",
    "PliantWarning",
    "Robot",
    "RobotInfo",
    "Simulated",
    "Stepper",
    "actuator",
    "actuators",
    "attach",
    "check",
    "evaluate",
    "export",
    "identify",
    "load_actuator",
    "load_binary",
    "load_model",
    "load_robot",
    "load_urdf",
    "read_log",
    "read_logs",
    "simulate",
    "with_law",
    "with_laws",
    "with_mode",
    "write_actuator",
    "write_tabulated_law",
]

__getattr__ = on_first_use(__name__, _HOMES)


def __dir__() -> list[str]:
    return __all__
