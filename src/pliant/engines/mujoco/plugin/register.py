"""An actuator compiled for the installed MuJoCo and registered as a plugin of this process."""

import hashlib
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.engines.mujoco import native
from pliant.engines.mujoco.plugin import table
from pliant.engines.mujoco.plugin.layout import layout
from pliant.engines.mujoco.plugin.view import widths
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, signed
from pliant.lower.cache import folder
from pliant.lower.kernel import compiled
from pliant.lower.plain import fingerprint

_NATIVE = Path(native.__file__).parent
_SIGNATURES = {
    "nstate": "int32(intp, int32)",
    "reset": "void(intp, intp, intp, int32)",
    "init": "int32(intp, intp, int32)",
    "compute": "void(intp, intp, int32, int32)",
    "advance": "void(intp, intp, int32)",
}
_lock = threading.Lock()
_owners: dict[str, str] = {}
"""Plugin name to the generated module that was first to have it."""
_actuators: dict[int, Actuator] = {}
_built: set[Any] = set()
"""Topology and laws that this process has compiled, or found compiled."""


class Registered(NamedTuple):
    """A plugin of this process: its name, to be written in a model, and its number there."""

    name: str
    slot: int


def register(actuator: Actuator) -> Registered:
    """Compile the actuator's laws, unless that is done, and make them a plugin.

    The name is `pliant.` and the actuator's, and where an actuator of that name but with other laws
    was there first, a hash of the laws behind it.
    """
    widths()
    with _lock:
        module, prefix = _module(actuator.topology, tuple(actuator.laws.items()))
        callbacks: dict[str, Any] = {key: getattr(module, prefix + key) for key in _SIGNATURES}
        name = PREFIX + actuator.name
        if _owners.setdefault(name, module.__name__) != module.__name__:
            name += "." + module.__name__.rpartition("_")[2]
        slot = table.register(
            name,
            **{key: callback.address for key, callback in callbacks.items()},
            attributes=(LAWS, ACTUATOR, *actuator.fields),
            keep_alive=[module],
        )
        _actuators.setdefault(slot, actuator)
        key = (actuator.topology, tuple(actuator.laws.items()))
        if key not in _built:
            _built.add(key)
            _set_mark(actuator)
    return Registered(name, slot)


def is_compiled(actuator: Actuator) -> bool:
    """Whether this process, or its cache, has the compiled laws; a damaged cache is not looked for."""
    if (actuator.topology, tuple(actuator.laws.items())) in _built:
        return True
    place = folder()
    return place is not None and (place / _mark(actuator)).is_file()


def _mark(actuator: Actuator) -> str:
    """The name of an empty file that says that these laws have been compiled here."""
    made_of = f"{signed(actuator)}\0{layout()}\0{_sources()}"
    versions = f"{version('numba')}\0{sys.version}"
    return hashlib.sha256(f"{made_of}\0{versions}".encode()).hexdigest()[:32] + ".compiled"


def _set_mark(actuator: Actuator) -> None:
    place = folder()
    if place is not None:
        with suppress(OSError):  # a full disk: it is compiled again
            (place / _mark(actuator)).touch()


def registered() -> dict[int, Actuator]:
    """Slot to the actuator that was first to have it, of all plugins of this process."""
    with _lock:
        return dict(_actuators)


@cache
def _module(topology: Physics, laws: tuple[tuple[str, Physics], ...]) -> tuple[Any, str]:
    entries = {
        name: f'@numba.cfunc("{signature}", cache=True, error_model="numpy", _nrt=False)'
        for name, signature in _SIGNATURES.items()
    }
    return compiled(
        _NATIVE / "kernel.py",
        entries,
        topology,
        dict(laws),
        header=f"# {layout()}\n# sources {_sources()}",
        constants={"FINGERPRINT": fingerprint(topology, dict(laws))},
    )


@cache
def _sources() -> str:
    """Hash of the compiled code's folder: a cached callback carries the helpers that it calls."""
    files = sorted(_NATIVE.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
