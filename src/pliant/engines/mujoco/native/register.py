"""An actuator compiled for the installed MuJoCo and registered as a plugin of this process."""

import threading
from functools import cache
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.catalogue import Physics
from pliant.engines.mujoco.native import plugin
from pliant.engines.mujoco.native.kernel import STATE
from pliant.engines.mujoco.native.layout import layout
from pliant.lower.kernel import compiled

PREFIX = "pliant."
"""An actuator called `x` is the plugin `pliant.x`."""
ACTUATOR = "actuator"
"""Key of `<config>` that names the actuator's file; every parameter is a key too."""
EXTRA = 4
"""Numbers in `actuator_user` after the parameters: see `kernel`."""

_SIGNATURES = {
    "compute": "void(intp, intp, int32, int32)",
    "advance": "void(intp, intp, int32)",
}
_lock = threading.Lock()
_owners: dict[str, str] = {}
"""Plugin name to the generated module that was first to have it."""


def act_width(actuator: Actuator) -> int:
    """How many activations the actuator has in MuJoCo."""
    return STATE + len(actuator.state)


def user_width(actuator: Actuator) -> int:
    """How many numbers of `actuator_user` it takes."""
    return len(actuator.fields) + EXTRA


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
        plugin.register(
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
        Path(__file__).with_name("kernel.py"),
        entries,
        topology,
        dict(laws),
        header=f"# {layout()}\n# sources {_sources()}",
    )


@cache
def _sources() -> str:
    """Hash of this folder: a cached callback carries the compiled helpers that it calls."""
    import hashlib

    files = sorted(Path(__file__).parent.glob("*.py"))
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in files)).hexdigest()[:16]
