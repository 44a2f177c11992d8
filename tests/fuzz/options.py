"""Bad values for every option of every command, made from the commands' own fields.

An option that is added is attacked without another line; a new command needs a line in `GOOD`.
"""

import dataclasses
import json
import os
import shutil
import time
import types
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from math import sin
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel
from tyro.conf import Positional

from pliant.cli.command_line import commands
from pliant.cli.fit_plan import FitPlan
from pliant.cli.options import Repeated, option
from pliant.io.log import example_logs
from pliant.io.recording_facts import RecordingFacts

from .run import Reader
from .seeds import ROOT, torque_csv

FIRST, PATIENT, ENDS = 200.0, 3.0, 60.0
"""[s] Until Ctrl-C of the first, which compiles, and of others; and from there to the end."""
LARGEST, LONGEST = 3 * 2**30, 2000
"""[bytes], and characters of a message."""
SEARCH = "--starts 1 --plan jacobians=1,intervals=no,test=no".split()
FIT = "--fit friction.K_c --fit friction.K_v --overwrite".split()
KEYED: dict[str, type[BaseModel]] = {"--reading": RecordingFacts, "--plan": FitPlan}
GOOD: dict[str, list[str]] = {
    "demo": ["--quick", "--output", "out"],
    "check": ["log.json"],
    "convert": ["run.csv", "out/run.csv"],
    "plan": "xl330_bam_m6 --mass 0.2 --length 0.1 --runs 1".split(),
    "record": "--emulated xl330_bam_m6 --output out --mass 0.2 --length 0.1 --dry-run".split(),
    "identify": [*"log.json --actuator xl330_bam_m1".split(), *SEARCH, *FIT],
    "evaluate": ["xl330_bam_m1", "log.json"],
    "replay": "run.csv --robot arm.xml --attach elbow=xl330_bam_m1 --no-page".split(),
    "simulate": "arm.xml --attach elbow=xl330_bam_m1 --duration 0.05 --overwrite".split(),
    "view": "arm.xml --attach elbow=xl330_bam_m1 --duration 0.05 --no-browser".split(),
    "export": "xl330_bam_m1 out/xl330.h --to c --overwrite".split(),
    "tune": "arm.xml --attach elbow=xl330_bam_m1 --motion wanted.csv --draws 1".split(),
    "compensate": "arm.xml out/goals.csv --attach elbow=xl330_bam_m1 --motion wanted.csv --overwrite".split(),
    "ros": "arm.xml --attach elbow=xl330_bam_m1 --duration 0.05 --domain 77 --fast".split(),
    "actuators": [],
    "show": ["xl330_bam_m1"],
    "plot": ["xl330_bam_m1", "--output", "out", "--overwrite"],
    "stiffness": ["stiffness.csv", "--robot", "arm.xml"],
    "characterise": "torque.csv --refits 20".split(),
    "reproduce": ["--output", "out"],
    "cache": [],
}
"""Command to words that it takes and soon ends with. `run.csv`, `log.json`, ...: see `test_options`."""

NUMERIC = ("KG", "M", "S", "V", "RAD", "NUMBER", "HZ", "NM", "MRAD", "PERCENT")
NO_NUMBER = ["nan", "inf", "-inf", "", " ", "x", "1,5", "1e", "0x10", "1 2", "--1", "\x00"]
NUMBERS = [
    "٣",
    "-1",
    "0",
    "-0.0",
    "1e-300",
    "1e300",
    "1e9",
    "-1e9",
    "1e400",
    "9" * 5000,
    "0.5",
    "2",
]
INTEGERS = ["-1", "0", "1000000000", str(2**31), str(2**63), str(2**200), "1.5", "1e3"]
PATHS = [
    *("", ".", "..", "nothing", "no/where/a.csv", "log.json", "arm.xml", "broken.toml", "law.py"),
    *(
        "empty",
        "fifo",
        "fifo.csv",
        "fifo.toml",
        "/dev/zero",
        "/dev/full",
        "/dev/stdin",
        "/proc/self/mem",
    ),
    *(
        "loop.csv",
        "x" * 300 + ".csv",
        "y/" * 3000 + "z.toml",
        "out/\udc80.csv",
        "/proc/x.toml",
        "a://b.csv",
    ),
    *("out/a.csv", "out/a.toml", "out/a.html", "out/a.png", "-", "~", "*"),
]
TEXTS = [
    "",
    " ",
    ",",
    "=",
    "x",
    "a=b=c",
    '"',
    "'",
    "\udc80",
    "../x",
    "é" * 200,
    "x" * 100_000,
    "%s",
    "\x1b[2J",
    "nan",
]
NAMES = ["friction.K_c", "elbow", "stall_torque", "gain", "mx", "log", "own.armature"]
AFTER = [
    "=nan:1",
    "=0:inf",
    "=2:1",
    "=1:1",
    "=-1e308:1e308",
    "=:",
    "=1",
    "=nan",
    "=1e999",
    "=0.6@6",
    "=0.6@nan",
    "=1~-1",
]
AFTER += [
    "=0.6@6V~nan",
    "=1@@2",
    "=1~~2",
    "=xl330_bam_m1",
    "=m1",
    "=log",
    "=9:0",
    ".kp=nan",
    ".control.kp=-1",
    ".kp=1e308",
]


@dataclass(frozen=True)
class Option:
    """An option, or what stands at a place: `name` without dashes then."""

    name: str
    kind: Any
    """`int`, `float`, `str`, `Path`, `bool`, or a tuple of texts to choose from."""
    metavar: str
    several: bool
    positional: bool

    @property
    def is_number(self) -> bool:
        """Whether nothing but a finite number is one of its values."""
        return self.kind in (int, float) or self.metavar in NUMERIC

    def refuses(self, value: str) -> bool:
        """Whether it is no value at all for this option."""
        bad = [*NO_NUMBER, "1e400", "1,nan", "1,,2"]
        return self.is_number and value in bad and not (self.several and value == "1,5")

    def values(self) -> list[str]:
        """Values that make no sense, and some that may."""
        if isinstance(self.kind, tuple):
            return ["", "nan", self.kind[0].upper() or "x", self.kind[0] + " "]
        match self.kind:
            case k if k is bool:
                return ["1", "nan"]
            case k if k is int:
                return NO_NUMBER + INTEGERS
            case k if k is float:
                return NO_NUMBER + NUMBERS
            case k if k is Path:
                return PATHS
        if self.is_number:
            return [*NO_NUMBER, *NUMBERS, "1,,2", "1,nan", "1,1"]
        named = [name + after for name in NAMES for after in ["", *AFTER]]
        listed = ["1,,2", ",", "1,1", "x,x"] if self.several else []
        return [*NO_NUMBER, *NUMBERS, *TEXTS, *PATHS[:12], *named, *listed]


def options(command: type) -> Iterator[Option]:
    """Options of a command, those in groups too."""
    for name, hint in get_type_hints(command, include_extras=True).items():
        kind, marks = _bare(hint)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            yield from options(kind)
            continue
        positional = Positional in marks
        several = Repeated in marks or get_origin(kind) is tuple
        if get_origin(kind) is tuple:
            kind = get_args(kind)[0]
        if get_origin(kind) is Literal:
            kind = get_args(kind)
        metavar = next((m.metavar for m in marks if getattr(m, "metavar", None)), "")
        yield Option(name if positional else option(name), kind, metavar, several, positional)


def _bare(hint: Any) -> tuple[Any, tuple[Any, ...]]:
    """A type without its marks, and without None; the marks."""
    marks: tuple[Any, ...] = ()
    while get_origin(hint) is Annotated:
        marks += hint.__metadata__
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        rest = [kind for kind in get_args(hint) if kind is not type(None)]
        inner, more = _bare(rest[0])
        return inner, marks + more
    return hint, marks


class Attack(NamedTuple):
    """A command line with one bad value: `none` if it is no value at all for its option."""

    command: str
    option: str
    words: list[str]
    none: bool


def attacks() -> list[Attack]:
    """All of them."""
    found: list[Attack] = []
    for name, command in commands().items():
        for one in options(command):
            for value in one.values():
                none = one.refuses(value)
                words = [name, *_words(GOOD[name], one, value)]
                found.append(Attack(name, one.name, words, none))
            for key in _keys(one.name):
                for value in key.values():
                    words = [name, *GOOD[name], one.name, f"{key.name}={value}"]
                    none = key.refuses(value) and "," not in value
                    found.append(Attack(name, f"{one.name} {key.name}", words, none))
    return found


def _keys(option: str) -> Iterator[Option]:
    """Keys of an option that takes `key=value`."""
    for name, field in KEYED[option].model_fields.items() if option in KEYED else ():
        kind, _ = _bare(field.annotation)
        several = get_origin(kind) is tuple
        kind = get_args(kind) if get_origin(kind) is Literal else str if several else kind
        yield Option(name, kind, "", several, False)


def _words(good: list[str], one: Option, value: str) -> list[str]:
    if one.positional:
        return [value, *good[1:]] if good and not good[0].startswith("--") else [value, *good]
    kept = list(good)
    while one.name in kept:
        k = kept.index(one.name)
        del kept[k : k + (1 if one.kind is bool else 2)]
    if one.kind is bool:
        return [*kept, f"{one.name}={value}"]
    return [*kept, f"{one.name}={value}" if value.startswith("-") else one.name] + (
        [] if value.startswith("-") else [value]
    )


# --- what they are run on, and what must not come of it ----------------------------------------


def prepare(folder: Path) -> None:
    """Files that the command lines name, good ones and bad ones."""
    shutil.copy(ROOT / "examples" / "arm.xml", folder)
    for name, path in zip(("log.json", "log2.json"), example_logs()[:2], strict=True):
        document = json.loads(path.read_text())
        document["entries"] = document["entries"][:200]
        (folder / name).write_text(json.dumps(document))
    joints = ("shoulder", "elbow", "wrist")
    swing = [sin(0.05 * k) for k in range(150)]
    heads = [f"position_{j},goal_{j}" for j in joints], [f"q_{j},theta_{j}" for j in joints]
    for name, head in zip(("run.csv", "stiffness.csv"), heads, strict=True):
        rows = [  # a joint is 20 ms behind its command, and short of it
            ",".join([f"{0.005 * k:.3f}", *[f"{0.97 * swing[max(k - 4, 0)]:.5f},{q:.5f}"] * 3])
            for k, q in enumerate(swing)
        ]
        (folder / name).write_text("\n".join([",".join(["time", *head]), *rows]) + "\n")
    (folder / "wanted.csv").write_text("time,elbow\n0,0\n0.2,0.1\n")
    (folder / "torque.csv").write_text(torque_csv())
    (folder / "law.py").write_text("import os\n")
    (folder / "broken.toml").write_text("a = [1,\n")
    (folder / "empty").touch()
    (folder / "loop.csv").symlink_to("loop.csv")
    for name in ("fifo", "fifo.csv", "fifo.toml"):
        os.mkfifo(folder / name)


@dataclass
class Attacked:
    """Counts of the command lines by exit status, and everything that went wrong."""

    codes: Counter[int] = dataclasses.field(default_factory=Counter[int])
    faults: list[str] = dataclasses.field(default_factory=list[str])
    accepted: list[str] = dataclasses.field(default_factory=list[str])
    slowest: float = 0.0
    memory: int = 0


def attack(
    folder: Path, seed: int, *, count: int = 0, seconds: float = 0.0, only: Iterable[str] = ()
) -> Attacked:
    """Run command lines with one bad value each, `count` of them, or for so many seconds.

    Args:
        folder: for the files. seed: of their order: one of each option first, then another.
        only: names of commands; all of them if none is named.
    """
    prepare(folder)
    report, reader = Attacked(), Reader(folder, "tests.fuzz.words_reader")
    names, random = set(only) or set(GOOD), Random(seed)
    by_option: dict[tuple[str, str], list[Attack]] = {}
    for one in attacks():
        if one.command in names:
            by_option.setdefault((one.command, one.option), []).append(one)
    lines = list(by_option.values())
    for several in (lines, *lines):
        random.shuffle(several)
    for name in sorted(names):
        _run(reader, folder, Attack(name, "", [name, *GOOD[name]], none=False), report, FIRST)
    until, tried = time.monotonic() + seconds, 0
    for several in zip_longest(*lines):
        for one in filter(None, several):
            if tried >= count and time.monotonic() >= until:
                break
            _run(reader, folder, one, report, PATIENT)
            tried += 1
    reader.close()
    return report


def _run(reader: Reader, folder: Path, one: Attack, report: Attacked, seconds: float) -> None:
    answer = reader.ask({"words": one.words, "seconds": seconds})
    shown = " ".join(word if len(word) < 60 else word[:60] + "..." for word in one.words)
    if isinstance(answer, str):
        report.faults.append(f"{shown!r}: {answer}")
    else:
        report.codes[answer["code"]] += 1
        report.memory = max(report.memory, answer["memory"])
        report.slowest = max(report.slowest, answer["seconds"])
        if answer["code"] in (0, 130):
            report.accepted.append(shown)
        if wrong := unlike_a_refusal(one, answer, seconds):
            report.faults.append(f"{shown!r}: {wrong}")
    shutil.rmtree(folder / "out", ignore_errors=True)


def unlike_a_refusal(one: Attack, answer: dict[str, Any], seconds: float) -> str:
    """What is wrong with how a command line ended, if anything is."""
    code, out, err = answer["code"], answer["out"], answer["err"]
    if code not in (0, 1, 2, 130):
        return f"exit status {code}: {err[-600:]}"
    if not one.option and code != 0:
        return f"is good, and was refused: {err[-600:]}"
    if one.none and code == 0:
        return "was accepted"
    if "Traceback" in out + err or "a fault of Pliant" in out + err:
        return f"unexpected: {err[-600:]}"
    said = [line for line in err.splitlines() if line.startswith("pliant: ")]
    answered = one.command == "check" and out  # what it says of files is its result
    if code == 1 and not answered and (len(said) != 1 or len(said[0]) > LONGEST):
        return f"{len(said)} messages, {len(err)} characters: {err[-600:]}"
    if len(err) > 3 * LONGEST:
        return f"a message of {len(err)} characters: {err[:300]}"
    if answer["seconds"] > seconds + ENDS:
        return f"took {answer['seconds']:.1f} s"
    if answer["memory"] > LARGEST:
        return f"took {answer['memory'] / 2**20:.0f} MiB"
    return ""
