"""PID with the derivative on the measurement and conditional anti-windup, in any unit.

    u = k_p e + I - k_d v,   dI = k_i e dt               compliant_actuators: 2.5

The integral is frozen while the output is beyond its limit and the error would push it further.
"""


def unlimited(integral: float, e: float, v: float, k_p: float, k_d: float) -> float:
    return k_p * e + integral - k_d * v


def integrated(integral: float, u: float, e: float, k_i: float, limit: float, h: float) -> float:
    if u > limit and e > 0.0:
        return integral
    if u < -limit and e < 0.0:
        return integral
    return integral + k_i * e * h


def advanced(
    integral: float,
    e: float,
    v: float,
    k_p: float,
    k_i: float,
    k_d: float,
    limit: float,
    h: float,
) -> float:
    """The integral one step later."""
    return integrated(integral, unlimited(integral, e, v, k_p, k_d), e, k_i, limit, h)


def output(integral: float, e: float, v: float, k_p: float, k_d: float, limit: float) -> float:
    return clipped(unlimited(integral, e, v, k_p, k_d), limit)


def clipped(u: float, limit: float) -> float:
    return min(max(u, -limit), limit)
