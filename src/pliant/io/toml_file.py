"""TOML from anywhere, read within bounds: actuators, robots, column maps."""

import re
import tomllib
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text

LARGEST = MIB
HEADER_DOTS, LINE_DOTS = 200, 4096
"""A key of n parts costs the parser n² steps, and its header's parts once more for each line."""


def read_toml(path: Path) -> dict[str, Any]:
    """The document in the file at `path`.

    Raises:
        PliantError: it cannot be read, or is not TOML.
    """
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
