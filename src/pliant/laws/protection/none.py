"""No protection: every command passes.

Left out: everything.
"""

from typing import NamedTuple


class P(NamedTuple):
    pass


class S(NamedTuple):
    pass


def start(p: P) -> S:
    return S()


def step(s: S, goal: float, q: float, command: float, temperature: float, p: P, h: float) -> S:
    return s


def passed(s: S, command: float, p: P) -> float:
    return command


def enabled(s: S, p: P) -> float:
    return 1.0
