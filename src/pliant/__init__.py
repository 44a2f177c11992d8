"""Simulated robot joints that behave like measured ones.

    actuator = pliant.load_actuator("xl330_bam_m6")     # or a TOML file of your own
    spec = mujoco.MjSpec.from_file("arm.xml")
    pliant.attach(spec, {"elbow": actuator})            # then compile and mj_step as usual

`pliant.jax` and `pliant.torch` have differentiable actuators. Everything is imported on first use:
`import pliant` alone loads no compiler and no engine.
"""

import sys
from typing import TYPE_CHECKING

if sys.version_info < (3, 11) or sys.maxsize < 2**32 or sys.byteorder != "little":
    raise ImportError(
        "Pliant needs 64-bit Python 3.11 or newer on a little-endian system; this is "
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
    from pliant.robots.robot import Robot, RobotInfo
    from pliant.robots.robot_file import load_robot
    from pliant.robots.simulate import Simulated, simulate
    from pliant.robots.urdf import load_urdf


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

__getattr__ = on_first_use(__name__)


def __dir__() -> list[str]:
    return __all__
