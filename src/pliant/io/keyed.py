"""Settings of known keys, from `key=value` texts and from TOML."""

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

from pydantic import BaseModel

from pliant.csv_rows import to_number
from pliant.errors import PliantError, located
from pliant.io.validated import read_toml

YES, NO = ("yes", "true", "on"), ("no", "false", "off")


def of_texts(form: type[BaseModel], texts: Iterable[str], option: str) -> dict[str, Any]:
    """Values of "mass=0.5", "rename=a=b", "c=d"; a text without a key continues the list before it.

    Args:
        form: its fields are the keys. texts: at a comma each. option: whose texts they are.
    """
    found: dict[str, list[str]] = {}
    last = ""
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        key = name.replace("-", "_")
        if equals and key in form.model_fields:
            last = key
            before = found.get(key, []) if _kind(form, key) is tuple else []
            found[key] = [*before, value]  # of what is no list, the last counts
        elif last and _kind(form, last) in (tuple, str):
            found[last].append(text)
        else:
            if key in form.model_fields:
                form_of_it = f"{name}=VALUE"
                raise PliantError("has no value", field=option, found=name, accepted=form_of_it)
            raise PliantError("unknown key", field=option, found=name, accepted=form.model_fields)
    return {key: _of_words(form, key, words) for key, words in found.items()}


def of_file(form: type[BaseModel], path: Path, paths: Iterable[str] = ()) -> dict[str, Any]:
    """Values of a TOML file; a table is a list of "name=value", and `paths` are relative to the file.

    Raises:
        PliantError: it cannot be read. Keys and values are not looked at.
    """
    with located(path):
        found: dict[str, Any] = {}
        for key, value in read_toml(path).items():
            found[key] = _plain(form, key, value)
            if key in paths and isinstance(found[key], Path | str) and Path(found[key]).suffix:
                kind = _kind(form, key)
                found[key] = kind(path.parent / found[key])
        return found


def named(texts: Iterable[str], field: str, form: str) -> list[tuple[str, str]]:
    """`name=value` texts as pairs; a name, of a joint, may have an equals sign itself.

    Raises:
        PliantError: one has another form.
    """
    found: list[tuple[str, str]] = []
    for text in texts:
        name, equals, value = (part.strip() for part in text.rpartition("="))
        if not (name and equals and value):
            raise PliantError("cannot be read", field=field, found=text, accepted=form)
        found.append((name, value))
    return found


def pairs(texts: Iterable[str], field: str, form: str) -> dict[str, str]:
    """`name=value` texts as a mapping.

    Raises:
        PliantError: one has another form, or a name stands twice.
    """
    found: dict[str, str] = {}
    for name, value in named(texts, field, form):
        if name in found:
            raise PliantError("is given twice", field=field, found=name)
        found[name] = value
    return found


def parts(value: Any) -> tuple[Any, ...]:
    """The values of a list, or the one that there is."""
    return cast("tuple[Any, ...]", value) if isinstance(value, tuple) else (value,)


def in_words(values: Mapping[str, Any]) -> str:
    """Keys and their values, on a line."""
    return "; ".join(f"{key} {', '.join(map(str, parts(value)))}" for key, value in values.items())


def _kind(form: type[BaseModel], key: str) -> Any:
    """The type of a field, or `Literal`, or `tuple`."""
    hint: Any = form.model_fields[key].annotation
    if get_origin(hint) in (Union, UnionType):
        hint = next(one for one in get_args(hint) if one is not NoneType)
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_origin(hint) or hint


def _of_words(form: type[BaseModel], key: str, words: list[str]) -> Any:
    kind = _kind(form, key)
    if kind is tuple:
        return tuple(one.strip() for row in csv.reader(words, skipinitialspace=True) for one in row)
    text = ",".join(words)
    if not text:
        raise PliantError("has an empty value", field=key)
    if kind in (str, Literal):
        return text
    if kind is Path:
        return Path(text)
    if kind is bool:
        if text.lower() not in (*YES, *NO):
            raise PliantError("is neither yes nor no", field=key, found=text)
        return text.lower() in YES
    try:
        return int(text) if kind is int else to_number(text)
    except ValueError:
        known = "a whole number" if kind is int else "a number"
        raise PliantError(f"is not {known}", field=key, found=text) from None


def _plain(form: type[BaseModel], key: str, value: Any) -> Any:
    """A value of TOML as the form has it."""
    if key not in form.model_fields:
        return value
    if isinstance(value, Mapping):
        pairs = cast("Mapping[str, Any]", value).items()
        value = [f"{name}={text}" if name else str(text) for name, text in pairs]
    listed = cast("list[Any]", value) if isinstance(value, list) else None
    kind = _kind(form, key)
    if kind is tuple and isinstance(value, str | int | float) and not isinstance(value, bool):
        return (str(value),)
    if kind is tuple and listed is not None:
        return tuple(map(str, listed))
    if kind is str and listed is not None:
        return ",".join(map(str, listed))
    return Path(value) if kind is Path and isinstance(value, str) else cast("Any", value)
