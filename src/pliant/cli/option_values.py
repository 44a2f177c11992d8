"""Values that no command can mean, refused before anything is read."""

import dataclasses
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, get_type_hints

from pliant.cli.options import LogOptions
from pliant.cli.several import option
from pliant.errors import PliantError


def check_words(command: type, words: Sequence[str]) -> None:
    """Refuse empty words, and `--overwrite=no`, which the parser would read as `--overwrite`.

    Raises:
        PliantError: a switch has a value, or something else has an empty one.
    """
    for k, word in enumerate(words):
        if not word.strip() or (word.startswith("--") and word.endswith("=")):
            before = words[k - 1] if word.strip() == "" else word.rstrip("=")
            field = before if before.startswith("--") else None
            raise PliantError("has an empty value", field=field, found=word)
    switches = {option(name) for name in _switches(command)}
    for word in words:
        name, equals, value = word.partition("=")
        if equals and name.replace("_", "-") in switches:
            raise PliantError("takes no value", field=name, found=value)


def _switches(command: type) -> Iterator[str]:
    for name, hint in get_type_hints(command).items():
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            yield from _switches(hint)
        elif hint is bool:
            yield name


def check_values(command: object) -> None:
    """Look through the options of a command that has been read, those in groups too.

    Raises:
        PliantError: a number that is not finite, a repair that there is not, a folder of packages
            that there is not.
    """
    parts: Any = command
    for field in dataclasses.fields(parts):
        value = getattr(parts, field.name)
        if dataclasses.is_dataclass(value):
            check_values(value)
        elif field.name == "packages":
            _check_folders(value)
        elif isinstance(value, float) and not isfinite(value):
            raise PliantError("is not a finite number", field=option(field.name), found=value)
    if isinstance(command, LogOptions):
        _check_repairs(command.repair)


def _check_repairs(names: tuple[str, ...]) -> None:
    if names:
        from pliant.io.findings import chosen_repairs

        chosen_repairs(names)


def _check_folders(packages: tuple[str, ...]) -> None:
    for folder in packages:
        if not Path(folder).is_dir():
            raise PliantError(
                "is not a folder", field="--packages", found=folder, accepted="a folder of packages"
            )
