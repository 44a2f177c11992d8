"""Resistance of copper and torque constant of magnets over temperature: what thermal laws share.

    R = R_stated (1 + alpha_R (T - stated_at)),  k_t = k_t,stated (1 + alpha_k (T - stated_at))

Copper: alpha_R = 0.0039 / K. Magnets of neodymium: alpha_k = -0.001 ... -0.0012 / K.
"""

LEAST = 0.1
"""Part of its stated value below which neither falls: a linear law ends somewhere."""


def factor(alpha: float, temperature: float, stated_at: float) -> float:
    return max(1.0 + alpha * (temperature - stated_at), LEAST)
