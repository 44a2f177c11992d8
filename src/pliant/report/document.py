"""The frame of a report: one HTML file that needs nothing else."""

from collections.abc import Sequence
from html import escape

from pliant.report.theme import STYLE


def document(title: str, body: Sequence[str]) -> str:
    """A page with `body`, which is HTML."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(title)} – Pliant</title><style>{STYLE}</style></head>\n"
        "<body><main>\n" + "\n".join(body) + "\n</main></body></html>\n"
    )


def warned(sentences: Sequence[str]) -> str:
    """What to know before the figures are trusted; nothing where there is nothing."""
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(one[:1].upper() + one[1:])}.</li>" for one in sentences)
    return f'<div class="warnings"><b>To know before you trust it</b><ul>{items}</ul></div>'


def tiles(figures: Sequence[tuple[str, str]]) -> str:
    """Large figures, each with what it is."""
    boxes = "".join(
        f'<div class="panel"><b>{escape(value)}</b><small>{escape(what)}</small></div>'
        for value, what in figures
    )
    return f'<div class="figures">{boxes}</div>'


def key(entries: Sequence[tuple[str, str, str]]) -> str:
    """Legend: (text, style variable, "line", "dashed" or "box")."""
    marks = {
        "line": 'style="color:var(--{})"',
        "dashed": 'style="color:var(--{});border-top-style:dashed"',
        "box": 'class="box" style="background:var(--{})"',
    }
    spans = "".join(
        f"<span><i {marks[kind].format(variable)}></i>{escape(text)}</span>"
        for text, variable, kind in entries
    )
    return f'<div class="key">{spans}</div>'
