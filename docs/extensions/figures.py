"""Figures as inline SVG that take their colours from the page, light or dark."""

import io
import re
from typing import Any

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

INK, SOFT, PAPER = "#010101", "#020202", "#030303"
"""Stand for the page's own colours: text, lines, background."""
COLOURS = ("#2a86a6", "#d9822b", "#7a5cc0", "#3a9a5c", "#c4455a", "#8a8f3a")
_PAGE = {
    INK: "var(--color-foreground-primary)",
    SOFT: "var(--color-foreground-muted)",
    PAPER: "var(--color-background-primary)",
}


def blank(width: float, height: float, layout: Any = "constrained") -> Figure:
    """A figure of so many inches."""
    figure = Figure(figsize=(width, height), layout=layout)
    FigureCanvasSVG(figure)
    return figure


def dress(axes: Any, across: str, up: str) -> None:
    """Axes as the site draws them."""
    axes.set_xlabel(across, color=INK, fontsize=9)
    axes.set_ylabel(up, color=INK, fontsize=9)
    axes.tick_params(colors=SOFT, labelsize=8, length=3)
    axes.patch.set_visible(False)
    axes.grid(visible=True, color=SOFT, alpha=0.25, linewidth=0.6)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(SOFT)


def legend(axes: Any, **options: Any) -> None:
    """Names of the lines, without a frame."""
    axes.legend(frameon=False, fontsize=8, labelcolor=INK, **options)


def inline(figure: Figure, title: str) -> str:
    """The figure as an HTML element; `title` is what a screen reader says."""
    figure.patch.set_visible(False)
    buffer = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": title, "font.family": "sans-serif"}):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"', r"\1", text, count=1)
    text = re.sub(r"font: ([\d.]+)px [^;\"]*", r"font: \1px var(--font-stack)", text)
    for stand_in, colour in _PAGE.items():
        text = text.replace(stand_in, colour)
    mark = re.sub(r"\W+", "-", title)
    text = re.sub(r'(id="|url\(#|href="#)', rf"\1{mark}-", text)
    width = figure.get_figwidth() * 96
    text = text.replace("<svg ", f'<svg role="img" style="width:100%;max-width:{width:.0f}px" ', 1)
    return f'<figure class="drawn" aria-label="{title}">{text.strip()}</figure>'


def in_page(html: str) -> list[str]:
    """Lines of Markdown that put `html` on a page as it is."""
    return ["```{raw} html", html, "```", ""]
