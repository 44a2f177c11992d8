"""The one error a user sees: file, field, value found, values accepted."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any

FOUND, FIELD, PROBLEM, ACCEPTED = 80, 200, 500, 4000
"""Most characters of a message's parts, so that an error never repeats a whole file."""
SHORTEST = 3
"""Least length of a name that is searched for inside others."""


class PliantError(ValueError):
    """An input (a file, a name, an option) that cannot be used.

    Code that does not know its file raises without one; `located` adds the file where it is known. If one
    file names another, the error names both.

    Args:
        problem: one clause without a final stop.
        file: the file that contains it.
        field: the field, key, line or option.
        found: the value that was found.
        accepted: a description of accepted values, or the valid names. With names and a string in
            `found`, the nearest ones are suggested.
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
        names = (
            None if accepted is None or isinstance(accepted, str) else sorted(map(str, accepted))
        )
        text = accepted if isinstance(accepted, str) else None
        self.accepted = text if names is None else ", ".join(names)
        self.nearest = nearest(found, names) if names and isinstance(found, str) else []
        self.asked_by: dict[str, str] = {}
        super().__init__(self._text())

    def located(self, file: str | Path | None = None, field: str | None = None) -> "PliantError":
        """This error with its place added.

        Without its own file, it gets this one, and `field` is prepended to its field, joined as a key
        if that begins with a dot. With its own file, the place is that of the file which refers to
        that one.
        """
        if self.file is None:
            self.file = None if file is None else str(file)
            own = self.field or ""
            joint = "" if own.startswith(".") else ": "
            self.field = f"{field}{joint}{own}" if field and own else field or own or None
        elif file is not None and not self._knows(file):
            self.asked_by[str(file)] = field or ""
        elif (
            file is not None
            and not self.field
            and Path(file).absolute() == Path(self.file).absolute()
        ):
            self.field = field
        self.args = (self._text(),)
        return self

    def named(self, field: str) -> "PliantError":
        """This error, with its field renamed to the name that the user knows."""
        self.field = field
        self.args = (self._text(),)
        return self

    def _knows(self, file: str | Path) -> bool:
        there = (self.file or "", *self.asked_by)
        return Path(file).absolute() in [Path(known).absolute() for known in there]

    def without_place(self) -> str:
        """The message without file and field, for tables that have columns for them."""
        return _printable(self._said())

    def with_file(self) -> str:
        """The message with its file and without its field, for a list about another file."""
        return f"{_cut(_printable(self.file or ''), FIELD)}: {self.without_place()}"

    def _text(self) -> str:
        place = (_cut(self.file or "", FIELD), _cut(self.field or "", FIELD))
        return _printable(": ".join(part for part in (*place, self._said()) if part))

    def _said(self) -> str:
        text = _cut(self.problem, PROBLEM)
        if self.found is not None:
            text += f"; found {_short(self.found)}"
        if self.nearest:
            text += f"; did you mean {' or '.join(repr(name) for name in self.nearest)}?"
        if self.accepted is not None:
            text += f"; accepted: {_cut(self.accepted, ACCEPTED)}"
        if self.asked_by:
            by = (": ".join(part for part in place if part) for place in self.asked_by.items())
            text += "; asked for by " + ", by ".join(_cut(place, 2 * FIELD) for place in by)
        return text

    def as_dict(self) -> dict[str, Any]:
        """The error as plain values, for `--json`."""
        return {
            "error": str(self),
            "problem": _cut(self.problem, PROBLEM),
            "file": None if self.file is None else _cut(self.file, ACCEPTED),
            "field": None if self.field is None else _cut(self.field, FIELD),
            "found": None if self.found is None else _short(self.found),
            "accepted": None if self.accepted is None else _cut(self.accepted, ACCEPTED),
            "nearest": self.nearest,
        }


class PliantWarning(UserWarning):
    """A model or a file that can be used, but with a setting that impairs the result."""


@contextmanager
def located(file: str | Path | None = None, field: str | None = None) -> Generator[None]:
    """`PliantError.located` for every error in the block, so that readers name their file once."""
    try:
        yield
    except PliantError as error:
        raise error.located(file, field)  # noqa: B904 - the same error, its cause kept


def check_kind(value: object, kinds: type | tuple[type, ...], field: str, accepted: str) -> None:
    """Refuse an argument of a wrong type: untyped programs may pass anything.

    Raises:
        PliantError: it is not one of `kinds`.
    """
    if not isinstance(value, kinds):
        raise PliantError(
            f"cannot be of the type {type(value).__name__}", field=field, accepted=accepted
        )


def check_known(
    name: object,
    names: Iterable[Any],
    problem: str,
    field: str | None = None,
    *,
    file: str | Path | None = None,
) -> None:
    """Refuse a name that is not one of `names`; the error lists them.

    Args:
        name: that was found. problem: message for other names. field, file: its place.

    Raises:
        PliantError: with `problem`.
    """
    known = list(names)
    if name not in known:
        raise PliantError(problem, file=file, field=field, found=name, accepted=known)


def is_interrupt(error: BaseException) -> bool:
    """Whether Ctrl-C caused an error: code of others that it interrupts may raise any kind.

    Imports of compiled modules, for one, then fail with "initialization failed".
    """
    seen: list[BaseException] = []
    one: BaseException | None = error
    while one is not None and one not in seen:
        if isinstance(one, KeyboardInterrupt):
            return True
        seen.append(one)
        one = one.__cause__ or one.__context__
    return False


def nearest(name: str, names: Iterable[str]) -> list[str]:
    """Up to three of `names` that look like `name`, else up to three that contain it."""
    # Comparing costs the product of the lengths; a name that is far too long is not a typo.
    likely = {known.lower(): known for known in names if len(known) <= FIELD}
    if len(name) > FIELD or len(likely) > 10_000:
        return []
    near = get_close_matches(name.lower(), likely, n=3, cutoff=0.6)
    if not near and len(name) >= SHORTEST:
        near = sorted(known for known in likely if name.lower() in known)[:3]
    return [likely[known] for known in near]


def _short(value: object) -> str:
    try:
        text = repr(value)
    except (
        ValueError,
        RecursionError,
    ):  # an integer of more digits than Python prints; a deep list
        text = f"<{type(value).__name__}, too large to show>"
    return _cut(text, FOUND)


def _printable(text: str) -> str:
    """`text` without lone surrogates, from file names or JSON escapes, which cannot be printed."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 3] + "..."
