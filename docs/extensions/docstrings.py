"""The docstrings of the code as reStructuredText.

In the code an indented block is an example or an equation, a number in brackets is a unit, and several
arguments may share a line; none of that is markup. Here it becomes what the page needs.
"""

import re
from typing import Any

from sphinx.application import Sphinx

SECTIONS = ("Args:", "Attributes:", "Returns:", "Raises:", "Yields:", "Example:", "Examples:")
_TWO = re.compile(r"(?<=[.;]) (?=[A-Za-z_]\w*(?:, \w+)*: )")


def prepared(_app: Any, _kind: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """Before napoleon reads the sections."""
    out: list[str] = []
    section = ""
    literal = False
    for line in lines:
        bare = line.strip()
        if bare in SECTIONS:
            section, literal = bare, False
        elif section and bare and not line.startswith(" "):
            section = ""
        if section in ("Args:", "Attributes:"):
            out += _one_each(line)
            continue
        begins = line.startswith("    ") and not section
        if begins and not literal and out and not out[-1].strip():
            out += ["::", ""]
            literal = True
        elif bare and not begins:
            literal = False
        out.append(line if literal or section else _escaped(line))
    lines[:] = out


def whole(_app: Any, kind: str, _name: str, _obj: Any, _options: Any, lines: list[str]) -> None:
    """After napoleon, which takes what stands before a colon for the type of an attribute."""
    if kind not in ("function", "method", "class", "exception") and (
        typed := [n for n in lines if n[:6] == ":type:"]
    ):
        begin = typed[0].removeprefix(":type:").strip()
        rest = [line for line in lines if line not in typed]
        lines[:] = [f"{begin}: {rest[0]}" if rest else begin, *rest[1:]]


def _one_each(line: str) -> list[str]:
    """Arguments that share a line, each on its own."""
    indent = line[: len(line) - len(line.lstrip())]
    if len(indent) != 4:
        return [_escaped(line)]
    return [_escaped(indent + part.strip()) for part in _TWO.split(line)]


def _escaped(line: str) -> str:
    """No substitution, emphasis or reference is meant."""
    pieces = re.split(r"(`[^`]*`)", line)
    pieces[::2] = [re.sub(r"([*|])|(?<=\w)_(?=\W|$)", r"\\\g<0>", text) for text in pieces[::2]]
    return "".join(pieces)


def plain_defaults(
    _app: Any, _kind: str, _name: str, _obj: Any, _options: Any, given: str | None, out: str | None
) -> tuple[str, str | None] | None:
    """`<factory>` is no Python, and keeps the types of a signature from being shortened."""
    return None if given is None else (given.replace("<factory>", "..."), out)


def setup(app: Sphinx) -> dict[str, bool]:
    """Come before napoleon, which has the priority 500."""
    app.connect("autodoc-process-docstring", prepared, priority=400)
    app.connect("autodoc-process-docstring", whole, priority=600)
    app.connect("autodoc-process-signature", plain_defaults)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
