"""Session, joint and frame that every part of a page shows, and the turns of its controls.

viser sets a control's value as soon as a viewer turns it, and calls back later in a thread of a pool. A page
that meanwhile sets its controls to the state of the session would overwrite the new value before it is read:
the viewer turns, and nothing happens. So a turn is noted with its value in the server's event loop, where
viser sets it; the page writes to its controls there too, and only values no older than the last turn.
"""

import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pliant.errors import PliantError
from pliant.view.commands import Command, Frame, Pause
from pliant.view.session import Session


class Turns:
    """Turns and clicks at the controls of a server's page, until the page has done them.

    Attributes:
        noted: turns and clicks so far.
    """

    def __init__(self, server: Any) -> None:
        self._loop = server.get_event_loop()
        self._due: dict[object, Callable[[], object]] = {}
        self.noted = 0
        self._lock = threading.Lock()
        self._woken = threading.Event()

    def turned(self, handle: Any, action: Callable[[Any, Any], object]) -> None:
        """`action` gets the value and the event of a turn; only the newest that waits is done."""

        async def note(event: Any) -> None:
            if event.client is not None:  # a control that the page sets calls back too
                self._note(id(handle), partial(action, handle.value, event))

        handle.on_update(note)

    def clicked(self, listen: Callable[[Any], object], action: Callable[[Any], object]) -> None:
        """`action` gets every event: of a button's `on_click`, or a command's `on_trigger`."""

        async def note(event: Any) -> None:
            self._note(object(), partial(action, event))

        listen(note)

    def pressed(self, group: Any, actions: Mapping[str, Callable[[Any], object]]) -> None:
        """The action of a group's button gets the event of every click on it."""

        async def note(event: Any) -> None:
            self._note(object(), partial(actions[group.value], event))

        group.on_click(note)

    def wait(self, seconds: float) -> None:
        """Wait for a turn, at most this long."""
        self._woken.wait(seconds)
        self._woken.clear()

    def wake(self) -> None:
        """End `wait`."""
        self._woken.set()

    def work(self) -> None:
        """Do what is due, in the order in which it was first asked for."""
        while True:
            with self._lock:
                key = next(iter(self._due), None)
                action = self._due.get(key)
            if action is None:
                return
            try:
                action()
            except Exception:  # noqa: BLE001 - one control's fault; the page goes on
                traceback.print_exc()
            with self._lock:
                if self._due.get(key) is action:  # or it was turned again meanwhile
                    del self._due[key]

    def agree(self, values: Callable[[], Iterable[tuple[Any, Any]]]) -> None:
        """Bring controls to these values, unless a viewer turns one meanwhile."""
        with self._lock:
            noted = self.noted
            if self._due:
                return
        self._loop.call_soon_threadsafe(self._write, noted, list(values()))

    def _note(self, key: object, action: Callable[[], object]) -> None:
        with self._lock:
            self._due[key] = action
            self.noted += 1
        self._woken.set()

    def _write(self, noted: int, values: list[tuple[Any, Any]]) -> None:
        for handle, value in values:
            if self.noted != noted:
                return
            with suppress(RuntimeError):  # it was removed meanwhile
                handle.value = value


class PageState:
    """A server and the session that it shows.

    Attributes:
        joint: index of the joint whose readings and knobs are shown.
        looking_at: a frame of the past that is shown instead of the present; None: the present.
        turns: of all its controls.
    """

    def __init__(self, server: Any, session: Session) -> None:
        self.server, self.session = server, session
        self.joint = 0
        self.looking_at: Frame | None = None
        self.turns = Turns(server)

    def choose(self, joint: int) -> None:
        """Show the readings and knobs of another joint."""
        self.joint = joint

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
