"""Tables of the reports, as the templates draw them."""

from collections.abc import Sequence
from typing import NamedTuple


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
