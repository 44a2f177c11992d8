"""A number that tells one choice of laws from another, by what they compute."""

import hashlib
from collections.abc import Mapping
from functools import cache

from pliant.catalogue import Physics
from pliant.lower.assembly import assembly
from pliant.lower.emit import python
from pliant.lower.link import Linker


def fingerprint(topology: Physics, laws: Mapping[str, Physics]) -> int:
    """A positive 60-bit integer, from the equations, parameters and state, not from comments."""
    return _fingerprint(topology, tuple(laws.items()))


@cache  # `attach` asks for every joint
def _fingerprint(topology: Physics, laws: tuple[tuple[str, Physics], ...]) -> int:
    source, linker = assembly(topology, dict(laws)), Linker()
    for name in source.functions:
        linker.function(source, name)
    return int(hashlib.sha256(python(linker).encode()).hexdigest()[:15], 16)
