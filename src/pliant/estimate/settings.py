"""Settings of the stiffness estimator, with their defaults."""

from dataclasses import dataclass
from typing import Literal

from pliant.errors import PliantError

Mode = Literal["torque", "rotatum", "paper"]


@dataclass(frozen=True, kw_only=True)
class EstimatorSettings:
    """Settings of `StiffnessEstimator`; the defaults are for encoders of about 2e-4 rad at 5 ms.

    Attributes:
        boxes, width: the smoothing kernel, `boxes` boxes of `width` samples. 12 samples suit 12-bit
            encoders, and mode "rotatum".
        smooth_first: in mode "paper", smooth the positions by this kernel before they are differenced, and
            difference them about the middle of the observer's four samples. The published method does
            neither (False), and is of no use on encoders.
        friction: learn viscous and Coulomb friction of the link and a constant torque beside the
            spring. Costs nothing where there is none.
        coulomb_speed: over which the sign of the speed is rounded [rad/s].
        steady_speed: of the link, below which nothing is learned [rad/s], and 30 % of which is still watched for changes. At reversals, at rest and
            in co-contraction the data cannot separate the springs.
        gate: residuals beyond this many standard deviations [1] are a contact and not learned; 0 turns
            it off.
        patience: time [s] for which residuals may be rejected; after it the gate opens, and what was
            learned before counts for next to nothing. Rejected time also ages the memory.
        torque_floor: part of the torque scale [1]; what is never trusted better, in the gates and in telling
            whether anything is known.
        memory: time over which data are forgotten [s]; None never forgets. From 25 s for springs
            that drift.
        prior: variance of the normalised parameters [1] before anything is known. With coarse encoders
            1e4 extrapolates far better; without noise it is what limits accuracy.
        warn_leverage, warn_skew, warn_misfit: beyond which a warning is given: leverage; skew
            between encoders [s]; the lasting residual as a part of the torque.
        warn_change: the smallest change of a spring, as a fraction of it [1], that is reported and corrected.
    """

    boxes: int = 4
    width: int = 5
    smooth_first: bool = True
    friction: bool = True
    coulomb_speed: float = 0.05
    steady_speed: float = 0.1
    gate: float = 6.0
    patience: float = 10.0
    torque_floor: float = 1e-3
    memory: float | None = None
    prior: float = 1e6
    warn_leverage: float = 5.0
    warn_skew: float = 3e-4
    warn_misfit: float = 0.03
    warn_change: float = 0.05

    def __post_init__(self) -> None:
        above = (
            "coulomb_speed",
            "patience",
            "torque_floor",
            "prior",
            "warn_leverage",
            "warn_skew",
            "warn_misfit",
            "warn_change",
        )
        for name in above:
            if not getattr(self, name) > 0.0:
                raise PliantError(
                    "out of range", field=name, found=getattr(self, name), accepted="above 0"
                )
        for name in ("steady_speed", "gate"):
            if not getattr(self, name) >= 0.0:
                raise PliantError(
                    "out of range", field=name, found=getattr(self, name), accepted="from 0"
                )
        if self.memory is not None and not self.memory > 0.0:
            raise PliantError(
                "out of range", field="memory", found=self.memory, accepted="above 0 [s], or None"
            )
