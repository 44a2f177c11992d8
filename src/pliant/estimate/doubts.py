"""What the estimator's own numbers say against its data, in words, each once per joint."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pliant.estimate.core import state as core

Array = NDArray[np.float64]


class StiffnessWarning(UserWarning):
    """An estimate that its own data speak against."""


DOUBTS = {
    core.NEGATIVE: "the stiffness came out as {sigma:.3g} N m/rad: link and motor channels are "
    "swapped, a sign is wrong, or the model carries the wrong load",
    core.EXTRAPOLATED: "leverage {leverage:.3g}: the stiffness here is extrapolated from what was "
    "learned elsewhere",
    core.SKEWED: "friction came out as negative, as if the motor's positions were {skew:.2g} ms "
    "older than the link's: synchronise the encoders, or correct the model",
    core.MISFIT: "no spring of this form explains {misfit:.3g} % of the torque: mass, centre of "
    "mass, length or payload of the model, friction, contact, or encoders too coarse for so little "
    "deflection",
}
"""Flag of the core to the warning."""


def tell(numbers: Array, names: Sequence[str], told: set[tuple[int, int]]) -> None:
    """Warn of what is flagged in `numbers`, (9, n), and not yet among `told`."""
    for joint, flags in enumerate(numbers[core.FLAGS].astype(int)):
        for flag, text in DOUBTS.items():
            if flags & flag and (joint, flag) not in told:
                told.add((joint, flag))
                own = numbers[:, joint]
                values = {
                    "sigma": own[core.SIGMA], "leverage": own[core.LEVERAGE],
                    "skew": 1e3 * own[core.SKEW], "misfit": 100 * own[core.MISFIT_OUT],
                }  # fmt: skip
                words = f"{names[joint]}: {text.format(**values)}"
                warnings.warn(words, StiffnessWarning, stacklevel=4)
