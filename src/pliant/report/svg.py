"""A matplotlib figure as SVG that stands inside an HTML page and takes its colours from it."""

import re
from io import StringIO
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from pliant.report.theme import GRID, INK, SOFT, VARIABLES

_SETTINGS: Any = {"svg.fonttype": "none", "svg.hashsalt": "pliant", "font.size": 9.0}
_FONT = re.compile(r"font: ([0-9.]+)px [^;\"]*")


def inline(figure: Figure, prefix: str, label: str) -> str:
    """The `<svg>` element of a figure.

    Args:
        figure: drawn in the colours of `theme`.
        prefix: of its ids, which must differ between the figures of a page.
        label: what a screen reader says; plain text without markup characters.
    """
    target = StringIO()
    with matplotlib.rc_context(_SETTINGS):
        FigureCanvasSVG(figure).print_svg(target, metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r'(<svg [^>]*?)width="[^"]*"', r"\1", text, count=1)
    text = re.sub(r'(<svg [^>]*?)height="[^"]*"', r"\1", text, count=1)
    text = text.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    text = re.sub(r'(id="|href="#|url\(#)', rf"\g<1>{prefix}_", text)
    text = _FONT.sub(r"font: \1px inherit; font-family: inherit", text)
    for colour, variable in VARIABLES.items():
        text = text.replace(colour, f"var({variable})")
    return re.sub(r"\n\s*", "\n", text)


def dress(axes: Axes) -> None:
    """The plain look of all axes."""
    axes.set_facecolor("none")
    axes.grid(True, color=GRID, linewidth=0.6)
    axes.set_axisbelow(True)
    for name, spine in axes.spines.items():
        spine.set_visible(name in ("left", "bottom"))
        spine.set_color(SOFT)
        spine.set_linewidth(0.8)
    axes.tick_params(colors=SOFT, labelcolor=SOFT, length=3, width=0.8)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)


def blank(width: float, height: float) -> Figure:
    """An empty figure [inch] that shows the page behind it."""
    figure = Figure(figsize=(width, height), layout="constrained")
    figure.patch.set_alpha(0.0)
    return figure
