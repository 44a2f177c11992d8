"""Drive/backdrive diagram: what motor torque and load do to a joint with load-dependent friction.

Duclusaud et al., ICRA 2025, Figs. 2 to 4. Over motor torque tau_m and external torque tau_e, the
joint at rest stays while |tau_m + tau_e| <= budget(0, tau_m, tau_e); beyond, it moves with the
motor (driven) or against it (back-driven). A joint in motion at speed v keeps it where
tau_m + tau_e = budget(v, tau_m, tau_e).
"""

import numpy as np
from matplotlib.axes import Axes

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.report.derived import Friction
from pliant.report.svg import blank, dress, inline
from pliant.report.theme import BACK_DRIVEN, DRIVEN, INK, SIMULATED, SOFT, STAYS

GRID_POINTS = 181


def diagram(
    actuator: Actuator, reach: float, speed: float, visited: Floats | None, name: str = "diagram"
) -> str:
    """SVG of the diagram.

    Args:
        actuator: with friction that is a budget.
        reach: half the width of both axes [N m].
        speed: of the dashed boundary [rad/s].
        visited: (N, 2) motor and external torque [N m] where the logs went, to be dotted.
        name: what its ids begin with.
    """
    axis = np.linspace(-reach, reach, GRID_POINTS)
    tau_m, tau_e = np.meshgrid(axis, axis)
    net = tau_m + tau_e
    friction = Friction(actuator)
    rest = friction.budget(0.0, tau_m, tau_e)
    figure = blank(5.6, 5.3)
    axes = figure.subplots()
    dress(axes)
    _regions(axes, axis, net, rest)
    if visited is not None and len(visited):
        axes.plot(*visited.T, ".", color=SIMULATED, markersize=1.6, alpha=0.55, zorder=2.5)
    for sign in (1.0, -1.0):
        moving = friction.budget(sign * speed, tau_m, tau_e)
        axes.contour(axis, axis, sign * net - rest, [0.0], colors=INK, linewidths=1.2)
        axes.contour(
            axis,
            axis,
            sign * net - moving,
            [0.0],
            colors=INK,
            linewidths=0.9,
            linestyles=[(0, (4.0, 3.0))],
        )
    axes.axhline(0.0, color=SOFT, linewidth=0.6)
    axes.axvline(0.0, color=SOFT, linewidth=0.6)
    _names(axes, axis, net, tau_m, rest)
    axes.set_aspect("equal")
    axes.set_xlabel("motor torque tau_m [N m]")
    axes.set_ylabel("external torque tau_e [N m]")
    return inline(figure, name, "Drive and backdrive regions over motor and external torque")


def _regions(axes: Axes, axis: Floats, net: Floats, rest: Floats) -> None:
    """Filled by half-planes of the motor's torque, so that each edge is the boundary itself."""
    axes.axhspan(axis[0], axis[-1], color=STAYS, linewidth=0, zorder=0)
    middle = GRID_POINTS // 2
    for half, motor in ((slice(None, middle + 1), -1.0), (slice(middle, None), 1.0)):
        for direction in (1.0, -1.0):
            beyond = (direction * net - rest)[:, half]
            colour = DRIVEN if direction == motor else BACK_DRIVEN
            if beyond.max() > 0.0:
                axes.contourf(axis[half], axis, beyond, [0.0, 1e9], colors=[colour], zorder=0.5)
    axes.set_xlim(axis[0], axis[-1])
    axes.set_ylim(axis[0], axis[-1])


def _names(axes: Axes, axis: Floats, net: Floats, tau_m: Floats, rest: Floats) -> None:
    """Each region's name at its middle, if there is room for it."""
    moves = np.abs(net) > rest
    regions = {
        "driven": moves & (net > 0) & (tau_m > 0),
        "driven ": moves & (net < 0) & (tau_m < 0),
        "back-driven": moves & (net > 0) & (tau_m < 0),
        "back-driven ": moves & (net < 0) & (tau_m > 0),
        "stays": ~moves & (tau_m > 0.4 * axis[-1]),
        "stays ": ~moves & (tau_m < -0.4 * axis[-1]),
    }
    for name, inside in regions.items():
        if np.mean(inside) < 0.03:
            continue
        rows, columns = np.nonzero(inside)
        axes.text(
            axis[int(np.median(columns))],
            axis[int(np.median(rows))],
            name.strip(),
            color=INK,
            ha="center",
            va="center",
            fontsize=9,
            zorder=4,
        )
