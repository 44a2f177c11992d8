"""JSON from anywhere: an object whose keys stand in it once."""

import json
from collections import Counter
from typing import Any, cast

from pliant.errors import PliantError


class _KeyTwiceError(Exception):
    """A key of an object that stands in it twice."""


def parsed_json(text: str, what: str) -> dict[str, Any]:
    """The object in `text`; NaN and Infinity are read.

    Args:
        text: of the file. what: it should be, a "log" or a "table".

    Raises:
        PliantError: it is not JSON, no object, or has a key twice in one object.
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
