"""A document against the form that it should have; the first thing wrong is said."""

import re
from collections.abc import Mapping
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from pliant.errors import PliantError

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
        first: Any = error.errors(include_url=False)[0]
    except RecursionError:
        raise PliantError("is nested too deep") from None
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
            problem = first["msg"].removeprefix("Input ")
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
