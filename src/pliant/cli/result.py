"""Result of an identification on the terminal: is it good, can it be used, what is not known."""

from dataclasses import asdict
from typing import Any

from pliant.cli import evaluated, searching
from pliant.cli.evaluated import bench_table, figures
from pliant.cli.judging import as_figures, numbers_table, say_questions, say_use, say_verdict
from pliant.cli.outcome import FitOutcome
from pliant.cli.terminal import INTERRUPTED, Terminal, columns
from pliant.identification.fit import Identification
from pliant.identification.problem.evaluation import Evaluation, mean_absolute
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.repeatability import each_joint, in_words, repeatability
from pliant.identification.result.record import FitRecord
from pliant.identification.uncertainty.draws import Coverage
from pliant.io.log import Log
from pliant.report.motion import HEAD, figure_rows
from pliant.report.page import entries, own_verdict
from pliant.report.words import at_bounds, open_questions, warnings
from pliant.robots.log_energy import energies
from pliant.words import mrad, number

RECORDED = ("first", "intervals_90", "coverage", "figures", "correlations", "prior")
"""Entries of the fit's record that `--json` has."""


def show(outcome: FitOutcome[Log], terminal: Terminal) -> int:
    """The result on the terminal; returns the exit status."""
    say(outcome, terminal)
    if outcome.interrupted:
        terminal.note(_kept(outcome))
    for problem in outcome.problems:
        terminal.note(f"pliant: {problem}")
    problems = [str(problem) for problem in outcome.problems]
    found = outcome.identification
    spent = (
        {"energy_J": energies(found.actuator, found.fitted, found.held_out)}
        if terminal.as_json
        else {}
    )
    ended = {"interrupted": outcome.interrupted, "problems": problems}
    terminal.result(as_plain(outcome) | spent | ended)
    return INTERRUPTED if outcome.interrupted else 1 if problems else 0


def say(outcome: FitOutcome[Log], terminal: Terminal, *, sheet: bool = True) -> None:
    """The result, for people: is it good, can I use it, what is not known.

    Args:
        outcome: of a fit. terminal: to say it on.
        sheet: figures beside those of the data sheet too.
    """
    found = outcome.identification
    say_verdict(outcome.verdict or own_verdict(found), terminal)
    if again := in_words(each_joint(found.logs)):
        terminal.paragraph(again, indent=2)
    if (members := _members(found)) is not None:
        terminal.say(
            "\nheld out: " + evaluated.predicted(members, FitRecord.of(found.carrying).models)
        )
    if found.task.prior is not None:
        terminal.say("\n" + _moved(found))
    if outcome.turns:
        terminal.say("\n" + searching.turn_table(outcome.turns))
    if outcome.sure is not None and outcome.sure.coverage:
        terminal.say("\n" + _covered(outcome.sure.coverage[""]))
    if sheet and (rows := figure_rows(found.actuator)):
        terminal.say("\n" + columns(HEAD, rows, numbers=(1, 3, 4)))
    if terminal.verbose:
        _say_all(outcome, terminal)
    written = outcome.files.get("actuator")
    say_use({"JOINT": written} if written else {}, terminal)
    say_questions(open_questions(found), terminal)
    for kind, path in outcome.files.items():
        terminal.say(f"wrote {kind} {path}")


def _members(found: Identification) -> Evaluation[Log] | None:
    """Errors of the median motion of the fits on logs held out, where there are several."""
    if found.held_out is None or not isinstance(found.rig, JointRig):
        return None
    logs = [entry.log for entry in found.held_out.entries]
    return evaluated.by_members(found.carrying, logs, found.rig.settings)


def _say_all(outcome: FitOutcome[Log], terminal: Terminal) -> None:
    """Every log, every parameter, every interval."""
    found = outcome.identification
    terminal.say("\n" + evaluated.errors(found.fitted))
    if found.held_out is not None:
        terminal.say("\nheld out:\n" + evaluated.errors(found.held_out))
    if table := bench_table(energies(found.actuator, found.fitted, found.held_out)):
        terminal.say("\n" + table)
    terminal.say("\n" + numbers_table(found))
    if outcome.sure is not None and outcome.sure.coverage:
        terminal.say("\n" + _covered_by_group(outcome.sure.coverage[""]))


def _covered(wide: Coverage) -> str:
    """Coverage of the fit's bands on data it has not seen."""
    groups = "trajectories" if wide.by == "trajectory" else f"{wide.by}s"
    lone = "" if wide.by == "gain" else " All logs have one P-gain: of another they know nothing."
    return (
        f"Bands of 90 % hold {100 * wide.samples:.0f} % of the samples of {groups} held out in turn, "
        f"{100 * wide.logs:.0f} % of their logs as a whole.{lone}"
    )


def _covered_by_group(wide: Coverage) -> str:
    """Coverage of each group, and of the draws without the margin, as used in randomisation."""
    each = ", ".join(f"{name}: {100 * share:.0f} %" for name, share in wide.groups.items())
    alone = f"the draws alone hold {100 * wide.alone:.0f} %"
    if wide.spread > 1.0:
        alone += (
            f", pulled apart (randomise, spread={wide.spread:g}) {100 * wide.spread_holds:.0f} %"
        )
    return f"by group {each}; {alone}"


def _kept(outcome: FitOutcome[Log]) -> str:
    error = f"{mrad(outcome.identification.fitted.mae)} mrad"
    if not outcome.files:
        return f"interrupted: the best so far is shown above ({error}); no file was kept"
    kept = " and ".join(str(path) for path in outcome.files.values())
    return f"interrupted: kept the best so far ({error}) in {kept}"


def as_plain(outcome: FitOutcome[Log]) -> dict[str, Any]:
    """The result for `--json`."""
    found, members = outcome.identification, _members(outcome.identification)
    logs: dict[str, dict[str, Any]] = {}
    for k, entry in enumerate(entries(found)):
        out = k >= len(found.fitted.entries)
        one = logs[entry.log.name] = {**figures(entry), "held_out": out}
        if (run := outcome.mujoco.get(entry.log.name)) is not None:
            one["mae_mrad_mujoco"] = 1e3 * mean_absolute(run, entry.log.position)
            one["difference_mrad"] = 1e3 * mean_absolute(run, entry.simulated)
    return {
        "actuator": found.actuator.name,
        **evaluated.as_plain(found.fitted),
        "repeatability_mrad": {
            name: 1e3 * apart for name, apart in repeatability(found.logs).items()
        },
        "verdict": None if outcome.verdict is None else as_figures(outcome.verdict),
        "logs": logs,
        "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
        "held_out_mae_mrad_median": None if members is None else 1e3 * members.mae,
        "held_out_in_turn": searching.turns_as_plain(outcome.turns),
        "parameters": {n: asdict(p) for n, p in found.actuator.all_numbers.items()},
        **{key: found.actuator.identification.get(key) for key in RECORDED},
        "identified": list(found.space.names),
        "at_bounds": at_bounds(found),
        "starts_mrad": [1e3 * cost for cost in found.search.per_start],
        "evaluations": found.evaluations,
        "seconds": found.seconds,
        "steps": found.steps,
        "warnings": warnings(found),
        "files": {kind: str(path) for kind, path in outcome.files.items()},
    }


def _moved(found: Identification) -> str:
    """The prior's numbers, the fitted ones, and how far apart they are."""
    rows = [
        [move.name, number(move.before), number(move.after), f"{move.widths:+.1f}"]
        for move in found.moved
    ]
    table = columns(["prior", "before", "after", "moved [std]"], rows, numbers=(1, 2, 3))
    prior = FitRecord.of(found.actuator).prior
    return f"{table}\nprior and logs: {'; '.join(prior.kinship if prior else ())}"
