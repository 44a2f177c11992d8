"""Friction budgets of M1 to M6 over speed and load, computed from the laws."""

import numpy as np
from figures import COLOURS, blank, dress, in_page, inline, legend

from pliant.arrays import Floats
from pliant.io.actuator_file import load_actuator
from pliant.report.derived import friction_budget

MODELS = ("m1", "m2", "m3", "m4", "m5", "m6")
SERVO = "mx64_bam"
"""The published numbers of this servo are drawn."""
LOADS = (0.0, 0.5, 1.0, 2.0)
"""[N m] torque of the load; the motor holds it."""
FASTEST = 4.0
"""[rad/s]"""


def budget(model: str, speeds: Floats, load: float) -> Floats:
    """(N,) budget [N m] at speeds (N,) [rad/s], while the motor holds a load [N m]."""
    return friction_budget(load_actuator(f"{SERVO}_{model}"), speeds, load, -load)


def page() -> str:
    """Markdown of the drawing, for a page to include."""
    figure = blank(6.9, 4.4)
    speeds = np.linspace(0.0, FASTEST, 161)
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    for model, axes in zip(MODELS, panels.flat, strict=True):
        across = "speed [rad/s]" if axes in panels[1] else ""
        dress(axes, across, "budget [N m]" if axes in panels[:, 0] else "")
        axes.set_title(model.upper(), fontsize=9, color=COLOURS[0])
        for colour, load in zip(COLOURS, LOADS, strict=False):
            axes.plot(
                speeds,
                budget(model, speeds, load),
                color=colour,
                linewidth=1.5,
                label=f"load {load:g} N m",
            )
    panels[0, 0].set_ylim(bottom=0.0)
    legend(panels[0, 0])
    return "\n".join(in_page(inline(figure, "friction budgets of six models over speed, by load")))
