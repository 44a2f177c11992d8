"""One HTML file that needs nothing else: a template, the style, tables, and figures as plotly.js reads them."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined
from numpy.typing import ArrayLike


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


Figure = Mapping[str, Any]
"""`data` and `layout`."""
HEIGHT = 330
"""[px]"""


def packed(values: ArrayLike) -> dict[str, Any]:
    """An array (N,) or (N, M) in single precision: seven figures are more than a screen shows."""
    array = np.ascontiguousarray(values, dtype="<f4")
    made: dict[str, Any] = {"dtype": "f4", "bdata": b64encode(array.tobytes()).decode("ascii")}
    if array.ndim > 1:
        made["shape"] = ", ".join(map(str, array.shape))
    return made


def line(
    x: ArrayLike,
    y: ArrayLike,
    role: str,
    name: str,
    *,
    width: float = 1.6,
    lower: bool = False,
    **more: Any,
) -> dict[str, Any]:
    """A curve in the colour `role`, in the upper or the lower panel; `more` are plotly's keys."""
    style = {"color": f"@{role}", "width": width, **more.pop("line", {})}
    axes = {"yaxis": "y2"} if lower else {}
    return {
        "type": "scatter",
        "mode": "lines",
        "x": packed(x),
        "y": packed(y),
        "name": name,
        "meta": role,
        "line": style,
        "hovertemplate": "%{y:.4~g}",
        **axes,
        **more,
    }


def dots(
    x: ArrayLike, y: ArrayLike, role: str, name: str, *, size: float, lower: bool = False
) -> dict[str, Any]:
    """Points in the colour `role`."""
    made = line(x, y, role, name, lower=lower)
    made.pop("line")
    return made | {"mode": "markers", "marker": {"color": f"@{role}", "size": size}}


def band(
    x: ArrayLike, low: ArrayLike, high: ArrayLike, role: str, name: str
) -> list[dict[str, Any]]:
    """The area between two curves."""
    edge: dict[str, Any] = {"line": {"width": 0}, "hoverinfo": "skip", "hovertemplate": None}
    return [
        line(x, low, role, name, **edge),
        line(x, high, role, name, fill="tonexty", fillcolor=f"@{role}", **edge),
    ]


def span(begin: float, end: float, role: str) -> dict[str, Any]:
    """A stretch of the x axis, shaded over all panels."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": begin,
        "x1": end,
        "y0": 0,
        "y1": 1,
        "fillcolor": f"@{role}",
        "line": {"width": 0},
        "layer": "below",
    }


def axis(title: str, **more: Any) -> dict[str, Any]:
    """An axis with its title; `more` are plotly's keys."""
    return {
        "title": {"text": title, "standoff": 6, "font": {"color": "@soft", "size": 12}},
        "gridcolor": "@grid",
        "linecolor": "@soft",
        "zerolinecolor": "@soft",
        "tickfont": {"color": "@soft", "size": 11},
        "automargin": True,
        **more,
    }


def figure(
    data: Sequence[Mapping[str, Any]],
    x: str,
    upper: str,
    lower: str = "",
    *,
    label: str,
    height: int = HEIGHT,
    shapes: Sequence[Mapping[str, Any]] = (),
    **layout: Any,
) -> Figure:
    """One or two panels over the same x axis.

    Args:
        data: traces. x, upper, lower: titles of the axes; no lower panel without one.
        label: what a screen reader says. height: [px]. shapes: plotly's.
        layout: further keys of plotly's layout.
    """
    made: dict[str, Any] = {
        "height": height,
        "margin": {"l": 58, "r": 10, "t": 8, "b": 40},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "showlegend": False,
        "hovermode": "x unified",
        "hoversubplots": "axis",
        "hoverlabel": {
            "bgcolor": "@panel",
            "bordercolor": "@grid",
            "font": {"color": "@ink", "size": 12},
        },
        "dragmode": "zoom",
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": "@soft", "activecolor": "@ink"},
        "shapes": list(shapes),
        "xaxis": axis(x, showgrid=True, zeroline=False),
        "yaxis": axis(upper, zeroline=False),
    }
    if lower:
        made["yaxis"]["domain"] = [0.40, 1.0]
        made["yaxis2"] = axis(lower, domain=[0.0, 0.30], zeroline=True)
        made["xaxis"]["anchor"] = "y2"
    for key, value in layout.items():
        made[key] = {**made[key], **value} if isinstance(made.get(key), dict) else value
    return {"data": list(data), "layout": made, "label": label}
