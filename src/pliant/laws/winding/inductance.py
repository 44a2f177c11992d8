"""A winding with inductance: the current, and with it the torque, lags with time constant L / R.

    L di = (v - R i - e) dt,   tau = k_t i                 compliant_actuators: 2.2

The state is torque behind the gear, k_t i; L and R are the winding's own. The step is exact for
constant voltage and speed, at any length. Under a single voltage `low` and `high` both equal
`asked`, which the torque approaches with time constant L / R. A current loop has a range of
voltages: the torque reaches `asked` as soon as full voltage, under which it would settle at `low`
or `high`, can bring it there. L = 0 is no inductance.

Left out: saturation of the iron, the ripple of a pulsed bridge, the gains of the current loop, the
supply's sag under a current that is not yet there (it sags under the static one).
"""

from math import expm1
from typing import Annotated, NamedTuple


class P(NamedTuple):
    L: Annotated[float, "H", (0.0, 10.0)]  # inductance of the winding


class S(NamedTuple):
    tau: Annotated[float, "N m"]  # torque of the current


def start(p: P) -> S:
    return S(0.0)


def step(s: S, asked: float, low: float, high: float, resistance: float, p: P, h: float) -> S:
    share = 1.0
    if p.L > 0.0:
        share = -expm1(-h * resistance / p.L)
    least = s.tau + share * (low - s.tau)
    most = s.tau + share * (high - s.tau)
    return S(min(max(asked, least), most))


def torque(s: S, asked: float, p: P) -> float:
    return s.tau
