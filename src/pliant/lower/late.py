"""Delayed commands, stored one per step in a row of numbers: for the engines on Warp.

Not to be called from Python: the lowering links it into their kernels.
"""

from __future__ import annotations

from typing import Any

wp: Any


def arrived(now: wp.array[float], at: int, kept: int, present: float, age: float):
    """The command of `age` steps ago, linearly between two of them."""
    if kept == 0 or age <= 0.0:
        return present
    k = int(wp.floor(age))
    part = age - float(k)
    newer = present
    if k > 0:
        newer = now[at + wp.min(k, kept) - 1]
    return newer + part * (now[at + wp.min(k + 1, kept) - 1] - newer)


def older(now: wp.array[float], at: int, k: int, present: float):
    """Place `k` of the kept commands one step later."""
    if k == 0:
        return present
    return now[at + k - 1]
