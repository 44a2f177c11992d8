"""Bounded least squares from one point of the unit cube: the last digits, and the narrow valleys.

A population takes thousands of candidates to go along a valley of correlated parameters; the
Jacobian sees the valley at once.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from pliant.identify.objective import KNEE, Problem

Floats = NDArray[np.float64]

PROBE = 1e-3
"""Width of the one-sided differences, in the cube. Narrower ones drown in the corners of dry
friction, where a step begins to stick or does not."""
SCALE = 0.1
"""What a parameter moves by, in the cube, so that the residuals change noticeably."""


def polish(problem: Problem, point: Floats, evaluations: int) -> None:
    """Descend from `point` (D,), with at most `evaluations` points and a Jacobian (D candidates) at
    each; `problem` sees them all, and keeps the best.

    Trust-region reflective, on the problem's loss.
    """
    last: tuple[Floats, Floats] | None = None

    def residuals(u: Floats) -> Floats:
        nonlocal last
        last = u.copy(), problem.residuals(u[None])[0]
        return last[1]

    def jacobian(u: Floats) -> Floats:
        at = last[1] if last is not None and (last[0] == u).all() else residuals(u)
        steps = np.where(u < 0.5, PROBE, -PROBE)
        probed = problem.residuals(u + np.diag(steps))
        return (probed - at).T / steps

    if evaluations < 1:
        return
    least_squares(
        residuals, np.clip(point, 0.0, 1.0), jac=jacobian, bounds=(0.0, 1.0), x_scale=SCALE,
        loss=problem.loss, f_scale=KNEE, max_nfev=evaluations,
    )  # fmt: skip
