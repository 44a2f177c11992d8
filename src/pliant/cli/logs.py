"""The logs of a command: read, named apart, and their findings printed."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pliant.cli.recording import of_bench
from pliant.cli.terminal import Terminal, printable
from pliant.errors import PliantError
from pliant.identification.problem.evaluation import LogError
from pliant.io.log import Log, log_files, read_logs
from pliant.io.log_file import ACCEPTED
from pliant.io.recording_facts import RecordingFacts
from pliant.words import counted


def read(paths: Sequence[Path], facts: RecordingFacts) -> list[Log]:
    """The logs in files and folders; those of one name are named by their paths.

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
    logs = read_logs(files, reading=facts.reading(), **of_bench(facts))
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


def figures(entry: LogError) -> dict[str, Any]:
    """One log's error for `--json`."""
    log = entry.log
    return {
        "mae_mrad": 1e3 * entry.mae,
        "trajectory": log.trajectory,
        "gain": log.gain,
        "mass": log.mass,
        "length": log.length,
    }
