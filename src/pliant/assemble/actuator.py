"""One device: its wiring, its laws, its numbers and where they come from."""

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import numpy as np
from numpy.typing import NDArray

from pliant.assemble.checks import check_commands, check_number, check_range, check_windings
from pliant.assemble.ensemble import Ensemble
from pliant.assemble.parameters import (
    BENCH,
    Fact,
    How,
    Number,
    bench_fields,
    fields_of,
    of_bench,
    parts_of,
)
from pliant.catalogue import PACKAGE, Field, Physics, may_lack
from pliant.errors import PliantError, check_kind, check_known, located
from pliant.exports import shown_by
from pliant.extras import extra_module
from pliant.ports import NULL

if TYPE_CHECKING:
    import pandas

Equations = tuple[Physics, tuple[tuple[str, Physics], ...]]
"""A topology and the law at each port: the key of compiled code."""


@dataclass(frozen=True, eq=False)
class Actuator:
    """One device from one source, for `attach`, the joint engine and `identify`.

    Parameters are named `port.symbol` (`motor.k_t`), those of the topology `own.symbol`, those of the
    bench `plant.symbol`.

    Attributes:
        name: of its file. title: one line for people. device: its type; several actuators may share one.
        topology: its wiring. laws: port to law. numbers: parameter to value, unit and source.
        sources: key to description. path: its file; None: it has none. maker: of the device, if known.
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
    datasheet: tuple[Fact, ...] = ()
    """Data-sheet facts about the device as a whole."""
    ensemble: Ensemble | None = None
    """Equally good sets of numbers, which its own represent."""

    _repr_html_ = shown_by("pliant.report.notebook", "actuator_html")

    def __repr__(self) -> str:
        return f"<Actuator {self.name}: {self.title}; {len(self.fields)} parameters>"

    @property
    def equations(self) -> Equations:
        """Everything that compiled code depends on; parameters are its arguments."""
        return self.topology, tuple(self.laws.items())

    @cached_property
    def fields(self) -> dict[str, Field]:
        """Parameter name to its declaration, in the order of the flat array."""
        return fields_of(self.topology, self.laws)

    @cached_property
    def state(self) -> list[str]:
        """Names of the state's numbers, in the order of the flat array."""
        parts = parts_of(self.topology, self.laws)
        return [f"{label}.{f.name}" for label, part in parts for f in part.state]

    @property
    def chosen_laws(self) -> dict[str, Physics]:
        """Port to law, without `none` at ports that a file may leave out."""
        return {
            port: law for port, law in self.laws.items() if law.name != NULL or not may_lack(port)
        }

    @property
    def own_files(self) -> dict[str, Path]:
        """The laws, by port, and the topology that come from outside the package, and their files."""
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

        The numbers of the bench come last, as `plant.symbol`; a source is given by its description.
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
        """`to_dict` as a table with one row for each parameter.

        Raises:
            PliantError: pandas is not installed.
        """
        pandas = extra_module("pandas", "pandas")
        table = self.to_dict()
        return pandas.DataFrame(list(table.values()), index=list(table))

    def with_numbers(self, numbers: Mapping[str, Number]) -> "Actuator":
        """A copy with some numbers replaced, `port.symbol` or `plant.symbol`; `assemble` checks it."""
        own = {name: number for name, number in numbers.items() if not of_bench(name)}
        bench = {n.removeprefix(BENCH): number for n, number in numbers.items() if of_bench(n)}
        return dataclasses.replace(
            self,
            numbers={**self.numbers, **own},
            bench={**self.bench, **bench},
            ensemble=self.ensemble and self.ensemble.without(numbers),
        )

    def check_names(self, names: Iterable[str]) -> None:
        """Refuse any of `names` that is not a parameter of this actuator.

        Raises:
            PliantError: which name, and the nearest one.
        """
        for name in names:
            check_known(name, self.fields, f"actuator {self.name!r} has no such parameter")

    def with_values(self, values: Mapping[str, float], source: str, how: How) -> "Actuator":
        """A copy with new values of some parameters, from another source.

        Args:
            values: parameter to value, in its own unit. source: key of `sources`, or a new description.
            how: how the values were obtained, as in an actuator file.

        Raises:
            PliantError: a name is not a parameter, or a value is outside the range of its law.
        """
        check_kind(values, Mapping, "values", 'parameter to value: {"motor.k_t": 0.3}')
        check_known(how, get_args(How), "is not a way to obtain a number", "how")
        self.check_names(values)
        for name, value in values.items():
            check_range(name, float(value), self.fields[name])
        changed = {
            name: dataclasses.replace(
                self.numbers[name], value=float(value), source=source, how=how, std=None
            )
            for name, value in values.items()
        }
        sources = self.sources if source in self.sources else {**self.sources, source: source}
        return assemble(
            dataclasses.replace(
                self,
                numbers={**self.numbers, **changed},
                sources=sources,
                ensemble=self.ensemble and self.ensemble.without(values),
            )
        )


def assemble(actuator: Actuator) -> Actuator:
    """Check an actuator as a whole, and return it.

    Raises:
        PliantError: a number of the actuator, its bench or its ensemble is missing, superfluous, in the
            wrong unit, outside its law's range or without a source; control and motor disagree about
            the command's unit; or an inductance has no resistance.
    """
    with located(actuator.path):
        check_commands(actuator.laws)
        check_windings(actuator.laws)
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
            check_number(number, actuator.fields[name], actuator.sources)
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
        check_known(name, plants, "is not a parameter of the bench", "bench")
        with located(field=f"bench.{name}"):
            check_number(number, plants[name], actuator.sources)


PROPORTIONAL, INTEGRAL = ("kp", "k_p"), "k_i"
FOLLOWED = ("rad", "rad/s")
"""Units of the goals that a loop tracks: position and speed."""


def still(actuator: Actuator) -> list[str]:
    """Names of the proportional gains that are 0, in a control that tracks a goal without an integral gain."""
    found: list[str] = []
    for port, law in actuator.laws.items():
        if law.kind != "control" or getattr(law.module, "GOAL", None) not in FOLLOWED:
            continue
        gains = {f.name: actuator.value(f"{port}.{f.name}") for f in law.parameters}
        if not gains.get(INTEGRAL):
            found += [f"{port}.{n}" for n in PROPORTIONAL if gains.get(n) == 0.0]
    return found
