"""Documents in JSON and TOML from anywhere, read within bounds, and held against the form that they should have."""

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, cast, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text


class _KeyTwiceError(Exception):
    """A key of an object that stands in it twice."""


def parsed_json(text: str, what: str) -> dict[str, Any]:
    """The object in `text`; NaN and Infinity are read.

    Args:
        text: of the file. what: it should be, a "log" or a "table".
    """
    if not text.strip():
        raise PliantError("is empty", accepted=f"a JSON {what}")
    try:
        document: object = json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        if not text.rstrip().endswith(("}", "]")):
            raise PliantError(
                "the file ends before its JSON does (was the recording cut off?)", field=where
            ) from None
        problem = f"is not valid JSON: {error.msg[0].lower()}{error.msg[1:]}"
        raise PliantError(problem, field=where) from None
    except _KeyTwiceError as error:
        raise PliantError("is given twice in one object", field=str(error)) from None
    except (ValueError, RecursionError):
        raise PliantError("is not valid JSON: a number too long or brackets too deep") from None
    if not isinstance(document, dict):
        raise PliantError(
            f"is not a {what}", found=type(document).__name__, accepted="a JSON object"
        )
    return cast("dict[str, Any]", document)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise _KeyTwiceError(next(name for name, count in times.items() if count > 1))
    return found


LARGEST = MIB
HEADER_DOTS, LINE_DOTS = 200, 4096
"""A key of n parts costs the parser n² steps, and its header's parts once more for each line."""


def read_toml(path: Path) -> dict[str, Any]:
    """The document in the file at `path`."""
    with located(path):
        return parsed_toml(read_text(path, largest=LARGEST))


def parsed_toml(text: str) -> dict[str, Any]:
    """The document in `text`; see `read_toml`."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.count(".") > (HEADER_DOTS if line.lstrip().startswith("[") else LINE_DOTS):
            raise PliantError("has too many dots in a line", field=f"line {number}")
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r" \(at (.*)\)$", str(error))
        where = "" if place is None else place[1]
        if where == "end of document":
            where = f"line {len(text.splitlines())}, the end"
        said = str(error)[: None if place is None else place.start()]
        raise PliantError("is not TOML", field=where or None, found=said) from None
    except RecursionError:
        raise PliantError("is not TOML", found="brackets too deep") from None
    except ValueError:  # an integer of thousands of digits
        lines = enumerate(text.splitlines(), 1)
        where = next((f"line {k}" for k, line in lines if re.search(r"\w{1000}", line)), None)
        raise PliantError("is not TOML", field=where, found="a number too long") from None


NAMING = ("fact", "name")
"""Keys that name an item of a list."""
Model = TypeVar("Model", bound=BaseModel)


class Strict(BaseModel):
    """A form with known keys and finite numbers only; nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def validated(
    model: type[Model], values: object, *, names: Mapping[str, str] | None = None
) -> Model:
    """`values` as `model`.

    Args:
        model: the form. values: the document. names: a field of the model to what the file calls
            it.

    Raises:
        PliantError: for the first bad field.
    """
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first, *others = cast("list[Any]", error.errors(include_url=False))
    except RecursionError:
        raise PliantError("is nested too deep") from None
    if first["type"] == "missing":  # under another name?
        unknown = [one for one in others if one["type"] == "extra_forbidden"]
        beside = [one for one in unknown if one["loc"][:-1] == first["loc"][:-1]]
        first = beside[0] if beside else first
    path = _path(values, first["loc"])
    if path and names:
        path[0] = names.get(path[0], path[0])
    field = ".".join(path)
    match first["type"]:
        case "missing":
            return _refuse("is missing", field)
        case "extra_forbidden":
            known = _form(model, first["loc"][:-1])
            return _refuse("unknown key", field, path[-1], known or None)
        case "model_type":
            keys = [
                name for name, field in _form(model, first["loc"]).items() if field.is_required()
            ]
            form = ", ".join(f"{name} = ..." for name in keys)
            return _refuse("is not a table", field, first["input"], f"{{ {form} }}")
        case "literal_error":
            choices = re.findall(r"'([^']*)'", first["ctx"]["expected"])
            return _refuse("is not a choice", field, first["input"], choices)
        case _:
            problem = (
                first["msg"].removeprefix("Input ").replace("a valid tuple", "text, or a list")
            )
            return _refuse(problem[0].lower() + problem[1:], field, first["input"])


def _path(values: Any, place: tuple[int | str, ...]) -> list[str]:
    """A place of a document; an item of a list by its own name, if it has one, else by its number."""
    found: list[str] = []
    for part in place:
        item = _item(values, part)
        names = [_item(item, key) for key in NAMING] if isinstance(part, int) else []
        found.append(next((name for name in names if isinstance(name, str) and name), str(part)))
        values = item
    return found


def _item(values: Any, part: int | str) -> Any:
    try:
        return values[part]
    except (TypeError, KeyError, IndexError):
        return None


def _refuse(problem: str, field: str, found: object = None, accepted: Any = None) -> Any:
    raise PliantError(problem, field=field or None, found=found, accepted=accepted)


def _form(model: type[BaseModel], place: tuple[int | str, ...]) -> Mapping[str, FieldInfo]:
    """The fields of the form that stands at a place of `model`; none where there is no form."""
    inner: Any = model
    for part in place:
        fields: Mapping[str, FieldInfo] = getattr(inner, "model_fields", {})
        if part in fields:
            inner = fields[str(part)].annotation
        else:  # the values of a mapping, the items of a list
            inner = next(iter(reversed(get_args(inner))), None)
        if get_origin(inner) in (Union, UnionType):
            inner = next((one for one in get_args(inner) if one is not NoneType), None)
        if get_origin(inner) is Annotated:
            inner = get_args(inner)[0]
    return getattr(inner, "model_fields", {})
