"""References of one joint whose motors are behind springs or play, for a link in motion.

1. find the motor angles at which the springs give the link its torque, at the wanted stiffness: by Newton's
   method from the previous cycle, or by `refs_for` if that finds none within the springs' limits
2. find the lead of each motor's reference that gives the torque against its spring there, by numerical
   inversion of its own controller, driver and motor (`answer` of the motor's part)
3. find the commands that give these references

Left out: inertia of the rotors, friction on their side.
"""

from functools import cached_property

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.lower.law import lower_law
from pliant.robots.elastic import elastic_of
from pliant.robots.held_joint import root
from pliant.robots.references import refs_for

TRIES, DIFFERENCE, CLOSE = 10, 1e-5, 1e-9
"""Number of Newton steps; and, relative to a motor's range, the difference step and the tolerance."""
FIRST, GROWTHS = 0.02, 8
"""[rad] The first lead tried; doubled each time."""


class SprungJoint:
    """One actuator with springs, or with play, between motors and link."""

    def __init__(self, actuator: Actuator) -> None:
        self._actuator, self._elastic = actuator, elastic_of(actuator, "llvm")
        self._theta: Floats | None = None
        self._q = 0.0

    def references(
        self, q: float, v: float, tau: float, sigma: float | None, supply: float
    ) -> tuple[float, float]:
        """First and second command; NaN without a second one.

        Args:
            q: [rad] wanted of the link. v: [rad/s], of its motors too. tau: [N m] that the link needs.
            sigma: [N m/rad]; None: of one motor. supply: [V].

        Raises:
            PliantError: the springs cannot give this torque or stiffness, or a motor is too weak.
        """
        theta = self._angles(q, tau, sigma)
        state = self._elastic.states(theta[None])
        led: list[float] = []
        for k, angle in enumerate(theta.tolist()):
            if not self._elastic.has_drive(k):
                led.append(angle)
                continue
            number = self._elastic.numbers[k] or "_1"
            here, p = np.array([q]), self._actuator.values[None]
            load = float(self._elastic.call(f"load{number}", state, here, p)[0])
            led.append(self._seen(q, angle) + self._lead(k, v, load, supply))
        if len(led) == 1:
            return led[0], np.nan
        first, second = np.linalg.solve(self._map[:, :2], np.array(led) - self._map[:, 2])
        return float(first), float(second)

    def _angles(self, q: float, tau: float, sigma: float | None) -> Floats:
        """(motors,) Motor angles that give this torque and stiffness; for an adjuster in its own unit."""
        found = None if self._theta is None else self._near(self._theta, q, tau, sigma)
        if found is None:
            found = np.array(refs_for(self._actuator, q, sigma, -tau).theta)
        self._theta, self._q = found, q
        return found

    def _near(self, theta: Floats, q: float, tau: float, sigma: float | None) -> Floats | None:
        """The angles near those of the previous cycle; None if there are none."""
        elastic, count = self._elastic, len(theta)
        ends = elastic.adjuster()
        if count > 1 and sigma is None:
            return None  # `refs_for` reports that it is missing
        size = np.array([1.0, 1.0 if ends is None else ends[1] - ends[0]])[:count]
        theta = theta + (q - self._q) * (np.ones(count) if ends is None else np.eye(count)[0])
        here, p = np.full(1 + count, q), np.tile(self._actuator.values, (1 + count, 1))
        for _ in range(TRIES):
            rows = theta + DIFFERENCE * np.vstack([np.zeros(count), np.diag(size)])
            off = [elastic.pulls(here, rows) + tau]
            if count > 1 and sigma is not None:
                off.append(elastic.call("stiffness", elastic.states(rows), here, p) - sigma)
            missing = np.array(off)[:, 0]
            slopes = np.array(off)[:, 1:] - missing[:, None]
            if not np.isfinite(slopes).all() or abs(np.linalg.det(slopes)) == 0.0:
                return None
            move = np.linalg.solve(slopes, missing) * DIFFERENCE * size
            theta = theta - move
            if (np.abs(move) < CLOSE * size).all():
                return theta if self._within(theta, q) else None
        return None

    def _within(self, theta: Floats, q: float) -> bool:
        """Whether all springs, and the adjuster, are within their limits."""
        ends, ranges = self._elastic.adjuster(), self._elastic.ranges()
        bent = np.abs(q - theta)[: len(ranges)] <= np.array(ranges)
        return bool(bent.all()) and (ends is None or ends[0] <= theta[1] <= ends[1])

    def _lead(self, motor: int, v: float, load: float, supply: float) -> float:
        """[rad] Lead of the reference over the angle that the controller sees, under the spring's load [N m]."""
        own = self._elastic.of_motor(motor, "parameters")
        numbers, part = self._actuator.values[own], self._elastic.motors[motor]

        def missing(lead: float) -> float:
            row = np.concatenate([[lead, v, supply], numbers])
            return float(part.evaluate("answer", row[None])[0, 0]) - load

        way = 1.0 if missing(0.0) < 0.0 else -1.0
        near, far = 0.0, way * FIRST
        for _ in range(GROWTHS):
            if missing(far) * way >= 0.0:
                return root(missing, *sorted((near, far)))
            near, far = far, 2.0 * far
        raise PliantError(
            "its motor is too weak for its spring there",
            field=f"motor {motor + 1}",
            found=f"{load:.3g} N m",
            accepted=f"up to {abs(missing(far) + load):.3g} N m",
        )

    def _seen(self, q: float, theta: float) -> float:
        """[rad] Encoder angle, from the angles of link and motor."""
        if "encoder" not in self._actuator.laws:
            return theta
        law = lower_law(self._actuator.laws["encoder"], "python")
        return float(law.evaluate("angle", np.array([[q, theta]]))[0, 0])

    @cached_property
    def _map(self) -> Floats:
        """(2, 3) References as a linear function of the two commands: slopes and offset."""
        law = lower_law(self._actuator.laws["references"], "python")
        rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
        ends = np.array([law.evaluate(name, rows)[:, 0] for name in ("first", "second")])
        return np.column_stack([ends[:, :2] - ends[:, 2:], ends[:, 2]])
