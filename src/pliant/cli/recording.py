"""Options of every command that takes recordings, and the bench logs that they select."""

import dataclasses
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pliant.cli.options import Repeated, option, shown
from pliant.cli.terminal import Terminal, printable
from pliant.errors import PliantError, located
from pliant.io.findings import chosen_repairs
from pliant.io.formats.reading import Reading
from pliant.io.keyed import in_words, of_file, of_texts
from pliant.io.log import Log, log_files, read_logs
from pliant.io.log_file import ACCEPTED
from pliant.io.recording_facts import RecordingFacts, file_beside
from pliant.io.validated import validated
from pliant.words import counted

COMMON = ("unit", "rename", "columns", "repair", "cut")
"""Facts that have options of their own."""


@dataclass(frozen=True, kw_only=True)
class Recording:
    """Facts that the recordings do not state. They can be kept in a recording.toml in their folder.

    Attributes:
        reading: Another such file (*.toml), or its keys: mass=0.5,length=0.1,episodes=0:20; none: no
            file. `pliant check` writes one; docs/reference/logs.md lists the keys.
        unit: Unit of positions and goals: rad, deg, rev, or percent of each joint's range; JOINT=UNIT for a
            single joint.
        rename: Joints whose names differ between recording and model, recorded=model; * stands for
            any part of a name, 'left_*=*'.
        columns: Meaning and unit of each column of a CSV: a TOML file, or the same on one line
            (time=t[ms],position=q[deg],goal=q_des[deg],mass=0.5; of a robot position_elbow=q2[deg];
            of a file without a header the numbers of columns).
        repair: Faults to repair: length, time, nan, stretch, dropout, wrap, voltage-unit, velocity-unit,
            velocity-lag, or all (but stretch, which keeps only the longest sound part); by default
            none. `pliant check` lists the faults.
        cut: Part of each recording that is read, begin:end in s since its start, 0.2: or :30.
    """

    reading: Annotated[tuple[str, ...], Repeated, shown("FILE.toml|KEY=VALUE")] = ()
    unit: Annotated[tuple[str, ...], Repeated, shown("[JOINT=]UNIT")] = ()
    rename: Annotated[tuple[str, ...], Repeated, shown("RECORDED=MODEL")] = ()
    columns: Annotated[str | None, shown("FILE.toml|TEXT")] = None
    repair: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    cut: Annotated[str | None, shown("BEGIN:END")] = None

    def facts(
        self, recordings: Sequence[Path], terminal: Terminal, unused: Collection[str] = ()
    ) -> RecordingFacts:
        """Facts of the file, then of the keys given, then of the options; those of the file are printed.

        Args:
            recordings, terminal: of the command. unused: keys that it has no use for.

        Raises:
            PliantError: a file or a text cannot be used, or a key is given that has no use.
        """
        path, said = self._file(recordings)
        given = {name: value for name in COMMON if (value := getattr(self, name))}
        if path is not None:
            with located(path):
                validated(RecordingFacts, said)
        keys = self._keys()
        for key in keys.keys() & unused:
            accepted = "in a recording.toml, for commands that fit or simulate"
            raise PliantError("has no use here", field=f"--reading: {key}", accepted=accepted)
        values = said | keys | given
        try:
            facts = validated(RecordingFacts, values)
            chosen_repairs(facts.repair)
            facts.reading()
        except PliantError as error:
            key = (error.field or "").partition(".")[0]
            if error.file is None and (key in given or key in keys):
                raise error.named(option(key) if key in given else f"--reading: {key}") from None
            asks = key in said or error.file in [*map(str, said.values())]
            raise error.located(path if asks else None) from None
        kept = {
            key: value for key, value in said.items() if values[key] == value and key not in unused
        }
        if kept:
            terminal.note(printable(f"{path}: {in_words(kept)}"))
        return facts

    def _file(self, recordings: Sequence[Path]) -> tuple[Path | None, dict[str, Any]]:
        files = [Path(text) for text in self.reading if text.endswith(".toml")]
        path = files[0] if files else None
        if path is None and "none" not in self.reading:
            path = file_beside(recordings)
        if path is None:
            return None, {}
        return path, of_file(RecordingFacts, path, RecordingFacts.paths)

    def _keys(self) -> dict[str, Any]:
        texts = [one for one in self.reading if not one.endswith(".toml") and one != "none"]
        return of_texts(RecordingFacts, texts, "--reading")


OF_FITS = ("device", "voltage", "supply", "sampling", "sample_age", "zero_by", "recorder_by")
"""Facts that only a fit or a simulation uses."""


def readable(facts: RecordingFacts, model: Path | None = None) -> Reading:
    """`facts` for the readers of robots, with the ranges of the model where they are needed.

    Raises:
        PliantError: the load of a bench is given.
    """
    for key, instead in OF_BENCH.items():
        if (value := getattr(facts, key)) is not None:
            raise PliantError(
                "is of one joint on a bench",
                field=f"--reading: {key}",
                found=value,
                accepted=instead,
            )
    return for_robots(facts, model)


OF_BENCH = dict.fromkeys(("mass", "length", "arm_mass"), "the masses of the robot's model") | {
    "gain": "--fix '*.control.kp=16'",
    "joint": "leave_out=NAME for what is not read",
}
"""Facts of a bench that a robot's recordings do not use, and what gives them there instead."""


def for_robots(facts: RecordingFacts, model: Path | None = None) -> Reading:
    """The same, where logs of one joint may be among the recordings."""
    from pliant.examine.model import joint_ranges

    return facts.reading(None if model is None else lambda: joint_ranges(model))


def bench_logs(paths: Sequence[Path], facts: RecordingFacts) -> list[Log]:
    """The logs in files and folders; logs with the same name are named by their paths.

    Args:
        paths: of them. facts: how they are read.

    Raises:
        PliantError: one cannot be used, or is given twice.
    """
    files = log_files(paths)
    if not files:
        accepted = f"{ACCEPTED}, or folders of them"
        raise PliantError("no logs", field="LOGS", accepted=accepted)
    for file, times in Counter(file.resolve() for file in files).items():
        if times > 1:
            raise PliantError("is given twice", file=file)
    logs = read_logs(files, reading=facts.reading(), joint=facts.joint, **facts.constants())
    names = Counter(log.name for log in logs)
    return [
        dataclasses.replace(log, name=str(log.path)) if names[log.name] > 1 else log for log in logs
    ]


def say_findings(logs: Sequence[Log], terminal: Terminal) -> None:
    """Each kind of finding once, with how many logs it is in."""
    groups: dict[tuple[str, str, bool], list[Log]] = {}
    texts: dict[tuple[str, str, bool], str] = {}
    for log in logs:
        for finding in log.findings:
            key = (finding.kind, finding.field, finding.repaired)
            groups.setdefault(key, []).append(log)
            texts.setdefault(key, str(finding))
    for key, seen in groups.items():
        many = "all logs" if len(seen) == len(logs) else counted(len(seen), "log")
        text = f"in {seen[0].name}" if len(seen) == 1 else f"in {many}, first {seen[0].name}"
        terminal.note(printable(f"  {texts[key]} ({text})"))
