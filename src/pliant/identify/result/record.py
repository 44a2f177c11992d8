"""What an identification leaves: the actuator with its new numbers, and how they were obtained."""

import dataclasses
from collections.abc import Iterable, Mapping
from datetime import date
from importlib.metadata import version
from typing import cast

from pliant.assemble import Actuator, Number, assemble, bench_fields
from pliant.engines.joint.engine import JointSettings
from pliant.errors import PliantError
from pliant.identify.problem.evaluation import Evaluation
from pliant.identify.problem.objective import Kind
from pliant.identify.problem.space import Space
from pliant.identify.search.prior_weight import Moved, Weighing
from pliant.identify.search.search import SearchResult, SearchSettings

Fix = Iterable[str] | Mapping[str, float | None]
"""Parameters to leave out of the search, with the values to hold them at, or None: as they are."""

GIVEN = "given"
"""Source of numbers that were given beside the actuator."""


def held(actuator: Actuator, fix: Fix) -> Actuator:
    """`actuator` with the values that parameters are to be held at.

    Raises:
        PliantError: no such parameter, or a value outside the range of its law.
    """
    given = {name: value for name, value in left_out(fix).items() if value is not None}
    if not given:
        return actuator
    of_bench, bench = bench_fields(), dict(actuator.bench)
    own = {name: value for name, value in given.items() if not name.startswith("plant.")}
    made = actuator.with_values(own, GIVEN, "assumed")
    for name in given.keys() - own.keys():
        symbol = name.removeprefix("plant.")
        if symbol not in of_bench:
            raise PliantError("no such parameter", field="fix", found=name, accepted=of_bench)
        bench[symbol] = Number(given[name], of_bench[symbol].unit, GIVEN, "assumed")
    sources = {**made.sources, GIVEN: "given by hand, and not identified"}
    return assemble(dataclasses.replace(made, bench=bench, sources=sources))


def left_out(fix: Fix) -> dict[str, float | None]:
    """Parameters that are not searched, and the values that are given for them."""
    if isinstance(fix, Mapping):
        return dict(cast("Mapping[str, float | None]", fix))
    return dict.fromkeys(fix)


def identified(
    actuator: Actuator, name: str, values: Mapping[str, float], space: Space
) -> Actuator:
    """`actuator` with the values found, each with the bounds it was searched in."""
    source = _new_source(actuator, values)
    boxes = zip(space.names, space.low, space.high, strict=True)
    bounds = {parameter: (float(low), float(high)) for parameter, low, high in boxes}
    numbers, bench = dict(actuator.numbers), dict(actuator.bench)
    of_bench = bench_fields()
    for key, value in values.items():
        group, _, symbol = key.partition(".")
        unit = (of_bench[symbol] if group == "plant" else actuator.fields[key]).unit
        number = Number(value, unit, source, "identified", *bounds[key])
        if group == "plant":
            bench[symbol] = number
        else:
            numbers[key] = number
    used = {number.source for number in [*numbers.values(), *bench.values()]}
    text = f"pliant {version('pliant')}, from {actuator.name}; see [identification]"
    sources = {key: value for key, value in actuator.sources.items() if key in used}
    friction = actuator.laws.get("friction")
    return assemble(
        dataclasses.replace(
            actuator,
            name=name,
            title=f"{actuator.title.partition(',')[0]}, identified"
            + (f" with friction {friction.name}" if friction else ""),
            numbers=numbers,
            bench=bench,
            sources={**sources, source: text},
            path=None,
        )
    )


def _new_source(actuator: Actuator, values: Mapping[str, float]) -> str:
    """A name that no number has which stays: an earlier identification remains another source."""
    bench = {f"plant.{name}": number for name, number in actuator.bench.items()}
    stays = {n.source for name, n in {**actuator.numbers, **bench}.items() if name not in values}
    names = ("identification", *(f"identification_{k}" for k in range(2, len(stays) + 2)))
    return next(name for name in names if name not in stays)


def record(
    fitted: Evaluation,
    held_out: Evaluation | None,
    found: SearchResult,
    search_settings: SearchSettings,
    settings: JointSettings,
    objective: Kind,
    timing: tuple[str, float],
) -> dict[str, object]:
    """How the numbers were obtained, for the actuator's file.

    Args:
        timing: convention of the commands, and age of the positions [s].
    """
    record: dict[str, object] = {
        "date": date.today().isoformat(),
        "version": version("pliant"),
        "seed": search_settings.seed,
        "objective": objective,
        "evaluations": found.evaluations,
        "interrupted": found.interrupted,
        "step": settings.max_step,
        "supply": settings.supply,
        "sampling": timing[0] if settings.hold or timing[0] != "hold" else "linear",
        "sample_age": timing[1],
        "mae_mrad": round(1e3 * fitted.mae, 3),
        "starts_mrad": [round(1e3 * cost, 2) for cost in found.per_start],
        "logs": {entry.log.name: entry.log.digest for entry in fitted.logs},
    }
    if held_out is not None:
        record["held_out_mae_mrad"] = round(1e3 * held_out.mae, 3)
        record["held_out_logs"] = {entry.log.name: entry.log.digest for entry in held_out.logs}
    return record


def record_of_prior(
    prior: Actuator, weighing: Weighing, moves: Iterable[Moved]
) -> dict[str, object]:
    """What the numbers were pulled to, how strongly, and how far they moved all the same."""
    return {
        "actuator": prior.name,
        "weight": weighing.weight,
        "left_out_mrad": {f"{w:g}": round(1e3 * error, 2) for w, error in weighing.errors.items()},
        "moved": {move.name: [move.before, move.after] for move in moves},
    }
