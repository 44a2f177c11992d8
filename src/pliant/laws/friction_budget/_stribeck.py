"""The Stribeck factor: 1 at standstill, towards 0 well above the Stribeck speed."""

from math import exp, pow


def fading(v: float, v_s: float, alpha: float) -> float:
    """The factor s = exp(-|v / v_s|^alpha)."""
    return exp(-pow(abs(v / v_s), alpha))
