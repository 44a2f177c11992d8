"""Values that no command can mean, refused before anything is read."""

import dataclasses
from collections.abc import Iterator, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

from pliant.cli.several import option
from pliant.errors import PliantError


def check_words(command: type, words: Sequence[str]) -> None:
    """Refuse empty words, what is no choice of an option, and `--overwrite=no`, read as `--overwrite`.

    Raises:
        PliantError: a switch has a value, something else has an empty one, or one that it cannot have.
    """
    for k, word in enumerate(words):
        if not word.strip() or (word.startswith("--") and word.endswith("=")):
            before = words[k - 1] if word.strip() == "" else word.rstrip("=")
            field = before if before.startswith("--") else None
            raise PliantError("has an empty value", field=field, found=word)
    known = {option(name): hint for name, hint in _options(command)}
    for word, after in zip(words, [*words[1:], ""], strict=True):
        name, equals, value = word.partition("=")
        hint = known.get(name.replace("_", "-"))
        if equals and hint is bool:
            raise PliantError("takes no value", field=name, found=value)
        choices, given = _choices(hint), value if equals else after
        if choices and given and given not in choices and not given.startswith("--"):
            raise PliantError("is not a choice", field=name, found=given, accepted=choices)


def _options(command: type) -> Iterator[tuple[str, Any]]:
    for name, hint in get_type_hints(command).items():
        if dataclasses.is_dataclass(hint) and isinstance(hint, type):
            yield from _options(hint)
        else:
            yield name, hint


def _choices(hint: Any) -> list[str]:
    """The words that an option takes, where these are known."""
    if get_origin(hint) is Literal:
        return [*get_args(hint)]
    return [word for one in get_args(hint) if get_origin(one) is Literal for word in get_args(one)]


def check_values(command: object) -> None:
    """Look through the options of a command that has been read, those in groups too.

    Raises:
        PliantError: a number that is not finite, a folder of packages that there is not.
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


def _check_folders(packages: tuple[str, ...]) -> None:
    for folder in packages:
        if not Path(folder).is_dir():
            raise PliantError(
                "is not a folder", field="--packages", found=folder, accepted="a folder of packages"
            )
