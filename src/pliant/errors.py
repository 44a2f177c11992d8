"""The one error a user sees: which file, which field, what was found, what is accepted."""

from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any


class PliantError(ValueError):
    """Something from outside (a file, a name, an option) cannot be used.

    Args:
        problem: what is wrong, as one clause without a final stop.
        file: the file it stands in.
        field: the field, key, line or option.
        found: the value that was found.
        accepted: what would have been accepted: a description, or the valid names.
            With names and a string in `found`, the nearest ones are suggested.
    """

    def __init__(
        self,
        problem: str,
        *,
        file: str | Path | None = None,
        field: str | None = None,
        found: object = None,
        accepted: str | Iterable[str] | None = None,
    ) -> None:
        self.problem = problem
        self.file = None if file is None else str(file)
        self.field = field
        self.found = found
        names = None if accepted is None or isinstance(accepted, str) else sorted(accepted)
        self.accepted = ", ".join(names) if names is not None else accepted
        self.nearest = nearest(found, names) if names and isinstance(found, str) else []
        super().__init__(self._text())

    def _text(self) -> str:
        where = ": ".join(part for part in (self.file, self.field) if part)
        text = f"{where}: {self.problem}" if where else self.problem
        if self.found is not None:
            text += f"; found {_short(self.found)}"
        if self.nearest:
            text += f"; did you mean {' or '.join(repr(name) for name in self.nearest)}?"
        if self.accepted is not None:
            text += f"; accepted: {self.accepted}"
        return text

    def as_dict(self) -> dict[str, Any]:
        """The error as plain values, for `--json`."""
        return {
            "error": str(self),
            "problem": self.problem,
            "file": self.file,
            "field": self.field,
            "found": None if self.found is None else _short(self.found),
            "accepted": self.accepted,
            "nearest": self.nearest,
        }


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `name`."""
    return get_close_matches(name, list(names), n=3, cutoff=0.6)


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
