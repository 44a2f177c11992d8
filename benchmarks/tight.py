"""Every actuator of the catalogue against its equations solved tightly: the error at 1 and 0.1 ms.

The equations stand in the tests, written out a second time; only the numbers come from Pliant. Random
commands, limits and stops where these reach them, servos that slide and stick.
"""

import sys
from collections.abc import Callable
from pathlib import Path

Distances = Callable[[str], tuple[float, float, float]]


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.engines.compliant import alone
    from tests.engines.joint import servo_alone

    found = [_row(name, alone.distances) for name in alone.solvable()]
    return found + [_row(name, servo_alone.distances) for name in servo_alone.servos()]


def _row(name: str, distances: Distances) -> tuple[str, str, str]:
    motion, coarse, fine = distances(name)
    return (
        f"`{name}`, moves {motion:.2f} rad",
        f"{coarse:.3g} mrad at 1 ms, {fine:.3g} at 0.1 ms",
        "first order: 10 to 1",
    )


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row), flush=True)
