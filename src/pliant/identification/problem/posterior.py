"""The posterior of the parameters, from the logs and prior knowledge: the one objective of a fit.

    -log p(u | logs) = sum of w ((nu + 1) / 2 log(1 + r² / (nu s²)) + log s) over all samples
                     + sum of ((u - m) / d)² / 2 over all numbers
                     + sum of ((predicted / stated - 1) / tolerance)² / 2 over a data sheet

r is simulated minus measured. Most of it is model error rather than noise, so neighbouring samples are correlated:
samples SPACING apart are used, each with weight w = its duration / MEMORY. The likelihood has heavy tails (Student's t);
its scale s is estimated with the parameters, one for each joint, at its most likely value.

u is a parameter's place in the unit cube of the search, m its prior mean, d its prior standard deviation: those of the
prior's file, or a fifth of the range if it gives no deviation. A parameter without a prior gets its starting value as
mean and the deviation of a uniform distribution over its range. So a parameter that starts at zero, such as a dead band,
stays there unless the logs require it.

Logs seldom contain the torque at standstill and full duty, or the speed without load: equally good fits differ by half
in both. The data sheet states them, within a tolerance; beyond 3 tolerances its term is linear.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact, Number
from pliant.extras import extra_module
from pliant.identification.problem.residuals import Residuals
from pliant.identification.problem.space import Space, named
from pliant.lower.law import plain

WIDTH = 0.2
"""Spread of units of one device if their file does not give it, in the unit cube."""
RANGE = 12.0**-0.5
"""Standard deviation of an even distribution over the unit cube."""


@dataclass(frozen=True, eq=False)
class Prior:
    """Numbers that a fit starts from and is pulled towards.

    Attributes:
        actuator: that has them; for a robot, an actuator for each joint that is known.
    """

    actuator: Actuator | Mapping[str, Actuator]

    @property
    def actuators(self) -> Mapping[str, Actuator]:
        """Actuators by joint; that of a joint on a bench is ""."""
        return {"": self.actuator} if isinstance(self.actuator, Actuator) else self.actuator

    def start(self, space: Space) -> Space:
        """The same box, starting at the prior's numbers."""
        return space.starting_at({n: x.value for n, x in self.numbers(space).items()})

    def numbers(self, space: Space) -> Mapping[str, Number]:
        """The numbers it has of the parameters searched."""
        known = {
            named(joint, name): number
            for joint, actuator in self.actuators.items()
            for name, number in actuator.numbers.items()
            if not _unknown(number)
        }
        return {name: known[name] for name in space.names if name in known}


def _unknown(number: Number) -> bool:
    """Whether a number is only a placeholder for its law."""
    return number.how == "assumed" and number.std is None


@dataclass(frozen=True, eq=False)
class Pull:
    """Normal prior of the searched parameters, in the unit cube.

    Attributes:
        centre, width: (D,) mean and standard deviation.
    """

    centre: Floats
    width: Floats

    def deviations(self, points: Floats) -> Floats:
        """(C, D) distance of points (C, D) from the centre, in widths."""
        return (points - self.centre) / self.width


def expected(space: Space, prior: Prior | None = None) -> Pull:
    """The priors of all parameters: from the prior's file, else around the starting value."""
    known: Mapping[str, Number] = prior.numbers(space) if prior else {}
    values = np.tile(space.start, (3, 1))
    for name, number in known.items():
        std = number.std or 0.0
        values[:, space.names.index(name)] = number.value, number.value - std, number.value + std
    middle, low, high = (space.to_cube(row) for row in values)
    spread = 0.5 * (high - low)
    usual = np.array([WIDTH if name in known else RANGE for name in space.names])
    return Pull(middle, np.minimum(np.where(spread > 0.0, spread, usual), RANGE))


@dataclass(frozen=True)
class Moved:
    """One parameter, before and after.

    Attributes:
        name: of the parameter. before, after: in its unit.
        widths: signed move in standard deviations of the prior.
    """

    name: str
    before: float
    after: float
    widths: float


def moved(prior: Prior, space: Space, values: Mapping[str, float]) -> tuple[Moved, ...]:
    """Change of each parameter that the prior knows, the largest first."""
    known = prior.numbers(space)
    point = space.to_cube(np.array([values[name] for name in space.names]))
    far = expected(space, prior).deviations(point[None])[0]
    every = [
        Moved(name, known[name].value, values[name], float(widths))
        for name, widths in zip(space.names, far, strict=True)
        if name in known
    ]
    return tuple(sorted(every, key=lambda one: -abs(one.widths)))


FAR = 1e6
"""[rad] A goal far enough to drive every controller to its limit."""
STRONGEST = 1e4
"""[N m] No friction holds more."""
FASTEST = 1e4
"""[rad/s] No joint turns faster."""
KNEE = 3.0
"""Tolerances beyond which the cost is linear (Huber), so that a wrong data sheet cannot outweigh the logs."""


class Figures:
    """Data-sheet values that the laws of an actuator predict.

    Args:
        actuator: gives the laws; parameters are given to `of`.
    """

    def __init__(self, actuator: Actuator) -> None:
        self.names = list(actuator.fields)
        self._f: Mapping[str, Callable[..., Any]] = plain(actuator)

    def of(self, values: Floats, fact: Fact, gear_ratio: float = 1.0) -> float:
        """The value for parameters (P,), in the order of `names`; NaN where the laws have none."""
        match fact.fact:
            case "winding_resistance":
                return self._number(values, "motor.R")
            case "rotor_inertia":
                return self._number(values, "own.armature") / gear_ratio**2
            case "gear_ratio":
                return float("nan")
            case "breakaway_torque":
                return self._breakaway(self._f["load_parameters"](list(values), 0))
            case _:
                p = self._f["load_parameters"](list(values), 0)
                return self._at_voltage(fact, p)

    def _number(self, values: Floats, name: str) -> float:
        return float(values[self.names.index(name)]) if name in self.names else float("nan")

    def _breakaway(self, p: Any) -> float:
        """The motor torque that starts the unloaded joint moving."""
        return _root(lambda t: self._f["budget"](0.0, t, 0.0, p) - t, STRONGEST)

    def _at_voltage(self, fact: Fact, p: Any) -> float:
        f, supply = self._f, fact.voltage

        def torque(v: float) -> float:
            return f["torque"](f["start"](FAR, p), FAR, 0.0, 0.0, v, supply, 1.0, p)

        still = torque(0.0)
        if fact.fact == "stall_current":
            begun = f["start"](FAR, p)
            return abs(float(f["current"](begun, still, p))) if "current" in f else float("nan")
        if fact.fact == "stall_torque":
            # It lifts a load as long as motor torque minus load exceeds the friction budget.
            return _root(lambda load: still - load - f["budget"](0.0, still, -load, p), still)
        return _root(lambda v: torque(v) - f["budget"](v, torque(v), 0.0, p), FASTEST)


def _root(f: Callable[[float], float], high: float) -> float:
    """The point from 0 to `high` where `f` falls through 0; 0 if not positive there, `high` if positive throughout."""
    if high <= 0.0 or f(0.0) <= 0.0:
        return 0.0
    if f(high) > 0.0:
        return high
    optimize = extra_module("scipy.optimize", "identify")
    return float(optimize.brentq(f, 0.0, high, rtol=1e-6))


class Facts:
    """Data-sheet facts as residuals: the deviation of each in tolerances.

    Attributes:
        known: those that the laws of the actuator have.

    Args:
        actuator: with the numbers that are not searched. space: that is searched.
        facts: of its data sheet.
    """

    def __init__(self, actuator: Actuator, space: Space, facts: Sequence[Fact]) -> None:
        self._figures, self._space, self._base = Figures(actuator), space, actuator.values
        names = self._figures.names
        self._columns = [(k, names.index(n)) for k, n in enumerate(space.names) if n in names]
        ratios = [fact.value for fact in facts if fact.fact == "gear_ratio"]
        self._ratio = ratios[0] if ratios else 1.0
        usable = [f for f in facts if f.fact != "rotor_inertia" or ratios]
        self.known = [f for f in usable if np.isfinite(self._figure(self._base, f))]

    def figures(self, points: Floats) -> Floats:
        """(C, K) the facts as points (C, D) of the unit cube have them."""
        values = np.repeat(self._base[None], len(points), axis=0)
        found = self._space.from_cube(points)
        for k, column in self._columns:
            values[:, column] = found[:, k]
        return np.array([[self._figure(row, fact) for fact in self.known] for row in values])

    def deviations(self, points: Floats) -> Floats:
        """(C, K) deviations of points (C, D) in tolerances; beyond the knee the root of the cost."""
        stated = np.array([fact.value for fact in self.known])
        width = np.array([fact.tolerance for fact in self.known])
        off = (self.figures(points) / stated - 1.0) / width
        size = np.maximum(np.abs(off), KNEE)
        return np.where(
            np.abs(off) <= KNEE, off, np.sign(off) * np.sqrt(KNEE * (2.0 * size - KNEE))
        )

    def _figure(self, values: Floats, fact: Fact) -> float:
        return self._figures.of(values, fact, self._ratio)


NU = 4.0
"""Degrees of freedom of Student's t: outliers count as in usual robust regression (Lange, Little and
Taylor, JASA 1989)."""
MEMORY = 0.3
"""[s] Correlation time: samples closer to each other carry no new information."""
SPACING = 0.02
"""[s] Between the samples that are compared: using all would add nothing, and take most of the time."""
FINEST = 1e-4
"""[rad, m] Smallest scale: the difference between simulations at different steps."""
ROUNDS = 5
"""Newton steps to find a scale: three reach a relative error of 1e-6, four with a fifth of outliers."""
LEAP = 4.0
"""Longest such step, in the logarithm of the variance."""


class Posterior:
    """Minus the logarithm of the posterior density, as a function of the residuals.

    Args:
        misfit: residuals of candidates on the logs. pull: the prior; None: there is none.
        facts: of a data sheet. The deviations of both follow the samples, as residuals.

    Attributes:
        pull: as given. news: (M,) weight of each sample that is compared.
    """

    def __init__(
        self, misfit: Residuals, pull: Pull | None = None, facts: Facts | None = None
    ) -> None:
        self.misfit, self.pull = misfit, pull
        self.pulls = [one for one in (pull, facts) if one is not None]
        samples = misfit.samples
        places = [
            first + _spaced(time)
            for first, time in zip(samples.starts, samples.per_block(samples.time), strict=False)
        ]
        self._compared = np.concatenate(places)
        ends = samples.time[samples.starts[1:] - 1]
        news = [_durations(samples.time[own], end) for own, end in zip(places, ends, strict=True)]
        self.news = np.maximum(np.concatenate(news), 0.0) / MEMORY
        self._starts = np.cumsum([0, *map(len, places)])
        joints = np.arange(len(places)) % samples.joint_count
        self._joints = [
            np.flatnonzero(np.repeat(joints == joint, np.diff(self._starts)))
            for joint in range(samples.joint_count)
        ]

    @property
    def steps(self) -> int:
        """Integration steps so far."""
        return self.misfit.steps

    @property
    def evaluations(self) -> int:
        """Candidates so far."""
        return self.misfit.evaluations

    def __call__(self, points: Floats) -> Floats:
        """(C,) the cost of points (C, D) of the unit cube."""
        return self.cost(self.residuals(points))

    def residuals(self, points: Floats) -> Floats:
        """(C, D) points to (C, M + K) residuals [rad, m], the last K the deviations from prior and data sheet."""
        r = self.misfit(points)[:, self._compared]
        return np.concatenate([r, *(pull.deviations(points) for pull in self.pulls)], axis=1)

    def cost(self, residuals: Floats) -> Floats:
        """(C,) of residuals (C, M + K)."""
        count = len(self.news)
        cost = 0.5 * np.sum(residuals[:, count:] ** 2, axis=1)
        for own in self._joints:
            news, squares = self.news[own], residuals[:, own] ** 2
            s = _scale(squares, news)
            density = 0.5 * (NU + 1.0) * np.log1p(squares / (NU * s[:, None] ** 2))
            cost += np.einsum("cm,m->c", density, news) + news.sum() * np.log(s)
        return cost

    def likelihood(self, points: Floats) -> Floats:
        """(C,) log-likelihood of points (C, D) from the logs and the data sheet, without the prior."""
        before = (
            0.0 if self.pull is None else 0.5 * np.sum(self.pull.deviations(points) ** 2, axis=1)
        )
        return before - self(points)

    def weights(self, residuals: Floats) -> Floats:
        """(M + K,) weights for which the weighted squares have the slope, and about the curvature, of the cost."""
        weights = np.ones(len(residuals))
        for own in self._joints:
            squares = residuals[own] ** 2
            s = _scale(squares[None], self.news[own])[0]
            weights[own] = self.news[own] * (NU + 1.0) / (NU * s * s + squares)
        return weights

    def scales(self, residuals: Floats) -> list[float]:
        """[rad, m] most likely scale of each joint, of residuals (M + K,)."""
        return [float(_scale(residuals[None, own] ** 2, self.news[own])[0]) for own in self._joints]

    def densities(self, residuals: Floats, scales: Sequence[float]) -> Floats:
        """(B,) logarithm of the density of each block of residuals (M + K,), at these scales of the joints."""
        each = np.empty(len(self.news))
        for own, s in zip(self._joints, scales, strict=True):
            tails = 0.5 * (NU + 1.0) * np.log1p(residuals[own] ** 2 / (NU * s * s))
            each[own] = -self.news[own] * (tails + np.log(s))
        return np.add.reduceat(each, self._starts[:-1])

    def error(self, residuals: Floats) -> Floats:
        """(C,) [rad] mean over joints and logs of their mean absolute error."""
        sums = np.add.reduceat(np.abs(residuals[:, : len(self.news)]), self._starts[:-1], axis=1)
        return np.mean(sums / np.diff(self._starts), axis=1)


def _spaced(time: Floats) -> NDArray[np.int64]:
    """Places of samples (N,), as far apart as SPACING, or all."""
    return np.flatnonzero(np.diff(np.floor(time / SPACING), prepend=-np.inf))


def _durations(time: Floats, end: float) -> Floats:
    """(N,) [s] the time that each of samples (N,) represents, up to the end of its recording."""
    return np.diff(np.concatenate([time[:1], 0.5 * (time[1:] + time[:-1]), [end]]))


def _scale(squares: Floats, news: Floats) -> Floats:
    """(C,) [rad, m] most likely scale of residuals whose squares are (C, M).

    There the mean of (nu + 1) u is 1, u = r² / (nu s² + r²): Newton's method on its logarithm over that of s².
    """
    share = news / max(float(news.sum()), 1e-300)
    s2 = np.maximum(np.einsum("cm,m->c", squares, share), FINEST**2)
    for _ in range(ROUNDS):
        u = squares / (NU * s2[:, None] + squares)
        mean = np.maximum(np.einsum("cm,m->c", u, share), 1e-300)
        slope = 1.0 - np.einsum("cm,cm,m->c", u, u, share) / mean
        step = np.log((NU + 1.0) * mean) / np.maximum(slope, 1e-300)
        s2 = np.maximum(s2 * np.exp(np.clip(step, -LEAP, LEAP)), FINEST**2)
    return np.sqrt(s2)
