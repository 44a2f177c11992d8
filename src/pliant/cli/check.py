"""`pliant check`."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional

from pliant.cli.options import RARE, LogOptions, Output, flag, shown
from pliant.cli.reading_options import RobotReading
from pliant.cli.several import Repeated
from pliant.cli.terminal import Terminal, printable
from pliant.errors import PliantError


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
        robot: Robot model (MJCF or URDF) that recordings are of: joints are matched by name, and
            --unit percent refers to its ranges.
        against: Device (an actuator's name or file, joint=actuator, or a folder that identify-robot
            wrote) that the servos in the recordings are units of. Of several FILEs, the first is what
            later ones are compared with.
        report: Page (*.html) to write, with --against.
        overwrite: Replace the page if it exists.
        packages: Folders of packages that a URDF names (package://); ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH and installed packages are searched too.
    """

    files: Annotated[Positional[tuple[Path, ...]], shown("FILE [FILE ...]")]
    robot: Annotated[Path | None, shown("MODEL")] = None
    against: Annotated[tuple[str, ...], Repeated, shown("[JOINT=]DEVICE")] = ()
    report: Annotated[Path | None, shown("FILE.html")] = None
    overwrite: Annotated[bool, RARE, flag()] = False
    packages: Annotated[tuple[str, ...], RARE, Repeated, shown("FOLDER")] = ()
    recording: LogOptions = field(default_factory=LogOptions)
    robot_recording: RobotReading = field(default_factory=RobotReading)
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Check them all."""
        from pliant.examine import check

        if self.against:
            from pliant.cli.health import check_health

            return check_health(self, terminal)
        if self.report is not None:
            raise PliantError("needs --against", field="--report")

        known = self.recording
        checked = check(
            self.files,
            columns=known.columns,
            packages=self.packages,
            mass=known.mass,
            length=known.length,
            arm_mass=known.arm_mass,
            gain=known.gain,
            supply=known.voltage,
            reading=self.robot_recording.reading(self.robot, known),
            robot=self.robot,
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
        return 0 if checked.ok else 1
