"""The names under which Pliant's actuators stand in a model."""

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files

PREFIX = "pliant."
"""An actuator called `x` is the plugin `pliant.x`."""
ACTUATOR = "actuator"
"""Key of `<config>` that names the actuator's file; every parameter is a key too."""
PRESET = ".preset"
"""The second command of the actuator `elbow` is the control of the actuator `elbow.preset`."""


def reference(actuator: Actuator) -> str:
    """How a saved model names it: its name in the catalogue, or its file."""
    known = actuator_files().get(actuator.name)
    return actuator.name if actuator.path in {known, None} else str(actuator.path)
