"""A page on a recording while it is made: goal and position of a joint over time."""

import time
from collections.abc import Generator, Iterable, Mapping
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
    """A recording on its way: time, of a length [s], samples, readings lost; goal and position of each joint [rad]."""

    name: str
    time: float
    length: float
    samples: int
    lost: int
    goals: Mapping[str, float]
    positions: Mapping[str, float]


class RecordingPage:
    """The page; `note` is called with every sample, `end` when a recording has ended.

    Args:
        server: of the page. joints: that are recorded; the viewer chooses which of them is drawn.
    """

    def __init__(self, server: Any, joints: Iterable[str]) -> None:
        self._server = server
        self._seen: list[Recorded] = []
        self._next = 0.0
        self._joint, *others = joints
        gui = server.gui
        gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        gui.set_panel_label("Pliant")
        gui.main_panel.set_width(560)
        self._said = gui.add_html("")
        if others:
            choice = gui.add_dropdown("Joint", (self._joint, *others))

            def chosen(_event: Any) -> None:
                self._joint = choice.value
                self._draw()

            choice.on_update(chosen)
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

    @property
    def viewers(self) -> int:
        """Viewers who have it open."""
        return len(self._server.get_clients())

    def note(self, now: Recorded) -> None:
        """The recording is here; another name begins the curves anew."""
        if self._seen and now.name != self._seen[-1].name:
            self._seen = []
        self._seen.append(now)
        del self._seen[:-POINTS]
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + EVERY
            self.show()

    def end(self, name: str, how: str, why: str = "") -> None:
        """A recording has ended: show how, and all of its samples."""
        if not self._seen or self._seen[-1].name != name:
            self._seen = []
        self.show(f"{name}: {how}", why)
        self._server.flush()

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


@contextmanager
def recording_shown(
    joints: Iterable[str], host: str = "127.0.0.1", port: int = 8080
) -> Generator[tuple[str, RecordingPage]]:
    """Address and page, while the block runs."""
    server = open_server(host, port, "Pliant: a recording", lambda _: None)
    try:
        yield address_of(server), RecordingPage(server, joints)
    finally:
        close_server(server)
