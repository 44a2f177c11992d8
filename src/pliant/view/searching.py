"""A page on a search while it goes on: errors of candidates, and where the parameters are.

The search calls it after each generation; the page keeps a copy, and the search waits for nobody.
"""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.view.picture import search_table
from pliant.view.server import close_server, open_server

__all__ = ["SearchPage", "Searched", "search_shown"]

EVERY = 0.2
"""[s] Between two updates of the page."""
POINTS = 600
"""Most points of a curve."""


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A search on its way, as plain values.

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


class SearchPage:
    """The page; `note` is called as the search goes on."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self._seen: list[Searched] = []
        self._next = 0.0
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("Pliant")
        self._table = gui.add_html("")
        empty = (np.zeros(2), np.zeros(2), np.zeros(2))
        series = (
            {"label": "candidates"},
            {"label": "newest [mrad]", "stroke": "#87919c", "width": 1},
            {"label": "best [mrad]", "stroke": "#1f8fd0", "width": 2},
        )
        scales: dict[str, Any] = {"x": {"time": False}, "y": {"distr": 3}}
        self._plot = gui.add_uplot(
            empty, series=series, title="error over candidates", scales=scales, height=260
        )

    def note(self, now: Searched) -> None:
        """The search is here; an error that is not finite is no curve's."""
        if np.isfinite(now.best) and now.best > 0.0:
            self._seen.append(now)
        if self._seen and time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self.show()

    def show(self) -> None:
        """Bring the page up to date."""
        seen = self._seen[:: max(len(self._seen) // POINTS, 1)]
        done = np.array([float(one.done) for one in seen])
        best = 1e3 * np.array([one.best for one in seen])
        newest = 1e3 * np.array([one.newest for one in seen])
        worst = best.max()
        newest = np.clip(np.where(np.isfinite(newest), newest, worst), best.min(), 3.0 * worst)
        if len(seen) > 1:
            self._plot.data = (done, newest, best)
        self._table.content = search_table(self._seen[-1])


@contextmanager
def search_shown(host: str = "127.0.0.1", port: int = 8080) -> Generator[tuple[str, SearchPage]]:
    """Address and page, while the block runs."""
    from pliant.view.server import address_of

    server = open_server(host, port, "Pliant: a search", lambda _: None)
    try:
        yield address_of(server), SearchPage(server)
    finally:
        close_server(server)
