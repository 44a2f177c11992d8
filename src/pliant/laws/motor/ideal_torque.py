"""Motor under an ideal torque loop: the commanded torque at any speed.

    tau = command,   i = tau / k_t                        compliant_actuators: 2.1

For models that state a torque limit and no motor constants. k_t is used only for the current, and
is 1 if unknown.

Left out: the voltage limit, the dynamics of the current loop, the speed limit.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # used only for the current


COMMAND = "N m"


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return 0.0


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * command / p.k_t


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * command
