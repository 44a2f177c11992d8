"""Actuators in mjlab: an actuator configuration, and terms that observe and randomise them.

    from pliant.engines.mjlab import PliantActuatorCfg

    EntityArticulationInfoCfg(
        actuators=(PliantActuatorCfg(target_names_expr=(".*",), actuator="xl330_bam_m6"),)
    )

What runs is the engine `mujoco_warp`; this room only speaks mjlab's language.
"""

from typing import TYPE_CHECKING, Any

from pliant.exports import on_first_use
from pliant.extras import need

if TYPE_CHECKING:
    from pliant.engines.mjlab.actuator import (
        PliantActuator,
        PliantActuatorCfg,
        RandomisedActuators,
        actuator_parameters,
        actuator_state,
        actuator_torque,
        capture,
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

_found = on_first_use(__name__)


def __getattr__(name: str) -> Any:
    if name in __all__:
        need("mjlab", "mjlab", (1, 6))
    return _found(name)
