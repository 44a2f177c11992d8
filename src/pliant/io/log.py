"""Recorded logs of a joint on a pendulum bench: read, checked, repaired only on request.

log = read_log("run.json")                        # raises where the numbers cannot be used
log = read_log("run.json", repair=["voltage-unit"])
for finding in log.findings:
    print(finding)                                # what was found, and what was repaired
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from importlib import resources
from itertools import pairwise
from pathlib import Path
from typing import Literal, Unpack

import numpy as np

from pliant.errors import PliantError
from pliant.exports import shown_by
from pliant.files import as_path, is_folder
from pliant.io.column_map import ColumnMap
from pliant.io.completeness import Given
from pliant.io.findings import Cut, Finding, refusal
from pliant.io.formats.reading import Reading
from pliant.io.joint_of_robot import joint_recordings
from pliant.io.log_file import Recording, examined, log_files
from pliant.io.recording_kinds import ROBOT, check_used, form_of, is_data_set
from pliant.io.robot_log import LEAST, even_pieces
from pliant.io.table import ZERO_CELSIUS, Bools, Floats
from pliant.io.velocity import derivative


@dataclass(frozen=True, eq=False)
class Log:
    """One run of one joint, N samples at the times they were recorded."""

    name: str
    """Stem of the file's name."""
    path: Path
    """The file it was read from."""
    digest: str
    """SHA-256 of the file's bytes."""
    device: str
    """Name of the servo, as the file has it."""
    trajectory: str
    """Name of the motion, as the file has it."""
    mass: float
    """[kg] point mass at `length`."""
    length: float
    """[m] from the axis to `mass`."""
    arm_mass: float | None
    """[kg] uniform rod of `length`; None: the file does not say."""
    gain: float
    """P-gain in the firmware's own unit; 0 where torque drives the joint."""
    supply: float | None
    """[V] nominal supply; None: the file does not say."""
    time: Floats
    """(N,) [s] strictly increasing from 0."""
    position: Floats
    """(N,) [rad] 0 = hanging down."""
    goal: Floats
    """(N,) [rad] commanded position; 0 where torque drives the joint."""
    enabled: Bools
    """(N,) whether the motor was powered."""
    velocity: Floats | None
    """(N,) [rad/s] as the firmware reports it; None: not recorded."""
    voltage: Floats | None
    """(N,) [V] measured supply; None: not recorded."""
    findings: tuple[Finding, ...] = ()
    """Faults of the file that were found, and what was done about them."""
    torque: Floats | None = None
    """(N,) [N m] as the driver reports it; None: not recorded."""
    driven: Literal["goal", "torque"] = "goal"
    """Command of the joint; "torque" where the file has a torque and no goal."""
    derivative_gain: float | None = None
    """D-gain in the firmware's own unit; None: the file does not say."""
    zero: float | None = None
    """[rad] true angle of the arm when the encoder reports 0, in this mounting; None: unknown."""
    ambient: float | None = None
    """[K] ambient temperature; None: the first value of `temperature`, or unknown."""
    temperature: Floats | None = None
    """(N,) [degC] as the servo's own sensor reads; None: not recorded."""
    first_speed: float | None = None
    """[rad/s] initial speed; None: at rest, or from `velocity` if torque drives the joint."""

    _repr_html_ = shown_by("pliant.report.notebook", "log_html")

    def __repr__(self) -> str:
        return (
            f"<Log {self.name}: {self.device}, {self.trajectory}, {len(self.time)} samples,"
            f" {self.time[-1]:.1f} s>"
        )

    @property
    def warmth(self) -> float | None:
        """[K] initial temperature of the winding: the ambient one, else the servo's first reading."""
        if self.ambient is not None or self.temperature is None:
            return self.ambient
        return ZERO_CELSIUS + float(self.temperature[0])

    def resample(self, step: float) -> "Log":
        """The log on the uniform grid 0, step, 2 step, … [s], linear between samples.

        Raises:
            PliantError: the step is not above 0, or not below the length of the log.
        """
        end = float(self.time[-1])
        if not 0.0 < step < end:
            raise PliantError(
                "does not fit the log",
                file=self.path,
                field="step",
                found=step,
                accepted=f"above 0, below {end:.3f} s",
            )
        grid = np.arange(0.0, end, step)

        def at(values: Floats) -> Floats:
            return np.interp(grid, self.time, values)

        enabled = at(self.enabled.astype(np.float64)) > 0.5
        others = {name: values if values is None else at(values) for name, values in self._others}
        return replace(self, time=grid, enabled=enabled, **others)

    @property
    def _others(self) -> list[tuple[str, Floats | None]]:
        """Channels beside time and power."""
        names = ("position", "goal", "velocity", "voltage", "torque", "temperature")
        return [(name, getattr(self, name)) for name in names]

    def piece(self, place: slice, speed: float) -> "Log":
        """These samples, starting at this speed [rad/s]."""
        others = {
            name: values if values is None else values[place] for name, values in self._others
        }
        time = self.time[place] - self.time[place][0]
        enabled = self.enabled[place]
        return replace(self, time=time, enabled=enabled, first_speed=speed, **others)


def read_log(
    path: Path | str,
    *,
    repair: Collection[str] = (),
    columns: Path | str | ColumnMap | None = None,
    joint: str | None = None,
    reading: Reading | None = None,
    cut: Cut | None = None,
    **given: Unpack[Given],
) -> Log:
    """Read and check one log file.

    Args:
        path: a JSON pendulum log or a CSV file; or a robot's recording of one run.
        repair: names from `REPAIRS`, or "all"; other faults stay as they are.
        columns: for CSV: a `ColumnMap`, its TOML file, or options on a line.
        joint: for a robot's recording: which of its joints.
        reading: for such a recording: units, names, episodes, topics.
        cut: start and end [s] of the part to read, from the start; None: its own.
        **given: mass [kg], length [m], arm_mass [kg], gain [firmware unit], supply [V],
            used instead of the file's and noted among the findings.

    Raises:
        PliantError: the file cannot be read, or an unrepaired fault makes it unusable.
    """
    source = as_path(path, "a *.json or *.csv file; read_logs takes several, and folders")
    if is_folder(source) and not is_data_set(source):
        raise PliantError("is a folder", file=source, accepted="one *.json or *.csv file")
    logs = read_logs(
        [source], repair=repair, columns=columns, joint=joint, reading=reading, cut=cut, **given
    )
    if len(logs) != 1:
        accepted = "read_logs, or the number of an episode"
        raise PliantError("holds several runs", file=source, found=len(logs), accepted=accepted)
    return logs[0]


def read_logs(
    paths: Iterable[Path | str] | Path | str,
    *,
    repair: Collection[str] = (),
    columns: Path | str | ColumnMap | None = None,
    joint: str | None = None,
    reading: Reading | None = None,
    cut: Cut | None = None,
    **given: Unpack[Given],
) -> list[Log]:
    """Read files, and all logs in folders, in sorted order; see `log_files`.

    Args:
        paths: files, data sets, or folders of them.
        repair, columns, joint, reading, cut [s], given: as `read_log` takes them, for all files.

    Raises:
        PliantError: there is no file, or one cannot be used.
    """
    files = log_files(paths)
    if not files:
        raise PliantError("no logs", field="paths", accepted="files, or folders of them")
    meant = _meant(reading, repair, columns, cut)
    logs: list[Log] = []
    check_used(meant, files, *(() if joint is None else ("joint",)))
    for file in files:
        if form_of(file, meant.columns) == ROBOT:
            runs = joint_recordings(file, joint, meant, given=given)
        else:
            runs = [(file.stem, examined(file, meant, given=given))]
        for name, recording in runs:
            error = refusal(recording.findings, str(file))
            if error is not None:
                raise error
            logs.append(_log(file, name, recording))
    return logs


def check_log(
    path: Path | str,
    *,
    columns: Path | str | ColumnMap | None = None,
    repair: Collection[str] = (),
    reading: Reading | None = None,
    cut: Cut | None = None,
    **given: Unpack[Given],
) -> list[Finding]:
    """All findings about one file; see `read_log`.

    Bad content is a finding (of kind "unreadable" if it cannot be interpreted). Only a
    file that cannot be opened, or a wrong option, raises.
    """
    source = Path(path)
    try:
        found = examined(source, _meant(reading, repair, columns, cut), given=given)
        return list(found.findings)
    except PliantError as error:
        if error.file != str(source) or not source.is_file():
            raise
        return [Finding("unreadable", error.field or "file", error.without_place(), "error")]


def _meant(
    reading: Reading | None,
    repair: Collection[str],
    columns: Path | str | ColumnMap | None,
    cut: Cut | None,
) -> Reading:
    known = reading or Reading()
    repair = [*known.repair, *([repair] if isinstance(repair, str) else repair)]
    return replace(
        known,
        repair=repair,
        columns=columns or known.columns,
        cut=known.cut if cut is None else cut,
    )


def example_logs() -> list[Path]:
    """The 12 recorded XL330 logs that come with the package, sorted."""
    folder = Path(str(resources.files("pliant") / "data" / "xl330_pendulum"))
    return sorted(folder.glob("*.json"))


def _log(path: Path, name: str, recording: Recording) -> Log:
    """The channels of a recording in which no finding blocks."""
    header, channels = recording.header, recording.table.channels
    if header.mass is None or header.length is None:
        raise PliantError("has no mass or length", file=path)
    gain = 0.0 if recording.driven == "torque" or header.gain is None else header.gain
    return Log(
        name=name,
        path=path,
        digest=recording.digest,
        device=header.device or "unknown",
        trajectory=header.trajectory or "unknown",
        mass=header.mass,
        length=header.length,
        arm_mass=header.arm_mass,
        gain=gain,
        derivative_gain=header.derivative_gain,
        supply=header.supply,
        time=channels["time"] - channels["time"][0],
        position=channels["position"],
        goal=channels["goal"],
        enabled=channels["enabled"] > 0.5,
        velocity=channels.get("velocity"),
        voltage=channels.get("voltage"),
        findings=recording.findings,
        torque=channels.get("torque"),
        driven=recording.driven,
        temperature=channels.get("temperature"),
    )


def windows(log: Log, seconds: float) -> list[Log]:
    """`log` as consecutive pieces of so many seconds; a shorter rest at the end is not used.

    A pendulum driven only by torque does not forget errors: near the upright they grow e-fold in sqrt(l / g). A
    piece tests the model of the drive over a relevant time. It starts at the recorded speed, computed from
    positions shortly before and after (10 ms), so it looks ahead by that much. Each is named after its start
    ("run@1.5"), and its `velocity` is that of its positions.

    Raises:
        PliantError: the log is shorter than a piece, or a piece has too few samples.
    """
    count = int((log.time[-1] + 1e-9) / seconds) if seconds > 0.0 else 0
    least = LEAST * float(np.median(np.diff(log.time)))
    if count < 1 or seconds < least:
        raise PliantError(
            "pieces of this length do not fit the log",
            file=log.path,
            field="seconds",
            found=seconds,
            accepted=f"{least:.2g} to {log.time[-1]:.3g} s",
        )
    speed = derivative(log.time, log.position)
    whole = replace(log, velocity=speed)
    edges = np.searchsorted(log.time, seconds * np.arange(count + 1) - 1e-9)
    return [
        replace(whole.piece(slice(a, b), float(speed[a])), name=f"{log.name}@{seconds * k:g}")
        for k, (a, b) in enumerate(pairwise(edges))
    ]


def pieces(log: Log, seconds: float) -> list[Log]:
    """All of `log` in pieces of about so many seconds, with its name, each starting at its recorded speed."""
    places = even_pieces(log.time, seconds)
    if len(places) == 1:
        return [log]
    speed = derivative(log.time, log.position)
    return [log.piece(place, float(speed[place.start])) for place in places]
