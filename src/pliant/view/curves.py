"""Curves over time of the joint that is chosen, and pictures of its spring, friction budget and torque."""

import math
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jinja2 import Environment, PackageLoader, StrictUndefined

from pliant.arrays import Floats
from pliant.view.commands import Frame, Joint, unit_of
from pliant.view.page_state import PageState

COILS = 7
THICK = (1.5, 9.0)
"""[px] A spring's line, from its softest to its stiffest so far."""


def joint_picture(joint: Joint, frame: Frame, k: int, stiffest: float) -> str:
    """The readings of joint number `k`; its spring is as thick as its part of `stiffest`."""
    x = {name: float(values[k]) for name, values in frame.readings.items()}
    has_spring = not math.isnan(x["stiffness"])
    return _template("joint.html").render(
        joint=joint,
        x=x,
        known={name: not math.isnan(value) for name, value in x.items()},
        torque_unit=unit_of(joint, "N m"),
        angle=unit_of(joint, "rad"),
        stiffness_unit=unit_of(joint, "N m/rad"),
        spring=_spring(joint, x, stiffest) if has_spring else None,
        friction=_part(abs(x["friction"]), x["budget"]),
        torque=_between(x["motor_torque"], x["torque_low"], x["torque_high"]),
    )


def joint_table(joints: tuple[Joint, ...], frame: Frame) -> str:
    """All joints in a table."""
    rows: list[dict[str, Any]] = [
        {"name": joint.name, **{name: float(v[k]) for name, v in frame.readings.items()}}
        for k, joint in enumerate(joints)
    ]
    measured = any(not math.isnan(row["measured"]) for row in rows)
    return _template("table.html").render(rows=rows, measured=measured)


def status(values: Mapping[str, Any]) -> str:
    """The line with the clock."""
    return _template("status.html").render(values)


def search_table(now: Any, intervals: Mapping[str, tuple[float, float]]) -> str:
    """A `Searched`: its error, and each parameter between its bounds, with its interval once it is known."""
    rows = [
        _parameter(name, x, low, high, intervals.get(name))
        for name, (x, low, high) in now.values.items()
    ]
    return _template("search.html").render(now=now, rows=rows, intervals=bool(intervals))


def tried_table(tried: Any) -> str:
    """Models that are compared, each a `Tried`."""
    return _template("tried.html").render(tried=tried)


def _parameter(
    name: str, value: float, low: float, high: float, ends: tuple[float, float] | None
) -> dict[str, Any]:
    begin, end = (_between(x, low, high) or 0.0 for x in ends or (low, low))
    place = _between(value, low, high) or 0.0
    row = {"name": name, "value": value, "low": low, "high": high, "ends": ends}
    return row | {"place": place, "begin": begin, "end": end}


def _spring(joint: Joint, x: Mapping[str, float], stiffest: float) -> dict[str, Any]:
    """A zigzag between motor and link, drawn out or pressed together by the deflection."""
    limit = joint.deflection_limit or 1.0
    part = max(min(x["deflection"] / limit, 1.0), -1.0)
    begin, end = 70.0, 210.0 + 55.0 * part
    points = [(begin, 30.0), (begin + 10.0, 30.0)]
    pitch = (end - begin - 20.0) / (2 * COILS)
    points += [
        (begin + 10.0 + (i + 0.5) * pitch, 30.0 + (12.0 if i % 2 else -12.0))
        for i in range(2 * COILS)
    ]
    points += [(end - 10.0, 30.0), (end, 30.0)]
    share = min(max(x["stiffness"] / stiffest, 0.0), 1.0) if stiffest > 0.0 else 0.0
    return {
        "line": " ".join(f"{a:.1f},{b:.1f}" for a, b in points),
        "width": f"{THICK[0] + (THICK[1] - THICK[0]) * share:.1f}",
        "end": f"{end:.1f}",
        "beyond": abs(x["deflection"]) > limit,
    }


def _part(value: float, whole: float) -> float:
    """Percent, 0 to 100."""
    return 100.0 * min(value / whole, 1.0) if whole > 0.0 else 0.0


def _between(value: float, low: float, high: float) -> float | None:
    """Percent of the way from low to high."""
    if math.isnan(value) or not low < high:
        return None
    return 100.0 * min(max((value - low) / (high - low), 0.0), 1.0)


@cache
def _template(name: str) -> Any:
    made = Environment(
        loader=PackageLoader("pliant.view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["number"] = _number
    return made.get_template(name)


def _number(value: float, digits: int = 3) -> str:
    """A number of a fixed width, so that the page does not jump."""
    if math.isnan(value):
        return "–"
    return f"{value:.{digits}f}".replace("-", "−")


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

    def __init__(self, page: PageState) -> None:
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
                series: list[Any] = [{"label": "time [s]"}, *map(_series, names), _MARK]
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


_MARK = {"label": "shown", "stroke": "#d6293e", "scale": "mark", "points": {"show": False}}
