"""The range of a spring's deflection, shared by all limits.

Left out: what happens beyond it, which each limit defines.
"""


def clamped(phi: float, max_def: float) -> float:
    return min(max(phi, -max_def), max_def)


def within(phi: float, max_def: float) -> float:
    return 1.0 if abs(phi) <= max_def else 0.0
