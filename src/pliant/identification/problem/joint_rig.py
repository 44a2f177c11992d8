"""A joint on a bench, simulated by the joint engine."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import ClassVar

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact, Number, assemble, of_bench
from pliant.assemble.checks import check_range
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError, located
from pliant.identification.problem.ambiguities import ambiguities
from pliant.identification.problem.doubt import Doubt
from pliant.identification.problem.evaluation import check_commands
from pliant.identification.problem.identified_numbers import identified, with_settings
from pliant.identification.problem.mounting_offsets import ALL, KINDS, MOUNTINGS, ZERO, different
from pliant.identification.problem.posterior import Facts
from pliant.identification.problem.rig import Rig, Stage
from pliant.identification.problem.space import (
    BENCH,
    Bounds,
    Space,
    bench_with_arm,
    search_space,
)
from pliant.identification.problem.task import actuator_digest
from pliant.identification.problem.torque_response import torque_response
from pliant.identification.search.search import SearchSettings
from pliant.io.log import Log, pieces

NAMES: Mapping[str, Callable[[Log], str]] = {
    "gain": lambda log: f"{log.gain!r}",
    "load": lambda log: f"{log.mass:g} kg at {log.length:g} m",
    "trajectory": lambda log: log.trajectory,
    "log": lambda log: log.name,
}
"""Properties by which logs are grouped to calibrate bands, each with a function that names the group."""
PARTS = 4
"""Most groups of trajectories or logs: each costs a fit and its draws."""
VOLTAGE = "own.voltage"
SETTINGS = ("control.kp", "control.kd", VOLTAGE)
"""Numbers that every log sets, and that a servo's file states once."""
GIVEN = "given"
"""Source of numbers that were given beside the actuator."""


@dataclass(frozen=True, eq=False)
class JointRig(Rig[Log]):
    """One actuator on a pendulum.

    Attributes:
        actuator: the laws, the starting values, the bounds.
        settings: step, command convention and supply of the joint engine.
    """

    actuator: Actuator
    settings: JointSettings = field(default_factory=JointSettings)

    fold_search: ClassVar[SearchSettings] = SearchSettings(starts=2)
    whole: ClassVar[str] = ALL
    kinds: ClassVar[Sequence[str]] = KINDS
    zero_bounds: ClassVar[tuple[float, float]] = BENCH[ZERO]

    @property
    def _engine(self) -> JointEngine:
        return JointEngine(self.actuator, settings=self.settings)

    @property
    def search(self) -> SearchSettings:
        """See `Rig`."""
        return SearchSettings()

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """The actuator, by the name ""."""
        return {"": self.actuator}

    def with_actuators(self, actuators: Mapping[str, Actuator]) -> "JointRig":
        """See `Rig`."""
        return dataclasses.replace(self, actuator=actuators[""])

    def fingerprint(self) -> Mapping[str, object]:
        """See `Rig`."""
        return {"actuator": actuator_digest(self.actuator), "joint": asdict(self.settings)}

    def record(self) -> Mapping[str, object]:
        """See `Rig`."""
        held = {} if self.settings.hold else {"sampling": "linear"}
        return {"step": self.settings.max_step, "supply": self.settings.supply, **held}

    def check(self, logs: Sequence[Log]) -> None:
        """See `Rig`."""
        check_commands(self.actuator, logs)
        if (nominal := self.actuator.fields.get(VOLTAGE)) is not None:
            for log in logs:
                with located(log.path):
                    check_range(VOLTAGE, log.supply or nominal.low, nominal)
        self.samples(logs)  # which refuses those that it cannot follow

    def holding(self, fix: Mapping[str, float | None]) -> "JointRig":
        """See `Rig`."""
        given = {name: value for name, value in fix.items() if value is not None}
        if not given:
            return self
        made = self.actuator.with_values(
            {name: value for name, value in given.items() if not of_bench(name)}, GIVEN, "assumed"
        )
        fields = self.actuator.all_fields
        for name in given:
            if name not in fields:
                raise PliantError("no such parameter", field="fix", found=name, accepted=fields)
        bench = {
            name: Number(value, fields[name].unit, GIVEN, "assumed")
            for name, value in given.items()
            if of_bench(name)
        }
        sources = {**made.sources, GIVEN: "given by hand, and not identified"}
        made = dataclasses.replace(made.with_numbers(bench), sources=sources)
        return dataclasses.replace(self, actuator=assemble(made))

    def space(
        self, fit: Mapping[str, Bounds], fix: Mapping[str, float | None], logs: Sequence[Log]
    ) -> Space:
        """See `Rig`."""
        stated = self.samples(logs).stated
        given = [name for name, value in fix.items() if value is not None]
        for option, chosen in (("fit", fit), ("fix", given)):
            for name in chosen:
                if name in stated:
                    raise PliantError("is given by every log already", field=option, found=name)
        known = stated & {*self.actuator.fields, *BENCH}
        bench = bench_with_arm(max(log.length for log in logs))
        return search_space(self.actuator, fit=fit, fix={*fix, *known}, bench=bench)

    def has(self, name: str) -> bool:
        """See `Rig`."""
        return name in self.actuator.fields or of_bench(name)

    def parameter(self, name: str) -> str:
        """See `Rig`."""
        return name

    def unit(self, name: str) -> str:
        """See `Rig`."""
        return self.actuator.all_fields[name].unit

    def ambiguities(self, space: Space, logs: Sequence[Log], sample_age: float) -> Iterator[Doubt]:
        """See `Rig`."""
        return ambiguities(self.actuator, space, logs, sample_age)

    def linear(self) -> "JointRig":
        """See `Rig`."""
        settings = dataclasses.replace(self.settings, hold=False)
        return dataclasses.replace(self, settings=settings)

    def usual_mounting(self, logs: Sequence[Log]) -> str | None:
        """See `Rig`: length, day or both, where they differ."""
        return "+".join(different(logs, ("length", "day"))) or None

    def alike(self, a: Log, b: Log) -> bool:
        """See `Rig`."""
        return (a.gain, a.mass, a.length) == (b.gain, b.mass, b.length)

    def has_zero(self, space: Space) -> bool:
        """See `Rig`."""
        return ZERO in space.names

    def zero_of(self, joint: str) -> tuple[str, float]:
        """See `Rig`."""
        own = self.actuator.all_numbers.get(ZERO)
        return ZERO, own.value if own else 0.0

    def facts(self, space: Space, datasheet: Sequence[Fact]) -> Facts | None:
        """See `Rig`; without a resistance no data-sheet value can be predicted."""
        if not datasheet or "motor.R" not in self.actuator.fields:
            return None
        return Facts(self.actuator, space, datasheet)

    def zeroed(self, logs: Sequence[Log], zeros: Mapping[str, float]) -> list[Log]:
        """See `Rig`."""
        group = MOUNTINGS[self.zero_by or ALL]
        return [
            log if (zero := zeros.get(group(log))) is None else dataclasses.replace(log, zero=zero)
            for log in logs
        ]

    def interval_groups(self, logs: Sequence[Log]) -> tuple[str, list[str]]:
        """See `Rig`: by gain; with one gain by load, with one load by trajectory, else log by log."""
        every = {by: [name(log) for log in logs] for by, name in NAMES.items()}
        by = next((by for by, names in every.items() if len(set(names)) > 1), "log")
        return by, every[by] if by in ("gain", "load") else _parted(every[by])

    def torque_response(self, logs: Sequence[Log], values: Mapping[str, float]) -> Floats:
        """See `Rig`."""
        return torque_response(self._engine, self._engine.values(values), logs)

    def pieces(self, logs: Sequence[Log], seconds: float) -> list[Log]:
        """See `Rig`."""
        return [piece for log in logs for piece in pieces(log, seconds)]

    def samples(self, logs: Sequence[Log]) -> LogBatch:
        """See `Rig`."""
        return LogBatch(logs, self._engine)

    def simulation(self, space: Space) -> JointEngine:
        """See `Rig`."""
        return self._engine

    def stages(self, space: Space, values: Mapping[str, float]) -> Iterator[Stage[Log]]:
        """See `Rig`; there is one."""
        yield Stage(name="", rig=self, space=space.starting_at(values))

    def identified(self, space: Space, values: Mapping[str, float], name: str | None) -> "JointRig":
        """See `Rig`."""
        new = name or f"{self.actuator.device}_identified"
        friction = self.actuator.laws.get("friction")
        title = ", identified" + (f" with friction {friction.name}" if friction else "")
        made = identified(self.actuator, new, title, values, space.bounds())
        if self.zero_by is not None:  # no single zero is right: the record has them all
            bench = {n: x for n, x in made.bench.items() if n != "position_offset"}
            made = dataclasses.replace(made, bench=bench)
        return dataclasses.replace(self, actuator=made)

    def as_set(self, logs: Sequence[Log], values: Mapping[str, float]) -> tuple["JointRig", str]:
        """See `Rig`."""
        batch = self.samples(logs)
        known = [n for n in SETTINGS if n in self.actuator.fields and n not in values]
        stated = [
            {
                n: x
                for n, x in {**batch.stated_by(k), VOLTAGE: log.supply}.items()
                if n in known and x is not None
            }
            for k, log in enumerate(logs)
        ]
        made, said = with_settings(self.actuator, stated)
        news = any(made.value(n) != self.actuator.value(n) for n in known)
        return dataclasses.replace(self, actuator=made), said if news else ""


def _parted(names: Sequence[str]) -> list[str]:
    """The names; if there are more than PARTS, merged into PARTS groups of similar size."""
    different = list(dict.fromkeys(names))
    if len(different) <= PARTS:
        return list(names)
    parts = [different[k::PARTS] for k in range(PARTS)]
    more = {name: f"{part[0]} and {len(part) - 1} more" for part in parts for name in part[1:]}
    titles = {part[0]: more.get(part[-1], part[0]) for part in parts} | more
    return [titles[name] for name in names]
