"""`pliant compensate`."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
from tyro.conf import Positional

from pliant.arrays import Floats
from pliant.cli.choices import attached, numbers, parsed_number
from pliant.cli.options import RARE, Output, Repeated, Within, check_file, flag, shown
from pliant.cli.terminal import Terminal, columns, printable
from pliant.csv_rows import csv_text
from pliant.errors import check_known, located
from pliant.io.keyed import pairs
from pliant.io.output import write_whole

if TYPE_CHECKING:
    from pliant.robots.compensator import Compensator


@dataclass(frozen=True, kw_only=True)
class Compensate:
    """Write the goals that make a robot's joints follow a motion, instead of lagging and sagging.

    Each servo's firmware is inverted: the goals make up for weight, payload, delay, and friction on the
    side of the approach. Nothing is sent to a robot.

    Example: pliant compensate robot.toml goals.csv --motion motion.csv --payload gripperframe=0.2

    Attributes:
        robot: Robot file (*.toml), MJCF (*.xml) or URDF (*.urdf) whose joints are to move.
        output: Goals to write (*.csv): time [s] and a column for each joint, in turns of its servo [rad];
            for a joint of variable stiffness also JOINT.preset.
        motion: Motion wanted (*.csv): `time` [s] and a column for each joint, named like it [rad, m].
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files.
        payload: Mass at a site, or at a body's centre of mass, SITE=KG; or SITE=RECORDING of the robot
            holding still, from which the mass is found.
        stiffness: Stiffness of joints whose springs can be adjusted, joint=value [N m/rad].
        rate: Goals per second [Hz].
        speed: Speed of goals at most [rad/s]; by default the firmware's own limit, or 10.
        overwrite: Replace a file that exists.
    """

    robot: Annotated[Positional[Path], shown("ROBOT")]
    output: Annotated[Positional[Path], shown("OUTPUT")]
    motion: Annotated[Path, shown("FILE.csv")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    payload: Annotated[tuple[str, ...], Repeated, shown("SITE=KG")] = ()
    stiffness: Annotated[tuple[str, ...], Repeated, shown("JOINT=VALUE")] = ()
    rate: Annotated[float, shown("HZ"), Within(1.0, 1e4, "Hz")] = 50.0
    speed: Annotated[float | None, RARE, shown("RAD/S")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Write the goals, and show how far they are from the motion."""
        from pliant.cli.commands import Commands
        from pliant.robots.compensator import Compensator
        from pliant.robots.inverse_load import Course

        check_file("OUTPUT", self.output, ".csv", overwrite=self.overwrite)
        chosen = attached(self.attach)
        wanted = Commands.read((), self.motion)
        with located(self.robot):
            known = Compensator(
                self.robot,
                dict(chosen) if chosen else None,
                cycle=1.0 / self.rate,
                payload=payload_of(self.robot, self.payload, dict(chosen), terminal),
                speed=self.speed,
            )
        positions = wanted.ordered(known.joints)
        with located(self.motion):
            course = Course(known.joints, wanted.time, positions, known.cycle)
            goals, presets = known.along(course, self._stiffness(known))
        write_whole(self.output, _csv(known, course.time, goals, presets))
        apart = np.abs(goals / known.gear - course.position)
        head = ["joint", "goal before joint, mean [mrad]", "most [mrad]"]
        rows = [
            [joint, f"{1e3 * one.mean():.1f}", f"{1e3 * one.max():.1f}"]
            for joint, one in zip(known.joints, apart.T, strict=True)
        ]
        terminal.say(columns(head, rows, numbers=(1, 2)))
        terminal.say(printable(f"wrote {len(goals)} goals {self.output}"))
        terminal.result({"file": str(self.output), "goals": len(goals), "rate": self.rate})
        return 0

    def _stiffness(self, known: "Compensator") -> Floats | None:
        if not self.stiffness:
            return None
        wanted = np.full(len(known.joints), np.nan)
        for joint, value in numbers(self.stiffness, "stiffness", "joint=value").items():
            check_known(joint, known.joints, "no such joint", field="--stiffness")
            wanted[known.joints.index(joint)] = value
        return wanted


def payload_of(
    robot: Path, texts: Iterable[str], chosen: dict[str, str], terminal: Terminal
) -> dict[str, float]:
    """Map of site to mass, from site=kg texts; a mass is estimated where a recording is named."""
    from pliant.robots import read_robot_logs
    from pliant.robots.compensator import Compensator
    from pliant.robots.held_payload import held_payload

    found: dict[str, float] = {}
    for place, text in pairs(texts, "--payload", "site=kg, such as gripper=0.2").items():
        if not text.lower().endswith(".csv"):
            found[place] = parsed_number(text, "payload")
            continue
        joints = Compensator(robot, chosen or None, cycle=1.0).joints
        logs = read_robot_logs(text)
        goal, position = (
            np.vstack([getattr(log, kind)[:, [log.column(j) for j in joints]] for log in logs])
            for kind in ("goal", "position")
        )
        held = held_payload(robot, place, goal, position, chosen or None)
        found[place] = max(held.mass, 0.0)
        terminal.say(
            printable(f"{place} holds {held.mass:.3f} kg, +-{held.doubt:.3f} kg by friction")
        )
    return found


def _csv(known: "Compensator", time: Floats, goals: Floats, presets: Floats) -> str:
    """The table's text."""
    second = [k for k in range(len(known.joints)) if not np.isnan(presets[:, k]).all()]
    extra = [f"{known.joints[k]}.preset" for k in second]
    table = np.column_stack([time, goals, presets[:, second]])
    return csv_text(["time", *known.joints, *extra], table.tolist(), figures=6, lost="nan")
