"""Log in, actuator out.

1. lay out the logs, hold some back
2. search the parameters, at a coarser step
3. simulate the best at the engine's step, on the logs fitted and on those held back
4. say what the data leave open
"""

import dataclasses
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from importlib.metadata import version
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator, Number, assemble, bench_fields
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.identify.checkpoint import Checkpoint, task
from pliant.identify.evaluation import Evaluation, evaluate
from pliant.identify.objective import Kind, Objective
from pliant.identify.pace import Progress
from pliant.identify.search import Found, SearchSettings, search
from pliant.identify.space import BENCH, Space, search_space
from pliant.io.log import Log

Floats = NDArray[np.float64]

SEARCH_STEP = 2.7e-3
"""[s] Two steps in a sample of 5.3 ms. At 1 ms the errors of the XL330 logs differ by 0.1 to 0.9
mrad, from seed to seed."""


@dataclass(frozen=True, eq=False)
class Identification:
    """What came out, and how sure it is."""

    actuator: Actuator
    space: Space
    fitted: Evaluation
    held_out: Evaluation | None
    found: Found
    seconds: float
    steps: int
    """Integration steps of the whole search."""

    @property
    def warnings(self) -> list[str]:
        """What the data or the search leave open, in words."""
        values = np.array([_value(self.actuator, name) for name in self.space.names])
        words = self.space.at_bounds(values)
        loads = {(e.log.mass, e.log.length) for e in self.fitted.logs}
        if len(loads) == 1:
            mass, length = next(iter(loads))
            words.append(
                f"one mass at one length ({mass:g} kg, {length:g} m): torque constant and "
                "load-dependent friction cannot be told apart"
            )
        if self.found.interrupted:
            words.append("the search was interrupted; this is the best until then")
        return words


def identify(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    held_out: Sequence[Log] = (),
    fit: Mapping[str, tuple[float, float] | None] | None = None,
    fix: Iterable[str] = (),
    objective: Kind = "absolute",
    search_settings: SearchSettings | None = None,
    settings: JointSettings | None = None,
    name: str | None = None,
    report: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> Identification:
    """Fit the parameters of `actuator` to recorded logs.

    Args:
        actuator: the laws, the starting values, the bounds.
        logs: to fit. held_out: to judge by, not seen by the fit.
        fit, fix: parameters to add to the search (with bounds or None), or to take out.
        objective: what is minimised; errors are reported as mean absolute ones in any case.
        search_settings: starts, generations, seed.
        settings: step, command convention and supply of the joint engine.
        name: of the new actuator.
        report: called after every generation, and every step of the polishing.
        checkpoint: file in which the search keeps what it has done. If it stands there already,
            from the same task, the search continues; the result is the same as of one run. It is
            removed when the search is done, and stays if that was interrupted.

    Raises:
        PliantError: no logs, an unknown parameter, no finite bounds, a checkpoint of another task,
            or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    began = time.monotonic()
    # 1. lay out
    settings = settings or JointSettings()
    search_settings = search_settings or SearchSettings()
    coarse = dataclasses.replace(settings, max_step=max(SEARCH_STEP, settings.max_step))
    engine = JointEngine(actuator, settings=coarse)
    batch = LogBatch(logs, engine)
    for parameter in fit or {}:
        if parameter in batch.stated:
            raise PliantError("every log states it already", field="fit", found=parameter)
    stated = batch.stated & {*actuator.fields, *BENCH}
    space = search_space(actuator, fit=fit, fix={*fix, *stated})
    goal = Objective(engine, batch, space, objective)
    journal = None
    if checkpoint is not None:
        journal = Checkpoint(checkpoint, task(engine, batch, space, search_settings, objective))
    # 2. search
    found = search(goal, space.to_cube(space.start), search_settings, report, journal)
    values = dict(zip(space.names, map(float, space.from_cube(found.point)), strict=True))
    # 3. simulate the best
    fitted = evaluate(actuator, logs, changes=values, settings=settings)
    other = evaluate(actuator, held_out, changes=values, settings=settings) if held_out else None
    made = _identified(actuator, name or f"{actuator.device}_identified", values, space)
    made = dataclasses.replace(
        made, identification=_record(fitted, other, found, search_settings, settings, objective)
    )
    if journal is not None and not found.interrupted:
        journal.remove()
    seconds = time.monotonic() - began
    return Identification(made, space, fitted, other, found, seconds, goal.steps)


def _identified(
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


def _record(
    fitted: Evaluation,
    held_out: Evaluation | None,
    found: Found,
    search_settings: SearchSettings,
    settings: JointSettings,
    objective: Kind,
) -> dict[str, object]:
    """How the numbers were obtained, for the actuator's file."""
    record: dict[str, object] = {
        "date": date.today().isoformat(),
        "version": version("pliant"),
        "seed": search_settings.seed,
        "objective": objective,
        "evaluations": found.evaluations,
        "interrupted": found.interrupted,
        "step": settings.max_step,
        "supply": settings.supply,
        "mae_mrad": round(1e3 * fitted.mae, 3),
        "starts_mrad": [round(1e3 * cost, 2) for cost in found.per_start],
        "logs": {entry.log.name: entry.log.digest for entry in fitted.logs},
    }
    if held_out is not None:
        record["held_out_mae_mrad"] = round(1e3 * held_out.mae, 3)
        record["held_out_logs"] = {entry.log.name: entry.log.digest for entry in held_out.logs}
    return record


def _value(actuator: Actuator, name: str) -> float:
    if name.startswith("plant."):
        return actuator.bench[name.removeprefix("plant.")].value
    return actuator.numbers[name].value


HOLD_OUT: dict[str, Callable[[Log], str]] = {
    "gain": lambda log: f"{log.gain:g}",
    "load": lambda log: f"{log.mass:g}kg@{log.length:g}m",
    "trajectory": lambda log: log.trajectory,
    "log": lambda log: log.name,
}
"""What logs can be held out by."""


def hold_out(logs: Sequence[Log], choice: str) -> tuple[list[Log], list[Log]]:
    """Logs to fit and logs held out, by a choice like "gain=800" or "trajectory=sin_sin".

    Raises:
        PliantError: the choice cannot be read, or leaves either side empty.
    """
    kind, _, value = choice.partition("=")
    if kind not in HOLD_OUT or not value:
        raise PliantError(
            "cannot be read", field="hold-out", found=choice,
            accepted="gain=, load=, trajectory= or log= and a value",
        )  # fmt: skip
    key = HOLD_OUT[kind]
    out = [log for log in logs if key(log) == value]
    kept = [log for log in logs if key(log) != value]
    if not out or not kept:
        raise PliantError(
            "holds out " + ("no log" if not out else "every log"), field="hold-out", found=value,
            accepted={key(log) for log in logs},
        )  # fmt: skip
    return kept, out
