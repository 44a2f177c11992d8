"""An actuator compiled for the installed MuJoCo and registered as a plugin of this process."""

import threading
from functools import cache
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.engines.mujoco import native
from pliant.engines.mujoco.plugin import table
from pliant.engines.mujoco.plugin.layout import layout
from pliant.engines.spec.names import ACTUATOR, PREFIX
from pliant.lower.kernel import compiled

_NATIVE = Path(native.__file__).parent
_SIGNATURES = {
    "compute": "void(intp, intp, int32, int32)",
    "advance": "void(intp, intp, int32)",
}
_lock = threading.Lock()
_owners: dict[str, str] = {}
"""Plugin name to the generated module that was first to have it."""


def register(actuator: Actuator) -> str:
    """Compile the actuator's laws, unless that is done, and make them a plugin.

    Returns:
        The plugin's name, to be written in a model: `pliant.` and the actuator's, and where an
        actuator of that name but with other laws was there first, a hash of the laws.
    """
    with _lock:
        module, prefix = _module(actuator.topology, tuple(actuator.laws.items()))
        callbacks: dict[str, Any] = {key: getattr(module, prefix + key) for key in _SIGNATURES}
        name = PREFIX + actuator.name
        if _owners.setdefault(name, module.__name__) != module.__name__:
            name += "." + module.__name__.rpartition("_")[2]
        table.register(
            name,
            compute=callbacks["compute"].address,
            advance=callbacks["advance"].address,
            attributes=(ACTUATOR, *actuator.fields),
            keep_alive=[module],
        )
    return name


@cache
def _module(topology: Physics, laws: tuple[tuple[str, Physics], ...]) -> tuple[Any, str]:
    entries = {
        name: f'@numba.cfunc("{signature}", cache=True, error_model="numpy")'
        for name, signature in _SIGNATURES.items()
    }
    return compiled(
        _NATIVE / "kernel.py",
        entries,
        topology,
        dict(laws),
        header=f"# {layout()}\n# sources {_sources()}",
    )


@cache
def _sources() -> str:
    """Hash of the compiled code's folder: a cached callback carries the helpers that it calls."""
    import hashlib

    files = sorted(_NATIVE.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
