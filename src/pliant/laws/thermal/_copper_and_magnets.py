"""Resistance of copper and torque constant of magnets over temperature, shared by thermal laws.

    R = R_stated (1 + alpha_R (T - stated_at)),  k_t = k_t,stated (1 + alpha_k (T - stated_at))

Copper: alpha_R = 0.0039 / K. Magnets of neodymium: alpha_k = -0.001 ... -0.0012 / K.
"""

LEAST = 0.1
"""Fraction of its stated value below which neither falls, because the linear law would go on to zero."""


def factor(alpha: float, temperature: float, stated_at: float) -> float:
    return max(1.0 + alpha * (temperature - stated_at), LEAST)
