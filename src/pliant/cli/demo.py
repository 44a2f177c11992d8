"""`pliant demo`."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pliant.cli.choices import with_laws
from pliant.cli.options import Output, flag, shown
from pliant.cli.recording import say_findings
from pliant.cli.terminal import INTERRUPTED, Terminal, columns
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs, read_logs
from pliant.io.output import check_output, write_whole
from pliant.words import counted

if TYPE_CHECKING:
    from pliant.cli.outcome import FitOutcome
    from pliant.identification.search.search import SearchSettings

ACTUATOR = "xl330_bam_m6"
LAWS = ("timing=command_delay", "driver=pulsed_supply")
NAME = "xl330_identified"


@dataclass(frozen=True, kw_only=True)
class Demo:
    """Identify a servo from logs that come with Pliant, simulate it in MuJoCo, write a report.

    12 recorded logs of a Dynamixel XL330 are checked, the servo is identified and written as an
    actuator file, the same commands are replayed in MuJoCo, and a report shows measured against
    simulated.

    With --robot so101, a whole arm: six servos are identified from four motions of 25 s and judged by
    a fifth. With --robot go2, a quadruped held in the air: its twelve drives, from 5.9 s.

    Example: pliant demo --output my_demo/

    Attributes:
        robot: A whole robot instead of the servo: so101 or go2.
        output: Folder to write to. The demo replaces its own files in it.
        logs_to: Copy the logs (of a robot, its recordings) to this folder instead, to work with them.
        quick: Search for a few seconds only, for a worse fit.
    """

    robot: Literal["so101", "go2"] | None = None
    output: Annotated[Path, shown("FOLDER")] = Path("pliant-demo")
    logs_to: Annotated[Path | None, shown("FOLDER")] = None
    quick: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Run the demo."""
        if self.logs_to is not None:
            return self._copied(self.logs_to, terminal)
        if self.robot is not None:
            from pliant.cli.demo_robot import robot_demo

            return robot_demo(self.robot, self.output, quick=self.quick, terminal=terminal)

        actuator_file = self.output / f"{NAME}.toml"
        report = self.output / "report.html"
        for path in (actuator_file, report):
            check_output(path, overwrite=True)
        clock = Clock()
        outcome = self._found(clock, terminal)
        outcome.write(actuator_file, report, terminal)
        clock.lap("MuJoCo and report")
        return self._end(outcome, clock, terminal)

    def _copied(self, folder: Path, terminal: Terminal) -> int:
        """Copy the recordings; files that are there are kept."""
        paths = example_logs()
        if self.robot is not None:
            from pliant.cli.demo_robot import DEMOS

            paths = sorted((DEMOS[self.robot].folder / "motions").glob("*.csv"))
        for path in paths:
            check_output(folder / path.name, overwrite=False)
        for path in paths:
            write_whole(folder / path.name, path.read_text("utf-8"))
        terminal.say(f"wrote {counted(len(paths), 'log')} to {folder}")
        terminal.result({"files": [str(folder / path.name) for path in paths]})
        return 0

    def _found(self, clock: "Clock", terminal: Terminal) -> "FitOutcome":
        """The fit, its uncertainty and its error."""
        from pliant.cli.outcome import FitOutcome
        from pliant.identification.problem.joint_rig import JointRig
        from pliant.identification.problem.task import FitTask

        logs = read_logs(example_logs())
        terminal.note(f"{len(logs)} recorded logs of a Dynamixel XL330 on a pendulum")
        if terminal.verbose:
            say_findings(logs, terminal)
        rig = JointRig(with_laws(load_actuator(ACTUATOR), LAWS))
        search = quick_settings() if self.quick else rig.search
        task = FitTask(rig=rig, search_settings=search)
        outcome = FitOutcome.of(task, logs, NAME, terminal, note=terminal.aside)
        clock.lap("search")
        if not self.quick and not outcome.interrupted:
            outcome.find_intervals(terminal)
            clock.lap("intervals")
        outcome.judge(task, logs, terminal, began_at=[ACTUATOR])
        clock.lap("held-out fit")
        return outcome

    def _end(self, outcome: "FitOutcome", clock: "Clock", terminal: Terminal) -> int:
        from pliant.cli.result import as_plain, say
        from pliant.report.page import log_table

        terminal.say()
        # The sheet is in the report anyway: without it, this fits on a screen.
        say(outcome, terminal, sheet=terminal.verbose)
        if terminal.verbose:
            both = log_table(outcome.identification, outcome.mujoco)
            rows = [[cell.text for cell in row] for row in both.rows]
            terminal.say("\n" + columns(both.head, rows, numbers=both.numbers))
        terminal.note(f"took {clock}")
        if outcome.interrupted:
            kept = " and ".join(map(str, outcome.files.values())) or "nothing"
            terminal.note(f"interrupted: kept {kept}")
        seconds = clock.seconds
        ended = {"interrupted": outcome.interrupted, "took": seconds}
        terminal.result(as_plain(outcome) | ended)
        return INTERRUPTED if outcome.interrupted else 0


class Clock:
    """Stopwatch for the demo's stages."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.monotonic()

    def lap(self, name: str) -> None:
        """Book the time since the last lap under `name`."""
        now = time.monotonic()
        self.seconds[name] = now - self._last
        self._last = now

    def __str__(self) -> str:
        parts = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()):.1f} s: {parts}"


def quick_settings() -> "SearchSettings":
    """Settings of the short search."""
    from pliant.identification.search.search import SearchSettings

    return SearchSettings(starts=2)
