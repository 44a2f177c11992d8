"""Log in, actuator out.

1. lay out the logs, hold some back; say what they cannot tell
2. when commands acted, if that is asked for
3. weigh the prior, if there is one; estimate timing and supply
4. search all parameters, at a coarser step
5. polish the best at the engine's step, and simulate it, on the logs fitted and those held back
6. say what is open
"""

import dataclasses
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.errors import PliantError
from pliant.identify.problem.ambiguities import ambiguities
from pliant.identify.problem.evaluation import evaluate
from pliant.identify.problem.hold_out import hold_out
from pliant.identify.problem.objective import Kind, Objective
from pliant.identify.problem.prior import Prior
from pliant.identify.problem.sampling import QUICK, SAMPLINGS, Sampling, as_recorded
from pliant.identify.problem.space import BENCH, Space, search_space
from pliant.identify.result.identification import Identification
from pliant.identify.result.record import Fix, held, identified, left_out, record, record_of_prior
from pliant.identify.search.checkpoint import Checkpoint, task
from pliant.identify.search.journal import Chapter, Journal, NoJournal
from pliant.identify.search.prior_weight import (
    Moved,
    kinship,
    mismatches,
    moved,
    unlike,
    weigh,
)
from pliant.identify.search.progress import Progress
from pliant.identify.search.refinement import refined
from pliant.identify.search.search import SearchSettings, search
from pliant.identify.search.state_file import actuator_digest
from pliant.identify.search.timing_first import fit_timing, in_words, starting_at
from pliant.io.log import Log

__all__ = ["SEARCH_STEP", "Identification", "hold_out", "identify"]

SEARCH_STEP = 2.7e-3
"""[s] Two steps in a sample of 5.3 ms. At 1 ms the errors of the XL330 logs differ by 0.1 to
0.9 mrad, from seed to seed: the best is polished there."""


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
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
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
        note: called with what is known before the search, in words: what the logs cannot tell, and
            what timing and supply come to by themselves.
        checkpoint: file in which the search keeps what it has done. If it stands there already,
            from the same task, the search continues; the result is the same as of one run. It is
            removed when the search is done, and stays if that was interrupted.
        keep_checkpoint: leave it in any case; remove it when the result is safe.

    Raises:
        PliantError: no logs, an unknown parameter, one to fit and to fix, no finite bounds, nothing
            to identify, a checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found; later, the best so far is returned.
    """
    began = time.monotonic()
    # 1. lay out
    search_settings, settings = search_settings or SearchSettings(), settings or JointSettings()
    actuator = held(actuator, fix)
    engine = _coarse(actuator, settings)
    batch = LogBatch(logs, engine)
    space = _space(actuator, batch, fit or {}, fix)
    space = space if prior is None else prior.start(space)
    before = tuple(ambiguities(actuator, space, logs, sample_age))
    say = note or _silent
    for words in before:
        say(f"before the fit: {words}")
    journal: Journal = NoJournal()
    if checkpoint is not None:
        todo = task(engine, batch, space, search_settings, objective)
        journal = Checkpoint(
            checkpoint, {**todo, "sampling": sampling, "sample_age": sample_age, **_prior(prior)}
        )
    # 2. when commands acted
    tried = dict[Sampling, float]()
    if sampling == "best":
        quick = dataclasses.replace(QUICK, seed=search_settings.seed)
        tried = _tried((actuator, logs, space, objective), settings, sample_age, quick, journal)
        sampling = min(tried, key=lambda one: tried[one])
    logs, settings = as_recorded(logs, settings, sampling, sample_age)
    held_out, _ = as_recorded(held_out, settings, sampling, sample_age)
    engine = _coarse(actuator, settings)
    # 3. weigh the prior; timing and supply
    weighing = None if prior is None else weigh(prior, engine, logs, space, objective, journal)
    pull = None if prior is None or weighing is None else prior.pull(space, weighing.weight)
    goal = Objective(engine, LogBatch(logs, engine), space, objective, pull=pull)
    look = fit_timing(goal, space, journal)
    if look is not None:
        say(in_words(look, {name: field.unit for name, field in actuator.fields.items()}))
    space = starting_at(space, look)
    # 4. search
    found = search(goal, space.to_cube(space.start), search_settings, report, journal)
    found.evaluations += 0 if look is None else look.evaluations
    # 5. polish and simulate the best
    steps = goal.steps
    if engine.settings != settings and not found.interrupted:
        fine = JointEngine(actuator, settings=settings)
        goal = Objective(fine, LogBatch(logs, fine), space, objective, pull=pull)
        found = refined(goal, found, search_settings.final_polish, journal)
        steps += goal.steps
    values = dict(zip(space.names, map(float, space.from_cube(found.point)), strict=True))
    fitted = evaluate(actuator, logs, changes=values, settings=settings)
    other = evaluate(actuator, held_out, changes=values, settings=settings) if held_out else None
    made = identified(actuator, name or f"{actuator.device}_identified", values, space)
    how = record(fitted, other, found, search_settings, settings, objective, (sampling, sample_age))
    # 6. what is open
    words, moves = mismatches(actuator, logs), tuple[Moved, ...]()
    if prior is not None and weighing is not None:
        words += unlike(prior.actuator, actuator)
        words += [word for word in mismatches(prior.actuator, logs) if word not in words]
        moves = moved(prior, space, found.point)
        how["prior"] = record_of_prior(prior.actuator, weighing, moves) | {
            "is": kinship(prior.actuator, actuator, logs)
        }
    how["beforehand"] = list(before)
    if look is not None:
        how["first"] = {
            "mae_mrad": [round(1e3 * look.before, 3), round(1e3 * look.after, 3)],
            **look.values,
        }
    if tried:
        how["samplings_mrad"] = {one: round(1e3 * error, 2) for one, error in tried.items()}
    if isinstance(journal, Checkpoint) and not (found.interrupted or keep_checkpoint):
        journal.remove()
    seconds = time.monotonic() - began
    return Identification(
        dataclasses.replace(made, identification=how),
        space,
        fitted,
        other,
        found,
        seconds,
        steps,
        weighing,
        moves,
        tuple(words),
        {**tried},
        look,
        before,
    )


def _silent(_: str) -> None:
    pass


def _coarse(actuator: Actuator, settings: JointSettings) -> JointEngine:
    """What is searched with."""
    step = max(SEARCH_STEP, settings.max_step)
    coarse = dataclasses.replace(settings, max_step=step, aligned=True)
    return JointEngine(actuator, settings=coarse)


def _tried(
    what: tuple[Actuator, Sequence[Log], Space, Kind],
    settings: JointSettings,
    sample_age: float,
    quick: SearchSettings,
    journal: Journal,
) -> dict[Sampling, float]:
    """Error [rad] of a quick search with each convention."""
    actuator, logs, space, objective = what
    tried = dict[Sampling, float]()
    for one in SAMPLINGS:
        theirs, with_it = as_recorded(logs, settings, one, sample_age)
        engine = _coarse(actuator, with_it)
        goal = Objective(engine, LogBatch(theirs, engine), space, objective)
        found = search(goal, space.to_cube(space.start), quick, None, Chapter(journal, one))
        if found.interrupted:
            raise KeyboardInterrupt
        tried[one] = found.error
    return tried


def _prior(prior: Prior | None) -> dict[str, object]:
    """What a checkpoint must know of it."""
    if prior is None:
        return {}
    return {"prior": actuator_digest(prior.actuator), "prior_weight": prior.weight}


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
