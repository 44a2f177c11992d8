"""Data that the estimator refuses or doubts, in words; doubts are told once per joint.

The motors' speeds take no part in learning, but drives that report them besides positions tell by them
when a channel is exchanged, has another unit or sign, or is on the other side of the gear.
"""

import warnings
from collections.abc import Sequence
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate.core import state as core
from pliant.estimate.core import suspicion


def refuse_shape(
    q: Floats, theta: Floats, names: Sequence[str], channels: Sequence[str]
) -> NoReturn:
    """Other numbers of joints or motors than there are."""
    if q.shape != (len(names),):
        raise PliantError(
            "wrong number of link positions",
            field="q",
            found=f"shape {q.shape}",
            accepted=f"({len(names)},): {', '.join(names)}",
        )
    missing = channels[theta.size :]
    missing_text = f"motor channel missing: {', '.join(missing)}"
    raise PliantError(
        missing_text if missing else "too many motor channels",
        field="theta",
        found=f"shape {theta.shape}",
        accepted=f"({len(channels)},): {', '.join(channels)}",
    )


def refuse_value(sample: Floats, names: Sequence[str], channels: Sequence[str]) -> NoReturn:
    """Positions that are no numbers; `sample` is (n + m,)."""
    every = [*(f"{name}.q" for name in names), *channels]
    bad = [name for name, value in zip(every, sample, strict=True) if not np.isfinite(value)]
    raise PliantError(
        "is not a number",
        field=", ".join(bad),
        accepted="finite positions [rad]; without a sample leave the step out and call interrupt()",
    )


def refuse_time(t: float, last: float | None, dt: float) -> NoReturn:
    """A time stamp that does not follow the last by dt."""
    raise PliantError(
        "time is not uniform",
        field="t",
        found=f"{t!r} after {last!r}",
        accepted=f"steps of {dt:g} s; after a gap call interrupt()",
    )


SAMPLES = 400
"""Before anything is said."""
SLOW = 0.05
"""[rad/s] Root mean square, below which nothing is said."""
PART = 0.5
"""Tolerated difference, as a fraction of the speed's root mean square."""


class SpeedComparison:
    """Central differences of m motor positions against the speeds reported between them."""

    def __init__(self, motors: int, dt: float) -> None:
        self._dt, self._count = dt, 0
        self._last = np.full((2, motors), np.nan)
        self._speed = np.full(motors, np.nan)
        self._power = np.zeros((2, motors))

    def add(self, theta: Floats, speed: Floats) -> list[int]:
        """The channels whose speeds do not fit, once there is enough to tell; (m,) each."""
        difference = (theta - self._last[0]) / (2.0 * self._dt)
        if np.isfinite(difference).all():
            self._power += difference**2, (self._speed - difference) ** 2
            self._count += 1
        self._last[0], self._last[1], self._speed = self._last[1], theta, speed
        if self._count < SAMPLES:
            return []
        moves = self._power[0] > self._count * SLOW**2
        return np.flatnonzero(moves & (self._power[1] > PART**2 * self._power[0])).tolist()


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
