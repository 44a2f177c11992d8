"""Options that take several values: `--law a=b,c=d`, or `--law a=b --law c=d`.

A value that itself holds a comma stands in double quotes: `--hold-out '"log=a,b"'`.
"""

import csv
import dataclasses
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar, get_type_hints

import tyro

from pliant.errors import PliantError

Repeated = tyro.conf.UseAppendAction
"""Marks an option that may be given several times, each time with one value or several."""

Command = TypeVar("Command")


def separated(command: Command) -> Command:
    """`command`, as the parser returned it, with the values of such options taken apart.

    Raises:
        PliantError: a value is empty.
    """
    parts: Any = command
    changed: dict[str, Any] = {}
    fields = repeated(type(command))
    for field in dataclasses.fields(parts):
        value = getattr(parts, field.name)
        if dataclasses.is_dataclass(value):
            changed[field.name] = separated(value)
        elif field.name in fields:
            changed[field.name] = tuple(one for text in value for one in _split(text, field.name))
    return dataclasses.replace(parts, **changed)


def repeated(command: type) -> list[str]:
    """Fields of `command` that are such options."""
    hints = get_type_hints(command, include_extras=True)
    return [name for name, hint in hints.items() if Repeated in getattr(hint, "__metadata__", ())]


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
