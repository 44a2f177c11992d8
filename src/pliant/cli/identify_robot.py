"""A whole robot: all joints fitted together in its own model."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from pliant.cli.choices import ROBOT_FILE, is_choice, models, searched
from pliant.cli.comparison import chosen_verdict, compared, place_of, table
from pliant.cli.fit_plan import FitPlan
from pliant.cli.judging import judged
from pliant.cli.outcome import check_outputs
from pliant.cli.recording import readable
from pliant.cli.robot_outcome import RobotOutcome
from pliant.cli.robot_task import RobotAsked, check_output_is_folder, in_time, without_its_delay
from pliant.cli.searching import SearchFile, SearchProgress, turned
from pliant.cli.terminal import INTERRUPTED, Terminal, printable
from pliant.cli.watch import show_bands
from pliant.engines.mujoco.batch.robot_model import given_way
from pliant.identification.fit import fit
from pliant.identification.problem.hold_out import divided
from pliant.identification.problem.task import FitTask
from pliant.identification.search.search import Progress
from pliant.identification.selection.choice import candidate_rigs
from pliant.identification.selection.sweep import Sweep, candidate_tasks
from pliant.identification.uncertainty.intervals import intervals, with_intervals, write_draws
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
from pliant.words import counted

Beside = Callable[[Verdict, RobotIdentification], Verdict]
"""Adds to a verdict what else is known of these recordings."""


def identify_robot(
    plan: FitPlan, facts: RecordingFacts, terminal: Terminal, beside_others: Beside | None = None
) -> int:
    """Fit a robot's actuators, write them, and show what came out; the exit status."""
    check_output_is_folder(plan)
    asked = RobotAsked.of(plan, facts)
    logs = read_robot_logs([Path(log) for log in plan.logs], readable(facts, asked.robot.model))
    begin = asked.beginning(logs[0].joints)
    more = [] if plan.fit else begin_with_something(begin)
    begin, gains = with_recorded_gains(supplied(begin, facts.voltage), logs)
    for text in [*warnings_in(logs), *more, *gains]:
        terminal.note(printable(text))
    files = {j: plan.output / f"{j}.toml" for j in begin} if plan.output is not None else {}
    for path in [*files.values(), *([plan.output / ROBOT_FILE] if plan.output else [])]:
        check_output(path, overwrite=plan.overwrite)
    check_outputs(plan, plan.device_output)
    task = asked.task(begin, logs)
    for text in given_way(asked.robot.model, list(begin)) if asked.robot.wishes.replace else ():
        terminal.note(text)
    if plan.output is None:
        terminal.note("no --output: the result will be printed, not saved")
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

    def fitted(self, logs: list[RobotLog], beside_others: Beside | None) -> int:
        """One model: the fit, its test, its files."""
        plan, terminal, task, saved = self.plan, self.terminal, self.task, self.saved
        self._say_begin(logs, plan.hold_out)
        choices = divided(logs, plan.hold_out).turns
        found, task, logs = in_time(self.asked, self._searched(logs), task, logs, terminal)
        turns = turned(found, choices, terminal)
        found = self._sure(found)
        verdict, stopped = judged(
            found,
            task,
            logs,
            terminal,
            began_at=self._began_at,
            turned=turns,
            test=plan.test,
        )
        verdict = verdict if beside_others is None else beside_others(verdict, found)
        found = without_its_delay(self.asked, found, terminal)
        interrupted = stopped or found.interrupted or len(turns) < len(choices)
        forget = partial(saved.forget, interrupted=found.interrupted)
        whole = self._ended(found, verdict, forget, turns=turns, interrupted=interrupted)
        return INTERRUPTED if interrupted else 0 if whole else 1

    def chosen(self, logs: Sequence[RobotLog]) -> int:
        """The model that predicts logs best which its fit has not seen; what is kept out, nothing sees."""
        from pliant.cli.choose import groups

        terminal, path = self.terminal, self.saved.path
        by, kept_out = groups(self.plan, "log")
        divided(logs, (by,))  # refuses what is no group
        division = divided(logs, kept_out)
        self._say_begin(logs, kept_out)
        first = next(iter(self.task.rig.actuators.values()))
        rigs = candidate_rigs(self.task.rig, models(self.plan, first))
        final = searched(self.plan, self.task.rig.search)
        sweep = Sweep(candidate_tasks(self.task, rigs), division.fitted, by=by)
        choice = compared(sweep, place_of(self.plan), path, terminal)
        if choice is None:
            return INTERRUPTED
        terminal.say(table(choice) + "\n")
        terminal.note(f"fitting {choice.chosen.name} to all logs ...")
        found = sweep.fitted_to_all(
            choice.chosen, None, path, search=final, held_out=division.held_out
        )
        if found.interrupted:
            terminal.note("interrupted; the same command resumes")
            return INTERRUPTED
        found = self._sure(found)
        verdict = chosen_verdict(found, choice, self.task.rig, self._began_at)
        forget = partial(sweep.forget, path) if path is not None else None
        whole = self._ended(found, verdict, forget, choice=choice)
        return 0 if whole else 1

    @property
    def _began_at(self) -> list[str]:
        return self.asked.names(list(self.task.rig.actuators))

    def _say_begin(self, logs: Sequence[RobotLog], hold_out: Sequence[str]) -> None:
        division = divided(logs, hold_out)
        self.terminal.note(
            f"{counted(len(division.fitted), 'log')} to fit, {len(division.held_out)} held out; "
            "compiling, then searching (Ctrl-C keeps the best so far) ..."
        )

    def _searched(self, logs: Sequence[RobotLog]) -> RobotIdentification:
        says: dict[str, SearchProgress] = {}

        def say(progress: Progress) -> None:
            says.setdefault(progress.part, SearchProgress(self.terminal, progress.part))(progress)

        with self.saved.resumed(self.terminal):
            return fit(
                self.task,
                logs,
                report=say,
                note=self.terminal.note,
                checkpoint=self.saved.path,
                keep_checkpoint=True,
            )

    def _sure(self, found: RobotIdentification) -> RobotIdentification:
        """Add intervals, if they are wanted; Ctrl-C leaves them out."""
        if not self.plan.intervals or found.interrupted:
            return found
        self.terminal.note("intervals: drawing from the posterior ...")
        try:
            sure = intervals(found)
        except KeyboardInterrupt:
            self.terminal.note("interrupted: no intervals")
            return found
        if self.plan.draws is not None:
            write_draws(self.plan.draws, sure)
        with_them = with_intervals(found, sure)
        show_bands(self.terminal, with_them, sure)
        return with_them

    def _ended(
        self,
        found: RobotIdentification,
        verdict: Verdict,
        forget: Callable[[], None] | None,
        **more: Any,
    ) -> bool:
        """Write what came out, forget the search, show it; whether all files are where they should be."""
        output = self.plan.output
        outcome = RobotOutcome(
            found=found,
            verdict=verdict,
            model=self.asked.robot.model,
            files=self.files,
            kinds=kinds(found),
            report=self.plan.report,
            robot_file=None if output is None else output / ROBOT_FILE,
            **more,
        )
        whole = outcome.write(self.plan, self.asked.robot, self.terminal)
        if forget is not None:
            forget()
        outcome.say(self.terminal)
        return whole
