"""Actuator that a fit begins at where none is given: by the device that the logs name.

1. the files of the catalogue whose device is called alike
2. of these, the one with the friction model that is wanted, or the richest
3. laws that the logs need: another friction model, a command delay; a PD that commands torque
   where positions were commanded to a drive that the file knows as driven by torque

With friction that depends on the load comes the gear that carries no inertia. Files that have such
friction stay as they were identified: with the gear that carries everything.
"""

import re
from collections.abc import Sequence
from pathlib import Path

from pliant.assemble import Actuator, with_laws
from pliant.catalogue import actuator_files
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.toml_file import read_toml

FRICTION = "m4"
"""Model of friction to begin with: those with more numbers predicted unseen logs no better."""
GEAR = "without_inertia"
"""An STS3032's heaviest load and another arm are predicted a fifth to a quarter better with it, at the
same error on what was fitted; an XL330's other gains, whose file has M4, no better."""
LEAST = 3
"""Letters that two names must share for one to be meant by the other."""


def starting_actuator(logs: Sequence[Log], device: str | None = None) -> tuple[Actuator, str]:
    """The actuator to begin at, and what it was chosen by, in words.

    Args:
        logs: to be fitted. device: its name ("STS3032"); None: what the logs say.

    Raises:
        PliantError: no device is named, several are, or nothing is known of it.
    """
    named = device or _named(logs)
    path = _file_of(named)
    found = load_actuator(path)
    laws = _laws(found, logs)
    by = "--device" if device else "the logs"
    more = ", ".join(f"{port}={law}" for port, law in laws.items())
    said = f"{by} name{'' if not device else 's'} {named!r}: begins at {found.name}"
    return with_laws(found, laws), f"{said} with {more}" if more else said


def _named(logs: Sequence[Log]) -> str:
    names = sorted({log.device for log in logs} - {"unknown"})
    if len(names) != 1:
        raise PliantError(
            "is needed: the logs name " + ("no device" if not names else "several devices"),
            field="--actuator or --device",
            found=", ".join(names) or None,
            accepted=_devices(),
        )
    return names[0]


def _file_of(device: str) -> Path:
    """File of the catalogue for a device.

    Raises:
        PliantError: none is called alike.
    """
    files = actuator_files()
    closeness = {name: _alike(device, _device(path)) for name, path in files.items()}
    best = max(closeness.values())
    if best == 0:
        raise PliantError(
            "nothing is known of this device; --actuator begins at another",
            field="--device",
            found=device,
            accepted=_devices(),
        )
    known = [name for name, one in closeness.items() if one == best]
    return files[max(known, key=_rank)]


def _rank(name: str) -> tuple[bool, str]:
    """The friction model wanted comes first, then the richest."""
    model = re.search(r"_(m\d)$", name)
    found = model[1] if model else ""
    return found == FRICTION, found


def _alike(wanted: str, known: str) -> int:
    """Likeness of two names of devices; 0: they are of two."""
    a, b = _bare(wanted), _bare(known)
    if min(len(a), len(b)) < LEAST:
        return 0
    if a == b:
        return 3
    if a.startswith(b) or b.startswith(a):
        return 2
    return int(a in b or b in a)


def _bare(device: str) -> str:
    return "".join(c for c in device.casefold() if c.isalnum())


def _device(path: Path) -> str:
    return str(read_toml(path).get("device", ""))


def _devices() -> list[str]:
    return sorted({_device(path) for path in actuator_files().values()})


def _laws(actuator: Actuator, logs: Sequence[Log]) -> dict[str, str]:
    """Port to the law that the logs need there instead."""
    laws: dict[str, str] = {}
    by_goal = all(log.driven == "goal" for log in logs)
    takes = (
        getattr(actuator.laws["control"].module, "GOAL", "") if "control" in actuator.laws else ""
    )
    if by_goal and takes == "N m":
        laws["control"] = "pd_torque"
    friction = actuator.laws.get("friction")
    if by_goal and friction is not None and friction.name in ("m1", "m2"):
        laws["friction"] = FRICTION
        if "gear_load" in actuator.laws:
            laws["gear_load"] = GEAR
    timing = actuator.laws.get("timing")
    if by_goal and timing is not None and timing.name == "immediate":
        laws["timing"] = "command_delay"
    return laws
