"""Breaks good files and looks at what their readers do: `python -m tests.fuzz --seconds 600`."""

import contextlib
import json
import os
import re
import selectors
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from .mutations import mutated
from .seeds import ROOT, encoded, good_files

SLOWEST, LARGEST, LONGEST = 10.0, 2 * 2**30, 8000
"""[s] of the processor, [bytes] and [characters] that a file may cost."""
WHOLE = re.compile(
    r"\bline \d+|is empty|has no rows below|too few rows|is too large|is not a (log|table|calibration|description)|is not a URDF|"
    r"does not exist|is a (pipe|device|folder|socket)|is not a (checkpoint|Parquet file)|another search|"
    r"declares no [PS]|nested too deeply|model type|no such .* file|cannot be read|brackets too deep|"
    r"document types|is cut off|is not an MCAP file|has no summary|is not a file that torch saves|several topics match"
)
"""Words of a message about a place, or about a file as a whole."""
PATIENCE = 120.0
"""[s] On the clock, after which a reader is taken to have stopped: the machine may be busy."""


@dataclass
class Report:
    """Counts of the files tried and still loaded, by kind, and everything that went wrong."""

    tried: Counter[str] = field(default_factory=Counter[str])
    loaded: Counter[str] = field(default_factory=Counter[str])
    faults: list[str] = field(default_factory=list[str])
    slowest: float = 0.0
    memory: int = 0


class Reader:
    """The process that reads; another one after a crash."""

    def __init__(self, folder: Path, module: str = "tests.fuzz.reader") -> None:
        self.folder, self.module = folder, module
        self._process: subprocess.Popen[str] | None = None

    def ask(self, task: Path | dict[str, Any]) -> dict[str, Any] | str:
        """Its answer to a path or, as JSON, to a task; or how it died."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(BrokenPipeError):  # it is dead, as its silence will tell
            line = str(task) if isinstance(task, Path) else json.dumps(task)
            process.stdin.write(line + "\n")
            process.stdin.flush()
        with selectors.DefaultSelector() as waits:
            waits.register(process.stdout, selectors.EVENT_READ)
            answered = waits.select(PATIENCE)
        text = process.stdout.readline() if answered else ""
        if text.startswith("{"):
            return json.loads(text)
        self.close()
        if text:
            return f"printed {text!r}"
        return f"died, exit code {process.returncode}" if answered else "did not end"

    def close(self) -> None:
        """End it."""
        if self._process is not None:
            with contextlib.suppress(BrokenPipeError), self._process as process:
                process.kill()  # and its pipes are closed, with what it no longer reads
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._process = subprocess.Popen(
            [sys.executable, "-m", self.module],
            cwd=self.folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self._process.stdout.readline()  # it is ready: importing is not reading
        return self._process


def fuzz(
    folder: Path, seed: int, *, count: int = 0, seconds: float = 0.0, kinds: Iterable[str] = ()
) -> Report:
    """Break files until there were `count` of each kind, or for so many seconds.

    Args:
        folder: for the files; those at fault stay in it. seed: of the mutations.
        kinds: names of the files to break; all of them if none is named.
    """
    good = {name: text for name, text in good_files().items() if name in kinds or not kinds}
    shutil.copy(ROOT / "examples" / "arm.xml", folder)
    report, reader = Report(), Reader(folder)
    for name, text in good.items():  # the first one compiles and imports
        _try(folder, name, encoded(name, text), "good", reader, Report())
    until, k = time.monotonic() + seconds, 0
    while k < count or time.monotonic() < until:
        for name, text in good.items():
            _try(
                folder,
                name,
                mutated(name, text, Random(f"{seed} {name} {k}")),
                f"{seed}-{k}",
                reader,
                report,
            )
        k += 1
    reader.close()
    if (folder / "MUJOCO_LOG.TXT").exists():
        report.faults.append("MUJOCO_LOG.TXT was written")
    return report


def _try(folder: Path, name: str, data: bytes, mark: str, reader: Reader, report: Report) -> None:
    path = folder / name
    path.write_bytes(data)
    answer = reader.ask(path)
    report.tried[name] += 1
    wrong = answer if isinstance(answer, str) else _wrong(answer, name)
    if not isinstance(answer, str):
        report.loaded[name] += bool(answer["loads"])
        report.slowest = max(report.slowest, answer["seconds"])
        report.memory = max(report.memory, answer["memory"])
    if wrong:
        kept = folder / f"{mark}-{name}"
        shutil.copy(path, kept)
        report.faults.append(f"{kept}: {wrong}")
        print("FAULT", report.faults[-1], flush=True)


def _wrong(answer: dict[str, Any], name: str) -> str:
    """Fault of a reader that must never occur, if it did."""
    said, check = answer["said"], answer.get("check", "")
    if answer["kind"] not in ("", "PliantError"):
        return f"raised {answer['kind']}: {said}"
    if not answer["loads"] and not (answer["file"] or "").strip():
        return f"names no file: {said[:300]}"
    if not answer["loads"] and not (answer["field"] or WHOLE.search(said)):
        return f"names no place: {said[:300]}"
    if answer.get("error") is not None:
        return f"check failed: {answer['error'][:600]}"
    if "unexpected" in said[:60] or "Traceback" in check:
        return f"unexpected: {said[:300]}"
    if len(said) > LONGEST or len(check) > 10 * LONGEST:
        return f"a message of {len(said)} and {len(check)} characters"
    if answer.get("good", answer["loads"]) != answer["loads"]:
        return f"check says good: {answer['good']}, loads: {answer['loads']}: {said[:400]} | {check[:400]}"
    if answer["seconds"] > SLOWEST:
        return f"took {answer['seconds']:.1f} s"
    if answer["memory"] > LARGEST:
        return f"took {answer['memory'] / 2**20:.0f} MiB"
    return ""
