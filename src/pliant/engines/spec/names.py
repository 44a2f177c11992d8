"""The names under which Pliant's actuators stand in a model."""

from collections.abc import Mapping
from typing import Any

import mujoco

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.engines.spec.slots import FINGERPRINT_DIGITS, FINGERPRINT_MARK
from pliant.io.overrides import overridden
from pliant.lower.law import fingerprint

PREFIX = "pliant."
"""An actuator called `x` is the plugin `pliant.x`."""
ACTUATOR = "actuator"
"""Key of `<config>` that names the actuator's file; every parameter is a key too."""
LAWS = "laws"
"""Key of `<config>` with the fingerprint of the laws, which the plugin compares with its own."""
PRESET = ".preset"
"""The second command of the actuator `elbow` is the control of the actuator `elbow.preset`."""
DRUM = ".drum"
"""Behind a tendon's name: the tendon that measures its drum."""


def signed(actuator: Actuator) -> str:
    """The fingerprint of the actuator's laws as it stands in a model."""
    number = fingerprint(actuator.equations)
    return f"{FINGERPRINT_MARK}{number:0{FINGERPRINT_DIGITS}x}"


def configured(actuator: Actuator, texts: Mapping[str, str], source: str) -> Actuator:
    """`actuator` with the parameters that texts of a `<config>` give.

    Raises:
        PliantError: one is no parameter, no number, in another unit, or outside its range.
    """
    return overridden(actuator, texts.items(), source) if texts else actuator


def reference(actuator: Actuator) -> str:
    """Reference to an actuator in a saved model: its name in the catalogue, or its file."""
    if actuator.path is None:
        return actuator.name
    names = {path: name for name, path in actuator_files().items()}
    return names.get(actuator.path, str(actuator.path))


def actuator_named(spec: mujoco.MjSpec, name: str) -> Any:
    """The entry of an actuator, or None.

    `spec.actuator(name)` of MuJoCo 3.11 does not find what was added after another spec had been
    attached.
    """
    return next((entry for entry in spec.actuators if entry.name == name), None)


def joint_named(spec: mujoco.MjSpec, name: str) -> Any:
    """The joint of this name, or None; of a compiled spec MuJoCo 3 finds those alone that it had when compiled."""
    return spec.joint(name) or next((one for one in spec.joints if one.name == name), None)
