"""The actuators of the catalogue, read once for all pages."""

from functools import cache

from pliant.assemble import Actuator
from pliant.catalogue import actuator_files
from pliant.io.actuator_file import load_actuator


@cache
def actuators() -> dict[str, Actuator]:
    """Name to actuator."""
    return {name: load_actuator(name) for name in actuator_files()}
