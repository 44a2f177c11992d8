"""Catalogue of laws, topologies and actuators, found by their file names.

A root is a folder with `laws/<family>/<law>.py`, `topologies/<topology>.py` and
`actuators/<actuator>.toml`. Pliant is one; an installed package adds another by an entry point in
the group `pliant.catalogue` that names it. A path to a file can replace any name: any path that the
user gives; in a file, only a path to that file's folder or below.
"""

from pliant.catalogue.fields import Field
from pliant.catalogue.files import actuator_files, find, law_files, roots, topology_files
from pliant.catalogue.physics import (
    Physics,
    Slot,
    leaves,
    load_law,
    load_topology,
    may_lack,
    ports,
    slots,
)
from pliant.subset import PACKAGE

__all__ = [
    "PACKAGE",
    "Field",
    "Physics",
    "Slot",
    "actuator_files",
    "find",
    "law_files",
    "leaves",
    "load_law",
    "load_topology",
    "may_lack",
    "ports",
    "roots",
    "slots",
    "topology_files",
]
