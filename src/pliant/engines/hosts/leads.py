"""Goals of many servos from the torques that they are to give, in one compiled call."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator, Equations
from pliant.lower.kernel import compiled_once

INVERSE = Path(__file__).with_name("inverse.py")
_ENTRIES = "follows", "answers"
PACES = (0.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
"""Steps that a firmware may need to keep pace with 1 rad/s."""
SETTLED = 1e-3
"""Part of the largest torque by which a longer wait may change the answer."""


class Leads:
    """Goals of some of J joints, those with a servo, cycle by cycle; see `inverse.py`.

    Attributes:
        wanted: (5, J) position [rad], speed [rad/s], torque without friction [N m], measured position
            [rad], supply [V], at first the nominal one.
        limits: (5, J) lowest and highest goal [rad], speed [rad/s], torque [N m] (0: none), and the part
            of friction that is certain.
        kept: (12, J) memory; row 1 is the last goals [rad].
    """

    def __init__(self, actuators: Sequence[Actuator], cycle: float, joints: Sequence[int]) -> None:
        """Compile the servos `actuators[j]` of `joints`; `cycle` [s] is that of the calls."""
        count = len(actuators)
        self.wanted, self.limits = np.zeros((5, count)), np.zeros((5, count))
        self.kept, self._answered = np.zeros((12, count)), np.zeros((2, count))
        self._moved = np.zeros((4, count))
        kinds: dict[Equations, list[int]] = {}
        for j in joints:
            one = actuators[j]
            self.wanted[4, j] = one.value("own.voltage")
            kinds.setdefault(one.equations, []).append(j)
        self._follow: list[Callable[[], Any]] = []
        self._answer: list[Callable[[], Any]] = []
        for equations, own in kinds.items():
            at, code = np.array(own, np.int64), compiled_once(INVERSE, _ENTRIES, equations)
            numbers = np.array([actuators[j].values for j in own])
            paces = np.array([pace_of(actuators[j]) for j in own])
            moves = at, self.wanted, self.limits, numbers, paces, self.kept, float(cycle)
            self._follow.append(code["follows"].bound(*moves))
            self._answer.append(
                code["answers"].bound(at, self._moved, numbers, paces, self._answered)
            )

    def follow(self) -> Floats:
        """(J,) The goals of this cycle [rad], from the present content of the arrays."""
        for call in self._follow:
            call()
        return self.kept[1]

    def answers(self, speed: Floats, lead: Floats, load: Floats) -> tuple[Floats, Floats]:
        """(J,) torques of the motors and (J,) friction budgets [N m] where goals lead joints.

        Args:
            speed: (J,) [rad/s]. lead: (J,) [rad]. load: (J,) [N m] of all else on the joints.
        """
        self._moved[:] = speed, lead, load, self.wanted[4]
        for call in self._answer:
            call()
        return self._answered[0].copy(), self._answered[1].copy()


def pace_of(actuator: Actuator) -> float:
    """Steps until the firmware keeps pace with 1 rad/s: 0 where its reference is the goal itself."""
    call = compiled_once(INVERSE, _ENTRIES, actuator.equations)["answers"]
    found = np.zeros((2, 1))

    def answer(speed: float, lead: float, pace: float) -> float:
        moved = np.array([[speed], [lead], [0.0], [actuator.value("own.voltage")]])
        call(np.zeros(1, np.int64), moved, actuator.values[None], np.array([pace]), found)
        return float(found[0, 0])

    most = abs(answer(0.0, FARTHEST, 0.0))
    settled = answer(1.0, 0.05, 100.0)
    close = (p for p in PACES if abs(answer(1.0, 0.05, p) - settled) <= SETTLED * most)
    return next(close, 100.0)


FARTHEST = 3.0
"""[rad] A lead that asks for all that a servo has."""
