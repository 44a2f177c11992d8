"""Checks of a whole actuator: its laws fit together, and every parameter has one valid number."""

from collections.abc import Mapping
from math import isfinite

from pliant.assemble.parameters import Number
from pliant.catalogue import Field, Physics, may_lack, ports
from pliant.errors import PliantError, check_known
from pliant.quantity import dimension


def check_laws(topology: Physics, laws: Mapping[str, object]) -> None:
    """Refuse a choice of laws that leaves a port open or names one that does not exist.

    Raises:
        PliantError: with the port.
    """
    wanted = ports(topology)
    for port in laws:
        check_known(port, wanted, f"topology {topology.name} has no such port", "laws")
    for port, family in wanted.items():
        if port not in laws and not may_lack(port):
            raise PliantError(
                "no law at this port",
                field=f"laws.{port}",
                accepted=f"a law of the family {family}",
            )


def check_number(number: Number, declared: Field, sources: Mapping[str, str]) -> None:
    """Refuse a number in the wrong unit, outside its law's range, without a source, or with bounds out of order."""
    if number.unit != declared.unit:
        alike = ""
        try:
            if dimension(number.unit) == dimension(declared.unit):
                alike = " (same dimension, other spelling)"
        except PliantError:
            pass
        raise PliantError(
            f"wrong unit{alike}",
            field=".unit",
            found=number.unit,
            accepted=f'"{declared.unit}"',
        )
    for part in ("value", "low", "high"):
        if (found := getattr(number, part)) is not None:
            check_range(f".{part}", found, declared)
    check_known(number.source, sources, "is not a key of [sources]", ".source")
    if number.low is not None and number.high is not None and not number.low < number.high:
        raise PliantError(
            "bounds out of order",
            field=".low",
            found=number.low,
            accepted=f"less than high = {number.high}",
        )


def check_range(name: str, found: float, declared: Field) -> None:
    """Refuse a number outside the range of its law."""
    if not (isfinite(found) and declared.low <= found <= declared.high):
        raise PliantError(
            "outside the range of its law",
            field=name,
            found=found,
            accepted=f"{declared.low} to {declared.high} {declared.unit}",
        )


def check_commands(laws: Mapping[str, Physics]) -> None:
    """Refuse a controller and a motor whose commands differ in unit: duty, ampere or torque."""
    sides: dict[str, dict[str, str]] = {}
    for port, law in laws.items():
        unit = getattr(law.module, "COMMAND", None)
        if unit is not None:
            _, _, number = port.rpartition("_")
            sides.setdefault(number if number.isdigit() else "", {})[port] = unit
        elif law.kind in ("control", "motor"):
            raise PliantError(
                "does not state the unit of the command",
                file=law.path,
                field="COMMAND",
                accepted='COMMAND = "1" (duty), "A" (current) or "N m" (torque)',
            )
    for units in sides.values():
        if len(set(units.values())) > 1:
            said = ", ".join(f'{laws[p].name} ({p}): "{u}"' for p, u in units.items())
            raise PliantError(
                "laws disagree about the command's unit",
                field="laws",
                found=said,
                accepted='all "1" (duty), all "A" (current) or all "N m" (torque)',
            )


def check_windings(laws: Mapping[str, Physics]) -> None:
    """Refuse an inductance without a resistance, in which no current would settle."""
    for port, law in laws.items():
        if law.kind != "winding" or all(field.unit != "H" for field in law.parameters):
            continue
        motor = laws[port.replace("winding", "motor")]
        if all(field.unit != "Ohm" for field in motor.parameters):
            raise PliantError(
                "a winding with inductance needs a motor with resistance",
                field=f"laws.{port}",
                found=f"{law.name} with {motor.name}",
                accepted='"none", or a motor with R (dc_voltage, dc_current)',
            )
