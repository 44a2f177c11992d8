"""Data-sheet values, computed from an actuator's laws, and as soft constraints of a fit.

Logs seldom show the torque at standstill and full duty, or the speed without load: fits that are equally
good on them differ by half in both. The data sheet states them, within a tolerance. Like a prior, each
value adds to the cost of a candidate (`posterior`):

    ((predicted / stated - 1) / tolerance)² / 2,  beyond 3 tolerances a line with the same slope
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Fact
from pliant.extras import extra_module
from pliant.identification.problem.space import Space
from pliant.lower.plain import plain

FAR = 1e6
"""[rad] A goal so far away that every controller is at its limit."""
STRONGEST = 1e4
"""[N m] No friction holds more."""
FASTEST = 1e4
"""[rad/s] No joint turns faster."""
KNEE = 3.0
"""Tolerances beyond which the cost is linear (Huber): a wrong data sheet does not outweigh all logs."""


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
        """The motor's torque that sets the unloaded joint moving."""
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
            # It lifts a load while the motor's torque less the load exceeds the budget.
            return _root(lambda load: still - load - f["budget"](0.0, still, -load, p), still)
        return _root(lambda v: torque(v) - f["budget"](v, torque(v), 0.0, p), FASTEST)


def _root(f: Callable[[float], float], high: float) -> float:
    """The place where `f` falls through 0 between 0 and `high`; 0 where it is below there already."""
    if high <= 0.0 or f(0.0) <= 0.0:
        return 0.0
    if f(high) > 0.0:
        return high
    optimize = extra_module("scipy.optimize", "identify")
    return float(optimize.brentq(f, 0.0, high, rtol=1e-6))


class Facts:
    """Facts as residuals: how many tolerances each is off.

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
        """(C, K) how many tolerances points (C, D) are off; beyond the knee the root of the cost."""
        stated = np.array([fact.value for fact in self.known])
        width = np.array([fact.tolerance for fact in self.known])
        off = (self.figures(points) / stated - 1.0) / width
        size = np.maximum(np.abs(off), KNEE)
        return np.where(
            np.abs(off) <= KNEE, off, np.sign(off) * np.sqrt(KNEE * (2.0 * size - KNEE))
        )

    def _figure(self, values: Floats, fact: Fact) -> float:
        return self._figures.of(values, fact, self._ratio)
