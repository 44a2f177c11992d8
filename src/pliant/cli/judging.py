"""The verdict on a fit: its errors beside those of what it began with, on logs seen and not seen."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.catalogue import actuator_files
from pliant.identify.fit import Identification, fit
from pliant.identify.problem.hold_out import HOLD_OUT, hold_out
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.task import FitTask
from pliant.io.log import Log
from pliant.report.verdict import Verdict, encoder_step, motion_range
from pliant.words import counted

KINDS = ("gain", "load", "trajectory")
"""Groups that a fit is tested on if nothing is held out, the first of which there are several."""


def group_to_test(logs: Sequence[Log]) -> str | None:
    """A group of logs to hold out, "gain=800": the highest of the first kind with several."""
    for kind in KINDS:
        groups = {HOLD_OUT[kind](log) for log in logs}
        if len(groups) > 1:
            return f"{kind}={max(groups, key=_rank)}"
    return None


def tested(
    task: FitTask, logs: Sequence[Log], choice: str, report: Callable[..., None]
) -> Identification:
    """A second, shorter fit without the logs of `choice`, and its errors on them.

    It begins at the actuator that was given, not at the fit that has seen all logs.

    Raises:
        KeyboardInterrupt: before anything was found.
    """
    kept, out = hold_out(logs, choice)
    given, brief = task.search, task.rig.fold_search
    short = {
        name: min(getattr(given, name), getattr(brief, name))
        for name in ("starts", "generations", "rounds", "final_generations")
    }
    search = dataclasses.replace(brief, seed=given.seed, population=given.population, **short)
    shorter = dataclasses.replace(task, search_settings=search, hold_out=())
    return fit(shorter, kept, held_out=out, report=report)


def judged(
    found: Identification,
    name: str,
    rig: Rig,
    second: tuple[str, Identification] | None = None,
) -> Verdict:
    """The errors of a fit beside those of what it began with, and beside the encoder's step.

    Args:
        found: the fit. name: name or file of what it began with. rig: that itself.
        second: a group "gain=800" and a fit without its logs, where `found` has seen all.
    """
    test = found.held_out or (second[1].held_out if second else None)
    unseen = [] if test is None else [entry.log for entry in test.logs]
    fitted = [entry.log for entry in found.fitted.logs]
    begun_all = {e.log.name: e.mae for e in rig.evaluate([*fitted, *unseen]).logs}
    positions = [log.position for log in fitted]
    named = second[0].replace("=", " ") if second else counted(len(unseen), "held-out log")
    return Verdict(
        fitted=found.fitted.mae,
        held_out=None if test is None else test.mae,
        unseen="" if test is None else named,
        second=second is not None,
        begun=_mean(begun_all, fitted),
        begun_unseen=None if test is None else _mean(begun_all, unseen),
        begun_name=f"published {name}" if name in actuator_files() else f"{name}, as it was",
        step=encoder_step(positions),
        motion=motion_range(positions),
    )


def as_figures(verdict: Verdict) -> dict[str, Any]:
    """The same for `--json`, in mrad."""
    values = dataclasses.asdict(verdict)
    angles = ("fitted", "held_out", "begun", "begun_unseen", "step", "motion")
    return {
        "sentence": verdict.sentence,
        **{f"{name}_mrad": None if values[name] is None else 1e3 * values[name] for name in angles},
        **{name: value for name, value in values.items() if name not in angles},
    }


def _mean(errors: Mapping[str, float], logs: Sequence[Log]) -> float:
    return float(np.mean([errors[log.name] for log in logs]))


def _rank(group: str) -> tuple[float, str]:
    try:
        return float(group), ""
    except ValueError:
        return 0.0, group
