"""Settings of the estimator: each joint with its springs, and the method."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from pliant.errors import PliantError, check_known
from pliant.io.encoder_file import MOTORS, Kind

Mode = Literal["torque", "rotatum", "paper"]


@dataclass(frozen=True, kw_only=True)
class EstimatorSettings:
    """Settings of `StiffnessEstimator`; the defaults are for encoders of about 2e-4 rad at 5 ms.

    Attributes:
        boxes, width: the smoothing kernel, `boxes` boxes of `width` samples. 12 samples suit 12-bit
            encoders, and mode "rotatum".
        smooth_first: in mode "paper", smooth the positions by this kernel before differencing them about the
            middle of the observer's four samples. The published method does neither (False), and is
            useless on encoders.
        friction: learn viscous and Coulomb friction of the link and a constant torque together with the
            spring. It does no harm if there is none.
        coulomb_speed: range of speed over which its sign is smoothed [rad/s].
        steady_speed: link speed below which nothing is learned [rad/s]; down to 30 % of it, changes are still
            watched for. At reversals, at rest and in co-contraction the data cannot separate the springs.
        gate: residuals beyond this many standard deviations [1] count as a contact and are not learned; 0
            turns it off.
        patience: time [s] for which residuals may be rejected; then the gate opens, and everything learned
            before gets almost no weight. Rejected time also ages the memory.
        torque_floor: smallest torque error assumed, as a fraction of the torque scale [1]; used in the gates
            and in deciding whether anything is known.
        memory: time over which data are forgotten [s]; None never forgets. From 25 s for springs
            that drift.
        prior: variance of the normalised parameters [1] before anything is known. With coarse encoders
            1e4 extrapolates far better; without noise it is what limits accuracy.
        warn_leverage, warn_skew, warn_misfit: thresholds for warnings: leverage; skew between encoders
            [s]; lasting residual as a fraction of the torque.
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


_POWERS: dict[str, tuple[int, ...]] = {"sea": (1,), "svsa": (1, 3), "avsa": (1, 3, 5, 7)}
_SCALE = {"sea": 0.05, "svsa": 0.1, "avsa": 0.5}


def next_power(powers: Sequence[int]) -> int:
    """The first power beyond those in `powers`; odd if all are odd."""
    return max(powers) + (2 if all(power % 2 for power in powers) else 1)


class Term(NamedTuple):
    """One basis function: (phi / phi_scale)^power (x / adjuster_scale)^adjuster_power."""

    motor: int
    """Index among the joint's motors: phi = q - theta[motor]."""
    power: int
    adjuster_power: int
    """0 where there is no adjuster; the adjuster is motor 1."""
    name: str


@dataclass(frozen=True, kw_only=True)
class Joint:
    """A compliant joint, as modelled by the estimator.

    Attributes:
        kind: "sea" (one motor), "svsa" (a motor and a stiffness adjuster), "avsa" (two motors).
        basis: powers of the deflection; None takes 1, or 1 and 3, or 1 to 7 by kind.
        adjuster_basis: powers of the adjuster's position, for "svsa".
        phi_scale: a typical large deflection [rad], which makes the regression well scaled; None
            takes 0.05, 0.1, 0.5 by kind.
        adjuster_scale: a typical large position of the adjuster, in its unit.
        torque_scale: a typical large torque [N m].
    """

    kind: Kind
    basis: tuple[int, ...] | None = None
    adjuster_basis: tuple[int, ...] = (0, 1, 2)
    phi_scale: float | None = None
    adjuster_scale: float = 1.0
    torque_scale: float = 1.0

    def __post_init__(self) -> None:
        check_known(self.kind, list(MOTORS), "no such kind of joint")
        for name in ("phi_scale", "adjuster_scale", "torque_scale"):
            value = getattr(self, name)
            if value is not None and not value > 0.0:
                raise PliantError("not a scale", field=name, found=value, accepted="above 0")
        if not self.powers or min(self.powers) < 1 or len(set(self.powers)) < len(self.powers):
            raise PliantError(
                "not a basis", field="basis", found=self.basis, accepted="different powers from 1"
            )
        if self.kind == "svsa" and (not self.adjuster_basis or min(self.adjuster_basis) < 0):
            raise PliantError(
                "not a basis",
                field="adjuster_basis",
                found=self.adjuster_basis,
                accepted="different powers from 0",
            )

    @property
    def motors(self) -> tuple[str, ...]:
        """The motor channels of this joint, in their order."""
        return MOTORS[self.kind]

    @property
    def powers(self) -> tuple[int, ...]:
        """Powers of the deflection in the basis."""
        return _POWERS[self.kind] if self.basis is None else self.basis

    @property
    def deflection_scale(self) -> float:
        """[rad] `phi_scale`, or the default for this kind."""
        return _SCALE[self.kind] if self.phi_scale is None else self.phi_scale

    @property
    def terms(self) -> tuple[Term, ...]:
        """The basis functions, in the order of the parameters."""
        if self.kind == "sea":
            return tuple(Term(0, j, 0, f"phi^{j}") for j in self.powers)
        if self.kind == "svsa":
            return tuple(
                Term(0, j, m, f"phi^{j} x^{m}") for m in self.adjuster_basis for j in self.powers
            )
        return tuple(
            Term(side, j, 0, f"phi_{'ab'[side]}^{j}") for side in (0, 1) for j in self.powers
        )

    @property
    def lacked(self) -> tuple[Term, ...]:
        """The first functions that the basis lacks, used to test whether it is truncated too early."""
        power = next_power(self.powers)
        if self.kind != "svsa":
            return tuple(Term(side, power, 0, "") for side in range(len(self.motors)))
        further = max(self.adjuster_basis) + 1
        return Term(0, power, min(self.adjuster_basis), ""), Term(0, min(self.powers), further, "")
