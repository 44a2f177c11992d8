"""The verdict on a fit: its errors beside those of what it began with, on logs seen and not seen."""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.catalogue import actuator_files
from pliant.cli.progress import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.identify.fit import Identification, fit
from pliant.identify.problem.evaluation import Evaluation
from pliant.identify.problem.hold_out import hold_out, keys_of
from pliant.identify.problem.rig import Rig
from pliant.identify.problem.simulation import LogT
from pliant.identify.problem.task import FitTask
from pliant.identify.selection.in_turn import Turn
from pliant.report.verdict import Verdict, beside_others, encoder_step, motion_range
from pliant.words import counted

KINDS = {"gain": 2, "load": 2, "trajectory": 2}
"""Groups that a joint's fit is tested on if nothing is held out, the first of which there are as
many as it says."""
ROBOT_KINDS = {"motion": 2, "log": 3}
"""The same for a robot; of two runs of one motion, one would be half of what is known."""


def group_to_test(logs: Sequence[LogT]) -> str | None:
    """A group of logs to hold out, "gain=800": the highest of the first kind with several."""
    keys = keys_of(logs)
    for kind, fewest in (ROBOT_KINDS if "motion" in keys else KINDS).items():
        groups = {keys[kind](log) for log in logs}
        if len(groups) >= fewest:
            return f"{kind}={max(groups, key=_rank)}"
    return None


def judged(
    found: Identification[LogT],
    task: FitTask[LogT],
    logs: Sequence[LogT],
    terminal: Terminal,
    *,
    began_at: Sequence[str],
    turned: Mapping[str, Turn] | None = None,
    test: bool = True,
) -> tuple[Verdict, bool]:
    """Compare a fit with what it began with, and test it on logs that a fit has not seen.

    Where no log is held out, a second, shorter fit leaves out one group of them.

    Args:
        found: the fit. task, logs: of it. terminal: for the progress.
        began_at: names or files of the actuators that the fit began with.
        turned: groups that were held out in turn already.
        test: do that second fit.

    Returns:
        The verdict, and whether the second fit was interrupted.
    """
    second: tuple[str, Identification[LogT]] | None = None
    choice = None
    if test and found.held_out is None and not found.interrupted and not turned:
        choice = group_to_test(logs)
    if choice is not None:
        terminal.stage(f"testing: a second, shorter fit without {_named(choice)} ...")
        try:
            second = choice, tested(task, logs, choice, SearchProgress(terminal, "testing"))
        except KeyboardInterrupt:
            return compared(found, began_at, task.rig), True
    verdict = compared(found, began_at, task.rig, second)
    if turned:
        held_out = float(np.mean([turn.held_out for turn in turned.values()]))
        verdict = held_out_in_turn(verdict, held_out)
    return verdict, second is not None and second[1].interrupted


def held_out_in_turn(verdict: Verdict, held_out: float) -> Verdict:
    """`verdict` with the mean error [rad] on groups that were held out one after the other."""
    return dataclasses.replace(
        verdict,
        held_out=held_out,
        unseen="each group in turn",
        second=True,
        begun_unseen=verdict.begun,
    )


def tested(
    task: FitTask[LogT], logs: Sequence[LogT], choice: str, report: Callable[..., None]
) -> Identification[LogT]:
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


def compared(
    found: Identification[LogT],
    began_at: Sequence[str],
    rig: Rig[LogT],
    second: tuple[str, Identification[LogT]] | None = None,
) -> Verdict:
    """The errors of a fit beside those of what it began with, and beside the encoder's step.

    Args:
        found: the fit. began_at: names or files of what it began with. rig: that itself.
        second: a group "gain=800" and a fit without its logs, where `found` has seen all.
    """
    test = found.held_out or (second[1].held_out if second else None)
    fitted = _logs(found.fitted)
    unseen = {} if test is None else _logs(test)
    begun = rig.evaluate([*fitted.values(), *(unseen[n] for n in unseen if n not in fitted)])
    positions = [entry.measured for entry in found.fitted.entries]
    verdict = Verdict(
        fitted=found.fitted.mae,
        held_out=None if test is None else test.mae,
        unseen=_named(second[0]) if second else counted(len(unseen), "held-out log"),
        second=second is not None,
        begun=_mean(begun, fitted),
        begun_unseen=None if test is None else _mean(begun, unseen),
        begun_name=_begun(began_at),
        step=encoder_step(positions),
        motion=motion_range(positions),
    )
    return beside_others(
        verdict,
        (actuator.device for actuator in rig.actuators.values()),
        [log.digest for log in fitted.values()],
    )


def as_figures(verdict: Verdict) -> dict[str, Any]:
    """The same for `--json`, in mrad."""
    values = dataclasses.asdict(verdict)
    angles = ("fitted", "held_out", "begun", "begun_unseen", "others", "step", "motion")
    return {
        "sentence": verdict.sentence,
        **{f"{name}_mrad": None if values[name] is None else 1e3 * values[name] for name in angles},
        **{name: value for name, value in values.items() if name not in angles},
    }


def _logs(evaluation: Evaluation[LogT]) -> dict[str, LogT]:
    """Its logs, by name."""
    return {entry.log.name: entry.log for entry in evaluation.entries}


def _mean(evaluation: Evaluation[LogT], logs: Mapping[str, LogT]) -> float:
    return float(np.mean([e.mae for e in evaluation.entries if e.log.name in logs]))


def _named(choice: str) -> str:
    return choice.replace("=", " ")


def _begun(names: Sequence[str]) -> str:
    """What a fit began with, in words."""
    published = all(name in actuator_files() for name in names)
    if len(names) == 1:
        return f"published {names[0]}" if published else f"{names[0]}, as it was"
    return "published actuators" if published else "the actuators it began with"


def _rank(group: str) -> tuple[float, str]:
    try:
        return float(group), ""
    except ValueError:
        return 0.0, group
