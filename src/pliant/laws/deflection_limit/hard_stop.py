"""Hard stop: beyond max_def a stiff linear spring adds its torque to the saturated one.

    V_stop = k (|phi| - max_def)^2 / 2 beyond max_def, else 0        compliant_actuators: 0.2

No published source gives a stop's k; ten times the spring's stiffness at max_def is a start.

Left out: loss in the impact.
"""

from math import copysign
from typing import Annotated, NamedTuple

from pliant.laws.deflection_limit._range import clamped, within


class P(NamedTuple):
    max_def: Annotated[float, "rad", (1e-3, 10.0)]  # deflection at which the stop begins
    k: Annotated[float, "N m/rad", (1e-3, 1e6)]  # stiffness of the stop


def inside(phi: float, p: P) -> float:
    return clamped(phi, p.max_def)


def is_inside(phi: float, p: P) -> float:
    return within(phi, p.max_def)


def beyond(phi: float, p: P) -> float:
    return max(abs(phi) - p.max_def, 0.0)


def stop_energy(phi: float, p: P) -> float:
    return 0.5 * p.k * beyond(phi, p) * beyond(phi, p)


def stop_torque(phi: float, p: P) -> float:
    return copysign(p.k * beyond(phi, p), phi)


def stop_stiffness(phi: float, p: P) -> float:
    return p.k if beyond(phi, p) > 0.0 else 0.0
