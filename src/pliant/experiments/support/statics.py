"""Equilibria of compliant joints: the torque of an actuator's own laws, with its motors in place.

The motors are ideal here, as in operation modes 2 and 3: they stand at their references whatever
the load.
"""

from collections.abc import Callable
from typing import Any

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.lower.plain import plain
from pliant.robots.mode import with_mode


class Statics:
    """The torque of a joint whose motors stand at the references of its commands."""

    def __init__(self, actuator: Actuator) -> None:
        self._name = actuator.name
        still = with_mode(actuator, 3)
        self._f = plain(still)
        self._p = self._f["load_parameters"](list(still.values), 0)

    def _placed(self, goal: float, preset: float, q: float) -> Any:
        s = self._f["start"](q, self._p)
        return self._f["step"](s, goal, preset, q, 0.0, 0.0, 1.0, self._p, 1.0)

    def torque(self, goal: float, preset: float, q: float) -> float:
        """On the link [N m]."""
        s = self._placed(goal, preset, q)
        return self._f["torque"](s, goal, preset, q, 0.0, 0.0, 1.0, self._p)

    def rest(
        self, goal: float, preset: float, load: Callable[[float], float], reach: float = 1.5
    ) -> float:
        """Angle where torque and `load` (of q) [N m] balance, within `reach` [rad] of the goal.

        Raises:
            PliantError: the springs cannot hold the load.
        """

        def balance(q: float) -> float:
            return self.torque(goal, preset, q) + load(q)

        low, high = balance(goal - reach), balance(goal + reach)
        if low * high > 0.0:
            raise PliantError(
                "the springs cannot hold the load",
                field=f"actuator {self._name}, preset {preset:g} rad",
                found=f"{abs(load(goal)):.3g} N m",
                accepted=f"at most {abs(self.torque(goal, preset, goal - reach)):.3g} N m",
            )
        optimize = extra_module("scipy.optimize", "identify")
        return float(optimize.brentq(balance, goal - reach, goal + reach, xtol=1e-14, rtol=1e-14))

    def deflection(self, preset: float, load: float) -> float:
        """Deflection [rad] from the command under a constant `load` [N m]."""
        return self.rest(0.0, preset, lambda q: load)
