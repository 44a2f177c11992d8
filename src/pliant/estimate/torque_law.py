"""A sum of springs whose parameters are fitted to a recorded torque.

    tau = sum_i T(q - q_0 - theta_i; p_i) + tau_0            i: the motors, one or two
    sigma = sum_i dT/dphi(q - q_0 - theta_i; p_i)            stiffness estimation: section 9

T is any law of the family compliance. Least squares (trust region) over the logarithms of its
parameters; stiffness is the law's own derivative. tau is positive for a positive deflection, and
the speed must be low: effects of inertia, friction and damping on tau are attributed to the springs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from pliant.arrays import Floats
from pliant.catalogue import Field, Physics, load_law
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.lower.law import Lowered, lower_law

_optimize = extra_module("scipy.optimize", "identify")

Offset = Literal["angle", "torque"]

LONGEST = 1000
"""Evaluations of one search; fitting a zero error of the angle creates a long valley."""
FEWEST = 5
"""Samples per parameter below which nothing is fitted."""
WEAK = 1e-6
"""Ratio of singular values of the scaled Jacobian, below which parameters cannot be separated."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TorqueData:
    """A recording.

    Attributes:
        q: (N,) [rad] of the link.
        theta: (N, m) [rad] of the motors, on the joint side of the gear.
        tau: (N,) [N m] elastic torque, positive for positive deflection.
    """

    q: Floats
    theta: Floats
    tau: Floats

    def rows(self, chosen: NDArray[np.intp] | NDArray[np.bool_]) -> "TorqueData":
        """Some of its samples."""
        return TorqueData(q=self.q[chosen], theta=self.theta[chosen], tau=self.tau[chosen])


class TorqueLaw:
    """A sum of springs of one law, with their parameters in one vector.

    Parameters that torque does not depend on (damping) have no part in it and are zero.
    """

    def __init__(self, law: str, motors: int, offsets: Sequence[Offset] = ()) -> None:
        self.physics: Physics = load_law("compliance", law)
        self.motors, self.offsets = motors, tuple(offsets)
        self._lowered: Lowered = lower_law(self.physics, "llvm")
        self._own = [k for k in range(len(self.physics.parameters)) if self._acts(k)]
        self.fields: list[Field] = [self.physics.parameters[k] for k in self._own]
        # A positive parameter is searched by its logarithm.
        self._log = np.array(
            [field.low > 0.0 for field in self.fields] * motors + [False] * len(self.offsets), bool
        )

    @property
    def names(self) -> list[str]:
        """Names of the parameters: `k_a`, `a_a`, `k_b`, `a_b`, or `k`, and offsets."""
        sides = [""] if self.motors == 1 else [f"_{'abcdefgh'[i]}" for i in range(self.motors)]
        own = [f"{field.name}{side}" for side in sides for field in self.fields]
        return [*own, *(f"{offset}_offset" for offset in self.offsets)]

    @property
    def units(self) -> list[str]:
        """Units of the parameters."""
        units = [field.unit for field in self.fields] * self.motors
        return [*units, *({"angle": "rad", "torque": "N m"}[offset] for offset in self.offsets)]

    def torque(self, p: Floats, data: TorqueData) -> Floats:
        """(N,) [N m]."""
        shift = self._offset(p, "torque")
        return self._sum("torque", p, data) + shift

    def stiffness(self, p: Floats, data: TorqueData) -> Floats:
        """(N,) [N m/rad], the derivative of `torque` by q."""
        return self._sum("stiffness", p, data)

    def encode(self, p: Floats) -> Floats:
        """Parameters as searched: logarithms of those with a scale."""
        return np.where(self._log, np.log(np.where(self._log, p, 1.0)), p)

    def decode(self, x: Floats) -> Floats:
        """The parameters."""
        return np.where(self._log, np.exp(np.where(self._log, x, 0.0)), x)

    def bounds(self) -> tuple[Floats, Floats]:
        """Bounds of the encoded parameters: the law's own range."""
        edges = [(f.low, f.high) for f in self.fields] * self.motors
        edges += [(-np.inf, np.inf)] * len(self.offsets)
        low, high = np.array(edges).T
        return self.encode(low), self.encode(high)

    def _acts(self, k: int) -> bool:
        """Whether the torque depends on a parameter of the law."""
        at = np.array([_inside(field) for field in self.physics.parameters])
        other = at.copy()
        other[k] = 0.5 * at[k] + 0.5 * max(self.physics.parameters[k].low, 0.1 * at[k])
        rows = np.array([[0.1, *at], [0.1, *other]])
        values = self._lowered.evaluate("torque", rows)[:, 0]
        return bool(values[0] != values[1])

    def _offset(self, p: Floats, which: Offset) -> float:
        if which not in self.offsets:
            return 0.0
        return float(p[len(self.fields) * self.motors + self.offsets.index(which)])

    def _sum(self, name: str, p: Floats, data: TorqueData) -> Floats:
        total = np.zeros(len(data.q))
        rows = np.zeros((len(data.q), 1 + len(self.physics.parameters)))
        width = len(self.fields)
        for i in range(self.motors):
            rows[:, 0] = data.q - self._offset(p, "angle") - data.theta[:, i]
            for k, place in enumerate(self._own):
                rows[:, 1 + place] = p[i * width + k]
            total += self._lowered.evaluate(name, rows)[:, 0]
        return total


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """A least-squares solution.

    Attributes:
        parameters: (P,) in the order of `TorqueLaw.names`.
        weak: ratio of the smallest to the largest singular value of the scaled Jacobian.
        converged: whether the search ended by itself.
    """

    parameters: Floats
    weak: float
    converged: bool


def fitted(law: TorqueLaw, data: TorqueData, start: Floats | None = None) -> Fit:
    """The parameters that explain the torque best; several starts, unless one is given."""
    starts = _starts(law, data) if start is None else [start]
    low, high = law.bounds()
    scale = float(np.abs(data.tau).max())

    def residuals(x: Floats) -> Floats:
        found = (law.torque(law.decode(x), data) - data.tau) / scale
        return np.clip(np.nan_to_num(found, nan=1e6), -1e6, 1e6)

    evaluations = LONGEST if start is None else LONGEST // 10
    solutions: list[Any] = [
        _optimize.least_squares(
            residuals,
            np.clip(law.encode(p), low + 1e-9, high - 1e-9),
            bounds=(low, high),
            method="trf",
            x_scale="jac",
            ftol=1e-12,
            xtol=1e-12,
            gtol=1e-12,
            max_nfev=evaluations,
        )
        for p in starts
    ]
    best: Any = min(solutions, key=_cost)
    J: Floats = np.asarray(best.jac, np.float64)
    norms: Floats = np.linalg.norm(J, axis=0)
    weak = 0.0 if norms.min() == 0.0 else _ratio(J / norms)
    return Fit(
        parameters=law.decode(np.asarray(best.x, np.float64)),
        weak=weak,
        converged=bool(best.status > 0),
    )


def _cost(solution: Any) -> float:
    return float(solution.cost)


def _ratio(matrix: Floats) -> float:
    values = np.linalg.svd(matrix, compute_uv=False)
    return float(values[-1] / values[0])


def _starts(law: TorqueLaw, data: TorqueData) -> list[Floats]:
    """Springs as stiff as the whole joint, from nearly linear to strongly progressive."""
    phi = data.q[:, None] - data.theta
    reach = float(np.abs(phi).max())
    rise = float(np.abs(data.tau).max()) / reach / law.motors
    starts: list[Floats] = []
    for bend in (0.3, 1.5, 4.0):
        own: list[float] = []
        for field in law.fields:
            guess = _guess(field, bend, reach, rise)
            own.append(float(np.clip(guess, field.low, field.high)))
        starts.append(np.array([*own * law.motors, *[0.0] * len(law.offsets)]))
    return starts


def _guess(field: Field, bend: float, reach: float, rise: float) -> float:
    """Starting value by unit: a stiffness, a torque at that bend, or an inverse angle."""
    inverse = bend / reach
    by_unit: Mapping[str, float] = {
        "N m/rad": rise,
        "N m": rise * reach / float(np.sinh(bend)),
        "1/rad": inverse,
        "rad": 1.0 / inverse,
    }
    return by_unit.get(field.unit, _inside(field))


def _inside(field: Field) -> float:
    """Some value within a field's range."""
    low, high = max(field.low, -1e6), min(field.high, 1e6)
    return float(np.sqrt(low * high)) if low > 0.0 else low + 0.1 * min(high - low, 10.0)


def checked(q: ArrayLike, tau: ArrayLike, theta: ArrayLike) -> TorqueData:
    """A recording from arrays.

    Raises:
        PliantError: sizes do not fit, a value is not finite, or nothing moves.
    """
    link, torque = np.asarray(q, np.float64), np.asarray(tau, np.float64)
    motors = np.asarray(theta, np.float64)
    if motors.ndim < 2 and motors.shape != link.shape:
        motors = np.broadcast_to(np.atleast_1d(motors), (len(link), motors.size))
    motors = motors.reshape(len(link), -1) if motors.size else motors
    for name, values in (("q", link), ("tau", torque), ("theta", motors)):
        if len(values) != len(link) or not values.size or (name != "theta" and values.ndim != 1):
            problem, shape = "wrong number of values for these samples", f"({len(link)},)"
            raise PliantError(problem, field=name, found=values.shape, accepted=shape)
        if not np.isfinite(values).all():
            row = int(np.argwhere(~np.isfinite(values))[0][0])
            raise PliantError("is not a number", field=f"{name}[{row}]", found=str(values[row]))
    if np.ptp(link[:, None] - motors, axis=0).max() == 0.0 or not torque.any():
        raise PliantError("no deflection changes, or no torque acts: nothing to fit", field="q")
    return TorqueData(q=link, theta=np.array(motors), tau=torque)


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
