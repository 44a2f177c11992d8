"""Doubts about the data by the estimator's own numbers, in words, each once per joint."""

import warnings
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.estimate.core import state as core
from pliant.estimate.core import suspicion


class StiffnessWarning(UserWarning):
    """An estimate that contradicts its own data."""


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
    "damped by {damping:.2g} N m s/rad, or the model is wrong: the data cannot separate these",
    core.MISFIT: "no spring of this form explains {misfit:.3g} % of the torque: mass, centre of "
    "mass, length or payload of the model, friction, or contact",
    core.CHANGED: "the spring has changed: the stiffness is {change:+.3g} % (± {std:.2g} %) of what it "
    "was, from about {began:.4g} s, detected at {time:.4g} s; it is learned anew",
    core.BLOCKED: "the torque has fitted no spring for {blocked:.2g} s: a contact, other friction, or another load or "
    "spring; nothing is learned meanwhile, and the stiffness is that of before",
    core.REOPENED: "after {age:.3g} s of torque that fitted no spring, all is learned anew from "
    "{time:.4g} s on",
}
"""Flag of the core to the warning."""


EVENTS = core.CHANGED | core.REOPENED
"""Flags that are reported each time."""


def tell(numbers: Floats, names: Sequence[str], told: NDArray[np.int64], time: float) -> None:
    """Warn of what is flagged in `numbers`, (15, n), at `time` [s] and not yet in `told`, (n,)."""
    new = numbers[core.FLAGS].astype(np.int64) & ~(told & ~EVENTS)
    for joint in np.flatnonzero(new).tolist():
        told[joint] |= new[joint]
        own = numbers[:, joint]
        values = {
            "sigma": own[core.SIGMA],
            "leverage": own[core.LEVERAGE],
            "skew": 1e3 * own[core.SKEW],
            "newer": -1e3 * own[core.SKEW],
            "damping": own[core.SKEW] * own[core.SIGMA],
            "change": 100 * own[core.CHANGE],
            "std": 100 * own[core.CHANGE_STD],
            "age": own[core.CHANGE_AGE],
            "began": time - own[core.CHANGE_AGE],
            "time": time,
            "blocked": suspicion.LONG,
            "misfit": 100 * own[core.MISFIT_OUT],
        }
        for flag, text in DOUBTS.items():
            if new[joint] & flag:
                words = f"{names[joint]}: {text.format(**values)}"
                warnings.warn(words, StiffnessWarning, stacklevel=5)
