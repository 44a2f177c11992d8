"""Motor under a torque loop whose driver assumes a wrong torque constant: torque is off by a factor.

    tau = scale command,   i = tau / k_t                  servos_and_friction: Drive

scale is the real torque constant over the one that the driver assumes, gear losses proportional to
torque included. k_t is used only for the current, and is 1 if unknown.

Left out: the voltage limit, the dynamics of the current loop, saturation, the speed limit.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    scale: Annotated[float, "1", (0.1, 10.0)]  # real torque over commanded torque
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # used only for the current


COMMAND = "N m"
REDUCES_TO = {"ideal_torque": {"scale": 1.0}}


def back_emf(v: float, p: P) -> float:
    return p.k_t * v


def resistance(p: P) -> float:
    return 0.0


def current(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * p.scale * command / p.k_t


def torque(command: float, on: float, v: float, bus: float, p: P) -> float:
    return on * p.scale * command
