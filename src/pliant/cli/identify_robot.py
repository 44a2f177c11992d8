"""A whole robot: all joints fitted together in its own model."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from pliant.cli.choices import ROBOT_FILE, is_choice, models
from pliant.cli.comparison import chosen_verdict, compared, grouped, place_of, table, taken
from pliant.cli.fit_plan import FitPlan
from pliant.cli.outcome import FitOutcome, check_outputs, fitted
from pliant.cli.recording import readable
from pliant.cli.robot_outcome import RobotOutcome
from pliant.cli.robot_task import RobotAsked, check_output_is_folder, in_time, without_its_delay
from pliant.cli.searching import SearchFile
from pliant.cli.terminal import INTERRUPTED, Terminal, printable
from pliant.engines.mujoco.batch.robot_model import given_way
from pliant.identification.problem.task import FitTask
from pliant.identification.selection.choice import candidate_rigs
from pliant.identification.selection.sweep import Sweep, candidate_tasks
from pliant.io.gathered import warnings_in
from pliant.io.output import check_output
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.report.verdict import Verdict
from pliant.report.words import kinds
from pliant.robots.identify import (
    RobotIdentification,
    begin_with_something,
    supplied,
    with_recorded_gains,
)

Beside = Callable[[Verdict, RobotIdentification], Verdict]
"""Adds other known figures on these recordings to a verdict."""


def identify_robot(
    plan: FitPlan, facts: RecordingFacts, terminal: Terminal, beside_others: Beside | None = None
) -> int:
    """Fit a robot's actuators, write them, and show what came out; the exit status."""
    check_output_is_folder(plan)
    check_outputs(plan, plan.device_output)
    if plan.output is not None:
        check_output(plan.output / ROBOT_FILE, overwrite=plan.overwrite)
    asked = RobotAsked.of(plan, facts)
    logs = read_robot_logs([Path(log) for log in plan.logs], readable(facts, asked.robot.model))
    begin = asked.beginning(logs[0].joints)
    more = [] if plan.fit else begin_with_something(begin)
    begin, gains = with_recorded_gains(supplied(begin, facts.voltage), logs)
    for text in [*warnings_in(logs), *more, *gains]:
        terminal.note(printable(text))
    files = {j: plan.output / f"{j}.toml" for j in begin} if plan.output is not None else {}
    for path in files.values():
        check_output(path, overwrite=plan.overwrite)
    task = asked.task(begin, logs)
    for text in given_way(asked.robot.model, list(begin)) if asked.robot.wishes.replace else ():
        terminal.note(text)
    work = _Work(asked, task, files, terminal)
    return work.chosen(logs) if is_choice(plan) else work.fitted(logs, beside_others)


class _Work:
    """A fit that is about to begin."""

    def __init__(
        self,
        asked: RobotAsked,
        task: FitTask[RobotLog],
        files: Mapping[str, Path],
        terminal: Terminal,
    ) -> None:
        self.asked, self.plan, self.task = asked, asked.plan, task
        self.files, self.terminal = files, terminal
        self.saved = SearchFile.beside(self.plan.output, self.plan.checkpoint)
        self.began_at = asked.names(list(task.rig.actuators))

    def fitted(self, logs: list[RobotLog], beside_others: Beside | None) -> int:
        """One model: the fit, its test, its files."""
        asked, terminal, saved = self.asked, self.terminal, self.saved
        timed = partial(in_time, asked, terminal)
        fit = fitted(
            self.plan, self.task, logs, saved, terminal, began_at=self.began_at, in_time=timed
        )
        if fit.verdict is not None and beside_others is not None:
            fit.verdict = beside_others(fit.verdict, fit.identification)
        fit.identification = without_its_delay(asked, fit.identification, terminal)
        forget = partial(saved.forget, interrupted=fit.identification.interrupted)
        return self._ended(fit, forget)

    def chosen(self, logs: Sequence[RobotLog]) -> int:
        """The model that best predicts logs its fit has not seen; logs held out are used by none."""
        plan, terminal, path = self.plan, self.terminal, self.saved.path
        by, division = grouped(plan, "log", logs)
        first = next(iter(self.task.rig.actuators.values()))
        rigs = candidate_rigs(self.task.rig, models(plan, first))
        sweep = Sweep(candidate_tasks(self.task, rigs), division.fitted, by=by)
        choice = compared(sweep, place_of(plan), path, terminal)
        if choice is None:
            return INTERRUPTED
        terminal.say(table(choice) + "\n")
        fit = taken(plan, sweep, choice, path, division.held_out, terminal)
        if fit.interrupted:
            terminal.note("interrupted; the same command resumes")
            return INTERRUPTED
        if plan.intervals:
            fit.find_intervals(terminal)
        fit.verdict = chosen_verdict(fit.identification, choice, self.task.rig, self.began_at)
        return self._ended(fit, lambda: None if path is None else sweep.forget(path))

    def _ended(self, fit: FitOutcome[RobotLog], forget: Callable[[], None]) -> int:
        """Write what came out, forget the search, show it; the exit status."""
        output = self.plan.output
        outcome = RobotOutcome(
            fit=fit,
            model=self.asked.robot.model,
            files=self.files,
            kinds=kinds(fit.identification),
            report=self.plan.report,
            robot_file=None if output is None else output / ROBOT_FILE,
        )
        whole = outcome.write(self.plan, self.asked.robot, self.terminal)
        forget()
        outcome.say(self.terminal)
        return INTERRUPTED if fit.interrupted else 0 if whole else 1
