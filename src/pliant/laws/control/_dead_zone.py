"""The power stage of a qbmove, shared by its two laws.

Each law sets the size of the duty; its sign is that of the controller's u.
"""

from pliant.laws.control._pid import clipped, unlimited


def wanted(goal: float, q: float, v: float, k_p: float, k_d: float) -> float:
    """The controller's u = k_p e - k_d v."""
    return unlimited(0.0, goal - q, v, k_p, k_d)


def towards(u: float, duty: float, limit: float) -> float:
    """`duty` with the sign of u, within +-limit."""
    return clipped(duty if u > 0.0 else -duty, limit)
