"""Simulated robot joints that behave like measured ones.

    actuator = pliant.load_actuator("xl330_bam_m6")     # or a TOML file of your own
    spec = mujoco.MjSpec.from_file("arm.xml")
    pliant.attach(spec, {"elbow": actuator})            # then compile and mj_step as ever

Everything is imported on first use: `import pliant` alone loads no compiler and no engine.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pliant.assemble import Actuator, with_law
    from pliant.engines.mujoco.attach import attach
    from pliant.engines.mujoco.model_file import load_model
    from pliant.errors import PliantError
    from pliant.io.actuator_file import load_actuator, write_actuator
    from pliant.io.log import read_log, read_logs

_HOMES = {
    "Actuator": "pliant.assemble",
    "PliantError": "pliant.errors",
    "attach": "pliant.engines.mujoco.attach",
    "load_actuator": "pliant.io.actuator_file",
    "load_model": "pliant.engines.mujoco.model_file",
    "read_log": "pliant.io.log",
    "read_logs": "pliant.io.log",
    "with_law": "pliant.assemble",
    "write_actuator": "pliant.io.actuator_file",
}

__all__ = [
    "Actuator",
    "PliantError",
    "attach",
    "load_actuator",
    "load_model",
    "read_log",
    "read_logs",
    "with_law",
    "write_actuator",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'pliant' has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
