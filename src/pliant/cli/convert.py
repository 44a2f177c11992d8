"""`pliant convert`."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional

from pliant.cli.options import RARE, Output, flag, shown
from pliant.cli.recording import OF_FITS, Recording, readable
from pliant.cli.terminal import Terminal, printable
from pliant.errors import PliantError
from pliant.io.formats.messages import without_place, write_bag
from pliant.io.formats.runs import write_parquet
from pliant.io.gathered import warnings_in
from pliant.io.output import check_output
from pliant.io.recording_kinds import LOGS, ROBOT_SUFFIXES
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_joint_log, write_robot_log
from pliant.io.robot_logs import read_robot_logs
from pliant.words import counted

FORMATS = {".csv": "csv", ".parquet": "parquet"}


@dataclass(frozen=True, kw_only=True)
class Convert:
    """Convert recordings of robots to CSV, Parquet or rosbag2, in SI units.

    Reads LeRobot data sets, bags (rosbag2, MCAP; joint states or Unitree's LowState), PACE's .pt,
    Parquet and CSV.

    Example: pliant convert my_dataset/ runs/ --unit deg --rename main_gripper=gripper

    Attributes:
        recorded: Recordings, data sets, bags, or folders of them.
        output: File to write (*.csv, *.parquet); any other name is a folder, for one file per recording.
        format: Format of the files; by default from the output's suffix, csv in a folder. With rosbag2,
            each recording is a folder.
        joint: Write only this joint, as a log for `pliant identify`.
        robot: Robot model (MJCF or URDF) whose joints must be those of the recordings, and whose
            ranges --unit percent refers to.
        overwrite: Replace files that exist.
    """

    recorded: Annotated[Positional[Path], shown("RECORDING")]
    output: Annotated[Positional[Path], shown("OUTPUT")]
    format: Annotated[Literal["csv", "parquet", "rosbag2"] | None, shown("csv|parquet|rosbag2")] = (
        None
    )
    joint: Annotated[str | None, shown("NAME")] = None
    robot: Annotated[Path | None, RARE, shown("MODEL")] = None
    overwrite: Annotated[bool, flag()] = False
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Read, check, write."""
        form = self._form()
        facts = self.recording.facts([self.recorded], terminal, unused=OF_FITS)
        logs = read_robot_logs(self.recorded, readable(facts, self.robot))
        if self.robot is not None:
            from pliant.robots.model_fit import check_joints

            check_joints(self.robot, logs, logs[0].joints)
        for text in warnings_in(logs):
            terminal.note(printable(f"{self.recorded}: {text}"))
        files = self._files(logs, form)
        write = self._writer(form)
        for path in files:
            if form != "rosbag2":
                check_output(path, overwrite=self.overwrite)
        for path, log in zip(files, logs, strict=True):
            write(log, path)
            what = self.joint or counted(len(log.joints), "joint")
            terminal.note(printable(f"{path}: {len(log.time)} samples of {what}"))
        if form == "rosbag2" and (lost := {name for log in logs for name in without_place(log)}):
            terminal.note(
                printable(f"JointState has no place for {', '.join(sorted(lost))}: left out")
            )
        terminal.result({"files": [str(path) for path in files]})
        return 0

    def _form(self) -> str:
        """The format to write, by the option or the output's suffix."""
        suffix = self.output.suffix.lower()
        by_name = FORMATS.get(suffix)
        is_read_only = suffix in {*LOGS, *ROBOT_SUFFIXES} and by_name is None
        if is_read_only and not self.output.is_dir():
            raise PliantError(
                "is read, not written",
                field="OUTPUT",
                found=self.output.name,
                accepted="*.csv, *.parquet, or a folder (with --format rosbag2: a bag)",
            )
        if by_name and self.format and by_name != self.format:
            raise PliantError(
                "is not the format of the output's suffix",
                field="--format",
                found=f"{self.format}, {self.output.name}",
                accepted=f"{by_name}, or another name",
            )
        return self.format or by_name or "csv"

    def _files(self, logs: list[RobotLog], form: str) -> list[Path]:
        """A place for each log."""
        single = self.output.suffix.lower() in FORMATS or (form == "rosbag2" and len(logs) == 1)
        if single and len(logs) > 1:
            raise PliantError(
                "one file cannot hold several recordings",
                field="OUTPUT",
                found=f"{len(logs)} recordings",
                accepted="a folder, or --reading episodes=NUMBER",
            )
        if single:
            return [self.output]
        suffix = "" if form == "rosbag2" else f".{form}"
        names = [log.name for log in logs]
        twice = {name for name in names if names.count(name) > 1}
        if twice:
            raise PliantError("two recordings have the same name", found=min(twice))
        return [self.output / f"{name}{suffix}" for name in names]

    def _writer(self, form: str) -> Callable[[RobotLog, Path], None]:
        joint = self.joint
        if joint is None:
            return {"csv": write_robot_log, "parquet": write_parquet, "rosbag2": write_bag}[form]
        if form != "csv":
            raise PliantError("writes CSV only", field="--joint", found=form, accepted="csv")
        return lambda log, path: write_joint_log(log, joint, path)
