"""Pages on work in progress: a search (errors, parameters, models compared, bands), and a recording.

The work sends updates to its page; the page keeps a copy, and the work never waits for it.
"""

import time
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any, TypeVar

import numpy as np

from pliant.arrays import Floats
from pliant.view.curves import search_table, tried_table
from pliant.view.server import address_of, close_server, open_server


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A search on its way.

    Attributes:
        part: of a search that has several. done, planned: candidates. best, newest: errors [rad].
        values: parameter to its best value so far, and the ends of what is searched.
    """

    part: str
    done: int
    planned: int
    best: float
    newest: float
    seconds_left: float
    values: dict[str, tuple[float, float, float]]


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A model that is compared with others.

    Attributes:
        fitted, held_out: errors [rad]; NaN until it is fitted. verdict: on it, once all are compared.
    """

    name: str
    fitted: float
    held_out: float
    verdict: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Predicted:
    """One joint in one log: measured, simulated, and the band in which 90 % of the samples are expected.

    Attributes:
        name: of the log, and of a robot's joint. time [s], measured, simulated, low, high [rad, m]: (N,).
    """

    name: str
    time: Floats
    measured: Floats
    simulated: Floats
    low: Floats
    high: Floats


EVERY = 0.2
"""[s] Between two updates of a page: a recorder has packets to send."""
POINTS = 600
"""Most points of a curve."""
GREY, BLUE, BAND = "#87919c", "#1f8fd0", "rgba(31, 143, 208, 0.25)"
SCALES: dict[str, Any] = {"x": {"time": False}}


class _Watched:
    """A page with plots that is told of something on its way."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._next = 0.0
        server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        server.gui.set_panel_label("Pliant")
        server.gui.main_panel.set_width(560)

    @property
    def viewers(self) -> int:
        """Viewers who have it open."""
        return len(self._server.get_clients())

    def _due(self) -> bool:
        """Whether it is time to bring the page up to date."""
        if time.monotonic() < self._next:
            return False
        self._next = time.monotonic() + EVERY
        return True


class SearchPage(_Watched):
    """The page; it is told by `note`, `compare` and `predict` as things go on.

    Attributes:
        tried: the models that are compared. predicted: joints and logs, with their bands.
    """

    def __init__(self, server: Any) -> None:
        self._seen: list[Searched] = []
        self._intervals: dict[str, tuple[float, float]] = {}
        self.tried: tuple[Tried, ...] = ()
        self.predicted: dict[str, Predicted] = {}
        super().__init__(server)
        gui = server.gui
        gui.main_panel.dock_right()
        self._panel = gui.add_panel()
        self._panel.dock_left()
        self._panel.set_width(560)
        self._tab = self._panel.add_tab("Error")
        with self._tab:
            self._plot = _plot(
                gui,
                "error over candidates",
                [("candidates", GREY), ("newest [mrad]", GREY), ("best [mrad]", BLUE)],
                y={"distr": 3},
            )
        self._tried = gui.add_html("")
        self._table = gui.add_html("")

    def note(self, now: Searched) -> None:
        """The search is here; an error that is not finite is no curve's. Another part begins anew."""
        if self._seen and (now.part != self._seen[-1].part or now.done < self._seen[-1].done):
            self._seen = []
        if np.isfinite(now.best) and now.best > 0.0:
            self._seen.append(now)
        if self._seen and self._due():
            self.show()

    def compare(self, tried: Sequence[Tried]) -> None:
        """The models compared are here."""
        self.tried = tuple(tried)
        self._tried.content = tried_table(self.tried)

    def predict(
        self, intervals: dict[str, tuple[float, float]], predicted: Sequence[Predicted]
    ) -> None:
        """Show how sure the fit is: 90 % intervals of its parameters, and bands of logs."""
        self._intervals = intervals
        self.predicted = {one.name: one for one in predicted}
        self.show()
        with self._panel.add_tab("Prediction"):
            gui = self._server.gui
            names = tuple(self.predicted)
            choice = gui.add_dropdown("Log", names)

            def chosen(_event: Any) -> None:
                self._draw(choice.value)

            choice.on_update(chosen)
            series = [("time [s]", GREY), ("low", BAND), ("high", BAND)]
            series += [("measured", GREY), ("simulated", BLUE)]
            title = "position, with the 90 % band"
            self._motion = _plot(gui, title, series, bands=({"series": (2, 1), "fill": BAND},))
            self._draw(names[0])

    def show(self) -> None:
        """Bring the page up to date."""
        if not self._seen:
            return
        seen = self._seen[:: max(len(self._seen) // POINTS, 1)]
        done = np.array([float(one.done) for one in seen])
        best = 1e3 * np.array([one.best for one in seen])
        newest = 1e3 * np.array([one.newest for one in seen])
        worst = best.max()
        newest = np.clip(np.where(np.isfinite(newest), newest, worst), best.min(), 3.0 * worst)
        if len(seen) > 1:
            self._plot.data = (done, newest, best)
        self._table.content = search_table(self._seen[-1], self._intervals)

    def _draw(self, name: str) -> None:
        one = self.predicted[name]
        self._motion.data = (one.time, one.low, one.high, one.measured, one.simulated)


def _plot(
    gui: Any, title: str, series: Sequence[tuple[str, str]], *, y: Any = None, **more: Any
) -> Any:
    """An empty plot; the first of the series is what it is drawn over."""
    lines: list[dict[str, Any]] = [{"label": series[0][0]}]
    lines += [{"label": label, "stroke": colour, "width": 2} for label, colour in series[1:]]
    scales = SCALES | ({} if y is None else {"y": y})
    empty = tuple(np.zeros(2) for _ in series)
    return gui.add_uplot(empty, series=tuple(lines), title=title, scales=scales, height=360, **more)


SAMPLES = 2000
"""Most points of a curve; older ones leave it."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recording on its way: time, of a length [s], samples, readings lost; goal and position of each joint [rad]."""

    name: str
    time: float
    length: float
    samples: int
    lost: int
    goals: Mapping[str, float]
    positions: Mapping[str, float]


class RecordingPage(_Watched):
    """The page; `note` is called with every sample, `end` when a recording has ended.

    Args:
        server: of the page. joints: that are recorded; the viewer chooses which of them is drawn.
    """

    def __init__(self, server: Any, joints: Iterable[str]) -> None:
        self._seen: list[Recorded] = []
        self._joint, *others = joints
        super().__init__(server)
        gui = server.gui
        self._said = gui.add_html("")
        if others:
            choice = gui.add_dropdown("Joint", (self._joint, *others))

            def chosen(_event: Any) -> None:
                self._joint = choice.value
                self._draw()

            choice.on_update(chosen)
        series = [("time [s]", GREY), ("goal [rad]", GREY), ("position [rad]", BLUE)]
        self._plot = _plot(gui, "goal and position", series)

    def note(self, now: Recorded) -> None:
        """The recording is here; another name begins the curves anew."""
        if self._seen and now.name != self._seen[-1].name:
            self._seen = []
        self._seen.append(now)
        del self._seen[:-SAMPLES]
        if self._due():
            self.show()

    def end(self, name: str, how: str, why: str = "") -> None:
        """A recording has ended: show how, and all of its samples."""
        if not self._seen or self._seen[-1].name != name:
            self._seen = []
        self.show(f"{name}: {how}", why)

    def show(self, said: str = "", why: str = "") -> None:
        """Bring the page up to date."""
        if not said:
            now = self._seen[-1]
            said = (
                f"{now.name}: {now.time:.1f} of {now.length:g} s, {now.samples} samples, "
                f"{now.lost} readings lost"
            )
        warning = f'<p class="warn" role="alert">{escape(why)}</p>' if why else ""
        self._said.content = (
            f'<section class="pliant" role="status"><p>{escape(said)}</p>{warning}</section>'
        )
        self._draw()

    def _draw(self) -> None:
        if len(self._seen) > 1:
            rows = [(x.time, x.goals[self._joint], x.positions[self._joint]) for x in self._seen]
            self._plot.data = tuple(np.array(rows).T)


PageT = TypeVar("PageT", bound=_Watched)


@contextmanager
def watched(
    what: str, page: Callable[[Any], PageT], port: int = 8080
) -> Generator[tuple[str, PageT]]:
    """Address and page, while the block runs.

    Args:
        what: is watched, for the page's title. page: makes it on a server.
    """
    server = open_server("127.0.0.1", port, f"Pliant: {what}", lambda _: None)
    try:
        yield address_of(server), page(server)
    finally:
        close_server(server)
