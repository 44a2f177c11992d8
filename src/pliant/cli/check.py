"""`pliant check`."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from pliant.cli.options import RARE, Output, Repeated, flag, shown
from pliant.cli.recording import Recording, for_robots
from pliant.cli.terminal import Terminal, printable
from pliant.errors import PliantError
from pliant.io.output import check_output
from pliant.io.recording_facts import FILE, place_beside, write_facts
from pliant.io.recording_kinds import check_used


@dataclass(frozen=True, kw_only=True)
class Check:
    """Check files and list their faults: logs, actuators, laws and robot models.

    Logs are *.json and *.csv; recordings of robots also *.parquet, bags and LeRobot data sets. Actuators
    and column maps are *.toml, laws and topologies *.py, robot models *.xml and *.urdf. The exit status
    is 1 if any file cannot be used as it is.

    With --against, recordings are compared with a device instead: friction, torque, play and zero of
    each joint, and what is worn, stiff, weak, loose or hot.

    Example: pliant check my_logs/ my_servo.toml my_friction.py arm.xml

    Attributes:
        files: Files of any of these kinds, or folders of them.
        robot: Robot model (MJCF or URDF) of the recordings: joints are matched by name, and
            --unit percent refers to its ranges.
        write: Write the facts given (--unit, --reading and the like) to recording.toml beside the
            recordings, if these can be read so; every command that reads them takes it from there.
        against: Device of which the recorded servos are units: an actuator's name or file, joint=actuator, or
            the folder that a fit wrote. With several FILEs, later ones are compared with the first.
        report: Page (*.html) to write, with --against.
        overwrite: Replace the page, or recording.toml, if it exists.
        packages: Folders of packages that a URDF names (package://); ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH and installed packages are searched too.
    """

    files: Annotated[Positional[tuple[Path, ...]], shown("FILE [FILE ...]")]
    robot: Annotated[Path | None, shown("MODEL")] = None
    write: Annotated[bool, flag()] = False
    against: Annotated[tuple[str, ...], Repeated, shown("[JOINT=]DEVICE")] = ()
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: Annotated[bool, RARE, flag()] = False
    packages: Annotated[tuple[str, ...], RARE, Repeated, shown("FOLDER")] = ()
    recording: Recording = field(default_factory=Recording)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Check them all."""
        from pliant.examine import check, meant

        if self.against:
            from pliant.cli.health import Against, check_health

            asked = Against(self.against, self.robot, self.recording, self.report)
            if self.report is not None:
                check_output(self.report, overwrite=self.overwrite)
            return check_health(self.files, asked, terminal)
        if self.report is not None:
            raise PliantError("needs --against", field="--report")

        facts = self.recording.facts(self.files, terminal)
        if facts.joint is not None:
            check_used(facts.reading(), meant(self.files), "joint")
        place = place_beside(self.files, overwrite=self.overwrite) if self.write else None
        checked = check(
            self.files,
            packages=self.packages,
            reading=for_robots(facts, self.robot),
            robot=self.robot,
            **facts.constants(),
        )
        terminal.say(printable(str(checked)))
        terminal.result(
            {
                "ok": checked.ok,
                "files": {
                    str(file.path): {
                        "kind": file.kind,
                        "ok": file.ok,
                        "findings": [asdict(remark) for remark in file.remarks],
                    }
                    for file in checked
                },
            }
        )
        if place is not None and checked.ok:
            write_facts(facts, place)
            terminal.say(f"wrote {place}")
        elif place is not None:
            terminal.note(f"{FILE} is not written: a file cannot be used as it is")
        return 0 if checked.ok else 1
