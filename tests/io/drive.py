"""A small actuator file, changed in places."""

from pathlib import Path

import pytest

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

DRIVE = """title = "A drive"
device = "drive"
topology = "rigid_servo"

[laws]
timing = "immediate"
sensing = "ideal"
control = "direct_current"
driver = "ideal_supply"
motor = "torque_source"
friction = "m1"

[sources]
sheet = "its data sheet"
guess = "assumed here"

[parameters.own]
armature = {value = 0.02, unit = "kg m^2", source = "sheet", how = "datasheet"}
voltage = {value = 24, unit = "V", source = "sheet", how = "datasheet"}

[parameters.control]
limit = {value = 12.0, unit = "A", source = "sheet", how = "firmware"}

[parameters.motor]
k_t = {value = 0.5, unit = "N m/A", source = "sheet", how = "datasheet", std = 0.01}

[parameters.friction]
K_c = {value = 0.2, unit = "N m", source = "guess", how = "assumed", low = 0.0, high = 1.0}
K_v = {value = 0.1, unit = "N m s/rad", source = "guess", how = "assumed"}

[bench]
arm_mass = {value = 0.05, unit = "kg", source = "sheet", how = "measured"}
"""


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """The file with each text replaced by another."""
    text = DRIVE
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return path


def refusal(path: Path, *changes: tuple[str, str]) -> str:
    """Refusal of the file, without its name."""
    changed(path, *changes)
    with pytest.raises(PliantError) as caught:
        load_actuator(path)
    return str(caught.value).removeprefix(f"{path}: ")


def same(a: Actuator, b: Actuator) -> bool:
    """Whether two actuators agree but for their files."""
    parts = ("name", "title", "device", "topology", "numbers", "sources", "bench", "identification")
    return all(getattr(a, part) == getattr(b, part) for part in parts) and dict(a.laws) == b.laws
