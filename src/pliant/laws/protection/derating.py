"""Derating and shutdown by the winding's temperature.

    passed = command min(max((T_off - T) / (T_off - T_derate), 0), 1)

It shuts off at T_off and starts again below T_on. Source: an assumption of this project, without a maker's manual:
a straight line between two temperatures and a shutdown with hysteresis, the simplest law of its kind.

Left out: a sensor outside the winding, which lags behind its temperature.
"""

from typing import Annotated, NamedTuple

NARROW: Annotated[float, "K"] = 0.01
"""Smallest derating range; a smaller one is a plain shutdown."""


class P(NamedTuple):
    T_derate: Annotated[float, "K", (200.0, 400.0)]  # temperature above which the output falls
    T_off: Annotated[float, "K", (200.0, 600.0)]  # temperature of the shutdown
    T_on: Annotated[float, "K", (200.0, 400.0)]  # temperature below which it starts again


class S(NamedTuple):
    temperature: Annotated[float, "K"]  # of the winding
    off: Annotated[float, "1"]  # 1 from the shutdown until it has cooled down


def start(p: P) -> S:
    return S(0.0, 0.0)


def step(s: S, goal: float, q: float, command: float, temperature: float, p: P, h: float) -> S:
    if temperature >= p.T_off:
        return S(temperature, 1.0)
    if temperature < p.T_on:
        return S(temperature, 0.0)
    return S(temperature, s.off)


def passed(s: S, command: float, p: P) -> float:
    left = (p.T_off - s.temperature) / max(p.T_off - p.T_derate, NARROW)
    return command * min(max(left, 0.0), 1.0)


def enabled(s: S, p: P) -> float:
    return 1.0 - s.off
