"""DC motor behind a drive/coast H-bridge: between two pulses the winding's current decays through diodes.

    driving    L di/dt =  U - R i - e      for the part d = |duty| of each period T = 1 / f_p
    coasting   L di/dt = -U - R i - e      until i is 0, then nothing flows
    mean       i = l (up (w - g) + down (z - ln(1 + z))),   z = g up / down,   g = 1 - exp(-w),   w = d / l
               up = (U - e) / R,   down = (U + e) / R,   l = L / (R T),   e = k_t v in the direction of the duty
               i = d up - (1 - d) down where the current does not die: l ln(1 + z) > 1 - d

the mean of the periodic solution of that circuit, at constant speed. So torque is not linear in duty
and speed: with a short L / R it is k_t d up, and a coasting bridge does not brake. Beyond |e| = U the
diodes conduct all the time. With `on` = 0 no current flows.

Source: the circuit; Duclusaud et al. 2025 (section IV-B) point to Sihite, Yang, Bewley, CASE 2019, for another derivation.

Left out: the ripple's torque and its heat, voltage drop of diodes and switches.
"""

from math import expm1, log1p
from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # torque constant behind the gear
    R: Annotated[float, "Ohm", (1e-3, 1000.0)]  # resistance of the winding
    L: Annotated[float, "H", (0.0, 10.0)]  # inductance of the winding
    f_p: Annotated[float, "1/s", (10.0, 1e6)]  # frequency of the pulses


COMMAND = "1"
COASTS = True
"""At duty 0 no current flows, so the motor does not brake."""


def warmed(resistance: float, constant: float, p: P) -> P:
    return P(p.k_t * constant, p.R * resistance, p.L, p.f_p)


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return p.R


def rising(w: float) -> float:
    """The difference w - (1 - exp(-w)), without cancellation at small w."""
    if w < 0.05:
        return w * w * (0.5 - w / 6.0 * (1.0 - w / 4.0 * (1.0 - w / 5.0)))
    return w + expm1(-w)


def dying(z: float) -> float:
    """The difference z - ln(1 + z), without cancellation at small z."""
    if z < 0.05:
        return z * z * (0.5 - z * (1.0 / 3.0 - z * (0.25 - z * (0.2 - z / 6.0))))
    return z - log1p(z)


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    side = 1.0 if command > 0.0 else -1.0
    d = min(abs(command), 1.0)
    e = side * p.k_t * v
    up = (bus - e) / p.R
    down = (bus + e) / p.R
    lag = p.L * p.f_p / p.R
    if up <= 0.0:
        return on * side * up
    if down <= 0.0:
        return on * side * (d * up - (1.0 - d) * down)
    if lag <= 0.0:
        return on * side * d * up
    z = -expm1(-d / lag) * up / down
    if lag * log1p(z) > 1.0 - d:
        return on * side * (d * up - (1.0 - d) * down)
    return on * side * lag * (up * rising(d / lag) + down * dying(z))


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return p.k_t * current(command, on, v, bus, p)
