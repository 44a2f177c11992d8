"""Choices made: a topology, a law at each port, and a number with a source for each parameter."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import copysign, isfinite, sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from pliant.catalogue import PACKAGE, Field, Physics, law_files, leaves, load_law, ports
from pliant.errors import PliantError, check_kind, located
from pliant.quantity import dimension

if TYPE_CHECKING:
    import pandas

How = Literal["datasheet", "identified", "measured", "firmware", "assumed", "convention"]
OWN = "own"
BENCH = "plant."
"""Before the name of a number that belongs to the bench, not to the actuator."""


@dataclass(frozen=True)
class Number:
    """A parameter's value and where it comes from."""

    value: float
    unit: str
    source: str
    how: How
    low: float | None = None
    high: float | None = None
    std: float | None = None


@dataclass(frozen=True, eq=False)
class Actuator:
    """One device from one source: what `attach`, the joint engine and `identify` take.

    Parameters are named `port.symbol` (`motor.k_t`), the topology's own `own.symbol`, numbers of the
    bench `plant.symbol`.

    Attributes:
        name: of its file. title: one line for people. device: what several actuators may be of.
        topology: its wiring. laws: port to law. numbers: parameter to value, unit and source.
        sources: key to what it is. path: its file; None: it has none. maker: of the device, if known.
    """

    name: str
    title: str
    device: str
    topology: Physics
    laws: Mapping[str, Physics]
    numbers: Mapping[str, Number]
    sources: Mapping[str, str]
    bench: Mapping[str, Number] = field(default_factory=dict[str, Number])
    """Numbers of the bench it was identified on (`position_offset`, `arm_mass`)."""
    identification: Mapping[str, object] = field(default_factory=dict[str, object])
    """Record of the fit: logs with their hashes, error, seed, date, version."""
    path: Path | None = None
    maker: str = ""

    def __repr__(self) -> str:
        return f"<Actuator {self.name}: {self.title}; {len(self.fields)} parameters>"

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Parameter name to its declaration, in the order of the flat array."""
        return fields_of(self.topology, self.laws)

    @cached_property
    def state(self) -> list[str]:
        """Names of the state's numbers, in the order of the flat array."""
        parts = _parts(self.topology, self.laws)
        return [f"{label}.{f.name}" for label, part in parts for f in part.state]

    @property
    def own_files(self) -> dict[str, Path]:
        """The laws, by port, and the topology that are not the package's own, and their files."""
        parts = {"topology": self.topology, **self.laws}
        return {n: p.path for n, p in parts.items() if not p.path.is_relative_to(PACKAGE)}

    @property
    def values(self) -> NDArray[np.float64]:
        """(P,) The parameters in SI units, in the order of `fields`."""
        return np.array([self.numbers[name].value for name in self.fields])

    def value(self, name: str) -> float:
        """The value of the parameter `name`, in its unit.

        Raises:
            PliantError: there is no such parameter.
        """
        self.check_names([name])
        return self.numbers[name].value

    @cached_property
    def all_fields(self) -> dict[str, Field]:
        """`fields`, and those of every bench as `plant.symbol`."""
        return self.fields | {f"{BENCH}{name}": field for name, field in bench_fields().items()}

    @property
    def all_numbers(self) -> dict[str, Number]:
        """The numbers in the order of `fields`, then those of the bench as `plant.symbol`."""
        own = {name: self.numbers[name] for name in self.fields}
        return own | {f"{BENCH}{name}": number for name, number in self.bench.items()}

    def to_dict(self) -> dict[str, dict[str, float | str | None]]:
        """Parameter to its `value`, `unit`, `low`, `high`, `std`, `how`, `source` and `meaning`.

        The numbers of the bench stand behind, as `plant.symbol`; a source is what it is, in words.
        """
        return {
            name: {
                **dataclasses.asdict(number),
                "source": self.sources.get(number.source, number.source),
                "meaning": self.all_fields[name].meaning,
            }
            for name, number in self.all_numbers.items()
        }

    def to_pandas(self) -> "pandas.DataFrame":
        """`to_dict` as a table, a row for each parameter.

        Raises:
            PliantError: pandas is not installed.
        """
        try:
            import pandas
        except ImportError:
            raise PliantError(
                "pandas is not installed", accepted="pip install 'pliant[pandas]', or to_dict()"
            ) from None
        table = self.to_dict()
        return pandas.DataFrame(list(table.values()), index=list(table))

    def with_numbers(self, numbers: Mapping[str, Number]) -> "Actuator":
        """A copy with other numbers, `port.symbol` or `plant.symbol`; `assemble` checks it."""
        own = {name: number for name, number in numbers.items() if not of_bench(name)}
        bench = {n.removeprefix(BENCH): number for n, number in numbers.items() if of_bench(n)}
        return dataclasses.replace(
            self, numbers={**self.numbers, **own}, bench={**self.bench, **bench}
        )

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse any of `names` that is not a parameter of this actuator.

        Raises:
            PliantError: which name, and the nearest one.
        """
        for name in names:
            if name not in self.fields:
                raise PliantError(
                    f"actuator {self.name!r} has no such parameter",
                    found=name,
                    accepted=self.fields,
                )

    def with_values(self, values: Mapping[str, float], source: str, how: How) -> "Actuator":
        """A copy in which some parameters have other values, from another source.

        Args:
            values: parameter to value, in its own unit. source: key of `sources`, or new words.
            how: how the values were obtained, as in an actuator file.

        Raises:
            PliantError: a name is not a parameter, or a value is outside the range of its law.
        """
        check_kind(values, Mapping, "values", 'parameter to value: {"motor.k_t": 0.3}')
        if how not in get_args(How):
            raise PliantError(
                "is no way to get a number", field="how", found=how, accepted=get_args(How)
            )
        self.check_names(values)
        for name, value in values.items():
            _check_range(name, float(value), self.fields[name])
        changed = {
            name: dataclasses.replace(
                self.numbers[name], value=float(value), source=source, how=how, std=None
            )
            for name, value in values.items()
        }
        sources = self.sources if source in self.sources else {**self.sources, source: source}
        return assemble(
            dataclasses.replace(self, numbers={**self.numbers, **changed}, sources=sources)
        )


def fields_of(topology: Physics, laws: Mapping[str, Physics]) -> dict[str, Field]:
    """Every parameter of a topology with its laws, in flat order."""
    parts = _parts(topology, laws)
    return {f"{label}.{f.name}": f for label, part in parts for f in part.parameters}


def _parts(topology: Physics, laws: Mapping[str, Physics]) -> list[tuple[str, Physics]]:
    """All parts that have numbers, with their labels, in flat order."""
    return [
        (slot.label, laws[slot.label] if slot.part is None else slot.part)
        for slot in leaves(topology)
    ]


def of_bench(name: str) -> bool:
    """Whether a parameter belongs to the bench (`plant.symbol`)."""
    return name.startswith(BENCH)


def bench_fields() -> dict[str, Field]:
    """Every number that a bench can have: the parameters of the catalogue's plants."""
    plants = [load_law("plant", name) for name in law_files("plant")]
    return {field.name: field for plant in plants for field in plant.parameters}


def check_laws(topology: Physics, laws: Mapping[str, object]) -> None:
    """Refuse a choice of laws that leaves a port open or names one that is not there.

    Raises:
        PliantError: with the port.
    """
    wanted = ports(topology)
    for port in laws:
        if port not in wanted:
            raise PliantError(
                f"topology {topology.name} has no such port",
                field="laws",
                found=port,
                accepted=wanted,
            )
    for port, family in wanted.items():
        if port not in laws:
            raise PliantError(
                "no law at this port",
                field=f"laws.{port}",
                accepted=f"a law of the family {family}",
            )


def assemble(actuator: Actuator) -> Actuator:
    """Check a choice as a whole, and return it.

    Raises:
        PliantError: a parameter, or a number of the bench, is missing, superfluous, in another
            unit, outside its law's range or without a source; control and motor disagree about
            the command's unit; or an inductance has no resistance.
    """
    with located(actuator.path):
        _check_commands(actuator)
        _check_windings(actuator)
        _check_parameters(actuator)
        _check_bench(actuator)
    return actuator


def _check_parameters(actuator: Actuator) -> None:
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


def _check_bench(actuator: Actuator) -> None:
    plants = bench_fields() if actuator.bench else {}
    for name, number in actuator.bench.items():
        if name not in plants:
            raise PliantError(
                "no plant has this parameter", field="bench", found=name, accepted=plants
            )
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
            _check_range(f".{part}", found, declared)
    if number.source not in sources:
        raise PliantError(
            "names no source of this file",
            field=".source",
            found=number.source,
            accepted=sources,
        )
    if number.low is not None and number.high is not None and not number.low < number.high:
        raise PliantError(
            "bounds out of order",
            field=".low",
            found=number.low,
            accepted=f"less than high = {number.high}",
        )


def _check_range(name: str, found: float, declared: Field) -> None:
    """Refuse a number outside the range of its law.

    Raises:
        PliantError: with the range.
    """
    if not (isfinite(found) and declared.low <= found <= declared.high):
        raise PliantError(
            "outside the range of its law",
            field=name,
            found=found,
            accepted=f"{declared.low} to {declared.high} {declared.unit}",
        )


def _check_commands(actuator: Actuator) -> None:
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


def _check_windings(actuator: Actuator) -> None:
    """The current in an inductance needs a resistance to settle."""
    for port, law in actuator.laws.items():
        if law.kind != "winding" or all(field.unit != "H" for field in law.parameters):
            continue
        motor = actuator.laws[port.replace("winding", "motor")]
        if all(field.unit != "Ohm" for field in motor.parameters):
            raise PliantError(
                "an inductance, and a motor of no resistance",
                field=f"laws.{port}",
                found=f"{law.name} with {motor.name}",
                accepted='"none", or a motor with R (dc_voltage, dc_current)',
            )


def with_law(actuator: Actuator, port: str, name: str) -> Actuator:
    """A copy of `actuator` with the law `name` at a port; see `with_laws`.

    Args:
        actuator: to be copied. port: of its topology. name: of a law, or the path of its file.

    Raises:
        PliantError: there is no such port or law, or the laws do not fit each other.
    """
    return with_laws(actuator, {port: name})


def with_laws(actuator: Actuator, names: Mapping[str, str]) -> Actuator:
    """A copy with other laws at some ports.

    Its name gets the laws' added. Numbers that both laws of a port name alike, in the same unit,
    stay. New ones begin at zero where that is allowed, else in the middle of their range, and are
    marked "assumed".

    Args:
        actuator: to be copied. names: port to the name of a law, or the path of its file.

    Raises:
        PliantError: there is no such port or law, or the laws do not fit each other.
    """
    check_kind(actuator, Actuator, "actuator", "what load_actuator returned")
    check_kind(names, Mapping, "names", 'port to law: {"friction": "m4"}')
    families = ports(actuator.topology)
    changed: list[str] = []
    for port, name in names.items():
        if port not in families:
            raise PliantError(
                f"topology {actuator.topology.name} has no such port",
                field="law",
                found=port,
                accepted=families,
            )
        law = load_law(families[port], name)
        if law.name != actuator.laws[port].name:
            actuator = _replaced(actuator, port, law)
            changed.append(law.name)
    if not changed:
        return actuator
    suffix = "_".join(dict.fromkeys(changed))
    return assemble(dataclasses.replace(actuator, name=f"{actuator.name}_{suffix}"))


def _replaced(actuator: Actuator, port: str, law: Physics) -> Actuator:
    source = f"law {law.name}"
    kept = {n: x for n, x in actuator.numbers.items() if not n.startswith(f"{port}.")}
    for field_ in law.parameters:
        old = actuator.numbers.get(f"{port}.{field_.name}")
        stays = old is not None and old.unit == field_.unit
        kept[f"{port}.{field_.name}"] = old if old and stays else _new(field_, source)
    return dataclasses.replace(
        actuator,
        laws={**actuator.laws, port: law},
        numbers=kept,
        sources={**actuator.sources, source: f"range of the law {law.name}; not identified"},
    )


def _new(field_: Field, source: str) -> Number:
    """A number where nothing is known of it but the range."""
    low, high = (bound if isfinite(bound) else None for bound in (field_.low, field_.high))
    if field_.low <= 0.0 <= field_.high:
        null = 0.0
    elif low is not None and high is not None:
        null = copysign(sqrt(low * high), low)
    else:
        null = low if low is not None else field_.high
    return Number(null, field_.unit, source, "assumed", low, high)
