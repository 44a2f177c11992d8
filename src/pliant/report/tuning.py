"""The picture of what gains do to a robot's servos: a panel for each joint, a point for each candidate."""

from typing import Any

from pliant.report.still import COLOURS, GREY, new_figure
from pliant.robots.tuning import Tuning, cycles, figures

ACROSS = 3
"""Panels beside each other."""


def tuning_figure(tuning: Tuning) -> Any:
    """Overshoot over settling gap, means over the draws [mrad]; crosses have limit cycles."""
    across = min(ACROSS, len(tuning.joints))
    down = -(-len(tuning.joints) // across)
    figure = new_figure(2.4 * across + 0.6, 2.0 * down + 0.7)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for j, (axis, joint) in enumerate(zip(panels, tuning.joints, strict=False)):
        _joint(axis, tuning, j)
        axis.set_title(joint, fontsize=9, color=GREY)
        axis.tick_params(colors=GREY, labelsize=8)
        axis.grid(color=GREY, alpha=0.25, lw=0.6)
        for side in axis.spines.values():
            side.set_color(GREY)
    for axis in panels[len(tuning.joints) :]:
        axis.set_visible(False)
    figure.supxlabel("settling gap [mrad]", fontsize=9, color=GREY)
    figure.supylabel("overshoot [mrad]", fontsize=9, color=GREY)
    drawn = [axis.get_legend_handles_labels() for axis in panels]
    kept = {label: h for handles, labels in drawn for h, label in zip(handles, labels, strict=True)}
    figure.legend(
        kept.values(), kept, ncols=4, loc="outside upper center", fontsize=8, frameon=False,
        labelcolor=GREY,
    )  # fmt: skip
    return figure


def _joint(axis: Any, tuning: Tuning, j: int) -> None:
    for k, (_, measured) in enumerate(tuning.tried):
        found = figures(measured, j)
        at = 1e3 * found["gap"], 1e3 * found["overshoot"]
        rings = cycles(measured)[j] > 0
        colour = COLOURS["other"] if rings else GREY
        label = "limit cycle" if rings else "tried"
        axis.plot(*at, "x" if rings else ".", color=colour, label=label, zorder=1)
        if k == 0:
            axis.plot(*at, "s", color=COLOURS["goal"], label="the file's", zorder=2)
        if k == tuning.choice[j]:
            axis.plot(*at, "*", ms=11, color=COLOURS["simulated"], label="recommended", zorder=3)
