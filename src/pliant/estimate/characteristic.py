"""Results of a characterisation: parameters, a stiffness curve with its band, errors in words."""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats


@dataclass(frozen=True, kw_only=True, eq=False)
class StiffnessCurve:
    """Torque and stiffness over the link angle, with the motors at their medians.

    Attributes:
        q: (G,) [rad], where all springs are deflected as they were in the recording.
        theta: (m,) [rad] the motors.
        torque: (G,) [N m].
        stiffness: (G,) [N m/rad].
        low, high: (G,) [N m/rad] 95 % of the refits, wider where there are few blocks; noise only.
    """

    q: Floats
    theta: Floats
    torque: Floats
    stiffness: Floats
    low: Floats
    high: Floats

    @property
    def spread(self) -> float:
        """Half the width of the band over the stiffness, at its largest [%]."""
        return 100.0 * float(np.max(0.5 * (self.high - self.low) / np.abs(self.stiffness)))


@dataclass(frozen=True, kw_only=True)
class BranchError:
    """A fit to one branch, on the other.

    Attributes:
        fitted, tried: names of the branches.
        torque: error on the other branch, root mean square over the largest torque [%].
        stiffness: largest difference from the stiffness of the whole recording's fit [%].
    """

    fitted: str
    tried: str
    torque: float
    stiffness: float


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueCharacteristic:
    """Fitted torque law, its stiffness curve and its errors.

    Attributes:
        law: of each spring.
        names, units: of the parameters.
        parameters: (P,).
        std: (P,) of the refits; correlated parameters scatter far more than the stiffness does.
        residual: (N,) [N m] recorded - fitted.
        c: torque error [%], with `floor`.
        floor: [N m] that a torque counts for at least in c.
        below: part of the samples below it.
        block: samples in a block of the resampling.
        curve: torque and stiffness over the angle.
        branches: of a recording with a way up and a way down.
        warnings: one sentence each.
    """

    law: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    parameters: Floats
    std: Floats
    residual: Floats
    c: float
    floor: float
    below: float
    block: int
    curve: StiffnessCurve
    branches: tuple[BranchError, ...]
    warnings: tuple[str, ...]
