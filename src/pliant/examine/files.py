"""Examination of one file of any kind."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pliant.assemble import still
from pliant.catalogue import Physics, load_law, load_topology, ports
from pliant.errors import PliantError, located
from pliant.examine.model import compiled, examine_model
from pliant.files import check_regular, is_folder, read_text, readable_form
from pliant.io.actuator_file import read_actuator
from pliant.io.column_map import ColumnMap, RobotColumnMap, of_robot_columns
from pliant.io.completeness import Given
from pliant.io.encoder_file import read_joint_log
from pliant.io.findings import REPAIRS, Finding
from pliant.io.formats.compressed import plain_suffix
from pliant.io.formats.reading import Reading
from pliant.io.gathered import gathered
from pliant.io.keyed import of_file
from pliant.io.log import check_log
from pliant.io.log_file import files_within
from pliant.io.manager_file import read_manager
from pliant.io.recording_facts import FILE, RecordingFacts
from pliant.io.recording_kinds import ENCODERS, LOGS, ROBOT, ROBOT_SUFFIXES, form_of, is_data_set
from pliant.io.robot_findings import robot_findings
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import examined_recording
from pliant.io.validated import read_toml, validated
from pliant.lower.conformance import conformance
from pliant.ports import FAMILIES
from pliant.subset import check_source
from pliant.words import counted

KINDS = {
    **dict.fromkeys(LOGS, "log"),
    ".toml": "actuator",
    ".py": "law",
    ".xml": "model",
    ".urdf": "model",
    ".yaml": "manager",
    ".yml": "manager",
    **dict.fromkeys(ROBOT_SUFFIXES, "recording"),
}


LONGEST = 4000
"""Characters of a note about a model: its names may be as long as they like."""


@dataclass(frozen=True)
class Remark:
    """One remark about a file.

    Attributes:
        severity: "error", "warning" or "note".
        field: where in the file.
        message: the finding, with figures; no final stop.
        repair: the name of the repair for it.
        blocks: the file cannot be used as it is.
        values: its figures for programs, such as the interval of each joint's zero [rad, m].
    """

    severity: str
    field: str
    message: str
    repair: str | None = None
    blocks: bool = False
    values: Mapping[str, tuple[float, float]] | None = None

    def __str__(self) -> str:
        where = f"{self.field}: " if self.field else ""
        mend = f" (--repair {self.repair})" if self.repair else ""
        return f"{self.severity}: {where}{self.message}{mend}"


def meant(paths: Sequence[Path]) -> list[Path]:
    """The files in files and folders, those of a folder sorted; a folder without stays itself."""
    files: list[Path] = []
    for path in paths:
        if not is_folder(path) or is_data_set(path):
            files.append(path)
            continue
        files += files_within(path, KINDS) or [path]
    return list(dict.fromkeys(files))


def examine(
    file: Path,
    reading: Reading,
    given: Given,
    packages: Sequence[str | Path] = (),
    robot: Path | None = None,
) -> tuple[str, list[Remark]]:
    """The kind of a file, and the remarks about it; for the arguments see `pliant.check`."""
    if is_data_set(file):
        return _recording(file, "data set", reading, robot)
    if is_folder(file):
        message = f"has nothing to check; accepted: {', '.join(f'*{s}' for s in sorted(KINDS))}"
        return "folder", [Remark("error", "", message, blocks=True)]
    kind = KINDS.get(plain_suffix(file))
    if kind is None and not file.exists():
        return "missing", [Remark("error", "", "does not exist", blocks=True)]
    if kind is None:
        accepted = readable_form(file, ", ".join(sorted(KINDS)))
        message = f"is not a file that Pliant reads; accepted: {accepted}"
        return "unknown kind of file", [Remark("error", "", message, blocks=True)]
    try:
        check_regular(file)
        if kind == "log":
            return _log(file, given, reading, robot)
        if kind == "recording":
            return _recording(file, kind, reading, robot)
        if kind == "manager":
            read_manager(file)
            return kind, []
        if kind == "actuator":
            return _toml(file)
        if kind == "law":
            return _physics(file)
        return kind, [Remark("note", "", text[:LONGEST]) for text in examine_model(file, packages)]
    except PliantError as error:
        return kind, [_remark(error, file)]


def _recording(
    file: Path, kind: str, reading: Reading, robot: Path | None
) -> tuple[str, list[Remark]]:
    """Findings in one run or in the runs of a data set, each once, with the runs it is in."""
    try:
        logs = examined_recording(file, reading)
    except PliantError as error:
        return kind, [_remark(error, file)]
    said: dict[tuple[str, str, str, int], list[Finding]] = {}
    for log in logs:
        times: Counter[tuple[str, str, str]] = Counter()
        usable = not any(finding.blocks for finding in log.findings)
        for finding in gathered(robot_findings(log) if usable else log.findings, log.joints):
            same = finding.kind, finding.field, finding.severity
            # Two of one kind in one run are two things: a note must not stand for a warning.
            said.setdefault((*same, times[same]), []).append(finding)
            times[same] += 1
    about = f"{kind} of {counted(len(logs), 'run')}" if len(logs) > 1 else kind
    remarks = [_grouped(found, len(logs)) for found in said.values()]
    return about, [*remarks, *_against(robot, logs, file)]


def _against(robot: Path | None, logs: Sequence[RobotLog], file: Path) -> list[Remark]:
    """Whether recordings fit a model."""
    if robot is None or any(finding.blocks for log in logs for finding in log.findings):
        return []
    from pliant.examine.model import against_model

    try:
        found = against_model(robot, logs)
        return [Remark(f.severity, f.field, f.message, values=f.values) for f in found]
    except PliantError as error:
        return [_remark(error, file)]


def _grouped(found: Sequence[Finding], runs: int) -> Remark:
    """The first of the same findings, and in how many runs it is."""
    first = found[0]
    many = "in all runs, the first: " if len(found) == runs else f"in {len(found)} of {runs} runs: "
    alike = len({one.message for one in found}) == 1 and len(found) == runs
    message = first.message if alike or runs == 1 else many + first.message
    return _of_finding(replace(first, message=message))


def _log(
    file: Path, given: Given, reading: Reading, robot: Path | None
) -> tuple[str, list[Remark]]:
    """A log of one joint; in CSV its columns may be those of a robot, or of encoders."""
    form = form_of(file, reading.columns)
    if form == ROBOT:
        return _recording(file, "robot log", reading, robot)
    if form == ENCODERS:
        warnings = read_joint_log(file, reading=reading).warnings
        return "encoder log", [Remark("warning", "", text) for text in warnings]
    findings = check_log(file, reading=reading, **given)
    return "log", list(map(_of_finding, findings))


def _of_finding(finding: Finding) -> Remark:
    done = f" (repaired: {REPAIRS[finding.repair]})" if finding.repaired and finding.repair else ""
    mend = None if finding.repaired else finding.repair
    return Remark(finding.severity, finding.field, finding.message + done, mend, finding.blocks)


def _toml(file: Path) -> tuple[str, list[Remark]]:
    """An actuator, a column map (it has columns), or a recording.toml."""
    document = read_toml(file)
    if file.name == FILE:
        with located(file):
            validated(RecordingFacts, of_file(RecordingFacts, file)).reading()
        return "how recordings are read", []
    if "columns" in document:
        try:
            (RobotColumnMap if of_robot_columns(file) else ColumnMap).load(file)
        except PliantError as error:
            return "column map", [_remark(error, file)]
        return "column map", []
    if "joints" in document or "model" in document:
        return _robot(file)
    actuator = read_actuator(file)
    remarks = [
        Remark("note", port, f"would be compiled from {path}")
        for port, path in actuator.own_files.items()
    ]
    remarks += [
        Remark("note", f"parameters.{name}", f"{number.value:g} {number.unit} is assumed")
        for name, number in actuator.numbers.items()
        if number.how == "assumed" and number.value != 0.0 and number.value < 1e6
    ]
    remarks += [
        Remark("warning", f"parameters.{name}", "is 0: it will not move")
        for name in still(actuator)
    ]
    return f"actuator ({actuator.topology.name})", remarks


def _robot(file: Path) -> tuple[str, list[Remark]]:
    from pliant.robots.robot_file import load_robot_file

    try:
        spec, info = load_robot_file(file)
        compiled(spec, file)
    except PliantError as error:
        return "robot", [_remark(error, file)]
    return "robot", [Remark("note", "", text) for text in str(info).splitlines()]


def _physics(file: Path) -> tuple[str, list[Remark]]:
    """A topology has ports; a law belongs to the family in whose folder it is, or that it fits."""
    check_source(file)
    if "pliant.ports" in read_text(file):  # which a law has no use for
        return f"topology ({', '.join(ports(load_topology(str(file))))})", []
    family = file.resolve().parent.name
    if family in FAMILIES:
        return _described(load_law(family, str(file)), file)
    refusals: list[tuple[float, PliantError]] = []
    for name in FAMILIES:
        try:
            return _described(load_law(name, str(file)), file)
        except PliantError as error:
            refusals.append((_likeness(file, name), error))
    likeness, refusal = max(refusals, key=lambda refusal: refusal[0])
    if likeness == 0.0:
        raise PliantError(
            "does not define the functions of any family of laws", file=file, accepted=FAMILIES
        )
    raise refusal


def _described(law: Physics, file: Path) -> tuple[str, list[Remark]]:
    remarks: list[Remark] = []
    try:
        for one in conformance(law):
            kind = "note" if one.holds else "error"
            remarks.append(Remark(kind, "", str(one), blocks=not one.holds))
    except PliantError as error:
        remarks.append(_remark(error, file))
    unbounded = [f.name for f in law.parameters if not f.high - f.low < float("inf")]
    remarks += [
        Remark("note", f"P.{name}", "has no finite range, so that it needs bounds to be identified")
        for name in unbounded
    ]
    return f"law ({law.kind})", remarks


def _likeness(file: Path, family: str) -> float:
    """Which part of a family's functions a law offers."""
    text = read_text(file)
    wanted = [name for name in vars(FAMILIES[family]) if not name.startswith("_")]
    return sum(f"def {name}(" in text for name in wanted) / len(wanted)


def _remark(error: PliantError, file: Path) -> Remark:
    elsewhere = error.file not in (None, str(file), str(file.absolute()))
    text = error.with_file() if elsewhere else error.without_place()
    return Remark("error", error.as_dict()["field"] or "", text, blocks=True)
