"""Equilibrium and stiffness preset: sum and half difference of the motors of an antagonistic pair.

    th_1 = th_eq + th_sr,   th_2 = th_eq - th_sr         compliant_actuators: 1.5, 1.6

Operation modes 3 and 6. The preset is the half difference. With unequal springs the joint is free
of torque elsewhere than at th_eq.

Left out: ranges of the two motors.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


def first(goal: float, preset: float, p: P) -> float:
    return goal + preset


def second(goal: float, preset: float, p: P) -> float:
    return goal - preset
