"""A page on a recording while it is made: goal and position of its first servo over time."""

import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np

from pliant.view.server import address_of, close_server, open_server

__all__ = ["Recorded", "RecordingPage", "recording_shown"]

EVERY = 0.2
"""[s] Between two updates of the page: the recorder has packets to send."""
POINTS = 2000
"""Most points of a curve; older ones leave it."""


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """A recording on its way: time, of a length [s], samples and readings lost, goal and position [rad]."""

    name: str
    time: float
    length: float
    samples: int
    lost: int
    goal: float
    position: float


class RecordingPage:
    """The page; `note` is called with every sample."""

    def __init__(self, server: Any) -> None:
        self._seen: list[tuple[float, float, float]] = []
        self._name = ""
        self._next = 0.0
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("Pliant")
        self._said = gui.add_html("")
        series = (
            {"label": "time [s]"},
            {"label": "goal [rad]", "stroke": "#87919c", "width": 1},
            {"label": "position [rad]", "stroke": "#1f8fd0", "width": 2},
        )
        scales: dict[str, Any] = {"x": {"time": False}}
        nothing = (np.zeros(2), np.zeros(2), np.zeros(2))
        self._plot = gui.add_uplot(
            nothing, series=series, title="goal and position", scales=scales, height=300
        )

    def note(self, now: Recorded) -> None:
        """The recording is here; another name begins the curves anew."""
        if now.name != self._name:
            self._name, self._seen = now.name, []
        self._seen.append((now.time, now.goal, now.position))
        del self._seen[:-POINTS]
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self.show(now)

    def show(self, now: Recorded) -> None:
        """Bring the page up to date."""
        self._said.content = (
            f"<p>{escape(now.name)}: {now.time:.1f} of {now.length:g} s, {now.samples} samples, "
            f"{now.lost} readings lost</p>"
        )
        if len(self._seen) > 1:
            self._plot.data = tuple(np.array(self._seen).T)


@contextmanager
def recording_shown(
    host: str = "127.0.0.1", port: int = 8080
) -> Generator[tuple[str, RecordingPage]]:
    """Address and page, while the block runs."""
    server = open_server(host, port, "Pliant: a recording", lambda _: None)
    try:
        yield address_of(server), RecordingPage(server)
    finally:
        close_server(server)
