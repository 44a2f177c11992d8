"""Actuator that a fit starts from if none is given: by the device that the logs name.

1. the files of the catalogue whose device has a similar name
2. of these, the one with the friction model asked for, or the richest
3. laws that the logs need: another friction model, a command delay, a supply that gives way; a PD that
   commands torque, by the gains of each log, where positions were commanded to a drive that the file
   knows as driven by torque, or logs of a quasi-direct drive state both gains; a motor that may brake
   while its torque is off, where it is off in logs
4. an armature whose bounds follow from gear and motor of the data sheet

For an unknown drive whose logs state both gains, the fit starts from the smallest of `DRIVES` that gives the
commanded torque.

M6 comes with the gear law in which the gear carries no inertia, even if the file was identified with the gear that
carries everything.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.assemble import Actuator, bounded_by_gear, with_laws
from pliant.catalogue import actuator_files, ports
from pliant.errors import PliantError
from pliant.identification.problem.space import searched_by_default
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log
from pliant.io.validated import read_toml
from pliant.ports import NULL

FRICTION = "m6"
"""Friction model to start with, the one with all terms: those that the logs do not require stay small by
their prior."""
SIMPLEST = "m1"
SIMPLER = (SIMPLEST, "m2", "m3", "m4", "m5")
"""Friction models that it contains."""
BUDGET = "friction_budget"
"""Family of these."""
GEAR = "without_inertia"
"""Gear-load law, for the same reason; an STS3032's heaviest load and another arm are predicted a fifth to a
quarter better with it."""
DRIVES = ("ak80_6_dfki_m1", "robstride_03_ksim", "robstride_04_ksim")
"""Quasi-direct drives of 18, 60 and 120 N m. The first has friction from recordings, the others guesses."""
SUPPLY = "pulsed_supply"
"""Without it an XL330's gain 800, left out, is predicted three times worse."""
OF_DRIVES = ("T-Motor", "RobStride", "Unitree")
"""Makers whose drives have a PD in N m/rad; a servo's gains are in its firmware's own unit."""
OFF = "released"
"""Law of a motor while its torque is off, if logs have such samples; its effect stays zero unless they require it."""
MOST = 0.99
"""Share of the samples whose torque a drive must be able to give."""
LEAST = 3
"""Letters that a name must have to be matched to another."""


def starting_actuator(logs: Sequence[Log], device: str | None = None) -> tuple[Actuator, str]:
    """The actuator to start from, and a description of how it was chosen.

    Args:
        logs: to be fitted. device: its name ("STS3032"); None: what the logs say.

    Raises:
        PliantError: no device is named, several are, or nothing is known of it.
    """
    by = "--reading device names" if device else "the logs name"
    named = device or _named(logs)
    path = _file_of(named)
    if path is None:
        if not _by_drive(logs):
            raise PliantError(
                "this device is unknown; start from another with --actuator, or, for a drive with its own "
                "PD, state kp and kd in every log",
                field="--reading device",
                found=named,
                accepted=_devices(),
            )
        path = actuator_files()[_large_enough(logs)]
    found = load_actuator(path)
    laws = _laws(found, logs)
    more = ", ".join(f"{port}={law}" for port, law in laws.items())
    said = f"{by} {named!r}: starts from {found.name}"
    if not _alike(named, found.device):
        said = f"{by} {named!r}, of which only kp and kd are known: starts from {found.name}"
        title = f"{named}, a drive started from {found.device}"
        found = replace(found, device=named, title=title, maker="", datasheet=())
    found, bounded = bounded_by_gear(found)
    said = f"{said} with {more}" if more else said
    return with_laws(found, laws), f"{said}; {bounded}" if bounded else said


def check_named(logs: Sequence[Log], actuator: Actuator) -> None:
    """Refuse logs that name a device of the catalogue other than the actuator's.

    Raises:
        PliantError: with the actuator of the device that is named.
    """
    for log in logs:
        known = _file_of(log.device)
        if known is not None and not _alike(log.device, actuator.device):
            raise PliantError(
                f"names another device than {actuator.name} is of",
                file=log.path or log.name,
                field="device",
                found=log.device,
                accepted=known.stem,
            )


def with_something_to_fit(actuator: Actuator) -> tuple[Actuator, str]:
    """The actuator with dry and viscous friction added, and a note, if its file leaves a fit nothing to search.

    This concerns published models of drives without friction; any other actuator stays as it is.
    """
    if searched_by_default(actuator) or ports(actuator.topology).get("friction") != BUDGET:
        return actuator, ""
    if actuator.laws["friction"].name != NULL:
        return actuator, ""
    said = (
        f"{actuator.name} has no friction and no number to search: starts with friction={SIMPLEST}"
    )
    return with_laws(actuator, {"friction": SIMPLEST}), said


def laws_not_taken(actuator: Actuator, logs: Sequence[Log], given: Sequence[str] = ()) -> str:
    """Laws that a fit to these logs would choose if no actuator were given, as `port=law` joined by commas.

    Args:
        actuator: that was asked for. given: laws that were asked for, "port=law": their ports are settled.
    """
    settled = {text.partition("=")[0] for text in given}
    laws = _laws(actuator, logs)
    if "friction" in settled and "friction" in laws:
        laws.pop("gear_load", None)  # comes with the friction that was refused
    return ",".join(f"{port}={law}" for port, law in laws.items() if port not in settled)


def takes_duty(actuator: Actuator) -> bool:
    """Whether its firmware commands a duty: there is no supply law for a torque or a current."""
    control = actuator.laws.get("control")
    return control is not None and getattr(control.module, "COMMAND", "1") == "1"


def _named(logs: Sequence[Log]) -> str:
    names = sorted({log.device for log in logs} - {"unknown"})
    if len(names) != 1:
        raise PliantError(
            "is needed: the logs name " + ("no device" if not names else "several devices"),
            field="--actuator or --reading device",
            found=", ".join(names) or None,
            accepted=_devices(),
        )
    return names[0]


def _file_of(device: str) -> Path | None:
    """File of the catalogue for a device; None: no similar name."""
    files = actuator_files()
    closeness = {name: _alike(device, _device(path)) for name, path in files.items()}
    best = max(closeness.values())
    if best == 0:
        return None
    known = [name for name, one in closeness.items() if one == best]
    return files[max(known, key=_rank)]


def _rank(name: str) -> tuple[bool, str]:
    """The friction model wanted comes first, then the richest."""
    model = re.search(r"_(m\d)$", name)
    found = model[1] if model else ""
    return found == FRICTION, found


def _by_drive(logs: Sequence[Log]) -> bool:
    """Whether positions were commanded to a PD whose two gains all logs state."""
    return all(log.driven == "goal" and log.gain > 0.0 and log.derivative_gain for log in logs)


def _large_enough(logs: Sequence[Log]) -> str:
    """The smallest drive that can give the torque that the gains command in these logs."""
    asked = [log.gain * np.abs(log.goal - log.position)[log.enabled] for log in logs]
    most = float(np.quantile(np.concatenate(asked), MOST)) if any(map(len, asked)) else 0.0
    fit = [one for one in DRIVES if load_actuator(one).value("control.limit") >= most]
    return fit[0] if fit else DRIVES[-1]


def _alike(wanted: str, known: str) -> int:
    """Similarity of two device names; 0: different devices."""
    a, b = bare(wanted), bare(known)
    if min(len(a), len(b)) < LEAST:
        return 0
    if a == b:
        return 3
    if a.startswith(b) or b.startswith(a):
        return 2
    return int(a in b or b in a)


def bare(device: str) -> str:
    """Letters and digits of a name, by which devices are compared."""
    return "".join(c for c in device.casefold() if c.isalnum())


def _device(path: Path) -> str:
    return str(read_toml(path).get("device", ""))


def _devices() -> list[str]:
    return sorted({_device(path) for path in actuator_files().values()})


def _laws(actuator: Actuator, logs: Sequence[Log]) -> dict[str, str]:
    """Port to the law that the logs need there instead."""
    if any(log.driven != "goal" for log in logs):
        return {}
    laws: dict[str, str] = {}
    now = {port: law.name for port, law in actuator.laws.items()}
    drive = actuator.maker in OF_DRIVES and _by_drive(logs)
    if now.get("control") == "direct_torque" or (drive and now.get("control") == "pid_torque"):
        laws["control"] = "pd_torque"
    if drive and now.get("motor") == "ideal_torque":
        laws["motor"] = "scaled_torque"
    if now.get("friction") in SIMPLER or (drive and now.get("friction") == "none"):
        laws["friction"] = FRICTION
    if "gear_load" in now and (now | laws).get("friction") == FRICTION:
        laws["gear_load"] = GEAR
    if now.get("timing") == "immediate":
        laws["timing"] = "command_delay"
    if now.get("driver") == "ideal_supply" and "control" not in laws and takes_duty(actuator):
        laws["driver"] = SUPPLY
    if now.get("unpowered") == NULL and not all(log.enabled.all() for log in logs):
        laws["unpowered"] = OFF
    return laws
