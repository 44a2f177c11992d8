"""Results of the stiffness estimator: numbers, and what it does with the newest sample."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.estimate.core import state as core

COVERS = (
    "noise, coarse encoders and a basis that is cut short: not the mass, centre of mass and payload "
    "of the model, nor hysteresis, nor friction that is not viscous or Coulomb friction"
)
"""Meaning of `sigma_std`."""


MODEL_LIMIT = (
    "The stiffness is as wrong as the model: masses 20 % too high make it 20 % too high, which no "
    "encoder shows. No other figure here includes that error. Friction of the link is learned as viscous and, in "
    "mode torque, as Coulomb friction; what it is beside that counts as the spring's, and a spring that changes "
    "is told the later for it: until then the stiffness is that of before."
)
"""Limit told beside every stiffness, with its size from `model_errors`."""


class Status(IntEnum):
    """Use of the newest sample by the estimator."""

    WARMING_UP = core.WARMING_UP
    """Too little was seen; sigma is NaN."""
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
        part: change of the joint's stiffness as a part of it, -0.28 for 28 % softer.
        std: standard deviation of that part [1].
        began: when the torque first stopped to fit [s].
        told: when it was certain [s].
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
        numbers: (…, 15, n) as the core gives them; the properties below have their units.
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
        """(…, n) rate of the elastic torque [N m/s], as long ago as `StiffnessEstimator.lag`."""
        return self.numbers[..., core.ROTATUM_OUT, :]

    @property
    def leverage(self) -> Floats:
        """(…, n) variance of sigma here over the largest where it was learned; > 1 extrapolates."""
        return self.numbers[..., core.LEVERAGE, :]

    @property
    def misfit(self) -> Floats:
        """(…, n) what no spring of this form explains, as a part of the torque: root mean squares.

        Noise is left out, which averages out; `sigma_std` covers it.
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
