"""Dead zone: no contact of the teeth within the gap, elastic contact beyond it.

    x = |phi| - gap / 2,  torque = sign(phi) max(k x + d dx/dt, 0) where x > 0, else 0

Source: Nordin and Gutman, Automatica 38 (2002) 1633, dead-zone model. The gap is the whole play, which data sheets call "backlash". Teeth push but do not pull: if damping
would hold them together, the torque is zero. So a contact never adds energy.

Left out: wear, a gap that varies with the angle, teeth that stick in their grease.
"""

from math import copysign
from typing import Annotated, NamedTuple


class P(NamedTuple):
    gap: Annotated[float, "rad", (0.0, 0.5)]  # the whole play, from flank to flank
    k: Annotated[float, "N m/rad", (1e-2, 1e6)]  # stiffness of teeth in contact
    d: Annotated[float, "N m s/rad", (0.0, 1e3)]  # damping of teeth in contact


def depth(phi: float, p: P) -> float:
    return max(abs(phi) - 0.5 * p.gap, 0.0)


def energy(phi: float, p: P) -> float:
    return 0.5 * p.k * depth(phi, p) * depth(phi, p)


def torque(phi: float, rate: float, p: P) -> float:
    x = depth(phi, p)
    if x == 0.0:
        return 0.0
    closing = rate if phi > 0.0 else -rate
    return copysign(max(p.k * x + p.d * closing, 0.0), phi)


def stiffness(phi: float, p: P) -> float:
    return p.k if depth(phi, p) > 0.0 else 0.0


def stiffest(p: P) -> float:
    return p.k


def damping(p: P) -> float:
    return p.d
