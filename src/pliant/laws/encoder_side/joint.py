"""The encoder turns with the joint, behind the play.

Left out: the encoder's own play.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


def angle(q: float, theta: float, p: P) -> float:
    return q


def speed(v: float, omega: float, p: P) -> float:
    return v
