"""PWM limit and shutdown of Dynamixel's X series, by their registers: torque off until a reboot.

The duty stays within PWM_Limit. The torque is off once the duty has been at PWM_Limit for overload_time, if bit 5 of
Shutdown is set (Overload), or once the temperature exceeds Temperature_Limit, if bit 2 is set (Overheating).

Source: ROBOTIS e-manual, X series, PWM Limit (36): "used in all operating mode as an output limit";
Shutdown (63): "a REBOOT is the only method" to turn it on again.
The manual says of bit 5 "persistent load that exceeds maximum output". It is read here as a duty at
its limit (as in jsk_aerial_robot, issue 281, where a current limit alone never tripped it). No source
states how long "persistent" is; an XM430 that held 0.94 A shut down after about 5 s (DynamixelSDK,
issue 285), and an XL330 in the recordings shipped with Pliant was still on after 2.9 s at full duty.
So `overload_time` is a parameter with an assumed value.

Left out: bits 0, 3 and 4 (voltage, encoder, electrical shock), the reboot; Current Limit (38), which the
manual defines only for the modes with a current loop (`limit` of their control laws).
"""

from typing import Annotated, NamedTuple


class P(NamedTuple):
    PWM_Limit: Annotated[float, "1", (0.0, 1.0)]  # largest duty, address 36
    overload_time: Annotated[float, "s", (0.0, 60.0)]  # how long it may stay there; not documented
    Temperature_Limit: Annotated[float, "K", (273.0, 500.0)]  # address 31
    overload_bit: Annotated[float, "1", (0.0, 1.0)]  # bit 5 of Shutdown: 1 set, 0 not
    overheating_bit: Annotated[float, "1", (0.0, 1.0)]  # bit 2 of Shutdown: 1 set, 0 not


class S(NamedTuple):
    timer: Annotated[float, "s"]  # time at the limit without a break
    off: Annotated[float, "1"]  # 1 after the shutdown


COMMAND = "1"


def start(p: P) -> S:
    return S(0.0, 0.0)


def step(s: S, goal: float, q: float, command: float, temperature: float, p: P, h: float) -> S:
    timer = 0.0
    if abs(command) >= p.PWM_Limit:
        timer = s.timer + h
    off = s.off
    if p.overload_bit > 0.5 and timer > p.overload_time:
        off = 1.0
    if p.overheating_bit > 0.5 and temperature > p.Temperature_Limit:
        off = 1.0
    return S(timer, off)


def passed(s: S, command: float, p: P) -> float:
    return min(max(command, -p.PWM_Limit), p.PWM_Limit)


def enabled(s: S, p: P) -> float:
    return 1.0 - s.off
