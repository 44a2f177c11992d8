"""The friction of an actuator: its diagram, and data-sheet figures.

Duclusaud et al., ICRA 2025, Figs. 2 to 4. Over motor torque tau_m and external torque tau_e, the
joint at rest stays while |tau_m + tau_e| <= budget(0, tau_m, tau_e); beyond, it moves with the
motor (driven) or against it (back-driven). A joint in motion at speed v keeps it where
tau_m + tau_e = budget(v, tau_m, tau_e).
"""

from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.report.derived import derived, friction_budget, has_budget
from pliant.report.document import Figure, dots, figure, packed, table
from pliant.words import number, unit

GRID_POINTS = 101
"""A side. The boundary is interpolated in between; it is almost straight."""
DOTS = 2500
"""Number of operating points that a reader can distinguish and a page can hold."""


def diagram(actuator: Actuator, reach: float, speed: float, visited: Floats | None) -> Figure:
    """The figure of the diagram.

    Args:
        actuator: with friction that is a budget.
        reach: half the width of both axes [N m].
        speed: of the dashed boundary [rad/s].
        visited: (N, 2) motor and external torque [N m] where the logs went, to be dotted.
    """
    axis = np.linspace(-reach, reach, GRID_POINTS)
    tau_m, tau_e = np.meshgrid(axis, axis)
    net = tau_m + tau_e
    rest = friction_budget(actuator, 0.0, tau_m, tau_e)
    data = _regions(axis, net, rest)
    for sign in (1.0, -1.0):
        moving = friction_budget(actuator, sign * speed, tau_m, tau_e)
        data.append(_boundary(axis, sign * net - rest, 1.6, "solid"))
        data.append(_boundary(axis, sign * net - moving, 1.2, "dash"))
    if visited is not None and len(visited):
        some = visited[:: max(len(visited) // DOTS, 1)]
        data.append(dots(some[:, 0], some[:, 1], "simulated", "where the logs went", size=2.2))
    for trace in data:
        trace |= {"hoverinfo": "skip", "hovertemplate": None}
    square = {"range": [-reach, reach], "zeroline": True, "constrain": "domain"}
    return figure(
        data,
        "motor torque τm [N m]",
        "external torque τe [N m]",
        label="Drive and backdrive regions over motor and external torque",
        height=460,
        xaxis=square,
        yaxis={**square, "scaleanchor": "x"},
        plot_bgcolor="@stays",
        hovermode=False,
        annotations=_names(axis, net, tau_m, rest),
    )


def _regions(axis: Floats, net: Floats, rest: Floats) -> list[dict[str, Any]]:
    """Filled by half-planes of the motor's torque, so that each edge is the boundary itself.

    plotly.js fills where the constraint does not hold.
    """
    made: list[dict[str, Any]] = []
    middle = GRID_POINTS // 2
    for half, motor in ((slice(None, middle + 1), -1.0), (slice(middle, None), 1.0)):
        for direction in (1.0, -1.0):
            beyond = (direction * net - rest)[:, half]
            role = "driven" if direction == motor else "back-driven"
            if beyond.max() > 0.0:
                made.append(
                    _contour(axis[half], axis, beyond)
                    | {
                        "contours": {"type": "constraint", "operation": "<", "value": 0},
                        "fillcolor": f"@{role}",
                        "line": {"width": 0},
                    }
                )
    return made


def _boundary(axis: Floats, beyond: Floats, width: float, dash: str) -> dict[str, Any]:
    return _contour(axis, axis, beyond) | {
        "contours": {"coloring": "none", "start": 0, "end": 0, "size": 1},
        "line": {"color": "@ink", "width": width, "dash": dash},
    }


def _contour(x: Floats, y: Floats, z: Floats) -> dict[str, Any]:
    axes = {"x": packed(x), "y": packed(y), "z": packed(z)}
    return {"type": "contour", **axes, "showscale": False, "name": ""}


def _names(axis: Floats, net: Floats, tau_m: Floats, rest: Floats) -> list[dict[str, Any]]:
    """Each region's name at its middle, if there is room for it."""
    moves = np.abs(net) > rest
    regions = [
        ("driven", moves & (net > 0) & (tau_m > 0)),
        ("driven", moves & (net < 0) & (tau_m < 0)),
        ("back-driven", moves & (net > 0) & (tau_m < 0)),
        ("back-driven", moves & (net < 0) & (tau_m > 0)),
        ("stays", ~moves & (tau_m > 0.4 * axis[-1])),
        ("stays", ~moves & (tau_m < -0.4 * axis[-1])),
    ]
    made: list[dict[str, Any]] = []
    for name, inside in regions:
        if np.mean(inside) < 0.03:
            continue
        rows, columns = np.nonzero(inside)
        made.append(
            {
                "text": name,
                "x": float(axis[int(np.median(columns))]),
                "y": float(axis[int(np.median(rows))]),
                "showarrow": False,
                "font": {"color": "@ink", "size": 13},
            }
        )
    return made


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
    """[N m] Half a width that covers almost all torques (N, 2) visited."""
    return 1.1 * float(np.quantile(np.abs(visited), 0.999))


def usual_speed(speeds: Floats) -> float:
    """[rad/s] Faster than nine tenths of a motion."""
    return float(np.quantile(np.abs(speeds), 0.9))
