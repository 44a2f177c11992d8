"""The report of reproduced experiments: tables, figures and notes in one HTML file."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from pliant.io.output import write_whole
from pliant.report.table import table
from pliant.report.theme import STYLE

__all__ = ["Reproduced", "write_experiments"]


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """One experiment as the report shows it.

    Attributes:
        name, title: of the experiment. rows: what, paper, here, note. figures: PNG files.
        notes: sentences. seconds: how long it took.
    """

    name: str
    title: str
    rows: Sequence[tuple[str, str, str, str]]
    figures: Sequence[Path]
    notes: Sequence[str]
    seconds: float


def write_experiments(path: Path, found: Sequence[Reproduced]) -> None:
    """Write the report, whole or not at all; images are within it.

    Raises:
        PliantError: the file cannot be written.
    """
    parts = "\n".join(_section(one) for one in found)
    write_whole(
        path,
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>Experiments – Pliant</title><style>{STYLE}{_IMAGES}</style></head>\n"
        f"<body><main>\n<h1>Experiments</h1>\n{_contents(found)}\n{parts}\n</main></body></html>\n",
    )


_IMAGES = "img { max-width: 100%; height: auto; background: #fff; border-radius: 4px; }"


def _contents(found: Sequence[Reproduced]) -> str:
    items = "".join(
        f'<li><a href="#{escape(one.name)}">{escape(one.name)}</a>: {escape(one.title)}</li>'
        for one in found
    )
    return f'<p class="soft">What papers report, and what Pliant finds.</p><ul>{items}</ul>'


def _section(one: Reproduced) -> str:
    notes = "".join(f"<li>{escape(note)}</li>" for note in one.notes)
    images = "".join(_image(figure) for figure in one.figures)
    rows = [list(row) for row in one.rows]
    return (
        f'<h2 id="{escape(one.name)}">{escape(one.title)}</h2>\n'
        f'<p class="soft"><code>pliant reproduce {escape(one.name)}</code>, {one.seconds:.1f} s</p>'
        f"{table(['', 'paper', 'here', ''], rows, soft=(3,))}\n{images}\n<ul>{notes}</ul>"
    )


def _image(path: Path) -> str:
    data = b64encode(path.read_bytes()).decode("ascii")
    name = escape(path.stem.replace("_", " "))
    return f'<figure class="panel"><img alt="{name}" src="data:image/png;base64,{data}"></figure>'
