"""Facts that recordings do not state themselves, kept in a `recording.toml` beside them."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import tomlkit

from pliant.csv_rows import to_number
from pliant.errors import PliantError
from pliant.io.completeness import Given
from pliant.io.findings import Cut
from pliant.io.formats.lerobot_names import read_calibration
from pliant.io.formats.reading import UNITS, Reading, Unit, renamed
from pliant.io.keyed import pairs
from pliant.io.output import check_output, way_to, write_whole
from pliant.io.table import NotNegative, Positive
from pliant.io.validated import Strict

FILE = "recording.toml"
MOST = 100_000
"""Episodes in one text."""


Shared = Literal["auto", "length", "mass", "load", "day", "length+day", "folder", "log", "none"]
"""Properties that recordings of one zero, or of one recorder, may share; for a robot only some apply."""


class RecordingFacts(Strict):
    """Keys of a recording.toml, and of `--reading`.

    Attributes:
        unit: of positions and goals: rad, deg, rev, or percent of each joint's range, which the model or the
            calibration gives; joint=unit for a single joint.
        calibration: calibration file of LeRobot (*.json), for percent.
        clip: range that a joint's goals were clipped to when they were sent, joint=low:high [rad], if the
            recording has the unclipped ones.
        rename: joints whose names differ between recording and model, recorded=model; * stands for any
            part of a name, left_*=*.
        leave_out: joints of the recording that are not read, such as those of another arm, right_*.
        joint: the joint to read from a robot's recording, if a bench is meant.
        episodes: of a LeRobot data set, 3 or 0:20; by default all.
        state: topic of the positions, if a bag has several.
        command: topic of the commands, likewise.
        publisher: program whose messages are read if several publish the same joints on a topic,
            1 for the one with the most, or topic=1.
        command_joints: joint names of unnamed commands, in their order.
        goal: meaning of a recorded command: position, or step added to the joint's position (delta
            actions).
        columns: meaning and unit of each column of a CSV: a TOML file, or text.
        repair: faults to repair, or all.
        cut: part to read, begin:end [s].
        device: name of the device, if the recordings give none: STS3032, AK80-6.
        mass: point mass on the pendulum [kg].
        length: its distance from the axis [m].
        arm_mass: of the arm, a uniform rod of that length [kg].
        gain: proportional gain of the servo, in its firmware's unit.
        voltage: nominal supply [V].
        supply: the supply to simulate: nominal, or measured, if a recording has it.
        sampling: when a recorded command acts: at its own sample (hold), the next (next), the one before
            (before), as a ramp to the next (linear), or whichever fits best (best).
        sample_age: age of a recorded position at its time stamp [s]. A fit takes 0, and the command delay
            absorbs the true value, as no fit can separate the two. `pliant evaluate` estimates it.
        zero_by: property that recordings with one encoder zero share: length, mass, load, day; for a
            robot day, folder or log; none: one zero for all. By default (auto) length and day, for a
            robot day or folder, if the recordings differ in them.
        recorder_by: property that recordings of one recorder (its delay, supply, temperature) share: day,
            folder or log; none. By default (auto) the day, if each day shares gains and loads (for a
            robot, a motion) with another.
    """

    paths: ClassVar[tuple[str, ...]] = ("calibration", "columns")

    unit: tuple[str, ...] = ()
    calibration: Path | None = None
    clip: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    joint: str | None = None
    episodes: tuple[str, ...] = ()
    state: str | None = None
    command: str | None = None
    publisher: tuple[str, ...] = ()
    command_joints: tuple[str, ...] = ()
    goal: Literal["position", "step"] = "position"
    columns: str | None = None
    repair: tuple[str, ...] = ()
    cut: str | None = None
    device: str | None = None
    mass: NotNegative | None = None
    length: Positive | None = None
    arm_mass: NotNegative | None = None
    gain: NotNegative | None = None
    voltage: Positive | None = None
    supply: Literal["nominal", "measured"] = "nominal"
    sampling: Literal["hold", "linear", "next", "before"] = "hold"
    sample_age: float | None = None
    zero_by: Shared = "auto"
    recorder_by: Shared = "auto"

    def reading(
        self, ranges_of_model: Callable[[], Mapping[str, tuple[float, float]]] | None = None
    ) -> Reading:
        """The same for the readers of robots; ranges are the calibration's, or else the model's.

        Raises:
            PliantError: a text cannot be read, or the calibration or the model.
        """
        rename = pairs(self.rename, "rename", "recorded=model")
        unit, units = self._units()
        ranges: Mapping[str, tuple[float, float]] = {}
        percent = "percent" in (unit, *units.values())
        if self.calibration is not None:
            known = read_calibration(self.calibration)
            if not percent:
                problem = "gives ranges for percent, but no unit is percent"
                raise PliantError(problem, field="calibration", accepted="with --unit percent")
            ranges = {renamed(name, rename): ends for name, ends in known.items()}
        elif ranges_of_model is not None and percent:
            ranges = ranges_of_model()
        clip = pairs(self.clip, "clip", "joint=low:high")
        return Reading(
            unit=unit,
            units=units,
            ranges=ranges,
            clip={joint: _range(text) for joint, text in clip.items()},
            rename=rename,
            leave_out=self.leave_out,
            episodes=[number for text in self.episodes for number in _episodes(text)],
            state=self.state,
            command=self.command,
            publishers=self._publishers(),
            command_joints=self.command_joints,
            steps=self.goal == "step",
            columns=self.columns,
            repair=self.repair,
            cut=self.part(),
        )

    def constants(self) -> Given:
        """Those of the bench and of the recording, as `read_log` takes them."""
        return {
            "mass": self.mass,
            "length": self.length,
            "arm_mass": self.arm_mass,
            "gain": self.gain,
            "supply": self.voltage,
        }

    def part(self) -> Cut | None:
        """The ends of `cut` [s]; None where there is none.

        Raises:
            PliantError: it is no range.
        """
        if self.cut is None:
            return None
        low, colon, high = self.cut.partition(":")
        try:
            first, last = (to_number(text) if text.strip() else None for text in (low, high))
        except ValueError:
            first, last = 1.0, 0.0
        until = float("inf") if last is None else last
        if not colon or first == last is None or not (first or 0.0) < until:
            accepted = "begin:end in s, such as 0.2: or 1:30"
            raise PliantError(
                "is not a part of a recording", field="cut", found=self.cut, accepted=accepted
            )
        return first, last

    def _units(self) -> tuple[Unit | None, dict[str, Unit]]:
        """The unit of all joints, and those of joints with one of their own."""
        general = [text for text in self.unit if "=" not in text]
        own = pairs([text for text in self.unit if "=" in text], "unit", "joint=unit")
        known: dict[str, Unit] = {unit: unit for unit in UNITS}
        for text in (*general, *own.values()):
            if text not in known:
                raise PliantError("is not a unit", field="unit", found=text, accepted=UNITS)
        if len(general) > 1:
            accepted = "one for all joints, and joint=unit for others"
            raise PliantError("is given twice", field="unit", found=general[1], accepted=accepted)
        return (known[general[0]] if general else None), {j: known[text] for j, text in own.items()}

    def _publishers(self) -> dict[str, int]:
        """Map of topic to number, from "2" and "/joint_states=1"."""
        found: dict[str, int] = {}
        for text in self.publisher:
            topic, _, number = text.rpartition("=")
            if not number.isdecimal() or len(number) > 3:
                accepted = "the number of one, or topic=number"
                raise PliantError("is no program", field="publisher", found=text, accepted=accepted)
            found[topic] = int(number)
        return found


def file_beside(paths: Sequence[Path]) -> Path | None:
    """The recording.toml in the folder of recordings, if there is one."""
    folders = dict.fromkeys(path if path.is_dir() else path.parent for path in paths)
    found = [folder / FILE for folder in folders if (folder / FILE).is_file()]
    if len(found) > 1:
        raise PliantError(
            "recordings of several folders, each with its own file on how they are read",
            file=found[1],
            found=str(found[0]),
            accepted=f"recordings of one folder, or --reading {FILE} that holds for all",
        )
    return found[0] if found else None


def place_beside(paths: Sequence[Path], *, overwrite: bool) -> Path:
    """The path to write the recording.toml of recordings to."""
    folders = {path if path.is_dir() else path.parent for path in paths}
    if len(folders) != 1:
        raise PliantError("recordings of several folders", found=sorted(map(str, folders)))
    path = folders.pop() / FILE
    check_output(path, overwrite=overwrite)
    return path


def write_facts(facts: RecordingFacts, path: Path) -> None:
    """Write the facts that differ from the defaults."""
    document = tomlkit.document()
    document.add(
        tomlkit.comment("How the recordings in this folder are read; every command takes it.")
    )
    for key, value in facts.model_dump(exclude_defaults=True, mode="json").items():
        file = key in facts.paths and bool(Path(value).suffix)
        document[key] = way_to(value, path.parent) if file else value
    write_whole(path, tomlkit.dumps(document))


def _range(text: str) -> tuple[float, float]:
    """The ends of "-0.6:0.8"."""
    low, colon, high = text.partition(":")
    try:
        ends = to_number(low), to_number(high if colon else "")
    except ValueError:
        ends = (0.0, 0.0)
    if not -1e9 < ends[0] < ends[1] < 1e9:
        accepted = "low:high [rad], low below high"
        raise PliantError("is not a range", field="clip", found=text, accepted=accepted)
    return ends


def _episodes(text: str) -> range:
    """The numbers of "3", or of "0:20", which leaves 20 out."""
    first, colon, last = text.partition(":")
    if not first.isdecimal() or (colon and not last.isdecimal()) or len(text) > 20:
        accepted = "a number, or first:last"
        raise PliantError("is not an episode", field="episodes", found=text, accepted=accepted)
    found = range(int(first), int(last) if colon else int(first) + 1)
    if not 0 < len(found) <= MOST:
        accepted = f"1 to {MOST} of them"
        raise PliantError(
            "is not a range of episodes", field="episodes", found=text, accepted=accepted
        )
    return found
