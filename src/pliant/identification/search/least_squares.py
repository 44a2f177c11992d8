"""Bounded least squares from one point of the unit cube, accurate even along narrow valleys.

The Jacobian captures a valley of correlated parameters at once. Levenberg-Marquardt with weights (Nocedal and Wright 2006, 10.3;
each step solved within the bounds), in a form that suits rollouts:

    1. the Jacobian J by one-sided differences, all D candidates in one batch
    2. for several dampings l at once, p = argmin |W^½ (r + J p)|² + l |p|² with u + p in the cube
    3. all these in one batch; the best by the true cost is taken, with its damping

Sums over samples leave out BLAS: their order, and so the result, does not depend on its threads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from pliant.arrays import Floats
from pliant.extras import extra_module

PROBE = 1e-3
"""Step of the differences, in the cube. Smaller ones are dominated by the kinks of dry friction, where
a step starts to stick or not."""
DAMPING = 1e-3
"""First damping, in units of the mean curvature."""
TRIALS = 10.0 ** np.arange(-2, 2)
"""Dampings tried at once, relative to the previous best; four fill a narrow vector."""
BEYOND = 1e4
"""Factor on the dampings if none of those tried was better."""
LOOSE, STIFF = 1e-8, 1e4
"""Damping below which sums lose precision, and above which no better point is near."""
GAIN = 0.01
"""Smallest gain in log density that is worth another Jacobian."""


class LeastSquares(Protocol):
    """Residuals to be made small."""

    def residuals(self, points: Floats) -> Floats:
        """(C, D) points of the unit cube to their residuals (C, M)."""
        ...

    def cost(self, residuals: Floats) -> Floats:
        """(C,) the cost, which decides between points."""
        ...

    def weights(self, residuals: Floats) -> Floats:
        """(M,) weights of the squares of residuals (M,)."""
        ...


class SearchProblem(LeastSquares, Protocol):
    """Residuals with a cost to minimise, and an error to report."""

    def error(self, residuals: Floats) -> Floats:
        """(C,) the error that is reported, whatever the cost is."""
        ...


@dataclass(frozen=True, eq=False)
class DescentState:
    """State of a descent after a Jacobian and its steps, from which it can resume.

    Attributes:
        at: (D,) the best point. damping: of the next steps. jacobians: done so far.
        stuck: no step from `at` was better; its Jacobian is needed again, with more damping.
    """

    at: Floats
    damping: float
    jacobians: int
    stuck: bool

    @property
    def again(self) -> int:
        """Candidates that must be simulated again when a descent resumes from here."""
        return 1 + self.stuck * len(self.at)


@dataclass(frozen=True, eq=False)
class _Model:
    """The cost around a point as a quadratic: J'WJ, J'Wr, and the mean of the first's diagonal."""

    curvature: Floats
    slope: Floats
    unit: float

    def step(self, u: Floats, damping: float) -> Floats:
        """(D,) The minimum from `u` within the cube, damped."""
        A = np.linalg.cholesky(self.curvature + damping * self.unit * np.eye(len(u))).T
        free = np.linalg.solve(A.T, -self.slope)
        low, high = -u - 1e-9, 1.0 - u + 1e-9
        # The unconstrained step first, as SciPy does: most end within the cube, and evaluation then needs no SciPy.
        step = np.linalg.lstsq(A, free, rcond=-1)[0]
        if not np.all((step >= low) & (step <= high)):
            optimize = extra_module("scipy.optimize", "identify")
            step = optimize.lsq_linear(A, free, (low, high), method="bvls").x
        return np.clip(u + step, 0.0, 1.0)


def polish(
    problem: LeastSquares,
    point: Floats,
    jacobians: int,
    *,
    stage: DescentState | None = None,
    note: Callable[[DescentState], None] | None = None,
    stand_in: LeastSquares | None = None,
) -> Floats:
    """The minimum (D,) reached downhill from `point`, after at most so many Jacobians with their steps.

    Args:
        problem: to minimise. point: (D,) starting point. jacobians: at most.
        stage: of an earlier descent from the same point, to resume; the result is the same.
        note: called at each state from which the descent could resume.
        stand_in: a cheaper problem of the same residuals, whose slopes are taken instead.
    """
    if jacobians < 1:
        return np.clip(point, 0.0, 1.0)
    stage = stage or DescentState(np.clip(point, 0.0, 1.0), DAMPING, 0, stuck=False)
    u, damping, model = stage.at, stage.damping, None
    residuals = problem.residuals(u[None])
    r, cost = residuals[0], float(problem.cost(residuals)[0])
    for done in range(stage.jacobians + 1, jacobians + 1):
        # 1. Jacobian, where the point is another one
        model = model or _modelled(problem, u, r, stand_in)
        if not model.unit > 0.0 or damping > STIFF:
            break
        # 2. steps
        dampings = damping * TRIALS
        points = np.array([model.step(u, float(d)) for d in dampings])
        # 3. the best
        residuals = problem.residuals(points)
        costs = problem.cost(residuals)
        k = int(np.argmin(costs))
        if costs[k] < cost:
            gain = cost - float(costs[k])
            u, r, cost, model = points[k], residuals[k], float(costs[k]), None
            damping = max(float(dampings[k]), LOOSE)
            if gain < GAIN:
                break
        else:
            damping *= BEYOND
        if note is not None:
            note(DescentState(u, damping, done, stuck=model is not None))
    return u


_Function = Callable[[Floats], Floats]


def slopes(residuals: _Function, u: Floats, r: Floats, stand_in: _Function | None = None) -> Floats:
    """(D, M) slopes of the residuals at a point (D,) where they are (M,), by one-sided differences; see `polish`."""
    steps = np.where(u < 0.5, PROBE, -PROBE)
    points = u + np.diag(steps)
    if stand_in is None:
        change = residuals(points) - r
    else:
        runs = stand_in(np.concatenate([points, u[None]]))
        change = runs[:-1] - runs[-1]
    return np.divide(change, steps[:, None], out=change)


def curvature(problem: LeastSquares, u: Floats) -> tuple[Floats, Floats, Floats]:
    """Residuals (M,) at a point (D,), their slopes (D, M), and the curvature (D, D) of the cost by these."""
    r = problem.residuals(u[None])[0]
    J = slopes(problem.residuals, u, r)
    return r, J, np.einsum("im,jm->ij", J * problem.weights(r), J)


def _modelled(problem: LeastSquares, u: Floats, r: Floats, stand_in: LeastSquares | None) -> _Model:
    J = slopes(problem.residuals, u, r, None if stand_in is None else stand_in.residuals)
    weighted = J * problem.weights(r)
    H = np.einsum("im,jm->ij", weighted, J)
    slope = np.einsum("im,m->i", weighted, r)
    return _Model(H, slope, float(np.trace(H)) / len(u))
