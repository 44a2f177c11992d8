"""The page: what it shows, brought up to date from the session's frames.

    1. controls of the clock, the joint chosen, and what can be saved   (`controls`, `saving`)
    2. the robot in 3D, with springs and goals drawn at its joints      (`stage`)
    3. curves over time                                                 (`curves`)
    4. what viewers turn and click, done in their order                 (`page_state`)

It reads frames and sends commands, both plain values. It steps nothing.
"""

import math
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import viser

from pliant.errors import PliantError
from pliant.view.commands import Frame, Scene
from pliant.view.controls import Controls
from pliant.view.curves import Curves, status
from pliant.view.page_state import PageState
from pliant.view.saving import Saving, open_link
from pliant.view.server import close_server, open_server
from pliant.view.session import Session
from pliant.view.stage import Stage

POSES = 20.0
"""[1/s] Poses of the robot sent to the browser."""
BRAND = (0, 44, 71)
"""viser makes ten shades of it; the seventh, of buttons, is then the blue of the reports."""
TEXTS = 5.0
"""[1/s] Readings and curves."""


class Page(PageState):
    """A server's page on a session."""

    def __init__(self, server: viser.ViserServer, session: Session) -> None:
        super().__init__(server, session)
        self._changes = session.scene.changes
        self._stop = threading.Event()
        server.gui.configure_theme(
            show_logo=False,
            show_share_button=False,
            control_width="large",
            brand_color=BRAND,
        )
        server.gui.set_panel_label("Pliant")
        self.stage = Stage(self)
        self.controls = Controls(self)
        self.curves = Curves(self)
        self.saving = Saving(self, self.controls.tabs)
        server.gui.main_panel.dock_right()
        self._thread = threading.Thread(target=self._run, name="pliant-page", daemon=True)
        self._thread.start()

    def choose(self, joint: int) -> None:
        """Show the readings and knobs of another joint."""
        super().choose(joint)
        self.curves.rebuild()

    def wait(self, seconds: float | None = None) -> None:
        """Wait for some time [s], until the page is stopped, or for Ctrl-C."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        while time.monotonic() < end and not self._stop.wait(0.2):
            pass  # short waits: one without end hears no Ctrl-C on some systems

    def stop(self) -> None:
        """End the page's thread."""
        self._stop.set()
        self.turns.wake()
        self._thread.join()

    def _run(self) -> None:
        texts, poses, shown = 0.0, 0.0, None
        while not self._stop.is_set():
            self.turns.wait(max(poses - time.monotonic(), 0.0))
            self.turns.work()
            if time.monotonic() < poses:
                continue
            poses = time.monotonic() + 1.0 / POSES
            if not (self.server.get_clients() or self.saving.records):
                continue
            if self._changes != self.session.scene.changes:
                self._changes = self.session.scene.changes
                self.stage.rebuild()
                self.controls.rebuild()
            frame = self.frame
            if frame is not shown:
                self.stage.show(frame)
                self.saving.note(frame)
                shown = frame
            if time.monotonic() >= texts:
                texts = time.monotonic() + 1.0 / TEXTS
                self._tell(frame)

    def _tell(self, frame: Frame) -> None:
        session = self.session
        state = "paused" if session.paused else "running"
        if self.looking_at is not None:
            state = "looking back"
        pace = session.pace * session.speed
        values = {
            "time": frame.time,
            "state": state,
            "pace": "" if session.paused else f"{pace:.2f} × real time",
            "note": _note(session, frame),
        }
        self.controls.show(frame, status(values))
        self.turns.agree(self.controls.values)
        self.curves.show(frame)


def _note(session: Session, frame: Frame) -> str:
    if session.failure is not None:
        return str(session.failure)
    if not session.paused and session.pace < 0.95:
        return f"slower than asked for: this machine reaches {session.pace * session.speed:.2f} ×"
    beyond = [
        joint.name
        for k, joint in enumerate(session.scene.joints)
        if joint.deflection_limit is not None
        and not math.isnan(frame.readings["deflection"][k])
        and abs(frame.readings["deflection"][k]) > joint.deflection_limit
    ]
    return f"spring deflected beyond its limit: {', '.join(beyond)}" if beyond else ""


@contextmanager
def shown(
    scene: Scene, *, host: str = "127.0.0.1", port: int = 8080, paused: bool = False
) -> Generator[Page]:
    """A page on a scene that runs; it goes when the block ends.

    Args:
        scene: what moves. host: listened on; every machine of the network can reach 0.0.0.0.
        port: or, where that is taken, one of the next. paused: begin with the clock stopped.

    Raises:
        PliantError: it cannot listen there.
    """
    with Session(scene, paused=paused) as session:
        pages: list[Page] = []

        def on_link(text: str) -> None:
            try:
                open_link(session, text)
            except (PliantError, KeyError, TypeError, ValueError, AttributeError) as error:
                for page in pages:
                    page.tell(str(error) or "the link is damaged", title="This link")

        server = open_server(host, port, f"Pliant: {scene.title}", on_link)
        try:
            pages.append(Page(server, session))
            yield pages[0]
        finally:
            for page in pages:
                page.stop()
            close_server(server)
