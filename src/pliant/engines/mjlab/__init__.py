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
    from pliant.engines.mjlab.actuator import PliantActuator, PliantActuatorCfg
    from pliant.engines.mjlab.terms import (
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

_HOMES = {
    "PliantActuator": f"{__name__}.actuator",
    "PliantActuatorCfg": f"{__name__}.actuator",
    "capture": f"{__name__}.graphs",
    "RandomisedActuators": f"{__name__}.terms",
    "actuator_parameters": f"{__name__}.terms",
    "actuator_state": f"{__name__}.terms",
    "actuator_torque": f"{__name__}.terms",
}
_found = on_first_use(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        need("mjlab", "mjlab", (1, 6))
    return _found(name)
