"""The plot of one log: goal, measured and simulated position, and what lies between."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.report.plots import Figure, figure, line, span

ROLES = {
    "measured": "measured",
    "simulated": "simulated, joint engine",
    "mujoco": "simulated, MuJoCo",
    "goal": "goal",
}
"""Colour to what it shows."""


@dataclass(frozen=True, eq=False)
class Curves:
    """One joint over time.

    Attributes:
        time: (N,) [s]. goal, position, simulated: (N,) [rad]. enabled: (N,) motor powered.
        mujoco: (N,) positions in MuJoCo [rad], if it was run there too.
        branches: name to (N,) [rad], where equally good fits go different ways.
    """

    time: Floats
    goal: Floats
    position: Floats
    simulated: Floats
    enabled: NDArray[np.bool_]
    mujoco: Floats | None = None
    branches: Mapping[str, Floats] = field(default_factory=dict[str, Floats])


def motion(log: Curves, reach: float) -> Figure:
    """The figure of one joint in one log.

    What was measured is drawn broad and below: it stays visible on both sides of what covers it.

    Args:
        log: what was recorded and simulated.
        reach: half the height of the residual's axis [mrad], the same for all logs of a report.
    """
    residual = 1e3 * (log.simulated - log.position)
    data = [
        line(log.time, log.goal, "goal", "goal", width=1.2),
        line(log.time, log.position, "measured", "measured", width=5.0),
        line(log.time, log.simulated, "simulated", "simulated", width=1.8),
        line(log.time, residual, "simulated", "residual", width=1.2, lower=True),
    ]
    dotted = {"dash": "dot"}
    data += [
        line(log.time, way, "simulated", name, width=1.2, line=dotted)
        for name, way in log.branches.items()
    ]
    if log.mujoco is not None:
        dashed = {"dash": "5px,4px"}
        between = 1e3 * (log.mujoco - log.position)
        data += [
            line(log.time, log.mujoco, "mujoco", "MuJoCo", width=1.4, line=dashed),
            line(
                log.time, between, "mujoco", "residual, MuJoCo", width=1.0, line=dashed, lower=True
            ),
        ]
    return figure(
        data,
        "time [s]",
        "position [rad]",
        "residual [mrad]",
        label="Position and residual over time",
        shapes=[span(begin, end, "off") for begin, end in off(log.time, log.enabled)],
        xaxis={"range": [float(log.time[0]), float(log.time[-1])]},
        yaxis2={"range": [-reach, reach]},
    )


def reach(residuals: Iterable[Floats]) -> float:
    """[mrad] Half a height that holds all residuals [rad] but the odd peak."""
    largest = [float(np.nanquantile(np.abs(one), 0.995)) for one in residuals]
    finite = [value for value in largest if np.isfinite(value)]
    return 1.15e3 * max([*finite, 1e-3])


def off(time: Floats, enabled: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """The spans [s] in which the motor is not powered."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], enabled, [True]]).astype(int)))
    last = len(time) - 1
    return [
        (float(time[begin]), float(time[min(end, last)]))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
