"""Log in, actuator out.

1. lay out the logs, hold some back
2. weigh the prior, if there is one
3. search the parameters, at a coarser step
4. polish the best at the engine's step, and simulate it, on the logs fitted and those held back
5. say what the data leave open
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.identify.checkpoint import Checkpoint, task
from pliant.identify.evaluation import Evaluation, evaluate
from pliant.identify.journal import NoJournal
from pliant.identify.made import Fix, held, identified, left_out, record, record_of_prior
from pliant.identify.objective import Kind, Objective
from pliant.identify.pace import Progress
from pliant.identify.prior import Prior, Pull
from pliant.identify.recalibration import Moved, Weighing, mismatches, moved, unlike, weigh
from pliant.identify.refinement import refined
from pliant.identify.search import Found, SearchSettings, search
from pliant.identify.space import BENCH, Space, search_space
from pliant.identify.timing import QUICK, SAMPLINGS, Sampling, as_recorded
from pliant.io.log import Log

Floats = NDArray[np.float64]

SEARCH_STEP = 2.7e-3
"""[s] Two steps in a sample of 5.3 ms. At 1 ms the errors of the XL330 logs differ by 0.1 to 0.9
mrad, from seed to seed: the best is polished there."""


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
    weighing: Weighing | None = None
    """How strongly a prior pulled; None: there was none."""
    moved: tuple[Moved, ...] = ()
    """How far the prior's numbers moved, the farthest first."""
    mismatches: tuple[str, ...] = ()
    """Where logs, prior and actuator are of different devices, voltages or firmware, in words."""
    samplings: Mapping[str, float] = field(default_factory=dict[str, float])
    """Error [rad] of a quick search with each convention, where the best was asked for."""

    @property
    def warnings(self) -> list[str]:
        """What the data or the search leave open, in words."""
        values = np.array([_value(self.actuator, name) for name in self.space.names])
        words = [*self.mismatches, *self.space.at_bounds(values)]
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
    fix: Fix = (),
    prior: Prior | None = None,
    objective: Kind = "absolute",
    search_settings: SearchSettings | None = None,
    settings: JointSettings | None = None,
    sampling: Sampling | Literal["best"] = "hold",
    sample_age: float = 0.0,
    name: str | None = None,
    report: Callable[[Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> Identification:
    """Fit the parameters of `actuator` to recorded logs.

    Args:
        actuator: the laws, the starting values, the bounds.
        logs: to fit. held_out: to judge by, not seen by the fit.
        fit, fix: parameters to add to the search (with bounds or None), or to take out (a mapping
            says at which values, or None for those they have).
        prior: where to begin instead, and what to be pulled to.
        objective: what is minimised; errors are reported as mean absolute ones in any case.
        search_settings: starts, generations, seed.
        settings: step, command convention and supply of the joint engine.
        sampling: when a command of the logs acts, see `timing`; "best" tries each convention by a
            quick search first, and takes that with the smallest error.
        sample_age: [s] how much older a recorded position is than the time beside it.
        name: of the new actuator.
        report: called after every generation, and every step of the polishing.
        checkpoint: file in which the search keeps what it has done. If it stands there already,
            from the same task, the search continues; the result is the same as of one run. It is
            removed when the search is done, and stays if that was interrupted.

    Raises:
        PliantError: no logs, an unknown parameter, one to fit and to fix, no finite bounds, nothing
            to identify, a checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    began = time.monotonic()
    # 1. lay out
    search_settings = search_settings or SearchSettings()
    settings, tried = settings or JointSettings(), dict[Sampling, float]()
    if sampling == "best":
        shared = {"fit": fit, "fix": fix, "prior": prior, "objective": objective,
                  "settings": settings, "sample_age": sample_age}  # fmt: skip
        tried = _tried(actuator, logs, search_settings.seed, shared)
        sampling = min(tried, key=lambda one: tried[one])
    logs, settings = as_recorded(logs, settings, sampling, sample_age)
    held_out, _ = as_recorded(held_out, settings, sampling, sample_age)
    actuator = held(actuator, fix)
    coarse = dataclasses.replace(settings, max_step=max(SEARCH_STEP, settings.max_step))
    engine = JointEngine(actuator, settings=coarse)
    batch = LogBatch(logs, engine)
    space = _space(actuator, batch, fit or {}, fix)
    # 2. weigh
    weighing, pull = None, None
    if prior is not None:
        space = prior.start(space)
        weighing = weigh(prior, engine, logs, space, objective)
        pull = prior.pull(space, weighing.weight)
    # 3. search
    goal = Objective(engine, batch, space, objective, pull=pull)
    journal = None
    if checkpoint is not None:
        pulled = {} if pull is None else {"prior": _plain(pull)}
        todo = {**task(engine, batch, space, search_settings, objective), **pulled}
        journal = Checkpoint(checkpoint, todo)
    found = search(goal, space.to_cube(space.start), search_settings, report, journal)
    # 4. polish and simulate the best
    steps = goal.steps
    if coarse != settings and not found.interrupted:
        fine = JointEngine(actuator, settings=settings)
        goal = Objective(fine, LogBatch(logs, fine), space, objective, pull=pull)
        found = refined(goal, found, search_settings.final_polish, journal or NoJournal())
        steps += goal.steps
    values = dict(zip(space.names, map(float, space.from_cube(found.point)), strict=True))
    fitted = evaluate(actuator, logs, changes=values, settings=settings)
    other = evaluate(actuator, held_out, changes=values, settings=settings) if held_out else None
    made = identified(actuator, name or f"{actuator.device}_identified", values, space)
    how = record(fitted, other, found, search_settings, settings, objective, (sampling, sample_age))
    # 5. what is open
    words, moves = mismatches(actuator, logs), tuple[Moved, ...]()
    if prior is not None and weighing is not None:
        words += unlike(prior.actuator, actuator)
        words += [word for word in mismatches(prior.actuator, logs) if word not in words]
        moves = moved(prior, space, found.point)
        how["prior"] = record_of_prior(prior.actuator, weighing, moves)
    if tried:
        how["samplings_mrad"] = {one: round(1e3 * error, 2) for one, error in tried.items()}
    if journal is not None and not found.interrupted:
        journal.remove()
    seconds = time.monotonic() - began
    return Identification(
        dataclasses.replace(made, identification=how), space, fitted, other, found, seconds, steps,
        weighing, moves, tuple(words), {**tried},
    )  # fmt: skip


def _tried(
    actuator: Actuator, logs: Sequence[Log], seed: int, shared: Mapping[str, Any]
) -> dict[Sampling, float]:
    """Error [rad] of a quick search with each convention."""
    quick = dataclasses.replace(QUICK, seed=seed)
    return {
        one: identify(actuator, logs, sampling=one, search_settings=quick, **shared).fitted.mae
        for one in SAMPLINGS
    }


def _space(
    actuator: Actuator,
    batch: LogBatch,
    fit: Mapping[str, tuple[float, float] | None],
    fix: Fix,
) -> Space:
    """What is searched, without what every log states."""
    fixed = left_out(fix)
    given = [name for name, value in fixed.items() if value is not None]
    for option, chosen in (("fit", fit), ("fix", given)):
        for parameter in chosen:
            if parameter in batch.stated:
                raise PliantError("every log states it already", field=option, found=parameter)
    stated = batch.stated & {*actuator.fields, *BENCH}
    return search_space(actuator, fit=fit, fix={*fixed, *stated})


def _plain(pull: Pull) -> dict[str, object]:
    """A pull for the checkpoint."""
    return {"weight": pull.weight, "at": list(pull.at), "centre": pull.centre.tolist(),
            "width": pull.width.tolist()}  # fmt: skip


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
