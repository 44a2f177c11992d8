"""Duty of a bus servo's position loop, shared by its laws.

duty = clip(gain kp e + derivative_gain de/dt, +-limit),  e = reference - q, 0 within the dead band
"""


def duty(
    e: float,
    rate: float,
    gain: float,
    kp: float,
    derivative_gain: float,
    dead_band: float,
    limit: float,
) -> float:
    if abs(e) <= dead_band:
        e = 0.0
    return min(max(gain * kp * e + derivative_gain * rate, -limit), limit)
