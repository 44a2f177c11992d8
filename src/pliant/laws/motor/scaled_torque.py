"""Motor under a torque loop whose driver is wrong by a factor: it computes torque from current.

    tau = scale command,   i = tau / k_t                  servos_and_friction: Drive

scale is the real torque constant over the one the driver believes in, gear losses that grow with
torque included. k_t only tells the current, and is 1 where nothing is known of it.

Left out: the voltage limit, the dynamics of the current loop, saturation, the speed limit.
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    scale: Annotated[float, "1", (0.1, 10.0)]  # real torque over torque asked for
    k_t: Annotated[float, "N m/A", (1e-3, 100.0)]  # only to tell the current


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
