"""The page: what it shows, brought up to date from the session's frames.

    1. controls of the clock, the joint chosen, and what can be saved   (`controls`, `saving`)
    2. the robot in 3D, with springs and goals drawn at its joints      (`stage`)
    3. curves over time                                                 (`curves`)
    4. what viewers turn and click, done in their order                 (`stage`)

It reads frames and sends commands, both plain values. It steps nothing.
"""

import math
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import viser

from pliant.errors import PliantError
from pliant.view.commands import Command, Frame, Pause, Scene
from pliant.view.curves import status
from pliant.view.saving import open_link
from pliant.view.server import close_server, open_server
from pliant.view.session import Session
from pliant.view.stage import Turns

POSES = 20.0
"""[1/s] Poses of the robot sent to the browser."""
BRAND = (0, 44, 71)
"""viser makes ten shades of it; the seventh, of buttons, is then the blue of the reports."""
TEXTS = 5.0
"""[1/s] Readings and curves."""


class Page:
    """A server's page on a session.

    Attributes:
        joint: index of the joint whose readings and knobs are shown.
        looking_at: a frame of the past that is shown instead of the present; None: the present.
    """

    def __init__(self, server: viser.ViserServer, session: Session) -> None:
        from pliant.view.controls import Controls
        from pliant.view.curves import Curves
        from pliant.view.saving import Saving
        from pliant.view.stage import Stage

        self.server, self.session = server, session
        self.joint = 0
        self.looking_at: Frame | None = None
        self._changes = session.scene.changes
        self.turns = Turns(server)
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
        self.saving = Saving(self)
        server.gui.main_panel.dock_right()
        self._thread = threading.Thread(target=self._run, name="pliant-page", daemon=True)
        self._thread.start()

    @property
    def frame(self) -> Frame:
        """The frame that is shown."""
        return self.looking_at or self.session.frame

    def send(self, command: Command, event: Any = None) -> bool:
        """Give the session a command; whether it took it. A refusal is shown to who gave it."""
        try:
            self.session.send(command)
        except PliantError as error:
            self.tell(str(error), event)
            return False
        return True

    def tell(self, text: str, event: Any = None, title: str = "Refused") -> None:
        """A notice, to the viewer who caused `event`, or to all."""
        client = getattr(event, "client", None)
        clients = [client] if client else list(self.server.get_clients().values())
        for one in clients:
            one.add_notification(title, text, auto_close_seconds=12.0)

    def look_back(self, seconds: float) -> None:
        """Show the frame of some time [s] ago, with the clock stopped; 0: the present."""
        if seconds >= 0.0:
            self.looking_at = None
            return
        if not self.session.paused:
            self.send(Pause(True))
        self.look_at(self.session.frame.time + seconds)

    def look_at(self, when: float) -> None:
        """Show the frame nearest to a time [s]."""
        frames = self.session.history
        self.looking_at = min(frames, key=lambda frame: abs(frame.time - when))

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
