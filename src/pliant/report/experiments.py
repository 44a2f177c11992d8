"""The report of reproduced experiments: tables, figures and notes in one HTML file."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pliant.io.output import write_whole
from pliant.report.document import rendered, table


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """One experiment as the report shows it.

    Attributes:
        name, title: of the experiment. rows: what, paper, here, note. figures: PNG files.
        notes: sentences. seconds: how long it took. tables: further files, as CSV.
        numbers: name, value and source of each setting and constant.
    """

    name: str
    title: str
    rows: Sequence[tuple[str, str, str, str]]
    figures: Sequence[Path]
    notes: Sequence[str]
    seconds: float
    tables: Sequence[Path] = ()
    numbers: Sequence[tuple[str, str, str]] = ()


def write_experiments(path: Path, found: Sequence[Reproduced]) -> None:
    """Write the report, whole or not at all; images are within it."""
    write_whole(
        path,
        rendered(
            "experiments.html",
            title="Experiments",
            plotted=False,
            experiments=[
                {
                    "name": one.name,
                    "title": one.title,
                    "seconds": one.seconds,
                    "table": table(["", "paper", "here", ""], one.rows, soft=(3,)),
                    "images": [_image(figure) for figure in one.figures],
                    "notes": one.notes,
                    "numbers": table(["number", "value", "source"], one.numbers, soft=(2,)),
                }
                for one in found
            ],
        ),
    )


def _image(path: Path) -> dict[str, str]:
    data = b64encode(path.read_bytes()).decode("ascii")
    return {"name": path.stem.replace("_", " "), "data": data}
