"""Checks of an actuator as a whole: its laws fit each other, every parameter has one right number."""

from collections.abc import Mapping
from math import isfinite
from typing import TYPE_CHECKING

from pliant.assemble.parameters import Number, bench_fields
from pliant.catalogue import Field, Physics, may_lack, ports
from pliant.errors import PliantError, check_known, located
from pliant.quantity import dimension

if TYPE_CHECKING:
    from pliant.assemble.actuator import Actuator


def check_laws(topology: Physics, laws: Mapping[str, object]) -> None:
    """Refuse a choice of laws that leaves a port open or names one that is not there.

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


def assemble(actuator: "Actuator") -> "Actuator":
    """Check a choice as a whole, and return it.

    Raises:
        PliantError: a parameter, a number of the bench or of the ensemble, is missing, superfluous, in another
            unit, outside its law's range or without a source; control and motor disagree about
            the command's unit; or an inductance has no resistance.
    """
    with located(actuator.path):
        _check_commands(actuator)
        _check_windings(actuator)
        _check_parameters(actuator)
        _check_bench(actuator)
        if actuator.ensemble is not None:
            actuator.ensemble.check(actuator.all_fields)
        for fact in actuator.datasheet:
            check_known(
                fact.source,
                actuator.sources,
                "is not a key of [sources]",
                f"datasheet.{fact.fact}.source",
            )
    return actuator


def _check_parameters(actuator: "Actuator") -> None:
    for name, number in actuator.numbers.items():
        if name not in actuator.fields:
            port, _, symbol = name.partition(".")
            law = actuator.laws.get(port, actuator.topology)
            raise PliantError(
                f"{law.kind} {law.name} has no such parameter",
                field=f"parameters.{port}",
                found=symbol,
                accepted=[f.name for f in law.parameters],
            )
        with located(field=f"parameters.{name}"):
            _check_number(number, actuator.fields[name], actuator.sources)
    for name, declared in actuator.fields.items():
        if name not in actuator.numbers:
            raise PliantError(
                "parameter is missing",
                field=f"parameters.{name}",
                accepted=f'{{ value = ..., unit = "{declared.unit}", source = ..., how = ... }}',
            )


def _check_bench(actuator: "Actuator") -> None:
    plants = bench_fields() if actuator.bench else {}
    for name, number in actuator.bench.items():
        check_known(name, plants, "is not a parameter of the bench", "bench")
        with located(field=f"bench.{name}"):
            _check_number(number, plants[name], actuator.sources)


def _check_number(number: Number, declared: Field, sources: Mapping[str, str]) -> None:
    if number.unit != declared.unit:
        alike = ""
        try:
            if dimension(number.unit) == dimension(declared.unit):
                alike = " (the same dimension; write it the same way)"
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


def _check_commands(actuator: "Actuator") -> None:
    """Duty, ampere and torque do not mix between the controller and the motor of one side."""
    sides: dict[str, dict[str, str]] = {}
    for port, law in actuator.laws.items():
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
            said = ", ".join(f'{actuator.laws[p].name} ({p}): "{u}"' for p, u in units.items())
            raise PliantError(
                "laws disagree about the command's unit",
                field="laws",
                found=said,
                accepted='all "1" (duty), all "A" (current) or all "N m" (torque)',
            )


def _check_windings(actuator: "Actuator") -> None:
    """The current in an inductance needs a resistance to settle."""
    for port, law in actuator.laws.items():
        if law.kind != "winding" or all(field.unit != "H" for field in law.parameters):
            continue
        motor = actuator.laws[port.replace("winding", "motor")]
        if all(field.unit != "Ohm" for field in motor.parameters):
            raise PliantError(
                "a winding with inductance needs a motor with resistance",
                field=f"laws.{port}",
                found=f"{law.name} with {motor.name}",
                accepted='"none", or a motor with R (dc_voltage, dc_current)',
            )
