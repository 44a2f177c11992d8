"""Properties that every law of a family must have, tested on random numbers within its ranges.

For laws from outside the package: `pliant check my_spring.py` prints them. Slopes are extrapolated
finite differences that use only the law's energy or torque.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import exp, log
from typing import Any

import numpy as np

from pliant.catalogue import Field, Physics
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.lower.law import lower_law
from pliant.lower.units import check_units, functions

DRAWS = 40
SLOPE = 1e-6
"""Largest relative difference between a torque or stiffness and the slope that it should equal."""
SAME = 1e-12
"""Largest relative difference between the law in Python and compiled."""


@dataclass(frozen=True)
class LawProperty:
    """One property: the worst deviation over the draws, and the tolerance."""

    what: str
    worst: float
    bar: float

    @property
    def holds(self) -> bool:
        """Whether the worst draw is within the tolerance; NaN is not."""
        return self.worst <= self.bar

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "does not hold"
        return (
            f"{self.what}: {verdict}, off by {self.worst:.1e} in {DRAWS} draws (bar {self.bar:g})"
        )


def conformance(law: Physics) -> list[LawProperty]:
    """Every property of the law's family, each with its worst draw."""
    check_units(law)
    try:
        return [*_FAMILIES.get(law.kind, _nothing)(law), _compiled(law)]
    except (ArithmeticError, ValueError) as error:
        raise PliantError(
            f"fails within its own ranges: {error}",
            file=law.path,
            field="P",
            accepted="ranges in which no function overflows",
        ) from None


def _draws(law: Physics) -> Iterator[tuple[Any, np.random.Generator]]:
    rng = np.random.default_rng(1)
    for _ in range(DRAWS):
        yield law.module.P(*(_number(field, rng) for field in law.parameters)), rng


def _number(field: Field, rng: np.random.Generator) -> float:
    low, high = max(field.low, -1e3), min(field.high, 1e3)
    if low >= 0.0 and high > 100.0 * low:
        return exp(float(rng.uniform(log(max(low, 1e-4 * high)), log(high))))
    return float(rng.uniform(low, high))


def _off(slope_of: Callable[[float], float], at: float, claimed: float) -> float:
    """Deviation of `claimed` from the slope, minus the error of the slope itself."""
    everywhere: Any = np.vectorize(slope_of, otypes=[float])
    differentiate = extra_module("scipy.differentiate", "identify")
    found: Any = differentiate.derivative(everywhere, at, initial_step=0.02)
    off = max(abs(claimed - float(found.df)) - float(found.error), 0.0)
    return off / max(abs(float(found.df)), 1e-12)


def _spring(law: Physics) -> list[LawProperty]:
    f = law.module
    torque, stiffness, negative = 0.0, 0.0, 0.0
    for p, rng in _draws(law):
        phi = float(rng.uniform(-0.5, 0.5))
        torque = max(torque, _off(lambda x, p=p: f.energy(x, p), phi, f.torque(phi, p)))
        stiffness = max(stiffness, _off(lambda x, p=p: f.torque(x, p), phi, f.stiffness(phi, p)))
        negative = max(negative, -f.energy(phi, p))
    return [
        LawProperty("torque is the slope of the energy", torque, SLOPE),
        LawProperty("stiffness is the slope of the torque", stiffness, SLOPE),
        LawProperty("energy is never negative", negative, 0.0),
    ]


def _adjustable(law: Physics) -> list[LawProperty]:
    f = law.module
    pairs: dict[str, tuple[str, int]] = {
        "torque is the slope of the energy in q": ("energy torque", 0),
        "load is its slope in theta": ("energy load", 1),
        "adjuster_load is its slope in x": ("energy adjuster_load", 2),
        "stiffness is the slope of the torque in q": ("torque stiffness", 0),
        "coupling is its slope in x": ("torque coupling", 2),
    }
    worst = dict.fromkeys(pairs, 0.0)
    for p, rng in _draws(law):
        at = [float(rng.uniform(-0.3, 0.3)), 0.0, float(rng.uniform(0.2, 0.8))]
        for what, (names, k) in pairs.items():
            of, claimed = (getattr(f, name) for name in names.split())

            def along(x: float, p: Any = p, of: Any = of, k: int = k, at: Any = at) -> float:
                return of(*at[:k], x, *at[k + 1 :], p)

            worst[what] = max(worst[what], _off(along, at[k], claimed(*at, p)))
    return [LawProperty(what, off, SLOPE) for what, off in worst.items()]


def _budget(law: Physics) -> list[LawProperty]:
    negative = 0.0
    for p, rng in _draws(law):
        v, tau_m, tau_e = (float(x) for x in rng.uniform(-5.0, 5.0, 3))
        negative = max(negative, -law.module.budget(v, tau_m, tau_e, p))
    return [LawProperty("the budget is never negative", negative, 0.0)]


def _nothing(law: Physics) -> list[LawProperty]:
    return []


_FAMILIES: dict[str, Callable[[Physics], list[LawProperty]]] = {
    "adjustable_compliance": _adjustable,
    "compliance": _spring,
    "friction_budget": _budget,
}


def _compiled(law: Physics) -> LawProperty:
    """Python and machine code agree."""
    plain, fast = lower_law(law, "python"), lower_law(law, "llvm")
    rng = np.random.default_rng(2)
    ranges = {f"p.{f.name}": f for f in law.parameters}
    worst = 0.0
    for name in functions(law):
        columns = plain.columns[name]
        rows = np.empty((DRAWS, len(columns)))
        for k, column in enumerate(columns):
            field = ranges.get(column)
            for row in rows:
                row[k] = _number(field, rng) if field else rng.uniform(0.01, 0.5)
        expected, found = plain.evaluate(name, rows), fast.evaluate(name, rows)
        if expected.size:
            scale = np.abs(expected).max() + 1e-300
            worst = max(worst, float(np.abs(found - expected).max() / scale))
    return LawProperty("compiled code agrees with Python", worst, SAME)
