"""An actuator compiled for the installed MuJoCo and registered as a plugin of this process."""

import threading
from functools import cache
from pathlib import Path
from typing import NamedTuple

from pliant.assemble import Actuator, Equations
from pliant.engines.mujoco import native
from pliant.engines.mujoco.plugin import table
from pliant.engines.mujoco.plugin.layout import types_of
from pliant.engines.spec.names import ACTUATOR, LAWS, PREFIX, signed
from pliant.lower.kernel import compiled
from pliant.lower.law import fingerprint
from pliant.lower.machine import Compiled

_NATIVE = Path(native.__file__).parent
_lock = threading.Lock()
_owners: dict[str, str] = {}
"""Plugin name to the laws that were first to have it."""
_actuators: dict[int, Actuator] = {}


class Registered(NamedTuple):
    """A plugin of this process: its name, to be written in a model, and its number there."""

    name: str
    slot: int


def register(actuator: Actuator) -> Registered:
    """Compile the actuator's laws, unless that is done, and make them a plugin.

    The name is `pliant.` and the actuator's, and where an actuator of that name but with other laws
    was there first, the fingerprint of the laws behind it.
    """
    with _lock:
        code = _compiled(actuator.equations)
        name, laws = PREFIX + actuator.name, signed(actuator)
        if _owners.setdefault(name, laws) != laws:
            name += "." + laws.rpartition(":")[2]
        slot = table.register(
            name,
            code.addresses,
            attributes=(LAWS, ACTUATOR, *actuator.fields),
            keep_alive=[code],
        )
        _actuators.setdefault(slot, actuator)
    return Registered(name, slot)


def registered() -> dict[int, Actuator]:
    """Slot to the actuator that was first to have it, of all plugins of this process."""
    with _lock:
        return dict(_actuators)


@cache
def _compiled(equations: Equations) -> Compiled:
    return compiled(
        _NATIVE / "kernel.py",
        table.CALLBACKS,
        equations,
        constants={"FINGERPRINT": fingerprint(equations)},
        types=types_of(),
    )
