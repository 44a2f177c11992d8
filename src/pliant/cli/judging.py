"""The verdict on a fit: its errors beside those of what it started from, on logs seen and not seen."""

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from shlex import quote
from typing import Any

import numpy as np

from pliant.catalogue import actuator_files
from pliant.cli.searching import SearchProgress
from pliant.cli.terminal import Terminal, columns
from pliant.identification.problem.evaluation import Evaluation
from pliant.identification.problem.repeatability import each_joint, floor
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.space import named
from pliant.identification.problem.task import FitTask
from pliant.identification.result.identification import Identification
from pliant.identification.result.record import FitRecord
from pliant.identification.selection.cross_validation import (
    Fold,
    group_to_test,
    second_fit,
)
from pliant.io.encoder_steps import resolution
from pliant.report.unknown import Question
from pliant.report.verdict import Verdict, beside_others, motion_range
from pliant.report.words import attach_line, simulate_line, text_of
from pliant.words import counted, number, unit


def judged(
    found: Identification[LogT],
    task: FitTask[LogT],
    logs: Sequence[LogT],
    terminal: Terminal,
    *,
    began_at: Sequence[str],
    turned: Mapping[str, Fold] | None = None,
    test: bool = True,
) -> tuple[Verdict, bool]:
    """Compare a fit with its starting actuators, and test it on logs it has not seen.

    Where no log is held out, a second, shorter fit leaves out one group of them.

    Args:
        found: the fit. task, logs: of it. terminal: for the progress.
        began_at: names or files of the starting actuators.
        turned: groups already held out in turn.
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
            progress = SearchProgress(terminal, "testing")
            second = choice, second_fit(task, logs, choice, progress)
        except KeyboardInterrupt:
            return compared(found, began_at, task.rig), True
    verdict = compared(found, began_at, task.rig, second)
    if turned:
        held_out = float(np.mean([turn.error for turn in turned.values()]))
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


def compared(
    found: Identification[LogT],
    began_at: Sequence[str],
    rig: Rig[LogT],
    second: tuple[str, Identification[LogT]] | None = None,
) -> Verdict:
    """The errors of a fit beside those of its starting actuators and the encoder's step.

    Args:
        found: the fit. began_at: names or files of the starting actuators. rig: with those.
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
        step=resolution(np.concatenate(positions)),
        motion=motion_range(positions),
        again=floor(each_joint(found.logs)),
    )
    # Errors reported by others are from a bench: they say nothing about joints of a robot.
    devices = [actuator.device for joint, actuator in rig.actuators.items() if not joint]
    return beside_others(verdict, devices, [log.digest for log in fitted.values()])


def as_figures(verdict: Verdict) -> dict[str, Any]:
    """The same for `--json`, in mrad."""
    values = dataclasses.asdict(verdict)
    angles = ("fitted", "held_out", "begun", "begun_unseen", "others", "step", "motion", "again")
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
    """Starting point of a fit, in words."""
    published = all(name in actuator_files() for name in names)
    if len(names) == 1:
        return f"published {names[0]}" if published else f"{names[0]}, as it was"
    return "published actuators" if published else "the actuators it began with"


def intervals_of(found: Identification[LogT]) -> dict[str, tuple[float, float]]:
    """Parameter to the ends of its 90 % interval; empty where none were found."""
    records = {joint: FitRecord.of(actuator) for joint, actuator in found.actuators.items()}
    return {
        named(joint, name): ends
        for joint, record in records.items()
        for name, ends in (record.intervals_90 or {}).items()
    }


def numbers_table(found: Identification[LogT]) -> str:
    """Every number that was searched, and pairs that are correlated."""
    sure = intervals_of(found)
    stopped = {x.parameters[0]: f"at its {x.kind}" for x in found.space.at_bounds(found.point)}
    rows = [
        [
            name,
            number(found.values[name]),
            unit(found.rig.unit(name)),
            f"{number(low)} … {number(high)}",
            "{:.3g} … {:.3g}".format(*sure[name]) if name in sure else "",
            stopped.get(name, ""),
        ]
        for name, (low, high) in found.space.bounds().items()
    ]
    head = ["identified", "value", "unit", "bounds", "90 % interval" if sure else "", ""]
    text = columns(head, rows, numbers=(1,))
    pairs = [
        [named(joint, a), named(joint, b), f"{r:+.2f}"]
        for joint, actuator in found.actuators.items()
        for a, b, r in FitRecord.of(actuator).correlations or ()
    ]
    if not pairs:
        return text
    return f"{text}\n\n" + columns(["go together", "", "correlation"], pairs, numbers=(2,))


MOST = 3
"""Open questions that are shown."""


def say_verdict(verdict: Verdict, terminal: Terminal) -> None:
    """The sentence, and the errors to compare."""
    terminal.paragraph(verdict.sentence, style="bold")
    rows = [[bar.name, bar.error.removesuffix(" mrad"), bar.share] for bar in verdict.bars]
    head = ["mean absolute error", "mrad", "of motion"]
    terminal.say("\n" + columns(head, rows, numbers=(1, 2)))
    for said in verdict.about_others:
        terminal.paragraph(said, indent=2)


def say_use(files: Mapping[str, Path], terminal: Terminal, model: str = "ROBOT.xml") -> None:
    """Print the Python line and the command that use the files (joint to file; on a bench JOINT)."""
    if files:
        terminal.copied(f"\nUse it:  {attach_line(files)}")
        terminal.copied(f"         {simulate_line(model, files)}")


def say_robot_use(path: Path, terminal: Terminal) -> None:
    """The same of a robot, by its file."""
    terminal.copied(f"\nUse it:  pliant.attach(spec, {text_of(path)})")
    terminal.copied(f"         pliant simulate {quote(str(path))}")


def say_questions(questions: Sequence[Question], terminal: Terminal) -> None:
    """Print the open questions, the most consequential first, each with what would settle it."""
    if not questions:
        return
    terminal.say("\nNot known:")
    shown = questions if terminal.verbose else questions[:MOST]
    said = ""
    for k, (text, settle) in enumerate(shown, 1):
        again = "as before" if settle == said else settle
        terminal.paragraph(f"{k}. {text}." + (f" -> {again}" if settle else ""), indent=3)
        said = settle
    if len(questions) > len(shown):
        terminal.say(f"   {len(questions) - len(shown)} more: --verbose, or the report")
