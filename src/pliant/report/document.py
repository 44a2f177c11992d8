"""One HTML file that needs nothing else: a template, the style, the plot library, the figures, tables."""

from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined


class Cell(NamedTuple):
    """Text with a word in a small frame beside it, or set as code."""

    text: str
    tag: str = ""
    code: bool = False
    small: bool = False


class ReportTable(NamedTuple):
    """Names of columns, and rows; see `table`."""

    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    numbers: Sequence[int]
    soft: Sequence[int]
    total: int | None


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str | Cell]],
    *,
    numbers: Sequence[int] = (),
    soft: Sequence[int] = (),
    total: int | None = None,
) -> ReportTable:
    """A table.

    Args:
        head: names of the columns.
        rows: the cells; a row of one cell spans the table, as the title of those that follow.
        numbers, soft: columns that are set as numbers, or in the soft colour.
        total: the row that sums the others up.
    """
    cells = [[c if isinstance(c, Cell) else Cell(c) for c in row] for row in rows]
    return ReportTable(head, cells, numbers, soft, total)


def rendered(template: str, **values: Any) -> str:
    """The page of a template; every value in it is escaped.

    Args:
        template: file name in `templates`. values: what it names.
    """
    return _environment().get_template(template).render(values)


@cache
def _environment() -> Environment:
    made = Environment(
        loader=PackageLoader("pliant.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.globals["plot_library"] = _plot_library
    return made


@cache
def _plot_library() -> str:
    """plotly.js as it lies beside this file, compressed; the page's script unpacks it.

    Its part for cartesian axes alone, of npm's plotly.js-cartesian-dist-min: the Python package
    plotly would add 64 MB and some seconds to every installation.
    """
    packed = files("pliant.report") / "plotly-cartesian.min.js.gz"
    return b64encode(packed.read_bytes()).decode("ascii")
