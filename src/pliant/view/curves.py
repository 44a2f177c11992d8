"""Curves over time of the joint that is chosen, with a mark at the instant that is shown."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pliant.arrays import Floats
from pliant.view.frame import Frame, unit_of

if TYPE_CHECKING:
    from pliant.view.page import Page

__all__ = ["VIEWS", "Curves"]

POINTS = 400
"""Points of a curve: more than a screen shows side by side."""
WINDOW = 20.0
"""[s] Shown of a simulation."""
COLOURS = {
    "goal": "#8a6fc0",
    "position": "#1f8fd0",
    "measured": "#87919c",
    "motor_1": "#d97b00",
    "motor_2": "#b0a000",
    "torque_low": "#87919c",
    "torque_high": "#87919c",
    "budget": "#87919c",
    "friction": "#d97b00",
    "energy": "#2a9d5c",
}
"""Contrast is 3:1 at least on a white and on a dark ground."""


SCALES: dict[str, Any] = {
    "x": {"time": False},
    "y": {"auto": True},
    "mark": {"auto": False, "range": (0.0, 1.0)},
}


FLAT = 1e-6
"""Curves that change by less are at rest, in the unit of the plot."""
REST = 0.05
"""Half of the least scale about what rests at 0."""


class _Panel(NamedTuple):
    unit: str
    names: tuple[str, ...]


VIEWS: dict[str, tuple[_Panel, _Panel]] = {
    "Motion": (
        _Panel("rad", ("goal", "position", "measured", "motor_1", "motor_2")),
        _Panel("rad/s", ("velocity",)),
    ),
    "Error": (
        _Panel("rad", ("error",)),
        _Panel("N m", ("motor_torque", "torque_low", "torque_high")),
    ),
    "Spring": (
        _Panel("N m/rad", ("stiffness",)),
        _Panel("rad", ("deflection", "deflection_2")),
    ),
    "Torque": (
        _Panel("N m", ("motor_torque", "torque_low", "torque_high")),
        _Panel("N m", ("torque",)),
    ),
    "Friction": (
        _Panel("N m", ("friction", "budget")),
        _Panel("rad/s", ("velocity",)),
    ),
    "Energy": (_Panel("W", ("power",)), _Panel("J", ("energy",))),
}
_TEXTS = {"torque_low": "least", "torque_high": "most", "motor_1": "motor 1", "motor_2": "motor 2"}


class Curves:
    """The panel of curves."""

    def __init__(self, page: "Page") -> None:
        self._page = page
        self.view = "Motion"
        gui = page.server.gui
        self._panel = gui.add_panel()
        self._tab = self._panel.add_tab("Curves")
        with self._tab:
            self.choice = gui.add_dropdown(
                "View", tuple(VIEWS), initial_value=self.view, hint="Which readings are drawn"
            )
        self._plots: list[Any] = []
        self._panel.dock_left()
        self._panel.set_width(380)
        page.turns.turned(self.choice, self._chosen)
        self.rebuild()

    def rebuild(self) -> None:
        """Empty plots of the view, for the joint that is chosen."""
        for plot in self._plots:
            plot.remove()
        joint = self._page.session.scene.joints[self._page.joint]
        self._shown: list[tuple[str, ...]] = []
        self._plots = []
        with self._tab:
            for panel in VIEWS[self.view]:
                names = self._present(panel.names)
                series: list[Any] = [{"label": "time [s]"}, *map(_series, names), _mark()]
                self._shown.append(names)
                self._plots.append(
                    self._page.server.gui.add_uplot(
                        tuple(np.zeros(2) for _ in series),
                        series=tuple(series),
                        title=f"{joint.name} [{unit_of(joint, panel.unit)}]",
                        scales=SCALES,
                        height=190,
                    )
                )
        self.show(self._page.frame)

    def show(self, frame: Frame) -> None:
        """Draw the curves up to now."""
        frames = self._page.session.history
        if self._page.session.scene.whole is None:
            since = frames[-1].time - WINDOW
            frames = [one for one in frames if one.time >= since]
        frames = frames[:: max(len(frames) // POINTS, 1)]
        time = np.array([one.time for one in frames])
        nearest = int(np.argmin(np.abs(time - frame.time)))
        for names, plot in zip(self._shown, self._plots, strict=True):
            curves = [self._curve(frames, name) for name in names]
            mark = np.full(len(time), -1.0)  # below its scale, but for a spike at what is shown
            mark[nearest] = 2.0
            if len(time) > 1:
                plot.data = (time, *curves, mark)
                if plot.scales != (scales := _scales(curves)):
                    plot.scales = scales

    def _curve(self, frames: Any, name: str) -> Floats:
        return np.array([one.readings[name][self._page.joint] for one in frames])

    def _present(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Those that this joint has; always one."""
        readings = self._page.frame.readings
        found = tuple(n for n in names if not np.isnan(readings[n][self._page.joint]))
        return found or names[:1]

    def _chosen(self, view: str, _event: Any) -> None:
        self.view = view
        self.rebuild()


def _scales(curves: list[Floats]) -> dict[str, Any]:
    """Scales of a plot: of curves that do not move, uPlot's own would reach from 0 to 100."""
    low, high = (float(edge(curves)) for edge in (np.nanmin, np.nanmax))
    if high - low > FLAT:
        return SCALES
    half = max(REST, 0.1 * abs(high))
    return SCALES | {"y": {"auto": False, "range": (low - half, high + half)}}


def _series(name: str) -> dict[str, Any]:
    made: dict[str, Any] = {
        "label": _TEXTS.get(name, name.replace("_", " ")),
        "stroke": COLOURS.get(name, COLOURS["position"]),
        "width": 2,
    }
    if name in ("torque_low", "torque_high", "budget"):
        made["dash"] = [6, 4]
    return made


def _mark() -> dict[str, Any]:
    return {"label": "shown", "stroke": "#d6293e", "scale": "mark", "points": {"show": False}}
