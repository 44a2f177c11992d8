"""A joint with constant inertia and no gravity.

    J ddq = torques                                         servos_and_friction: Model

Left out: gravity, other joints.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    inertia: Annotated[float, "kg m^2", (0.0, 1e3)]  # of all that the joint moves


def inertia(p: P) -> float:
    return p.inertia


def load(q: float, p: P) -> float:
    return 0.0
