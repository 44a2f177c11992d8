"""Options that several commands share: annotations, help, and checks of their values."""

import csv
import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import tyro

from pliant.errors import PliantError
from pliant.io.output import check_output


class Rare:
    """See `RARE`."""


RARE = Rare()
"""Marks an option that only `--help-all` explains, as are all groups of options except `Output`."""


@dataclass(frozen=True)
class Within:
    """Marks an option's least and largest number, and their unit."""

    low: float
    high: float
    unit: str = ""


def shown(metavar: str) -> Any:
    """Option value as the help writes it."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=_hint)


def flag() -> Any:
    """A switch; the help does not say that it is off by default."""
    return tyro.conf.arg(help_behavior_hint="")


def _hint(default: str) -> str:
    """Name a default only where there is one; the parser's own mark says that there is none."""
    if "MISSING" in default:
        return "(required)"
    return "" if default in ("", "None") else f"(default: {default})"


@dataclass(frozen=True, kw_only=True)
class Output:
    """Form of the output.

    Attributes:
        json: Print the result, or the error, as one JSON object. Names that end in _mrad are in
            mrad, everything else is in SI units.
        verbose: Print everything that was found, not only what matters most.
        debug: Print the traceback of an error (or set PLIANT_DEBUG=1).
    """

    json: Annotated[bool, flag()] = False
    verbose: Annotated[bool, flag()] = False
    debug: Annotated[bool, flag()] = False


@dataclass(frozen=True, kw_only=True)
class Integration:
    """Step of the simulation.

    Attributes:
        step: Longest integration step [s]; where samples are closer, it is shorter.
    """

    step: Annotated[float, shown("S")] = 1e-3


@dataclass(frozen=True, kw_only=True)
class Browser:
    """Page in the browser.

    Attributes:
        host: Address to listen on. Anyone who can reach it can turn the knobs: use another than
            127.0.0.1 only in a network that you trust.
        port: Port to listen on; if it is taken, the next free one.
        no_browser: Do not open the browser.
        paused: Start paused.
        duration: End after this time [s]; by default at Ctrl-C.
    """

    host: Annotated[str, RARE, shown("ADDRESS")] = "127.0.0.1"
    port: Annotated[int, shown("NUMBER"), Within(0, 65535)] = 8080
    no_browser: Annotated[bool, flag()] = False
    paused: Annotated[bool, RARE, flag()] = False
    duration: Annotated[float | None, RARE, shown("S")] = None


SHORTEST_STEP = 1e-5
"""[s] A shorter step takes hours and changes no significant digit."""


def check_step(step: float) -> None:
    """Refuse an integration step [s] out of range."""
    check_range("--step", step, SHORTEST_STEP, 1.0, "s")


def check_file(option: str, path: Path | None, *suffixes: str, overwrite: bool) -> None:
    """Refuse an output that was asked for and has another suffix, or cannot be written."""
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        accepted = ", ".join(f"*{suffix}" for suffix in suffixes)
        raise PliantError("wrong kind of file", field=option, found=path.name, accepted=accepted)

    check_output(path, overwrite=overwrite)


def check_range(option: str, value: float | None, low: float, high: float, unit: str = "") -> None:
    """Refuse a number that was given and is not between `low` and `high`."""
    if value is not None and not low <= value <= high:
        accepted = f"{low:g} to {high:g} {unit}".strip()
        raise PliantError("out of range", field=option, found=value, accepted=accepted)


Repeated = tyro.conf.UseAppendAction
"""Marks an option that may be given several times, each time with one value or several."""

Command = TypeVar("Command")


def separated(command: Command) -> Command:
    """`command`, as the parser returned it, checked, with the values of such options taken apart.

    Raises:
        PliantError: a value is empty, a number not finite or out of range, a folder of packages not there.
    """
    parts: Any = command
    hints = get_type_hints(parts.__class__, include_extras=True)
    changed: dict[str, Any] = {}
    for field in dataclasses.fields(parts):
        name = field.name
        value: Any = getattr(parts, name)
        marks: tuple[Any, ...] = getattr(hints[name], "__metadata__", ())
        if isinstance(value, float) and not isfinite(value):
            raise PliantError("is not a finite number", field=option(name), found=value)
        for mark in marks:
            if isinstance(mark, Within):
                check_range(option(name), value, mark.low, mark.high, mark.unit)
        if dataclasses.is_dataclass(value):
            changed[name] = separated(value)
        elif Repeated in marks:
            texts: Any = getattr(parts, name)
            changed[name] = tuple(one for text in texts for one in _split(text, name))
    for folder in changed.get("packages", ()):
        if not Path(folder).is_dir():
            accepted = "a folder of packages"
            raise PliantError(
                "is not a folder", field="--packages", found=folder, accepted=accepted
            )
    return dataclasses.replace(parts, **changed)


def is_repeated(hint: Any) -> bool:
    """Whether an annotation is that of such an option."""
    return Repeated in getattr(hint, "__metadata__", ())


def option(field: str) -> str:
    """The option of a field."""
    return "--" + field.replace("_", "-")


def _split(text: str, field: str) -> list[str]:
    values = [
        value.strip() for value in next(csv.reader([text], skipinitialspace=True), list[str]())
    ]
    if not values or not all(values):
        accepted = "one value, or several with commas between them"
        raise PliantError("has an empty value", field=option(field), found=text, accepted=accepted)
    return values


def with_commas(words: Sequence[str], fields: Iterable[str], culprit: str | None) -> str | None:
    """Suggest commas for an option that is followed by several words; None if there is none.

    Version 0.1 read `--law a=b c=d` as two values. Whether `c=d` was a value or a file depended on
    which files there were, so it is a file now.

    Args:
        words: the command line, which could not be used.
        fields: of such options.
        culprit: the file that could not be used; None if the command line could not be read.
    """
    options = {option(field) for field in fields}
    for k, word in enumerate(words):
        values: list[str] = []
        for value in words[k + 1 :] if word.replace("_", "-") in options else ():
            if value.startswith("--"):
                break
            values.append(value)
        if culprit is None:  # names of files rarely have an equals sign
            values = [value for value in values if "=" in value]
        elif culprit in values[1:] and not Path(culprit).exists():
            values = values[: values.index(culprit) + 1]
        else:
            continue
        if len(values) > 1:
            return f"{word} {','.join(values)}"
    return None


def check_words(words: Sequence[str]) -> None:
    """Refuse empty words."""
    for k, word in enumerate(words):
        if not word.strip() or (word.startswith("--") and word.endswith("=")):
            before = words[k - 1] if word.strip() == "" else word.rstrip("=")
            field = before if before.startswith("--") else None
            raise PliantError("has an empty value", field=field, found=word)
