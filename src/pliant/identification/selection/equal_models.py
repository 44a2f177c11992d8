"""Models that add to the one taken: fitted to all logs too, and kept with it as one set."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path

from pliant.assemble import united, united_laws
from pliant.errors import PliantError
from pliant.identification.result.identification import Identification
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import Choice, Trial
from pliant.identification.selection.fit_job import Listeners
from pliant.identification.selection.sweep import Sweep
from pliant.io.log import Log


def as_good(sweep: Sweep[Log], choice: Choice) -> tuple[list[Trial], list[Trial]]:
    """The models that add to the one taken and that one file can hold with it, and the others of them."""
    tasks = dict(zip(sweep.names, sweep.tasks, strict=True))
    kept, left_out = [choice.chosen], list[Trial]()
    for trial in choice.as_good():
        try:
            united_laws([tasks[one.name].rig.actuators[""] for one in [*kept, trial]])
        except PliantError:
            left_out.append(trial)
        else:
            kept.append(trial)
    return kept[1:], left_out


def fitted(
    sweep: Sweep[Log],
    trials: Sequence[Trial],
    checkpoint: Path | None = None,
    *,
    search: SearchSettings | None = None,
    listeners: Listeners | None = None,
) -> dict[str, Identification[Log]]:
    """Some of the models, each fitted to all logs by a whole search; up to one that was interrupted.

    Args:
        sweep: whose models. trials: of these. checkpoint, search, listeners: see `Sweep.fitted_to_all`.
    """
    found: dict[str, Identification[Log]] = {}
    for trial in trials:
        one = sweep.fitted_to_all(trial, None, checkpoint, search=search, listeners=listeners)
        found[trial.name] = one
        if one.interrupted:
            break
    return found


def with_others(
    found: Identification[Log], name: str, others: Mapping[str, Identification[Log]]
) -> Identification[Log]:
    """The same, its file with the fits of other models.

    Args:
        found: the model taken, with its intervals. name: of this model. others: name to fit, at least one.

    Raises:
        PliantError: no law contains all those at a port.
    """
    every = {name: found, **others}
    whole = united(one.actuator for one in every.values())
    record = FitRecord.of(whole)
    models = dict(zip(every, (record.models or {}).values(), strict=True))
    made = record.changed(models=models).on(whole)
    return dataclasses.replace(found, united=made)
