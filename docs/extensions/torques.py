"""A servo's joint and a compliant one, drawn with the torques on each of their parts."""

import numpy as np
from figures import COLOURS, INK, PAPER, SOFT, blank, in_page, inline
from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, Rectangle

AXIS, RADIUS = 0.95, 0.42
"""Height of the shaft, and radius of a rotor [inches]."""


def servo() -> str:
    """Markdown of the drawing of a servo's joint."""
    axes = _axes(6.6, 1.9)
    _shaft(axes, 0.1, 5.2)
    _body(axes, 0.3, 0.9, "motor")
    _body(axes, 1.9, 0.9, "gear")
    _link(axes, 5.2)
    _arrow(axes, 1.45, "$\\tau_m$", COLOURS[0])
    _arrow(axes, 3.2, "$\\tau_f$", COLOURS[1])
    _arrow(axes, 4.3, "$\\tau_e$", COLOURS[2])
    _under(axes, 5.35, "$q$, inertia $J$")
    return _page(axes, "a servo's joint and the torques on it")


def compliant() -> str:
    """Markdown of the drawing of a joint with a spring."""
    axes = _axes(7.4, 1.9)
    _shaft(axes, 0.1, 3.7)
    _shaft(axes, 4.8, 6.3)
    _body(axes, 0.2, 0.9, "motor, gear")
    rotor = Circle((2.65, AXIS), RADIUS, facecolor=PAPER, edgecolor=INK, linewidth=1.2, zorder=4)
    axes.add_patch(rotor)
    axes.text(2.65, AXIS, "$J$", ha="center", va="center", color=INK, fontsize=10, zorder=5)
    _spring(axes, 3.7, 4.8)
    _link(axes, 6.3)
    _arrow(axes, 1.3, "$\\tau_m$", COLOURS[0])
    _arrow(axes, 1.9, "$D\\omega + \\tau_f$", COLOURS[1], down=True)
    _arrow(axes, 3.3, "$-\\partial V/\\partial\\theta$", COLOURS[3])
    _arrow(axes, 5.05, "$-\\partial V/\\partial q$", COLOURS[3])
    _arrow(axes, 5.75, "$\\tau_e$", COLOURS[2])
    _under(axes, 2.75, "$\\theta$, $\\omega$")
    _under(axes, 4.25, "$V(q, \\theta)$, $d$")
    _under(axes, 6.45, "$q$, inertia $M$")
    return _page(axes, "a compliant joint and the torques on its motor and its link")


def _axes(width: float, height: float) -> Axes:
    figure = blank(width, height, layout="none")
    axes: Axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_axis_off()
    axes.set_xlim(0.0, width)
    axes.set_ylim(0.0, height)
    return axes


def _shaft(axes: Axes, begin: float, end: float) -> None:
    axes.plot([begin, end], [AXIS, AXIS], color=INK, linewidth=2.4, solid_capstyle="butt", zorder=2)


def _body(axes: Axes, left: float, width: float, name: str) -> None:
    corner = (left, AXIS - RADIUS)
    box = Rectangle(
        corner, width, 2 * RADIUS, facecolor=PAPER, edgecolor=INK, linewidth=1.2, zorder=3
    )
    axes.add_patch(box)
    axes.text(
        left + width / 2, AXIS, name, ha="center", va="center", color=INK, fontsize=9, zorder=4
    )


def _link(axes: Axes, left: float) -> None:
    """A plate on the shaft's end, from which the link stands off."""
    _body(axes, left, 0.3, "")
    axes.text(left + 0.42, AXIS, "link", ha="left", va="center", color=INK, fontsize=9)


def _spring(axes: Axes, begin: float, end: float) -> None:
    """A zigzag beside a damper."""
    x = np.linspace(begin, end, 17)
    y = AXIS + 0.16 + 0.11 * np.array([0.0, *([1.0, -1.0] * 8)])[: len(x)]
    y[0] = y[-1] = AXIS + 0.16
    axes.plot(x, y, color=COLOURS[3], linewidth=1.4, zorder=3)
    low, middle = AXIS - 0.2, (begin + end) / 2
    axes.plot([begin, middle], [low, low], color=SOFT, linewidth=1.3)
    axes.plot([middle + 0.1, end], [low, low], color=SOFT, linewidth=1.3)
    axes.plot([middle, middle], [low - 0.08, low + 0.08], color=SOFT, linewidth=1.3)
    cup = [middle - 0.12, middle + 0.1, middle + 0.1, middle - 0.12]
    axes.plot(cup, [low - 0.12, low - 0.12, low + 0.12, low + 0.12], color=SOFT, linewidth=1.3)
    for at in (begin, end):
        axes.plot([at, at], [low, AXIS + 0.16], color=INK, linewidth=1.4)


def _arrow(axes: Axes, x: float, name: str, colour: str, *, down: bool = False) -> None:
    """A torque around the shaft, in the direction in which it counts as positive."""
    side = -1.0 if down else 1.0
    arrow = FancyArrowPatch(
        (x, AXIS - 0.36 * side),
        (x, AXIS + 0.36 * side),
        arrowstyle="-|>",
        connectionstyle=f"arc3,rad={0.55 * side}",
        mutation_scale=11,
        color=colour,
        linewidth=1.8,
        zorder=6,
    )
    axes.add_patch(arrow)
    at = AXIS + (-0.75 if down else 0.55)
    axes.text(x, at, name, ha="center", color=colour, fontsize=10)


def _under(axes: Axes, x: float, text: str) -> None:
    axes.text(x, AXIS - 0.75, text, ha="center", color=INK, fontsize=9)


def _page(axes: Axes, title: str) -> str:
    return "\n".join(in_page(inline(axes.get_figure(root=True), title)))
