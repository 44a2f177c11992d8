"""Overload protection of Feetech's STS, SMS, SCS and HLS servos, by their registers.

A duty of Overload_Torque or more for Protection_Time lowers the duty to Protective_Torque, until
the goal lies on the other side of the servo.

Source: Feetech's memory tables, addresses 34 Protective Torque (factory 20 %), 35 Protection Time
(200 of 10 ms) and 36 Overload Torque (80 %), as wiki.aifitlab.com prints them; 13 Maximum
Temperature Limit (70 degrees Celsius), above which the output is off.

No source states what the timer does while the duty is below the threshold, so that is a parameter:
`fade` is how many seconds the timer loses per second, 0 keeps all, 1000 clears it at once. On
recordings of an STS3032 under a load that it cannot hold, a timer that keeps its count fitted better
than one that restarts (mean error 38.9 against 45.1 mrad, without protection 48.0), at 0.80, 2.07 s
and 0.35 instead of 0.20. How exactly it clears is not stated either; the tables say a command in the
other direction. The "load" of the table is taken to be the duty, which the servo reports as its
load.

Left out: protection by current (address 28), by voltage, unloading switched off (address 19).
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    Overload_Torque: Annotated[float, "1", (0.0, 1.0)]  # duty that counts as overload, address 36
    Protection_Time: Annotated[float, "s", (0.0, 60.0)]  # how long it may last, address 35
    Protective_Torque: Annotated[float, "1", (0.0, 1.0)]  # largest duty from then on, address 34
    Max_Temperature: Annotated[float, "K", (273.0, 500.0)]  # above it the output is off, address 13
    fade: Annotated[float, "1", (0.0, 1e3)]  # seconds the timer loses per second below that duty


class S(NamedTuple):
    timer: Annotated[float, "s"]  # time in overload
    tripped: Annotated[float, "1"]  # sign of the duty at which it tripped, 0 if it has not
    hot: Annotated[float, "1"]  # 1 above the temperature limit


COMMAND = "1"


def start(p: P) -> S:
    return S(0.0, 0.0, 0.0)


def step(s: S, goal: float, q: float, command: float, temperature: float, p: P, h: float) -> S:
    hot = 1.0 if temperature > p.Max_Temperature else 0.0
    if s.tripped != 0.0:
        if s.tripped * (goal - q) < 0.0:
            return S(0.0, 0.0, hot)
        return S(s.timer, s.tripped, hot)
    timer = max(s.timer - p.fade * h, 0.0)
    if abs(command) >= p.Overload_Torque:
        timer = s.timer + h
    if timer > p.Protection_Time:
        return S(timer, 1.0 if command > 0.0 else -1.0, hot)
    return S(timer, 0.0, hot)


def passed(s: S, command: float, p: P) -> float:
    if s.tripped == 0.0:
        return command
    return min(max(command, -p.Protective_Torque), p.Protective_Torque)


def enabled(s: S, p: P) -> float:
    return 1.0 - s.hot
