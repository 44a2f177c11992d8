"""The energy of a robot's motion, summed up while it moves."""

from dataclasses import fields

import numpy as np

from pliant.robots.power import Energy, Power, energy_over
from pliant.robots.robot import Robot

__all__ = ["EnergyMeter"]


class EnergyMeter:
    """Adds up the powers of `robot` from where it is now; `add` after each step.

    Attributes:
        energy: [J] so far. power: at the last call.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.reset()

    def reset(self) -> None:
        """Begin anew, at the robot's present state."""
        self._time, self.power = float(self._robot.data.time), self._robot.power
        nothing = energy_over(np.zeros(2), _stacked(self.power, self.power))
        self.energy: Energy = nothing

    def add(self) -> None:
        """The time since the last call, by one trapezoid."""
        time, power = float(self._robot.data.time), self._robot.power
        self.energy += energy_over(np.array([self._time, time]), _stacked(self.power, power))
        self._time, self.power = time, power


def _stacked(before: Power, after: Power) -> Power:
    return Power(
        **{
            f.name: np.stack([getattr(before, f.name), getattr(after, f.name)])
            for f in fields(Power)
        }
    )
