"""Least-squares fit of some numbers of an actuator to a recording of a part of it.

Positive numbers are fitted by their logarithm, the others directly. Channels of different units are
weighted by their scatter about a first fit. The standard deviations are from blocks of the recording
(a sandwich estimate), because errors of neighbouring samples are correlated.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.extras import extra_module

__all__ = ["PartFit", "check_columns", "fit_part"]

_optimize = extra_module("scipy.optimize", "identify")
STEP = 1e-4
"""Step of the numerical derivatives, of a logarithm or in the number's own unit."""
PULL = 1e-4
"""Weight of the starting values, so that numbers the recording does not determine stay there."""
BLOCKS = 20
"""Blocks of a recording for the deviations, at most."""
TOLD = 0.5
"""Relative standard deviation above which the recording does not determine the number."""

Residuals = Callable[[Sequence[Actuator]], Mapping[str, Floats]]
"""C actuators to (C, M) residuals of each channel, in the channel's unit."""


@dataclass(frozen=True, eq=False)
class PartFit:
    """Result of such a fit.

    Attributes:
        actuator: with the numbers found. before, values, std: (P,) of `names`, in the units of the actuator;
            the std is NaN if the number is not identifiable. misfit: rms residual of each channel.
        warnings: numbers that the recording does not determine, one sentence each.
    """

    actuator: Actuator
    names: tuple[str, ...]
    before: Floats
    values: Floats
    std: Floats
    misfit: Mapping[str, float]
    warnings: tuple[str, ...]


def check_columns(columns: Mapping[str, Floats], needed: Sequence[str]) -> None:
    """Refuse a recording that lacks a column."""
    for name in needed:
        if name not in columns:
            raise PliantError(
                "no such column", field=name, found=", ".join(columns), accepted=list(needed)
            )


def fit_part(
    actuator: Actuator, names: Sequence[str], residuals: Residuals, source: str
) -> PartFit:
    """Fit the numbers `names` (`port.symbol`) of an actuator; `source` says from what."""
    if not names:
        raise PliantError("no number to fit", field=f"actuator {actuator.name}")
    problem = _Problem(actuator, tuple(names), residuals, source)
    found = problem.start
    count = sum(x.shape[1] for x in problem.channels(found).values())
    if count < len(names):
        raise PliantError("too few samples", found=count, accepted=f"from {len(names)}")
    for _ in range(2):  # the second time with the channels' own scatter
        problem.weigh(found)
        found = problem.solved(found)
    rows, jacobian = problem.weighed([found])[0], problem.slopes(found)
    values = problem.numbers(found)
    std = _deviations(rows[:count], jacobian[:count])
    std = std * np.where(problem.log, values, 1.0)
    return PartFit(
        actuator=problem.candidate(found),
        names=tuple(names),
        before=problem.before,
        values=values,
        std=std,
        misfit={key: _rms(x) for key, x in problem.channels(found).items()},
        warnings=_doubts(names, values, std, [actuator.fields[n].unit for n in names]),
    )


class _Problem:
    """Least squares over z: logarithms of positive numbers over their start, other numbers as they are."""

    def __init__(
        self, actuator: Actuator, names: tuple[str, ...], residuals: Residuals, source: str
    ) -> None:
        self._actuator, self._names, self._source = actuator, names, source
        self._residuals = residuals
        self._weights: dict[str, float] = {}
        self.before = np.array([actuator.value(name) for name in names])
        self.log = self.before > 0.0
        self.start = np.where(self.log, 0.0, self.before)
        fields = [actuator.fields[name] for name in names]
        self._low = self._encoded(np.array([field.low for field in fields]))
        self._high = self._encoded(np.array([field.high for field in fields]))

    def _encoded(self, values: Floats) -> Floats:
        parts = np.maximum(values, 1e-300) / np.where(self.log, self.before, 1.0)
        return np.where(self.log, np.log(parts), values)

    def numbers(self, z: Floats) -> Floats:
        """(P,) Numbers at a point, in their units."""
        return np.where(self.log, self.before * np.exp(np.where(self.log, z, 0.0)), z)

    def candidate(self, z: Floats) -> Actuator:
        found = dict(zip(self._names, map(float, self.numbers(z)), strict=True))
        return self._actuator.with_values(found, self._source, "identified")

    def channels(self, z: Floats) -> Mapping[str, Floats]:
        return self._residuals([self.candidate(z)])

    def weigh(self, z: Floats) -> None:
        """Give each channel the weight of its scatter at a point."""
        self._weights = {key: 1.0 / max(_rms(x), 1e-9) for key, x in self.channels(z).items()}

    def weighed(self, points: Sequence[Floats]) -> Floats:
        """(C, M + P) Weighted residuals, and the pull to the start."""
        every = self._residuals([self.candidate(z) for z in points])
        rows = np.concatenate([self._weights[key] * x for key, x in every.items()], axis=1)
        return np.concatenate([rows, PULL * (np.array(points) - self.start)], axis=1)

    def slopes(self, z: Floats) -> Floats:
        """(M + P, P) Jacobian of the weighted residuals; all candidates run side by side."""
        steps = np.where(z + STEP > self._high, -STEP, STEP)
        rows = self.weighed([z, *(z + np.diag(steps))])
        return ((rows[1:] - rows[0]) / steps[:, None]).T

    def solved(self, z: Floats) -> Floats:
        """The point of least squares, from one near it."""

        def residuals(point: Floats) -> Floats:
            return self.weighed([point])[0]

        solution = _optimize.least_squares(
            residuals,
            np.clip(z, self._low + 1e-9, self._high - 1e-9),
            jac=self.slopes,
            bounds=(self._low, self._high),
            x_scale="jac",
        )
        return np.asarray(solution.x, dtype=np.float64)


def _rms(values: Floats) -> float:
    return float(np.sqrt(np.mean(values * values)))


def _deviations(residual: Floats, jacobian: Floats) -> Floats:
    """(P,) Standard deviations; NaN for numbers that the recording does not determine."""
    left, sizes, directions = np.linalg.svd(jacobian, full_matrices=False)
    known = sizes > 1e-6 * sizes[0]
    inverse = (directions[known].T / sizes[known]) @ left[:, known].T
    blocks = np.array_split(np.arange(len(residual)), min(BLOCKS, len(residual)))
    parts = np.array([inverse[:, rows] @ residual[rows] for rows in blocks])
    widened = len(blocks) / max(len(blocks) - len(directions), 1)
    std = np.sqrt(widened * np.sum(parts * parts, axis=0))
    untold = np.any(np.abs(directions[~known]) > 0.05, axis=0)
    return np.where(untold, np.nan, std)


def _doubts(
    names: Sequence[str], values: Floats, std: Floats, units: Sequence[str]
) -> tuple[str, ...]:
    untold = [name for name, s in zip(names, std, strict=True) if np.isnan(s)]
    said = (
        [f"this recording does not determine each of {', '.join(untold)} separately"]
        if untold
        else []
    )
    said += [
        f"{name} is poorly determined: {x:.3g} +- {s:.2g} {unit}"
        for name, x, s, unit in zip(names, values, std, units, strict=True)
        if s > TOLD * abs(x)
    ]
    return tuple(said)
