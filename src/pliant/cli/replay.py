"""`pliant replay`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.options import RARE, Browser, Output, Repeated, flag, shown
from pliant.cli.recording import Recording
from pliant.cli.terminal import Terminal, columns
from pliant.errors import check_known
from pliant.io.output import check_output, write_whole
from pliant.io.robot_log import RobotLog
from pliant.words import mrad

if TYPE_CHECKING:
    from pliant.report.explained import Explained, ExplainedTrace
    from pliant.robots.robot_file import RecordedRobot


@dataclass(frozen=True, kw_only=True)
class Replay(Browser):
    """Play recordings of a robot beside their simulation, and say what explains each joint's error.

    Every recording is simulated open loop with its recorded commands. A table says how much of each
    joint's error comes from contact, a saturated motor, the settling gap, a delay, or other motion. A
    page in the browser plays the recording with the largest error; the measured robot is grey.

    Example: pliant replay my_dataset/ --robot so101.xml --attach '*=sts3215_so101' --unit deg

    Attributes:
        recordings: LeRobot data set, bag, log, or folder of them.
        robot: Model (MJCF or URDF), or robot file (*.toml).
        attach: Actuators of a model's joints, joint=actuator (*=... for all), or the folder that
            a fit wrote.
        replace: Replace actuators that the model has on these joints.
        show: Recording to play, by its name; by default that with the largest error.
        figure: Picture of that recording (*.png, *.svg), a panel for each joint, shaded by cause.
        overwrite: Replace the picture if it exists.
        no_page: End after the table, without a page; so does --json.
    """

    recordings: Annotated[Positional[tuple[Path, ...]], shown("DATASET [...]")]
    robot: Annotated[Path, shown("MODEL")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    replace: Annotated[bool, RARE, flag()] = False
    show: Annotated[str | None, shown("NAME")] = None
    figure: Annotated[Path | None, shown("FILE")] = None
    overwrite: Annotated[bool, RARE, flag()] = False
    no_page: Annotated[bool, flag()] = False
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Simulate, say what explains the errors, and play one."""
        from pliant.cli.view import check_page, show

        page = not (self.no_page or self.printing.json)
        if page:
            check_page()
        if self.figure is not None:
            check_output(self.figure, overwrite=self.overwrite)
        robot, logs, found = self._explained(terminal)
        played = self._played(logs, found)
        _say(found, terminal)
        if self.figure is not None:
            from pliant.report.explained import explained_figure
            from pliant.report.still import bytes_of

            drawn = explained_figure([one for one in found if one.entry.log is played])
            write_whole(self.figure, bytes_of(drawn, self.figure.suffix.lower()[1:]))
            terminal.say(f"wrote figure {self.figure}")
        if page:
            from pliant.view.replayed_robot import ReplayedRobot

            terminal.say(f"plays {played.name}")
            show(ReplayedRobot(robot, played), self, terminal)
        terminal.result(_plain(found) | {"model": str(robot.model), "played": played.name})
        return 0

    def _explained(
        self, terminal: Terminal
    ) -> "tuple[RecordedRobot, list[RobotLog], list[ExplainedTrace]]":
        """The robot, its recordings with the zeros and sampling delays of their days, and their errors."""
        from pliant.cli.robot_setup import recorded_robot
        from pliant.engines.mujoco.batch.candidates import ManySettings
        from pliant.identification.result.known import judged
        from pliant.report.explained import explained
        from pliant.robots.identify import robot_rig

        facts = self.recording.facts(self.recordings, terminal)
        robot, logs = recorded_robot(
            self.robot, self.attach, self.recordings, facts, gives_way=self.replace
        )
        terminal.stage("simulating the recordings (the first time, laws are compiled) ...")
        settings = ManySettings(timestep=robot.timestep, supply=facts.supply, wishes=robot.wishes)
        rig = robot_rig(robot.model, robot.actuators, logs, settings=settings).holding(
            robot.offsets
        )
        for doubt in rig.suspected:
            terminal.note(str(doubt))
        logs, rig = rig.as_recorded(logs, facts.sampling, facts.sample_age or 0.0)
        logs = judged(rig, logs).logs
        return robot, logs, explained(rig, logs)

    def _played(self, logs: Sequence[RobotLog], found: "Sequence[ExplainedTrace]") -> RobotLog:
        names = [log.name for log in logs]
        if self.show is None:
            errors = {log.name: sum(x.mae for x in found if x.entry.log is log) for log in logs}
            return logs[names.index(max(errors, key=lambda name: errors[name]))]
        check_known(self.show, names, "no such recording", field="--show")
        return logs[names.index(self.show)]


def _say(found: "Sequence[ExplainedTrace]", terminal: Terminal) -> None:
    from pliant.report.explained import CAUSES, in_words, of_joint

    joints = [of_joint(found, joint) for joint in dict.fromkeys(one.joint for one in found)]

    def row(one: "Explained") -> list[str]:
        return [mrad(one.mae), *(mrad(one.parts[cause]) for cause in CAUSES)]

    head, numbers = ["error [mrad]", *CAUSES], tuple(range(1, 2 + len(CAUSES)))
    terminal.say(columns(["joint", *head], [[x.joint, *row(x)] for x in joints], numbers=numbers))
    terminal.say("")
    for one in joints:
        terminal.paragraph(f"{one.joint}: {in_words(one)}")
    if terminal.verbose:
        rows = [[one.log, one.joint, *row(one)] for one in found]
        numbers = tuple(k + 1 for k in numbers)
        terminal.say("\n" + columns(["recording", "joint", *head], rows, numbers=numbers))


def _plain(found: "Sequence[ExplainedTrace]") -> dict[str, object]:
    """The result for `--json`."""
    from pliant.report.explained import of_joint

    def plain(one: "Explained") -> dict[str, object]:
        names = ("measured", "simulated")
        return {
            "mae_mrad": 1e3 * one.mae,
            "explained_mrad": {cause: 1e3 * part for cause, part in one.parts.items()},
            "main": one.main,
            "delay": one.delay,
            "settling_gap_mrad": {n: 1e3 * gap for n, gap in zip(names, one.gaps, strict=True)},
        }

    joints = dict.fromkeys(one.joint for one in found)
    return {
        "joints": {joint: plain(of_joint(found, joint)) for joint in joints},
        "logs": [{"log": one.log, "joint": one.joint, **plain(one)} for one in found],
    }
