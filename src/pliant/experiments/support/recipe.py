"""The result of an experiment: a table "paper | here", figures, and notes.

A recipe is a module of this package with

    NAME     its name on the command line, "estimator_1dof"
    TITLE    one line for the list of experiments
    run(settings, folder) -> Outcome

where `settings` is the recipe's own frozen dataclass of named choices, or None for its defaults,
and `folder` an existing folder for its figures.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol, TypeVar

from pliant.io.output import write_whole
from pliant.report import still


@dataclass(frozen=True)
class Row:
    """One line of the table: quantity, the paper's value, the value found here, a remark."""

    what: str
    paper: str
    here: str
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The result of an experiment.

    Attributes:
        rows: the table, as text with units.
        figures: PNG files in the folder given to `run`.
        notes: assumptions, and where and why the result differs from the paper's.
    """

    rows: Sequence[Row]
    figures: Sequence[Path] = ()
    notes: Sequence[str] = field(default=())


class Recipe(Protocol):
    """Names in the module of an experiment."""

    NAME: str
    TITLE: str

    def run(self, settings: Any, folder: Path) -> Outcome:
        """Run it; figures go into `folder`."""
        ...


def new_figure(rows: int = 1, columns: int = 1, *, width: float = 7.0, height: float = 4.5) -> Any:
    """A matplotlib figure with (rows, columns) axes, drawn without a display.

    Returns:
        The figure and its axes, as `matplotlib.pyplot.subplots` does.
    """
    figure = still.new_figure(width, height)
    return figure, figure.subplots(rows, columns)


def save_figure(figure: Any, folder: Path, name: str) -> Path:
    """`figure` as `folder/name.png`."""
    path = folder / f"{name}.png"
    drawn = BytesIO()
    figure.dpi = 150
    figure.canvas.print_png(drawn)  # savefig draws it twice, once for the layout
    write_whole(path, drawn.getvalue())
    return path


Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(function: Callable[[Item], Result], items: Iterable[Item]) -> list[Result]:
    """`function` of each, one thread for each processor, in the order of `items`.

    Put `warnings.catch_warnings` around the call, not into `function`: threads share it.
    """
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(function, items))
