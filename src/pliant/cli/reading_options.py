"""Options of commands that read recordings of robots in formats of other programs."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pliant.cli.options import Repairs, shown
from pliant.cli.several import Repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pliant.io.formats.reading import Reading, Unit


@dataclass(frozen=True, kw_only=True)
class RobotReading:
    """Facts about recordings of robots that the files themselves do not state.

    Attributes:
        unit: Unit of positions and goals: rad, deg, or percent of each joint's range, which the
            model or the calibration gives. By default rad. JOINT=UNIT for a joint of its own.
        calibration: Calibration file of LeRobot (*.json), for --unit percent.
        clip: Range that a joint's goals were clipped to when they were sent, joint=low:high [rad], if
            the recording has the unclipped ones.
        rename: Joints whose names differ between recording and model, recorded=model; * stands for
            any part of a name, 'left_*=*'.
        leave_out: Joints of the recording that are not read, such as those of another arm, 'right_*'.
        episodes: Episodes of a LeRobot data set to read, 0,3 or 0:20; by default all.
        state: Topic of the positions, if a bag has several.
        command: Topic of the commands, if a bag has several.
        publisher: Program whose messages are read where several publish the same joints on a topic,
            1 for that with the most, or topic=1.
        command_joints: Joints of commands that have no names, in their order.
    """

    unit: Annotated[tuple[str, ...], Repeated, shown("[JOINT=]UNIT")] = ()
    calibration: Annotated[Path | None, shown("FILE.json")] = None
    clip: Annotated[tuple[str, ...], Repeated, shown("JOINT=LOW:HIGH")] = ()
    rename: Annotated[tuple[str, ...], Repeated, shown("RECORDED=MODEL")] = ()
    leave_out: Annotated[tuple[str, ...], Repeated, shown("JOINT")] = ()
    episodes: Annotated[tuple[str, ...], Repeated, shown("N|N:M")] = ()
    state: Annotated[str | None, shown("TOPIC")] = None
    command: Annotated[str | None, shown("TOPIC")] = None
    publisher: Annotated[tuple[str, ...], Repeated, shown("[TOPIC=]N")] = ()
    command_joints: Annotated[tuple[str, ...], Repeated, shown("JOINT")] = ()

    def reading(self, model: Path | None = None, repairs: Repairs | None = None) -> "Reading":
        """The same for the readers; ranges are the calibration's, or else the model's.

        Args:
            model: of the robot. repairs: faults to repair, and the part that is read.

        Raises:
            PliantError: an option cannot be read, or the calibration or the model.
        """
        from pliant.cli.choices import pairs
        from pliant.examine.model import joint_ranges
        from pliant.io.column_map import of_robot_columns
        from pliant.io.formats.lerobot_names import read_calibration
        from pliant.io.formats.reading import Reading, renamed

        ranges: dict[str, tuple[float, float]] = {}
        if self.calibration is not None:
            ranges = read_calibration(self.calibration)
            known = pairs(self.rename, "rename", "recorded=model")
            ranges = {renamed(name, known): ends for name, ends in ranges.items()}
        unit, units = _units(self.unit)
        if self.calibration is None and "percent" in (unit, *units.values()) and model is not None:
            ranges = joint_ranges(model)
        return Reading(
            unit=unit,
            units=units,
            ranges=ranges,
            clip={joint: _range(text) for joint, text in pairs(self.clip, "clip", CLIP).items()},
            rename=pairs(self.rename, "rename", "recorded=model"),
            leave_out=self.leave_out,
            episodes=[number for text in self.episodes for number in _episodes(text)],
            state=self.state,
            command=self.command,
            publishers=_publishers(self.publisher),
            command_joints=self.command_joints,
            columns=None
            if repairs is None or not of_robot_columns(repairs.columns)
            else repairs.columns,
            repair=() if repairs is None else repairs.repair,
            cut=None if repairs is None else repairs.part(),
        )


@dataclass(frozen=True, kw_only=True)
class RobotRecordings(RobotReading, Repairs):
    """Facts that recordings of robots do not state, and faults to repair in them."""

    def reading(self, model: Path | None = None, repairs: Repairs | None = None) -> "Reading":
        """See `RobotReading.reading`."""
        return super().reading(model, repairs or self)


def _units(texts: "Sequence[str]") -> "tuple[Unit | None, dict[str, Unit]]":
    """The unit of all joints, and those of joints with one of their own, of "deg" and "gripper=percent"."""
    from pliant.cli.choices import pairs
    from pliant.errors import PliantError
    from pliant.io.formats.reading import UNITS

    general = [text for text in texts if "=" not in text]
    own = pairs([text for text in texts if "=" in text], "unit", "joint=unit")
    known: dict[str, Unit] = {unit: unit for unit in UNITS}
    for text in (*general, *own.values()):
        if text not in known:
            raise PliantError("is no unit", field="--unit", found=text, accepted=UNITS)
    if len(general) > 1:
        accepted = "one for all joints, and joint=unit for others"
        raise PliantError("is given twice", field="--unit", found=general[1], accepted=accepted)
    return (known[general[0]] if general else None), {j: known[text] for j, text in own.items()}


def _publishers(texts: "Sequence[str]") -> dict[str, int]:
    """Topic to number, of "2" and "/joint_states=1"."""
    from pliant.errors import PliantError

    found: dict[str, int] = {}
    for text in texts:
        topic, _, number = text.rpartition("=")
        if not number.isdecimal() or len(number) > 3:
            accepted = "the number of one, or topic=number"
            raise PliantError("is no program", field="--publisher", found=text, accepted=accepted)
        found[topic] = int(number)
    return found


CLIP = "joint=low:high"


def _range(text: str) -> tuple[float, float]:
    """The ends of "-0.6:0.8"."""
    from pliant.cli.choices import parsed_number
    from pliant.errors import PliantError

    low, colon, high = text.partition(":")
    if not colon:
        raise PliantError("is no range", field="--clip", found=text, accepted=CLIP)
    ends = parsed_number(low, "clip"), parsed_number(high, "clip")
    if not ends[0] < ends[1]:
        raise PliantError("is no range", field="--clip", found=text, accepted="low below high")
    return ends


MOST = 100_000
"""Episodes in one option."""


def _episodes(text: str) -> range:
    """The numbers of "3", or of "0:20", which leaves 20 out."""
    from pliant.errors import PliantError

    first, colon, last = text.partition(":")
    if not first.isdecimal() or (colon and not last.isdecimal()) or len(text) > 20:
        accepted = "a number, or first:last"
        raise PliantError("is not an episode", field="--episodes", found=text, accepted=accepted)
    found = range(int(first), int(last) if colon else int(first) + 1)
    if not 0 < len(found) <= MOST:
        accepted = f"1 to {MOST} of them"
        raise PliantError(
            "is not a range of episodes", field="--episodes", found=text, accepted=accepted
        )
    return found
