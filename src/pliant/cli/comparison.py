"""Comparison of models on the terminal, for one joint or a robot."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pliant.cli.choices import searched
from pliant.cli.fit_plan import FitPlan
from pliant.cli.judging import compared as beside
from pliant.cli.judging import held_out_in_turn
from pliant.cli.outcome import FitOutcome
from pliant.cli.searching import SearchProgress
from pliant.cli.terminal import Pace, Terminal, columns
from pliant.cli.watch import reporting, show_choice
from pliant.errors import PliantError
from pliant.identification.problem.hold_out import Division, divided
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.result.identification import Identification
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import Choice
from pliant.identification.selection.sweep import Sweep, as_good
from pliant.identification.selection.workers import Place, cluster, here
from pliant.io.log import Log
from pliant.report.verdict import Verdict
from pliant.words import counted


def compared(
    sweep: Sweep[LogT], place: Place, path: Path | None, terminal: Terminal
) -> Choice | None:
    """All fits of a sweep, with progress on the terminal; None after Ctrl-C."""
    pace, page = Pace(terminal), terminal.page
    resumed = path is not None and path.exists()
    done = sweep.finished(path if resumed else None)
    if resumed:
        terminal.note(f"resuming the search saved in {path}: {counted(len(done), 'model')} done")
    terminal.note(
        f"{counted(len(sweep.jobs), 'model')}, {counted(len(sweep.groups), 'group')} of logs"
    )
    try:
        choice = sweep.choose(
            place if page is None else reporting(place, sweep, page, done),
            path,
            lambda done, of, name: pace.say(f"model {done} of {of}: {name}"),
        )
    except KeyboardInterrupt:
        kept = f"; {path} keeps the models that are done" if path and path.exists() else ""
        terminal.note(f"interrupted{kept}")
        return None
    if page is not None:
        show_choice(page, choice)
    return choice


def grouped(plan: FitPlan, usual: str, logs: Sequence[LogT]) -> tuple[str, Division[LogT]]:
    """The kind of group that models are compared by, and the logs without those held out throughout."""
    by = [one for one in plan.hold_out if "=" not in one]
    if len(by) > 1:
        raise PliantError("is given twice", field="--hold-out", found=by[1], accepted="one kind")
    kind = by[0] if by else usual
    divided(logs, (kind,))  # refuses what is no group
    return kind, divided(logs, [one for one in plan.hold_out if "=" in one])


# Six: what was asked for, what came of it, and where its work is kept.
def taken(
    plan: FitPlan,
    sweep: Sweep[LogT],
    choice: Choice,
    path: Path | None,
    held_out: Sequence[LogT],
    terminal: Terminal,
) -> FitOutcome[LogT]:
    """The chosen model, fitted to all logs except those held out throughout."""
    terminal.note(f"fitting {choice.chosen.name} to all logs ...")
    found = sweep.fitted_to_all(
        choice.chosen,
        plan.output.stem if plan.output and plan.robot is None else None,
        path,
        search=searched(plan, sweep.tasks[0].rig.search),
        held_out=held_out,
        report=SearchProgress(terminal),
        note=terminal.note,
    )
    return FitOutcome(found, interrupted=found.interrupted, choice=choice)


def fit_equal_models(
    sweep: Sweep[Log],
    choice: Choice,
    path: Path | None,
    search: SearchSettings,
    terminal: Terminal,
) -> dict[str, Identification[Log]]:
    """The models that add to the mixture and fit into one file, fitted to all logs.

    Stops at one that was interrupted.
    """
    kept, left_out = as_good(sweep, choice)
    simple, note = choice.chosen.name, terminal.note
    for trial in left_out:
        note(
            f"{trial.name} adds to the mixture but is left out: no law contains both it and the others"
        )
    if not kept:
        note(f"no other model adds to {simple}: the file contains its fits only")
        return {}
    names = ", ".join(trial.name for trial in kept)
    note(f"fitting to all logs, beside {simple}: {names} ...")
    found: dict[str, Identification[Log]] = {}
    for trial in kept:
        report = SearchProgress(terminal)
        one = sweep.fitted_to_all(trial, None, path, search=search, report=report, note=note)
        found[trial.name] = one
        if one.interrupted:
            break
    return found


def chosen_verdict(
    found: Identification[LogT], choice: Choice, rig: Rig[LogT], began_at: Sequence[str]
) -> Verdict:
    """Verdict on the chosen model, beside the actuators given; the choice has its held-out error.

    Args:
        found: the chosen model, fitted to all logs. choice: the comparison that chose it.
        rig: with the actuators given. began_at: their names or files.
    """
    verdict = beside(found, began_at, rig)
    return verdict if found.held_out else held_out_in_turn(verdict, choice.held_out)


def place_of(plan: FitPlan) -> Place:
    """The place in which the fits of a comparison run: here, in processes, or on a cluster."""
    where = plan.processes
    if where is None or where == "1":
        return here
    return cluster(f"local:{where}" if where.isdecimal() else where)


def table(choice: Choice) -> str:
    """The candidates, best first."""
    head = [
        "model",
        "parameters",
        "fitted [mrad]",
        "held out [mrad]",
        "weight",
        "evaluations",
        "time [s]",
        "verdict",
    ]
    rows = [
        [
            trial.name,
            str(trial.parameters),
            f"{1e3 * trial.train:.1f}",
            f"{1e3 * trial.held_out:.1f}",
            f"{weight:.2f}",
            str(trial.result.evaluations),
            f"{trial.result.seconds:.0f}",
            choice.verdict(trial),
        ]
        for trial, weight in zip(choice.trials, choice.weights, strict=True)
    ]
    text = columns(head, rows, numbers=(1, 2, 3, 4, 5, 6))
    return (
        f"{text}\nweight: of the model in the mixture that best predicts the groups left out\n"
        f"{1e3 * choice.held_out:.1f} mrad on each group by the model that the other groups choose"
    )


def as_plain(choice: Choice) -> dict[str, Any]:
    """The same for `--json`."""
    return {
        trial.name: {
            "parameters": trial.parameters,
            "mae_mrad": 1e3 * trial.train,
            "held_out_mae_mrad": 1e3 * trial.held_out,
            "weight": weight,
            "folds_mae_mrad": {
                group: 1e3 * held_out for group, (_, held_out) in trial.of_each_fold().items()
            },
            "evaluations": trial.result.evaluations,
            "seconds": trial.result.seconds,
            "cpu_seconds": trial.result.cpu,
            "verdict": choice.verdict(trial),
        }
        for trial, weight in zip(choice.trials, choice.weights, strict=True)
    }
