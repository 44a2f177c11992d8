"""A page on a search while it goes on: errors of candidates, parameters, models compared, bands.

The search tells it after each generation; the page keeps a copy, and the search waits for nobody.
"""

import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.view.curves import search_table, tried_table
from pliant.view.server import close_server, open_server


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
"""[s] Between two updates of the page."""
POINTS = 600
"""Most points of a curve."""
GREY, BLUE, BAND = "#87919c", "#1f8fd0", "rgba(31, 143, 208, 0.25)"
SCALES: dict[str, Any] = {"x": {"time": False}}


class SearchPage:
    """The page; it is told by `note`, `compare` and `predict` as things go on.

    Attributes:
        tried: the models that are compared. predicted: joints and logs, with their bands.
    """

    def __init__(self, server: Any) -> None:
        self._server = server
        self._seen: list[Searched] = []
        self._next = 0.0
        self._intervals: dict[str, tuple[float, float]] = {}
        self.tried: tuple[Tried, ...] = ()
        self.predicted: dict[str, Predicted] = {}
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("Pliant")
        gui.main_panel.dock_right()
        gui.main_panel.set_width(560)
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

    @property
    def viewers(self) -> int:
        """Viewers who have it open."""
        return len(self._server.get_clients())

    def note(self, now: Searched) -> None:
        """The search is here; an error that is not finite is no curve's. Another part begins anew."""
        if self._seen and (now.part != self._seen[-1].part or now.done < self._seen[-1].done):
            self._seen = []
        if np.isfinite(now.best) and now.best > 0.0:
            self._seen.append(now)
        if self._seen and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
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
            title = "position, with the band of 90 %"
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


@contextmanager
def search_shown(host: str = "127.0.0.1", port: int = 8080) -> Generator[tuple[str, SearchPage]]:
    """Address and page, while the block runs."""
    from pliant.view.server import address_of

    server = open_server(host, port, "Pliant: a search", lambda _: None)
    try:
        yield address_of(server), SearchPage(server)
    finally:
        close_server(server)
