"""The plot of one log: goal, measured and simulated position, and what lies between."""

from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.identify.problem.evaluation import LogError
from pliant.report.svg import blank, dress, inline
from pliant.report.theme import GOAL, INK, MEASURED, MUJOCO, OFF, SIMULATED, SOFT


@dataclass(frozen=True, eq=False)
class Trace:
    """One joint over time.

    Attributes:
        time: (N,) [s]. goal, position, simulated: (N,) [rad]. enabled: (N,) motor powered.
    """

    time: Floats
    goal: Floats
    position: Floats
    simulated: Floats
    enabled: NDArray[np.bool_]


def motion(entry: LogError, mujoco: Floats | None, prefix: str, reach: float) -> str:
    """SVG of one log; see `drawn`."""
    log = entry.log
    trace = Trace(log.time, log.goal, log.position, entry.simulated, log.enabled)
    return drawn(trace, mujoco, prefix, reach)


def drawn(log: Trace, mujoco: Floats | None, prefix: str, reach: float) -> str:
    """SVG of one joint in one log.

    Args:
        log: what was recorded and simulated.
        mujoco: (N,) positions in MuJoCo [rad], if it was run there too.
        prefix: of the ids in the SVG.
        reach: half the height of the residual's axis [mrad], the same for all logs of a report.
    """
    figure = blank(5.6, 3.9)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.0, 1.1])
    for axes in (upper, lower):
        dress(axes)
        for begin, end in _off(log.time, log.enabled):
            axes.axvspan(begin, end, color=OFF, linewidth=0)
    upper.plot(log.time, log.goal, color=GOAL, linewidth=1.0)
    upper.plot(log.time, log.position, color=MEASURED, linewidth=1.3)
    upper.plot(log.time, log.simulated, color=SIMULATED, linewidth=1.6)
    lower.axhline(0.0, color=INK, linewidth=0.6)
    residual = 1e3 * (log.simulated - log.position)
    lower.plot(log.time, residual, color=SIMULATED, linewidth=1.0)
    if mujoco is not None:
        dashes = (0, (4.0, 3.5))
        upper.plot(log.time, mujoco, color=MUJOCO, linewidth=1.2, linestyle=dashes)
        lower.plot(
            log.time, 1e3 * (mujoco - log.position), color=MUJOCO, linewidth=0.8, linestyle=dashes
        )
    _frame(upper, lower, log.time, reach)
    figure.align_ylabels([upper, lower])
    return inline(figure, prefix, "Position and residual over time")


def _frame(upper: Axes, lower: Axes, time: Floats, reach: float) -> None:
    upper.set_ylabel("position [rad]")
    lower.set_ylabel("residual\n[mrad]")
    lower.set_xlabel("time [s]")
    lower.set_xlim(float(time[0]), float(time[-1]))
    lower.set_ylim(-reach, reach)
    lower.yaxis.label.set_color(SOFT)


def _off(time: Floats, enabled: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """The spans [s] in which the motor is not powered."""
    edges = np.flatnonzero(np.diff(np.concatenate([[True], enabled, [True]]).astype(int)))
    last = len(time) - 1
    return [
        (float(time[begin]), float(time[min(end, last)]))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]
