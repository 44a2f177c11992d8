"""A plant over one whole trial as one matrix: y = y_0 + G u."""

from collections.abc import Callable

import numpy as np

from pliant.arrays import Floats
from pliant.extras import extra_module

_linalg = extra_module("scipy.linalg", "identify")


def lifted(impulse: Floats) -> Floats:
    """(m, T, T) lifted model from the (T, m) answers of each joint to an impulse of its own input.

    Row k of y and u belong to each other: impulse[0] is what an input does to the output in its own
    row. Where a trial settles on its first input before it begins, that row does more than this
    says; leave it as it is, or begin trials at rest.
    """
    return np.stack([_linalg.toeplitz(h, np.zeros(len(h))) for h in impulse.T])


def impulse_response(
    trial: Callable[[Floats], Floats], first: Floats, amplitude: float = 0.05
) -> Floats:
    """(T, m) Answers to unit impulses [output/input], from a step of `amplitude` on top of the inputs `first`.

    Every joint gets the step at once: what one input does to another joint is taken to be small.

    Args:
        trial: runs (1, T, m) inputs.
        first: (T, m) inputs around which it is measured; its first row holds.
        amplitude: of the step, in the input's unit.
    """
    rest = np.repeat(first[:1], len(first), axis=0)
    step = rest.copy()
    step[1:] += amplitude
    answer = (trial(step[None])[0] - trial(rest[None])[0]) / amplitude
    # The step begins in row 1, so that a trial that settles first starts from the same rest.
    return np.diff(answer, axis=0, append=answer[-1:])
