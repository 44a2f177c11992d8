"""What the estimator's own numbers say against its data, in words, each once per joint."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.estimate.core import state as core


class StiffnessWarning(UserWarning):
    """An estimate that its own data speak against."""


DOUBTS = {
    core.NEGATIVE: "the stiffness came out as {sigma:.3g} N m/rad: link and motor channels are "
    "swapped, a sign is wrong, or the model carries the wrong load",
    core.EXTRAPOLATED: "leverage {leverage:.3g}: the stiffness here is extrapolated from what was "
    "learned elsewhere",
    core.OLDER: "friction came out as negative, as if the motor's positions were {skew:.2g} ms "
    "older than the link's, or more: synchronise the encoders, or correct the model",
    core.NEWER: "the motor's positions seem {newer:.2g} ms newer than the link's: synchronise the "
    "encoders, or correct the model",
    core.DAMPED: "the motor's positions seem {skew:.2g} ms older than the link's, or the spring is "
    "damped by {damping:.2g} N m s/rad, or the model is wrong: the data do not tell which",
    core.MISFIT: "no spring of this form explains {misfit:.3g} % of the torque: mass, centre of "
    "mass, length or payload of the model, friction, contact, or encoders too coarse for so little "
    "deflection",
}
"""Flag of the core to the warning."""


def tell(numbers: Floats, names: Sequence[str], told: NDArray[np.int64]) -> None:
    """Warn of what is flagged in `numbers`, (9, n), and not yet in `told`, (n,) flags."""
    new = numbers[core.FLAGS].astype(np.int64) & ~told
    for joint in np.flatnonzero(new).tolist():
        told[joint] |= new[joint]
        own = numbers[:, joint]
        values = {
            "sigma": own[core.SIGMA],
            "leverage": own[core.LEVERAGE],
            "skew": 1e3 * own[core.SKEW],
            "newer": -1e3 * own[core.SKEW],
            "damping": own[core.SKEW] * own[core.SIGMA],
            "misfit": 100 * own[core.MISFIT_OUT],
        }
        for flag, text in DOUBTS.items():
            if new[joint] & flag:
                words = f"{names[joint]}: {text.format(**values)}"
                warnings.warn(words, StiffnessWarning, stacklevel=4)
