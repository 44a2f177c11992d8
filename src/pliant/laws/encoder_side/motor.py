"""The encoder turns with the motor, before the play: the firmware does not see the gap.

Left out: the encoder's own play.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


def angle(q: float, theta: float, p: P) -> float:
    return theta


def speed(v: float, omega: float, p: P) -> float:
    return omega
