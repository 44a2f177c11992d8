"""Actuators in mjlab: an actuator configuration, and terms that observe and randomise them.

    from pliant.engines.mjlab import PliantActuatorCfg

    EntityArticulationInfoCfg(
        actuators=(PliantActuatorCfg(target_names_expr=(".*",), actuator="xl330_bam_m6"),)
    )

What runs is the engine `mujoco_warp`; this room only speaks mjlab's language.
"""

import importlib.util
from importlib.metadata import version

from pliant.errors import PliantError

EXTRA = "pip install 'pliant[mjlab]'"

if importlib.util.find_spec("mjlab") is None:
    raise PliantError("the package mjlab is not installed", accepted=EXTRA)
if tuple(int(part) for part in version("mjlab").split(".")[:2]) < (1, 6):
    raise PliantError(
        "this mjlab is too old", found=version("mjlab"), accepted=f"1.6 or newer: {EXTRA}"
    )

from pliant.engines.mjlab.actuator import PliantActuator, PliantActuatorCfg
from pliant.engines.mjlab.capture import capture
from pliant.engines.mjlab.terms import (
    RandomisedActuators,
    actuator_parameters,
    actuator_state,
    actuator_torque,
)

__all__ = [
    "PliantActuator",
    "PliantActuatorCfg",
    "RandomisedActuators",
    "actuator_parameters",
    "actuator_state",
    "actuator_torque",
    "capture",
]
