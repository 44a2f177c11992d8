"""Results of the stiffness estimator: numbers, and its use of the newest sample.

The motors' speeds are not used for learning. If drives report them besides positions, they reveal channels that
are exchanged, have another unit or sign, or are on the other side of the gear.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.estimate.core import output
from pliant.estimate.core import state as core

COVERS = (
    "noise, coarse encoders and a basis that is cut short: not the mass, centre of mass and payload "
    "of the model, nor hysteresis, nor friction that is not viscous or Coulomb friction"
)
"""Meaning of `sigma_std`."""


MODEL_LIMIT = (
    "The stiffness is as wrong as the model: masses 20 % too high make it 20 % too high, which no "
    "encoder shows. No other figure here includes that error. Friction of the link is learned as viscous and, in "
    "mode torque, as Coulomb friction; any other friction is attributed to the spring and delays the detection "
    "of a spring that changes: until then the previous stiffness is reported."
)
"""Limitation reported beside every stiffness, with its size from `model_errors`."""


class Status(IntEnum):
    """Use of the newest sample by the estimator."""

    WARMING_UP = core.WARMING_UP
    """Too little data so far; sigma is NaN."""
    LEARNING = core.LEARNING
    FROZEN = core.FROZEN
    """The link is steady, or `freeze` was called: sigma comes from what was learned before."""
    REJECTED = core.REJECTED
    """The torque fits no spring: a contact, perhaps. Not learned."""
    CANNOT_KNOW = core.CANNOT_KNOW
    """Steady, and nothing was learned about the stiffness here; sigma is NaN."""

    @property
    def text(self) -> str:
        """The status in words."""
        return self.name.lower().replace("_", " ")


@dataclass(frozen=True, kw_only=True)
class StiffnessChange:
    """A spring that changed.

    Attributes:
        joint: its name.
        part: relative change of the joint's stiffness, -0.28 for 28 % softer.
        std: standard deviation of that change [1].
        began: time at which the torque first stopped fitting [s].
        told: time of detection [s].
    """

    joint: str
    part: float
    std: float
    began: float
    told: float


@dataclass(frozen=True, eq=False)
class Estimate:
    """Estimate after one sample, or, with a leading axis N, after each of N samples.

    Attributes:
        numbers: (…, 15, n) output of the core; the properties below state their units.
        parameters: (n, p) normalised; those of the basis first, then friction; in the units of
            `Joint`'s scales.
    """

    numbers: Floats
    parameters: Floats

    @property
    def sigma(self) -> Floats:
        """(…, n) stiffness [N m/rad] at the newest positions, undelayed; NaN where unknown."""
        return self.numbers[..., core.SIGMA, :]

    @property
    def sigma_std(self) -> Floats:
        """(…, n) its standard deviation [N m/rad]; for what it covers see `COVERS`."""
        return self.numbers[..., core.STD, :]

    @property
    def tau_e(self) -> Floats:
        """(…, n) elastic torque [N m] at the newest positions; positive for positive deflection."""
        return self.numbers[..., core.TORQUE_OUT, :]

    @property
    def rotatum(self) -> Floats:
        """(…, n) rate of the elastic torque [N m/s], delayed by `StiffnessEstimator.lag`."""
        return self.numbers[..., core.ROTATUM_OUT, :]

    @property
    def leverage(self) -> Floats:
        """(…, n) variance of sigma here over the largest at the points learned from; > 1 extrapolates."""
        return self.numbers[..., core.LEVERAGE, :]

    @property
    def misfit(self) -> Floats:
        """(…, n) fraction of the rms torque that no spring of this form explains.

        Noise is excluded because it averages out; `sigma_std` covers it.
        """
        return self.numbers[..., core.MISFIT_OUT, :]

    @property
    def codes(self) -> NDArray[np.int64]:
        """(…, n) `Status` as numbers."""
        return self.numbers[..., core.STATUS, :].astype(np.int64)

    @property
    def status(self) -> tuple[Status, ...]:
        """Status of each joint; of a recording, at its end."""
        last = self.codes.reshape(-1, self.codes.shape[-1])[-1]
        return tuple(Status(int(code)) for code in last)


def refuse_shape(
    q: Floats, theta: Floats, names: Sequence[str], channels: Sequence[str]
) -> NoReturn:
    """Error for positions of too many or too few joints or motors."""
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
    """Error for positions that are not finite numbers; `sample` is (n + m,)."""
    every = [*(f"{name}.q" for name in names), *channels]
    bad = [name for name, value in zip(every, sample, strict=True) if not np.isfinite(value)]
    raise PliantError(
        "is not a number",
        field=", ".join(bad),
        accepted="finite positions [rad]; if a sample is missing, skip the step and call interrupt()",
    )


def refuse_time(t: float, last: float | None, dt: float) -> NoReturn:
    """Error for a time stamp that does not follow the last by dt."""
    raise PliantError(
        "time is not uniform",
        field="t",
        found=f"{t!r} after {last!r}",
        accepted=f"steps of {dt:g} s; after a gap call interrupt()",
    )


SAMPLES = 400
"""Samples before anything is reported."""
SLOW = 0.05
"""[rad/s] Rms speed below which nothing is reported."""
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
    core.NEGATIVE: "the stiffness estimate is {sigma:.3g} N m/rad: link and motor channels are "
    "swapped, a sign is wrong, or the model carries the wrong load",
    core.EXTRAPOLATED: "leverage {leverage:.3g}: the stiffness here is extrapolated from what was "
    "learned elsewhere",
    core.OLDER: "the friction estimate is negative, as if the motor's positions were {skew:.2g} ms "
    "older than the link's, or more: synchronise the encoders, or correct the model",
    core.NEWER: "the motor's positions seem {newer:.2g} ms newer than the link's: synchronise the "
    "encoders, or correct the model",
    core.DAMPED: "the motor's positions seem {skew:.2g} ms older than the link's, or the spring is "
    "damped by {damping:.2g} N m s/rad, or the model is wrong: the data cannot separate these",
    core.MISFIT: "no spring of this form explains {misfit:.3g} % of the torque: mass, centre of "
    "mass, length or payload of the model, friction, or contact",
    core.CHANGED: "the spring has changed: the stiffness is {change:+.3g} % (± {std:.2g} %) of what it "
    "was, from about {began:.4g} s, detected at {time:.4g} s; it is being relearned",
    core.BLOCKED: "the torque has fitted no spring for {blocked:.2g} s: a contact, other friction, or another load or "
    "spring; learning is suspended and the previous stiffness is reported",
    core.REOPENED: "after {age:.3g} s of torque that fitted no spring, learning restarted at "
    "{time:.4g} s",
}
"""Map of the core's flag to the warning."""


EVENTS = core.CHANGED | core.REOPENED
"""Flags that are reported each time."""


def tell(numbers: Floats, names: Sequence[str], told: NDArray[np.int64], time: float) -> None:
    """Warn of flags in `numbers`, (15, n), at `time` [s] that are not yet in `told`, (n,)."""
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
            "blocked": output.LONG,
            "misfit": 100 * own[core.MISFIT_OUT],
        }
        for flag, text in DOUBTS.items():
            if new[joint] & flag:
                words = f"{names[joint]}: {text.format(**values)}"
                warnings.warn(words, StiffnessWarning, stacklevel=5)
