"""Parameters that are searched, with their bounds and scales."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from math import inf, isfinite
from typing import Self

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import AT_JOINT, Actuator, Number, armature_bounds
from pliant.catalogue import Field
from pliant.errors import PliantError
from pliant.identification.problem.doubt import Doubt

ARM = "plant.arm_mass"
NEAR = 0.01
"""Share of the range below which the square-root scale is about linear."""
BENCH = {"plant.position_offset": (-0.2, 0.2), ARM: (0.0, 0.1)}
"""Bounds of the bench's parameters: mounting error [rad], mass [kg] of an arm of 0.1 m."""
ARM_BAR = 1.0
"""[kg/m] What an arm weighs at most: steel of 10 by 13 mm."""

Bounds = tuple[float, float] | None
"""Bounds of a parameter to fit; None: those of the file, or of the law."""

FIRST = ("timing", "sensing", "driver")
"""Ports that come first, in the fit and in every table: an error in timing or supply biases all
other parameters."""


def bench_with_arm(longest: float) -> dict[str, tuple[float, float]]:
    """Bounds of the bench for an arm of this length [m].

    An arm's mass must not absorb other errors: on an STS3032 with 0.05 m, an arm of 0.07 kg (too heavy for its
    length) fitted as well as one of 0.025 kg, but predicted an arm of 0.07 m worse.
    """
    return {**BENCH, ARM: (0.0, ARM_BAR * longest)}


def named(joint: str, parameter: str) -> str:
    """The name of a joint's parameter: "elbow.motor.R", or "motor.R" for a joint on a bench."""
    return f"{joint}.{parameter}" if joint else parameter


@dataclass(frozen=True, eq=False)
class Space:
    """A box of parameters, seen as the unit cube.

    The scale makes a parameter's effect roughly uniform over the cube: logarithmic for positive ones
    over more than a decade, square root for those whose range starts at zero (shifted by a hundredth of
    the range, because a root's slope is infinite at zero), linear for the others.
    """

    names: tuple[str, ...]
    low: Floats
    high: Floats
    start: Floats

    @classmethod
    def of(cls, boxes: Mapping[str, tuple[float, float, float]]) -> Self:
        """The box of parameters with these lower and upper bounds and starting values, clipped to the bounds."""
        low, high, start = np.array([*boxes.values()], dtype=float).reshape(-1, 3).T
        return cls(tuple(boxes), low, high, np.clip(start, low, high))

    def boxes(self) -> dict[str, tuple[float, float, float]]:
        """Parameter to its lower and upper end and its starting value."""
        ends = zip(self.low.tolist(), self.high.tolist(), self.start.tolist(), strict=True)
        return dict(zip(self.names, ends, strict=True))

    def __repr__(self) -> str:
        return f"<Space of {len(self.names)} parameters: {', '.join(self.names[:3])}, …>"

    def to_cube(self, values: Floats) -> Floats:
        """Values in SI units to the unit cube."""
        part = self._scaled(np.clip(values, self.low, self.high))
        low, high = self._scaled(self.low), self._scaled(self.high)
        return (part - low) / (high - low)

    def from_cube(self, cube: Floats) -> Floats:
        """(…, D) points of the unit cube to values in SI units, never beyond their bounds."""
        low, high = self._scaled(self.low), self._scaled(self.high)
        beyond = np.clip(cube, 0.0, 1.0) * (high - low)
        with np.errstate(over="ignore"):
            root = beyond * (beyond + 2.0 * low)  # which is exactly 0 at 0
            values = np.where(
                self._log, np.exp(low + beyond), np.where(self._root, root, low + beyond)
            )
        return np.clip(values, self.low, self.high)

    def at_bounds(self, values: Floats) -> list[Doubt]:
        """Parameters that lie within 1 % of a bound, on the scale of the search."""
        cube = self.to_cube(values)
        return [
            Doubt("lower bound", (name,), f"{name} at its lower bound")
            if u < 0.5
            else Doubt("upper bound", (name,), f"{name} at its upper bound")
            for name, u in zip(self.names, cube, strict=True)
            if u < 0.01 or u > 0.99
        ]

    def starting_at(self, values: Mapping[str, float]) -> "Space":
        """The same box, with other starting values for some parameters."""
        start = [values.get(n, x) for n, x in zip(self.names, self.start, strict=True)]
        return replace(self, start=np.clip(np.array(start), self.low, self.high))

    def part(self, names: Collection[str]) -> "Space":
        """The box of some of the parameters."""
        mine = [k for k, name in enumerate(self.names) if name in names]
        return Space(
            tuple(self.names[k] for k in mine), self.low[mine], self.high[mine], self.start[mine]
        )

    def bounds(self) -> dict[str, tuple[float, float]]:
        """Parameter to its bounds."""
        return {name: (low, high) for name, (low, high, _) in self.boxes().items()}

    def values(self, point: Floats) -> dict[str, float]:
        """Parameter to its value at a point (D,) of the unit cube."""
        return dict(zip(self.names, map(float, self.from_cube(point)), strict=True))

    @property
    def _log(self) -> NDArray[np.bool_]:
        return (self.low > 0) & (self.high > 10 * self.low)

    @property
    def _root(self) -> NDArray[np.bool_]:
        return self.low == 0

    @property
    def _near(self) -> Floats:
        return NEAR * self.high

    def _scaled(self, values: Floats) -> Floats:
        logarithm = np.log(np.where(self._log, values, 1.0))
        root = np.sqrt(np.where(self._root, values + self._near, 0.0))
        return np.where(self._log, logarithm, np.where(self._root, root, values))


def search_space(
    actuator: Actuator,
    *,
    fit: Mapping[str, Bounds] | None = None,
    fix: Iterable[str] = (),
    bench: Mapping[str, tuple[float, float]] = BENCH,
) -> Space:
    """The parameters of `actuator` that are to be identified.

    By default those whose file says "identified" or "assumed" and gives bounds, and what belongs to
    the bench, within the bounds of `bench`; timing and supply first. `fit` adds others, or changes bounds; `fix` takes some out.

    Raises:
        PliantError: a name is not a parameter, or stands in both; a parameter to fit has no finite
            bounds, or some that are out of order or beyond the range of its law; or nothing of the
            actuator is to be identified by default, and nothing is named.
    """
    fit, fix = dict(fit or {}), list(fix)
    numbers = actuator.all_numbers
    chosen = searched_by_default(actuator) | dict(bench)
    declared = actuator.fields | {name: actuator.all_fields[name] for name in BENCH}
    for name in [*fit, *fix]:
        if name not in declared:
            raise PliantError(
                "no such parameter", field="fit or fix", found=name, accepted=declared
            )
    for name in fit:
        if name in fix:
            raise PliantError("is in both fit and fix", field="fit and fix", found=name)
    if not fit and chosen and set(chosen) <= set(BENCH):
        raise PliantError(
            "no parameter of the actuator to identify: none is 'identified' or 'assumed' and has "
            "low and high (springs and motor friction of a compliant joint: pliant characterise --actuator)",
            file=actuator.path,
            field="fit",
            accepted=actuator.fields,
        )
    for name, bounds in fit.items():
        range_ = _range(actuator, name, declared[name])
        chosen[name] = bounds or _bounds(name, numbers.get(name), range_, {**BENCH, **bench})
        _check_bounds(name, *chosen[name], declared[name])
    for name in fix:
        chosen.pop(name, None)
    if not chosen:
        raise PliantError("nothing to identify", accepted="at least one parameter with bounds")
    chosen = dict(sorted(chosen.items(), key=lambda item: item[0].partition(".")[0] not in FIRST))
    begun = {name: numbers[name].value if name in numbers else 0.0 for name in chosen}
    return Space.of({name: (*ends, begun[name]) for name, ends in chosen.items()})


def searched_by_default(actuator: Actuator) -> dict[str, tuple[float, float]]:
    """Parameters that are "identified" or "assumed" in the actuator's file, with the bounds that it gives."""
    return {
        name: (number.low, number.high)
        for name, number in actuator.numbers.items()
        if number.how in ("identified", "assumed")
        and number.low is not None
        and number.high is not None
    }


def _range(actuator: Actuator, name: str, declared: Field) -> Field:
    """The law's range of a parameter; for an armature, the part that the data sheet's gear and motor allow."""
    sheet = armature_bounds(actuator) if name in AT_JOINT else None
    if sheet is None or not sheet[0] <= actuator.value(name) <= sheet[1]:
        return declared
    return replace(declared, low=sheet[0], high=sheet[1])


def _bounds(
    name: str, number: Number | None, declared: Field, bench: Mapping[str, tuple[float, float]]
) -> tuple[float, float]:
    """Bounds of the bench, of the file, or of the law."""
    if name in bench:
        return bench[name]
    low = declared.low if number is None or number.low is None else number.low
    high = declared.high if number is None or number.high is None else number.high
    if not (isfinite(low) and isfinite(high)):
        raise PliantError("has no finite bounds", field=name, accepted="low and high in the file")
    return low, high


def _check_bounds(name: str, low: float, high: float, declared: Field) -> None:
    if not -inf < low < high < inf:
        raise PliantError(
            "bounds out of order", field=name, found=(low, high), accepted="finite low < high"
        )
    if low < declared.low or high > declared.high:
        raise PliantError(
            "bounds beyond the range of its law",
            field=name,
            found=(low, high),
            accepted=f"{declared.low} to {declared.high} {declared.unit}",
        )
