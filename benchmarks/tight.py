"""Every actuator of the catalogue against its equations solved tightly: the error at 1 and 0.1 ms, and its order.

The equations are written out independently in the tests; only the numbers come from Pliant. Commands are random
and reach limits and stops in some actuators; servos slide and stick.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

Distances = Callable[[str, Sequence[float]], tuple[float, list[float]]]
STEPS = (1e-3, 1e-4, 2e-4, 5e-5, 2e-5)
"""[s] The order is the slope over all but the first: at 1 ms some springs take shorter steps than asked, and
limits and stops are met at other instants."""


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    sys.path.insert(0, str(Path(__file__).parents[1]))
    from tests.engines.compliant import alone
    from tests.engines.joint import servo_alone

    found = [_row(name, alone.distances) for name in alone.solvable()]
    return found + [_row(name, servo_alone.distances) for name in servo_alone.servos()]


def _row(name: str, distances: Distances) -> tuple[str, str, str]:
    motion, found = distances(name, STEPS)
    order = np.polyfit(np.log(STEPS[1:]), np.log(found[1:]), 1)[0]
    return (
        f"`{name}`, moves {motion:.2f} rad",
        f"{found[0]:.3g} mrad at 1 ms, {found[1]:.3g} at 0.1 ms, order {order:.2f} from 0.2 to 0.02 ms",
        "first order: 1",
    )


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row), flush=True)
