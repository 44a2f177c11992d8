"""Units as exponents of the SI base, and floats that carry one.

`Quantity` checks that a law is dimensionally consistent: run on quantities, a torque added to a
speed raises an error. It is not used in time-critical code.
"""

import math
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib.resources import files
from typing import Any

from pliant.errors import PliantError

BASE = ("kg", "m", "s", "A", "K")
Dimension = tuple[Fraction, ...]
LARGEST = 10**6
"""Largest numerator and denominator of a power."""
NONE: Dimension = (Fraction(0),) * len(BASE)

_FACTOR = re.compile(r"([A-Za-z]+|1)(?:\^(-?\d{1,3}))?")


@cache
def notation() -> dict[str, Any]:
    """The project's units and symbols, `notation.toml`."""
    return tomllib.loads(files("pliant").joinpath("notation.toml").read_text("utf-8"))


@cache
def dimension(unit: str) -> Dimension:
    """The SI exponents of a unit such as "N m s/rad", "1/(N m)" or "kg m^2"."""
    numerator, slash, denominator = unit.partition("/")
    if "/" in denominator:
        raise _not_a_unit(unit)
    total = _product(numerator, unit)
    if slash:
        inner = denominator.strip()
        if inner.startswith("(") and inner.endswith(")"):
            inner = inner[1:-1]
        elif len(inner.split()) != 1:
            raise _not_a_unit(unit)
        total = _combine(total, _product(inner, unit), Fraction(-1))
    return total


def _product(text: str, unit: str) -> Dimension:
    names: dict[str, list[str]] = notation()["units"]
    total = NONE
    if not text.split():
        raise _not_a_unit(unit)
    for factor in text.split():
        match = _FACTOR.fullmatch(factor)
        if match is None or match[1] not in names:
            raise _not_a_unit(unit)
        power = Fraction(int(match[2] or 1))
        if match[1] in BASE:
            exponents = tuple(Fraction(int(match[1] == base)) for base in BASE)
        else:
            exponents = NONE
            for part in names[match[1]]:
                exponents = _combine(exponents, _product(part, unit), Fraction(1))
        total = _combine(total, exponents, power)
    return total


def _combine(a: Dimension, b: Dimension, power: Fraction) -> Dimension:
    return tuple(x + power * y for x, y in zip(a, b, strict=True))


def _not_a_unit(unit: str) -> PliantError:
    return PliantError(
        "not a unit",
        found=unit,
        accepted='products like "N m s/rad" of ' + ", ".join(notation()["units"]),
    )


def unit_text(dim: Dimension) -> str:
    """`dim` as a readable unit in base units, "kg m^2 s^-2"."""
    parts = [
        base if power == 1 else f"{base}^{power}"
        for base, power in zip(BASE, dim, strict=True)
        if power
    ]
    return " ".join(parts) or "1"


class UnitError(TypeError):
    """Two quantities with different units were combined where equal ones are needed."""


@dataclass(frozen=True, eq=False)
class Quantity:
    """A float with SI exponents. Mixing units raises `UnitError`."""

    value: float
    dim: Dimension = NONE

    def __post_init__(self) -> None:
        # Squared or halved a thousand times, an exponent would fill the memory.
        if any(abs(p.numerator) > LARGEST or p.denominator > LARGEST for p in self.dim):
            raise UnitError(
                f"a power of a unit beyond {LARGEST}, or in finer parts than 1/{LARGEST}"
            )

    @staticmethod
    def of(value: float, unit: str) -> "Quantity":
        return Quantity(float(value), dimension(unit))

    def _like(self, other: "Quantity | float", what: str) -> float:
        """The other's value, if their units agree; a plain 0 or infinity agrees with any."""
        if isinstance(other, Quantity):
            if other.dim != self.dim:
                raise UnitError(f"{what}: {unit_text(self.dim)} with {unit_text(other.dim)}")
            return other.value
        if self.dim != NONE and other != 0.0 and not math.isinf(other):
            raise UnitError(f"{what}: {unit_text(self.dim)} with the plain number {other}")
        return float(other)

    def __add__(self, other: "Quantity | float") -> "Quantity":
        return Quantity(self.value + self._like(other, "sum"), self.dim)

    def __sub__(self, other: "Quantity | float") -> "Quantity":
        return Quantity(self.value - self._like(other, "difference"), self.dim)

    def __rsub__(self, other: float) -> "Quantity":
        return Quantity(self._like(other, "difference") - self.value, self.dim)

    __radd__ = __add__

    def __mul__(self, other: "Quantity | float") -> "Quantity":
        if isinstance(other, Quantity):
            return Quantity(self.value * other.value, _combine(self.dim, other.dim, Fraction(1)))
        return Quantity(self.value * other, self.dim)

    __rmul__ = __mul__

    def __truediv__(self, other: "Quantity | float") -> "Quantity":
        if isinstance(other, Quantity):
            return Quantity(self.value / other.value, _combine(self.dim, other.dim, Fraction(-1)))
        return Quantity(self.value / other, self.dim)

    def __rtruediv__(self, other: float) -> "Quantity":
        return Quantity(other / self.value, _combine(NONE, self.dim, Fraction(-1)))

    def __neg__(self) -> "Quantity":
        return Quantity(-self.value, self.dim)

    def __pos__(self) -> "Quantity":
        return self

    def __abs__(self) -> "Quantity":
        return Quantity(abs(self.value), self.dim)

    def __lt__(self, other: "Quantity | float") -> bool:
        return self.value < self._like(other, "comparison")

    def __le__(self, other: "Quantity | float") -> bool:
        return self.value <= self._like(other, "comparison")

    def __gt__(self, other: "Quantity | float") -> bool:
        return self.value > self._like(other, "comparison")

    def __ge__(self, other: "Quantity | float") -> bool:
        return self.value >= self._like(other, "comparison")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Quantity, float, int)):
            return NotImplemented
        return self.value == self._like(other, "comparison")

    def __float__(self) -> float:
        """The plain number, for functions that need one without unit (exp, sin)."""
        if self.dim != NONE:
            raise UnitError(f"a plain number is needed, not {unit_text(self.dim)}")
        return self.value


def sqrt(x: Quantity | float) -> Quantity | float:
    """Square root that halves the exponents."""
    if isinstance(x, Quantity):
        return Quantity(math.sqrt(x.value), tuple(p / 2 for p in x.dim))
    return math.sqrt(x)


def copysign(x: Quantity | float, y: Quantity | float) -> Quantity | float:
    """Magnitude and unit of `x`, sign of `y`."""
    sign = y.value if isinstance(y, Quantity) else y
    if isinstance(x, Quantity):
        return Quantity(math.copysign(x.value, sign), x.dim)
    return math.copysign(x, sign)


UNIT_AWARE: dict[str, Callable[..., Any]] = {"sqrt": sqrt, "copysign": copysign}
"""Functions of `math` that accept units; the others need a plain number."""
