"""References that hold a joint of two motors at a pose: roots of its static balance."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf, isfinite, pi

import numpy as np

from pliant.catalogue import load_law
from pliant.lower.law import Lowered, lower_law
from pliant.robots.elastic import STEP, Elastic

Function = Callable[[float], float]
GRID = 33
"""Presets at which a stiffness is looked for."""
HALVINGS = 30
EXACT = 1e-13
"""[rad] Of a root."""


@dataclass(frozen=True)
class References:
    """References that hold a joint at a pose with a stiffness.

    Attributes:
        theta: [rad] of the motors; of an adjuster in its own unit.
        equilibrium, preset: the same as the commands of modes 3 and 6 [rad], the preset of an
            adjuster in its own unit. `preset` is 0 for one motor.
        stiffness: [N m/rad] that the joint has there.
    """

    theta: tuple[float, ...]
    equilibrium: float
    preset: float
    stiffness: float


class HeldJoint:
    """A joint of two motors held at one pose under one torque, as a function of its preset."""

    def __init__(self, elastic: Elastic, q: float, torque: float) -> None:
        self.elastic, self.q, self.torque = elastic, q, torque
        name = "direct" if elastic.adjuster() is not None else "equilibrium_preset"
        self.map: Lowered = lower_law(load_law("reference_map", name), "python")

    def presets(self) -> tuple[float, float]:
        """The presets that are looked at."""
        low, high = self.elastic.presets()
        return (low, high) if self.elastic.adjuster() else (0.0, min(high, pi / 2.0))

    def motors(self, goal: float, preset: float) -> tuple[float, float]:
        """Positions of the motors under the commands of mode 3 or 6."""
        row = np.array([[goal, preset]])
        first, second = (self.map.evaluate(name, row)[0, 0] for name in ("first", "second"))
        return float(first), float(second)

    def goal(self, preset: float) -> float | None:
        """The equilibrium that holds the pose; None where the springs cannot."""

        def unbalanced(goal: float) -> float:
            return self.elastic.pull(self.q, *self.motors(goal, preset)) - self.torque

        reach = self._reach(preset)
        if reach is not None:
            low, high = self.q - reach, self.q + reach
            if reach < 0.0 or unbalanced(low) < 0.0 or unbalanced(high) > 0.0:
                return None
            return root(unbalanced, low, high)
        return falling(unbalanced, self.q)

    def _reach(self, preset: float) -> float | None:
        """[rad] How far the equilibrium can be from the link with all springs within limits."""
        far = min(self.elastic.ranges(), default=inf)
        if not isfinite(far):
            return None
        return far if self.elastic.adjuster() else far - abs(preset)

    def stiffness(self, preset: float) -> float | None:
        """[N m/rad] That the joint has; None where the springs cannot hold the pose."""
        goal = self.goal(preset)
        if goal is None:
            return None
        return self.elastic.sigma(self.q, *self.motors(goal, preset))

    def course(self) -> list[tuple[float, float]]:
        """Preset and stiffness over all presets at which the springs hold the pose."""
        presets = [float(x) for x in np.linspace(*self.presets(), GRID)]
        found = [(s, self.stiffness(s)) for s in presets]
        known = [(s, value) for s, value in found if value is not None]
        if known and known[-1][0] < presets[-1]:  # the last one lies between two of the grid
            good, bad = known[-1][0], presets[presets.index(known[-1][0]) + 1]
            for _ in range(HALVINGS):
                middle = 0.5 * (good + bad)
                good, bad = (good, middle) if self.goal(middle) is None else (middle, bad)
            known.append((good, self.stiff(good)))
        return known

    def stiff(self, preset: float) -> float:
        """As `stiffness`, infinite instead of None."""
        value = self.stiffness(preset)
        return inf if value is None else value

    def references(self, preset: float) -> References:
        """References with a preset at which the springs hold the pose."""
        goal = self.goal(preset)
        assert goal is not None
        motors = self.motors(goal, preset)
        return References(motors, goal, preset, self.elastic.sigma(self.q, *motors))


def falling(function: Function, centre: float) -> float | None:
    """The root nearest to `centre`, within half a turn, at which `function` falls."""
    count = round(pi / STEP)
    grid = centre + STEP * (np.arange(-count, count + 1) + 0.5)
    values = np.array([function(float(x)) for x in grid])
    falls = np.flatnonzero((values[:-1] >= 0.0) & (values[1:] < 0.0))
    if not len(falls):
        return None
    k = int(falls[np.argmin(np.abs(grid[falls] + 0.5 * STEP - centre))])
    return root(function, float(grid[k]), float(grid[k + 1]))


def root(function: Function, low: float, high: float) -> float:
    """Angle where `function` is 0 or changes its sign, by bisection: few places, beside those of a grid."""
    above = function(low) > 0.0
    while high - low > EXACT:
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break  # two neighbouring numbers
        value = function(middle)
        if value == 0.0:
            return middle  # in the middle of a play
        low, high = (middle, high) if (value > 0.0) == above else (low, middle)
    return 0.5 * (low + high)
