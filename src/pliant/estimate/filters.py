"""Kernels that differentiate and smooth at once: n boxes of w samples, a discrete B-spline.

With A the trapezoidal mean over w samples and D the difference over w samples divided by w T,

    K0 = A^n,   K1 = D A^(n-1),   K2 = D^2 A^(n-2)             stiffness estimation: section 5

are the same smoothing of a signal, its first and its second derivative, all with the same centre.
D is the exact mean of a derivative, A that of a signal but for (omega T)^2 / 12, so that each D in
the place of an A reads too high by that much. Three taps on the side with more A's take it out:

    F = (-1, 14, -1) / 12,    F A = D / (i omega) (1 + O((omega T)^4))
"""

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError

MATCH = np.array([-1.0, 14.0, -1.0]) / 12.0
"""F above."""
WIDEST = 10_000
"""Samples of a box: more are longer than any motion that a stiffness belongs to."""
SPEED = np.array([1.0, -8.0, 0.0, 8.0, -1.0]) / 12.0
"""Times 1/T: speed at the middle of five positions, oldest first; exact to (omega T)^4."""

MIDDLE_RATE = np.array([-1.0, -9.0, 9.0, 1.0]) / 12.0
"""Times 1/T: speed in the middle of four positions, oldest first, too low by (omega T)^2 / 8 as their third difference
is: rates of the torque and of the springs' terms then agree to (omega T)^4."""


def box_kernels(boxes: int, width: int, dt: float) -> tuple[Floats, Floats, Floats]:
    """K0, K1, K2 of `boxes` boxes of `width` samples, (boxes * width + 1,), oldest first.

    Raises:
        PliantError: fewer than two boxes, a width out of range, or a time step that is not above 0.
    """
    if boxes < 2 or not 1 <= width <= WIDEST or not dt > 0.0:
        raise PliantError(
            "not a filter",
            found=f"boxes {boxes}, width {width}, dt {dt}",
            accepted=f"boxes from 2, width from 1 to {WIDEST}, dt above 0 [s]",
        )
    mean = np.ones(width + 1)
    mean[[0, -1]] = 0.5
    mean /= width
    difference = np.zeros(width + 1)
    difference[[0, -1]] = -1.0 / (width * dt), 1.0 / (width * dt)
    kernels: list[Floats] = []
    for order in range(3):
        kernel = np.ones(1)
        for factor in [difference] * order + [mean] * (boxes - order):
            kernel = np.convolve(kernel, factor)
        kernels.append(kernel)
    return kernels[0], kernels[1], kernels[2]


def matched(less_mean: Floats, more_mean: Floats) -> tuple[Floats, Floats]:
    """Two kernels of which the second has one A more, with F on the second; equally long."""
    return np.pad(less_mean, 1), np.convolve(more_mean, MATCH)
