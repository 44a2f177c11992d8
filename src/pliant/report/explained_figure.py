"""A recording and its simulation as a still figure, shaded by what explains the error."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from pliant.report.explained import CAUSES, ExplainedTrace, in_words
from pliant.report.still import COLOURS, MOST, finished, panels
from pliant.words import mrad

SHADES = {"contact": "#d6293e", "saturation": "#d97b00", "settling gap": "#2a9d5c"}
"""Cause to its colour; what is neither of them is not shaded."""


def explained_figure(found: Sequence[ExplainedTrace]) -> Any:
    """A panel for each joint of one recording."""
    figure, axes = panels(min(len(found), MOST))
    told = set[str]()  # in the legends of earlier panels

    def label(name: str) -> str | None:
        new = name not in told
        told.add(name)
        return name if new else None

    for axis, one in zip(axes, found, strict=False):
        log, goal = one.entry.log, one.entry.log.goal[:, one.entry.log.column(one.joint)]
        axis.plot(log.time, goal, color=COLOURS["goal"], label=label("goal"))
        measured, simulated = one.entry.measured, one.entry.simulated
        axis.plot(log.time, measured, color=COLOURS["measured"], lw=3.0, label=label("measured"))
        axis.plot(log.time, simulated, color=COLOURS["simulated"], label=label("simulated"))
        for cause, colour in SHADES.items():
            at = one.cause == CAUSES.index(cause)
            edges = np.flatnonzero(np.diff(np.r_[0, at.astype(int), 0]))
            for begin, end in zip(edges[::2], edges[1::2], strict=True):
                last = log.time[min(int(end), len(log.time) - 1)]
                shade = {"color": colour, "alpha": 0.15, "lw": 0, "label": label(cause)}
                axis.axvspan(log.time[begin], last, **shade)
        axis.set_ylabel(f"{one.joint} [rad]\n{mrad(one.mae)} mrad", fontsize=8)
        axis.set_title(in_words(one), fontsize=7, loc="left", color=COLOURS["measured"])
    return finished(figure, axes, "time [s]", found[0].log)
