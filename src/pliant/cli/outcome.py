"""Outcome of `pliant identify`: the fit, its intervals, its verdict, and the files it wrote."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic

from pliant.arrays import Floats
from pliant.cli.fit_plan import FitPlan
from pliant.cli.judging import judged
from pliant.cli.options import check_file
from pliant.cli.searching import SearchFile, SearchProgress, turned
from pliant.cli.terminal import Pace, Terminal
from pliant.cli.watch import show_bands
from pliant.errors import PliantError, is_interrupt
from pliant.identification.fit import Identification, fit
from pliant.identification.problem.hold_out import divided
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.selection.choice import Choice
from pliant.identification.selection.cross_validation import Fold
from pliant.identification.uncertainty.draws import Uncertainty
from pliant.identification.uncertainty.intervals import intervals, with_intervals, write_draws
from pliant.io.actuator_file import write_or_rescue
from pliant.io.log import Log
from pliant.io.output import write_whole
from pliant.report.page import entries, report_text
from pliant.report.verdict import Verdict
from pliant.words import counted, mrad


@dataclass
class FitOutcome(Generic[LogT]):
    """An identification of a joint or of a robot, and the files written for it.

    Attributes:
        turns: groups held out in turn. sure: its intervals, if found.
        choice: the models it was chosen from. mujoco: log to its motion in MuJoCo.
        interrupted: something ended early.
    """

    identification: Identification[LogT]
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    mujoco: dict[str, Floats] = field(default_factory=dict[str, Floats])
    interrupted: bool = False
    turns: Mapping[str, Fold] = field(default_factory=dict[str, Fold])
    sure: Uncertainty | None = None
    choice: Choice | None = None
    verdict: Verdict | None = None
    problems: list[PliantError] = field(default_factory=list[PliantError])
    """Files that could not be written, each with where the result was saved instead."""

    @classmethod
    def of(
        cls,
        task: FitTask[LogT],
        logs: Sequence[LogT],
        name: str | None,
        terminal: Terminal,
        *,
        checkpoint: Path | None = None,
        note: Callable[[str], None] | None = None,
    ) -> "FitOutcome[LogT]":
        """Identify, with progress on the terminal; doubts known beforehand go to `note`.

        Raises:
            KeyboardInterrupt: before anything was found.
        """
        terminal.stage("compiling the laws, then searching (Ctrl-C keeps the best so far) ...")
        found = fit(
            task,
            logs,
            name=name,
            report=SearchProgress(terminal),
            note=note or terminal.note,
            checkpoint=checkpoint,
            keep_checkpoint=True,
        )
        terminal.note(
            f"searched {found.evaluations} candidates in {found.seconds:.1f} s: "
            f"{mrad(found.fitted.mae)} mrad"
        )
        return cls(found, interrupted=found.interrupted)

    def find_intervals(self, terminal: Terminal) -> None:
        """Find the parameters' intervals, for the file and the terminal."""
        terminal.stage("intervals: drawing from the posterior ...")
        try:
            self.sure = intervals(self.identification)
        except KeyboardInterrupt:
            terminal.note("interrupted: no intervals")
            self.interrupted = True
            return
        self.identification = with_intervals(self.identification, self.sure)
        show_bands(terminal, self.identification, self.sure)

    def judge(
        self,
        task: FitTask[LogT],
        logs: Sequence[LogT],
        terminal: Terminal,
        *,
        began_at: Sequence[str],
        test: bool = True,
    ) -> None:
        """Compare with the starting actuators, and test, by a second fit if `test`; see `judged`."""
        self.verdict, interrupted = judged(
            self.identification,
            task,
            logs,
            terminal,
            began_at=began_at,
            turned=self.turns,
            test=test and not self.interrupted,
        )
        self.interrupted |= interrupted

    def write(
        self: "FitOutcome[Log]",
        actuator: Path | None,
        report: Path | None,
        terminal: Terminal,
        draws: Path | None = None,
    ) -> None:
        """Write the files asked for; paths were checked before, and existing files may be replaced."""
        try:
            if actuator is not None:
                problem = write_or_rescue(self.identification.carrying, actuator)
                if problem is None:
                    self.files["actuator"] = actuator
                else:
                    self.problems.append(problem)
            if draws is not None and self.sure is not None:
                write_draws(draws, self.sure)
                self.files["draws"] = draws
            if report is not None:
                self.replay(terminal)
                terminal.stage("drawing the report ...")
                page = report_text(
                    self.identification,
                    self.mujoco,
                    verdict=self.verdict,
                    actuator_file=actuator,
                    choice=self.choice,
                )
                write_whole(report, page)
                self.files["report"] = report
        except KeyboardInterrupt:
            self.interrupted = True
        except Exception as error:  # noqa: BLE001 - the result matters more than its report
            if is_interrupt(error):
                self.interrupted = True
                return
            where = f"; the result is in {actuator}" if "actuator" in self.files else ""
            problem = f"a file is missing: {error}{where}"
            self.problems.append(PliantError(problem))

    def replay(self: "FitOutcome[Log]", terminal: Terminal) -> None:
        """Run every log in MuJoCo with the actuator found; without MuJoCo, say so and go on."""
        from pliant.engines.mujoco.batch.trials import replay

        every = entries(self.identification)
        terminal.stage("running the same commands in MuJoCo ...")
        pace = Pace(terminal)
        for k, entry in enumerate(every):
            try:
                run = replay(self.identification.actuator, entry.log, timestep=1e-3)
            except PliantError as error:
                terminal.note(f"not run in MuJoCo: {error}")
                return
            self.mujoco[entry.log.name] = run
            pace.say(f"in MuJoCo: {k + 1} of {len(every)} logs")


InTime = Callable[
    [Identification[LogT], FitTask[LogT], Sequence[LogT]],
    tuple[Identification[LogT], FitTask[LogT], Sequence[LogT]],
]
"""Maps a fit, its task and its logs to those at the actual times of the frames."""


# Eight: what is asked for, where its work is kept, and what came before.
def fitted(
    plan: FitPlan,
    task: FitTask[LogT],
    logs: Sequence[LogT],
    saved: SearchFile,
    terminal: Terminal,
    *,
    began_at: Sequence[str],
    name: str | None = None,
    in_time: InTime[LogT] | None = None,
) -> FitOutcome[LogT]:
    """The fit of a plan: its search, groups held out in turn, intervals, and verdict."""
    division = divided(logs, plan.hold_out)
    terminal.note(
        f"{counted(len(division.fitted), 'log')} to fit, {len(division.held_out)} held out"
    )
    if plan.output is None:
        terminal.note("no --output: the result will be printed, not saved")
    with saved.resumed(terminal):
        outcome = FitOutcome[LogT].of(task, logs, name, terminal, checkpoint=saved.path)
    if in_time is not None:
        outcome.identification, task, logs = in_time(outcome.identification, task, logs)
    outcome.interrupted = outcome.identification.interrupted
    outcome.turns = turned(outcome.identification, division.turns, terminal)
    if plan.intervals and not outcome.interrupted:
        outcome.find_intervals(terminal)
    outcome.judge(task, logs, terminal, began_at=began_at, test=plan.test)
    outcome.interrupted |= len(outcome.turns) < len(division.turns)
    return outcome


def check_outputs(plan: FitPlan, actuator: Path | None) -> None:
    """Refuse files that cannot be written, and draws without intervals, before the work."""
    wanted = (
        (actuator, "--output", ".toml"),
        (plan.report, "--report", ".html"),
        (plan.draws, "--plan: draws", ".csv"),
    )
    for path, option, suffix in wanted:
        check_file(option, path, suffix, overwrite=plan.overwrite)
    if plan.draws is not None and not plan.intervals:
        raise PliantError("needs intervals", field="--plan: draws", accepted="no intervals=no")
