"""Results of an identification: files, and the words on the terminal."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.cli import hold_out
from pliant.cli.evaluate import as_plain, errors
from pliant.cli.judging import as_figures, judged
from pliant.cli.logs import figures
from pliant.cli.progress import SearchProgress
from pliant.cli.said import say_questions, say_use, say_verdict
from pliant.cli.terminal import INTERRUPTED, Pace, Terminal, columns
from pliant.errors import PliantError
from pliant.identify.fit import Identification, fit
from pliant.identify.problem.task import FitTask
from pliant.identify.selection.choice import Choice
from pliant.identify.selection.in_turn import Turn
from pliant.identify.uncertainty.bootstrap import Uncertainty
from pliant.identify.uncertainty.intervals import correlated, intervals, with_intervals, write_draws
from pliant.io.actuator_file import write_or_rescue
from pliant.io.log import Log
from pliant.io.output import check_output
from pliant.report.page import own_verdict, write_report
from pliant.report.unknown import questions
from pliant.report.verdict import Verdict
from pliant.report.words import at_bounds, bounds, doubts, parameters, warnings
from pliant.words import mrad, number, unit


@dataclass
class Outcome:
    """An identification, and the files that were written of it."""

    identification: Identification
    files: dict[str, Path] = field(default_factory=dict[str, Path])
    mujoco: dict[str, Floats] = field(default_factory=dict[str, Floats])
    interrupted: bool = False
    sure: Uncertainty | None = None
    choice: Choice | None = None
    verdict: Verdict | None = None
    problems: list[PliantError] = field(default_factory=list[PliantError])
    """Files that could not be written, each with the place where what was found is."""

    @classmethod
    def of(
        cls,
        task: FitTask,
        logs: Sequence[Log],
        name: str | None,
        terminal: Terminal,
        *,
        checkpoint: Path | None = None,
        note: Callable[[str], None] | None = None,
    ) -> "Outcome":
        """Identify, with progress on the terminal; what is known beforehand by `note`.

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
        terminal.stage("intervals: refitting to resampled blocks of the logs ...")
        try:
            self.sure = intervals(self.identification)
        except KeyboardInterrupt:
            self.interrupted = True
            return
        self.identification = with_intervals(self.identification, self.sure)

    def judge(
        self,
        task: FitTask,
        logs: Sequence[Log],
        terminal: Terminal,
        turned: Mapping[str, Turn] | None = None,
        *,
        began_at: str,
        test: bool = True,
    ) -> None:
        """Compare with what it began with, and test it on logs that a fit has not seen.

        Where no log is held out, a second, shorter fit leaves out one group of them.

        Args:
            task, logs: of the fit. terminal: for the progress. turned: groups that were held out.
            began_at: name or file of the actuator that the fit began with.
            test: do that second fit.
        """
        self.verdict, interrupted = judged(
            self.identification,
            task,
            logs,
            terminal,
            began_at=[began_at],
            turned=turned,
            test=test and not self.interrupted,
        )
        self.interrupted |= interrupted

    def write(
        self,
        actuator: Path | None,
        report: Path | None,
        terminal: Terminal,
        draws: Path | None = None,
    ) -> None:
        """Write the files that are wanted; places were checked before, and may be replaced."""
        try:
            if actuator is not None:
                problem = write_or_rescue(self.identification.actuator, actuator)
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
                write_report(
                    report,
                    self.identification,
                    self.mujoco,
                    verdict=self.verdict,
                    actuator_file=actuator,
                    choice=self.choice,
                )
                self.files["report"] = report
        except KeyboardInterrupt:
            self.interrupted = True
        except Exception as error:  # noqa: BLE001 - what was found is worth more than its report
            where = f"; what was found is in {actuator}" if "actuator" in self.files else ""
            problem = f"a file is missing: {error}{where}"
            self.problems.append(PliantError(problem))

    def replay(self, terminal: Terminal) -> None:
        """Run every log in MuJoCo with the actuator found; without MuJoCo, say so and go on."""
        from pliant.engines.mujoco.batch.replay import replay

        held_out = self.identification.held_out
        entries = [*self.identification.fitted.logs, *(held_out.logs if held_out else ())]
        terminal.stage("running the same commands in MuJoCo ...")
        pace = Pace(terminal)
        for k, entry in enumerate(entries):
            try:
                run = replay(self.identification.actuator, entry.log, timestep=1e-3)
            except PliantError as error:
                terminal.note(f"not run in MuJoCo: {error}")
                return
            self.mujoco[entry.log.name] = run
            pace.say(f"in MuJoCo: {k + 1} of {len(entries)} logs")

    def show(self, turned: Mapping[str, Turn], terminal: Terminal) -> int:
        """The result on the terminal; returns the exit status."""
        self.say(terminal, turned)
        interrupted = self.interrupted or any(turn.interrupted for turn in turned.values())
        if interrupted:
            terminal.note(self._kept())
        for problem in self.problems:
            terminal.note(f"pliant: {problem}")
        problems = [str(problem) for problem in self.problems]
        terminal.result(self.as_plain(turned) | {"interrupted": interrupted, "problems": problems})
        return INTERRUPTED if interrupted else 1 if problems else 0

    def say(self, terminal: Terminal, turned: Mapping[str, Turn] | None = None) -> None:
        """The result, for people: is it good, can I use it, what is not known."""
        found = self.identification
        say_verdict(self.verdict or own_verdict(found), terminal)
        if turned:
            terminal.say("\n" + hold_out.table(turned))
        if terminal.verbose:
            self._say_all(terminal)
        written = self.files.get("actuator")
        say_use({"JOINT": written} if written else {}, terminal)
        say_questions(questions(doubts(found)), terminal)
        for kind, path in self.files.items():
            terminal.say(f"wrote {kind} {path}")

    def _say_all(self, terminal: Terminal) -> None:
        """Every log, every parameter, every interval."""
        found = self.identification
        terminal.say("\n" + errors(found.fitted))
        if found.held_out is not None:
            terminal.say("\nheld out:\n" + errors(found.held_out))
        terminal.say("\n" + _parameters(found))
        if self.sure is not None:
            terminal.say("\n" + _intervals(found, self.sure))

    def _kept(self) -> str:
        error = f"{mrad(self.identification.fitted.mae)} mrad"
        if not self.files:
            return f"interrupted: the best so far is shown above ({error}); no file was kept"
        kept = " and ".join(str(path) for path in self.files.values())
        return f"interrupted: kept the best so far ({error}) in {kept}"

    def as_plain(self, turned: Mapping[str, Turn]) -> dict[str, Any]:
        """The result for `--json`."""
        found = self.identification
        logs = {e.log.name: {**figures(e), "held_out": False} for e in found.fitted.logs}
        if found.held_out is not None:
            logs |= {e.log.name: {**figures(e), "held_out": True} for e in found.held_out.logs}
        for name, run in self.mujoco.items():
            entry = next(e for e in _entries(found) if e.log.name == name)
            logs[name]["mae_mrad_mujoco"] = 1e3 * _mae(run, entry.log.position)
            logs[name]["difference_mrad"] = 1e3 * _mae(run, entry.simulated)
        return {
            "actuator": found.actuator.name,
            **as_plain(found.fitted),
            "verdict": None if self.verdict is None else as_figures(self.verdict),
            "logs": logs,
            "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
            "held_out_in_turn": hold_out.as_plain(turned),
            "parameters": {n: asdict(p) for n, p in parameters(found.actuator).items()},
            "first": found.actuator.identification.get("first"),
            "intervals_90": found.actuator.identification.get("intervals_90"),
            "correlations": found.actuator.identification.get("correlations"),
            "identified": list(found.space.names),
            "at_bounds": at_bounds(found),
            "starts_mrad": [1e3 * cost for cost in found.search.per_start],
            "evaluations": found.evaluations,
            "seconds": found.seconds,
            "steps": found.steps,
            "prior": found.actuator.identification.get("prior"),
            "warnings": warnings(found),
            "files": {kind: str(path) for kind, path in self.files.items()},
        }


def check_outputs(
    actuator: Path | None, report: Path | None, draws: Path | None = None, *, overwrite: bool
) -> None:
    """Refuse files that cannot be written, before the work.

    Raises:
        PliantError: a name does not end as it should, or the place cannot be written.
    """
    wanted = (
        (actuator, "--output", ".toml"),
        (report, "--report", ".html"),
        (draws, "--draws", ".csv"),
    )
    for path, option, suffix in wanted:
        if path is None:
            continue
        if path.suffix.lower() != suffix:
            raise PliantError(
                "wrong kind of file", field=option, found=path.name, accepted=f"*{suffix}"
            )
        check_output(path, overwrite=overwrite)


def _entries(found: Identification) -> list[Any]:
    return [*found.fitted.logs, *(found.held_out.logs if found.held_out else ())]


def _mae(a: Floats, b: Floats) -> float:
    return float(np.mean(np.abs(a - b)))


def _parameters(found: Identification) -> str:
    entries = parameters(found.actuator)
    ends = at_bounds(found)
    rows = [
        [
            name,
            number(entries[name].value),
            unit(entries[name].unit),
            bounds(entries[name]),
            f"at its {ends[name]} bound" if name in ends else "",
        ]
        for name in found.space.names
    ]
    return columns(["identified", "value", "unit", "bounds", ""], rows, numbers=(1,))


def _intervals(found: Identification, sure: Uncertainty) -> str:
    """Table of intervals, and groups of parameters that vary together."""
    entries = parameters(found.actuator)
    ends = zip(found.space.names, sure.best, sure.low, sure.high, strict=True)
    rows = [
        [name, f"{best:.3g}", f"{low:.3g}", f"{high:.3g}", unit(entries[name].unit)]
        for name, best, low, high in ends
    ]
    text = columns(["90 % intervals", "found", "5 %", "95 %", "unit"], rows, numbers=(1, 2, 3))
    pairs = [[a, b, f"{r:+.2f}"] for (a, b), r in correlated(sure).items()]
    if not pairs:
        return text
    return f"{text}\n\n" + columns(["go together", "", "correlation"], pairs, numbers=(2,))
