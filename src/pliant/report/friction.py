"""The friction of an actuator: its diagram, and what a data sheet would say."""

from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.report.derived import derived, has_budget
from pliant.report.diagram import diagram
from pliant.report.table import table
from pliant.words import number, unit


def friction(
    actuator: Actuator, reach: float, speed: float, visited: Floats | None = None
) -> dict[str, Any]:
    """Friction diagram and breakaway curve of an actuator, for the template.

    Args:
        actuator: whose friction. reach: [N m] half the width of the axes.
        speed: [rad/s] of the dashed boundary. visited: (N, 2) torques [N m] to be dotted.
    """
    rows = [
        (name, number(value), unit(u) if value is not None else "")
        for name, value, u in derived(actuator).rows()
    ]
    speed = float(f"{max(speed, 0.1):.1g}")
    drawn = diagram(actuator, reach, speed, visited) if has_budget(actuator) else None
    return {
        "figure": drawn,
        "figures": table(["from the laws", "", ""], rows, numbers=(1,), soft=(2,)),
        "speed": f"{speed:g}",
        "dotted": visited is not None,
    }


def reach_of(visited: Floats) -> float:
    """[N m] Half a width that holds almost all torques (N, 2) visited."""
    return 1.1 * float(np.quantile(np.abs(visited), 0.999))


def usual_speed(speeds: Floats) -> float:
    """[rad/s] Faster than nine tenths of a motion."""
    return float(np.quantile(np.abs(speeds), 0.9))
