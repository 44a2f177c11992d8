"""HTML tables. Every cell is escaped here, and nowhere else."""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape


@dataclass(frozen=True)
class Markup:
    """Text that is HTML already."""

    html: str


Cell = str | Markup | None


def text(cell: Cell) -> str:
    """The HTML of a cell; nothing for None."""
    return "" if cell is None else cell.html if isinstance(cell, Markup) else escape(cell)


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[Cell]],
    *,
    numbers: Sequence[int] = (),
    soft: Sequence[int] = (),
    total: int | None = None,
) -> str:
    """A table.

    Args:
        head: names of the columns.
        rows: the cells; a row of one cell spans the table, as the title of those that follow.
        numbers, soft: columns that are set as numbers, or in the soft colour.
        total: the row that sums the others up.
    """
    kinds = ["n" if k in numbers else "u" if k in soft else "" for k in range(len(head))]
    out = ["<table><thead><tr>"]
    named = zip(head, kinds, strict=True)
    out += [f'<th class="{kind}">{escape(name)}</th>' for name, kind in named]
    out.append("</tr></thead><tbody>")
    for index, row in enumerate(rows):
        if len(row) == 1:
            out.append(f'<tr class="group"><td colspan="{len(head)}">{text(row[0])}</td></tr>')
            continue
        out.append('<tr class="total">' if index == total else "<tr>")
        out += [f'<td class="{kind}">{text(c)}</td>' for c, kind in zip(row, kinds, strict=True)]
        out.append("</tr>")
    out.append("</tbody></table>")
    return f'<div class="wide">{"".join(out)}</div>'


def tag(word: str) -> Markup:
    """A word in a small frame."""
    return Markup(f'<span class="tag">{escape(word)}</span>')


def joined(*cells: Cell) -> Markup:
    """Several cells as one."""
    return Markup(" ".join(text(cell) for cell in cells if cell is not None))
