"""Student's t beside the normal distribution, as the cost of a fit has them."""

import numpy as np
from figures import COLOURS, SOFT, blank, dress, in_page, inline, legend

from pliant.identification.problem.posterior import NU

FAR = 6.0
"""Scales away from zero that are drawn."""


def page() -> str:
    """Markdown of the drawing, for a page to include."""
    return "\n".join(in_page(drawn()))


def drawn() -> str:
    """SVG: minus the logarithm of both densities, and what a sample weighs."""
    figure = blank(6.8, 2.6)
    left, right = figure.subplots(1, 2)
    dress(left, "residual / scale, $r/s$", "cost of a sample")
    dress(right, "residual / scale, $r/s$", "weight of a sample")
    r = np.linspace(-FAR, FAR, 241)
    student = 0.5 * (NU + 1.0) * np.log1p(r**2 / NU)
    left.plot(r, student, color=COLOURS[0], linewidth=1.5, label=f"Student's t of {NU:g}")
    left.plot(r, 0.5 * r**2, color=SOFT, linewidth=1.0, linestyle=(0, (4, 2)), label="normal")
    left.set_ylim(0.0, 8.0)
    right.plot(r, (NU + 1.0) / (NU + r**2), color=COLOURS[0], linewidth=1.5)
    right.plot(r, np.ones_like(r), color=SOFT, linewidth=1.0, linestyle=(0, (4, 2)))
    right.set_ylim(0.0, 1.4)
    legend(left)
    return inline(figure, "cost and weight of a sample by its residual")
