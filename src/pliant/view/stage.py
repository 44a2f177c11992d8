"""The robot in 3D, and at each joint a spring, its motor and its goal; a push with the mouse.

viser sets a control's value as soon as a viewer turns it, and calls back in a thread of a pool, some
time later. A page that meanwhile brings its controls to the state of the session would take the
new value away before anybody has read it: the viewer turns, and nothing happens. So a turn is noted
with its value in the server's event loop, where viser sets it; the page writes to its controls
there too, and only what is no older than the last turn.
"""

import copy
import threading
import traceback
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from mjviser import ViserMujocoScene
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.view.commands import Frame, Push

if TYPE_CHECKING:
    from pliant.view.page import Page


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


GOAL, LINK, MOTOR = (122, 92, 166), (0, 103, 168), (217, 123, 0)
SIZE = 0.28
"""Radius of what is drawn at a joint, as a part of the model's extent."""
ARC = 16
"""Pieces of an arc."""
STRENGTH = 40.0
"""[1/s^2] Of the spring that the mouse pulls with, times the mass of the robot."""


class Stage:
    """The 3D scene of a page."""

    def __init__(self, page: "Page") -> None:
        self._page, self._server = page, page.server
        self._drawn: Any = None
        self.rebuild()

    def rebuild(self) -> None:
        """Draw the model anew; it has become another."""
        page = self._page
        self._server.scene.reset()
        # A copy: mjviser writes its colours and sizes into the model that it draws.
        model = copy.copy(page.session.scene.model)
        self._drawn = ViserMujocoScene(self._server, model, num_envs=1)
        self._drawn.camera_tracking_enabled = False
        self._size = SIZE * float(model.stat.extent)
        self._strength = STRENGTH * float(np.sum(model.body_mass))
        self._floor(model)
        self._marks = [self._joint_marks(k) for k in range(len(page.session.scene.joints))]
        for group in self._drawn._mesh_groups:  # mjviser offers no other way to its handles  # noqa: SLF001
            self._make_draggable(group)
        self._look(model)
        self.show(page.frame)

    def show(self, frame: Frame) -> None:
        """Bring the scene to a frame."""
        with self._server.atomic():
            self._drawn.update_from_arrays(frame.position[None], frame.matrix[None])
            stiffness = frame.readings["stiffness"]
            stiffest = max(float(np.nanmax(stiffness)), 1e-9) if np.any(stiffness > 0) else 1.0
            for k, marks in enumerate(self._marks):
                self._show_joint(frame, k, marks, stiffest)

    def _show_joint(self, frame: Frame, k: int, marks: dict[str, Any], stiffest: float) -> None:
        x = {name: float(values[k]) for name, values in frame.readings.items()}
        place = frame.anchor[k], frame.axis[k], frame.direction[k]
        slides = self._page.session.scene.joints[k].slides
        towards_goal = x["goal"] - x["position"]
        shown = {
            "goal": not slides and abs(towards_goal) < np.pi,
            "spring": x["deflection"] == x["deflection"],
        }
        if shown["goal"]:
            marks["goal"].points = _needle(*place, towards_goal, self._size)
        if shown["spring"] and not slides:
            marks["spring"].points = _arc(*place, -x["deflection"], 0.0, self._size)
            marks["spring"].thickness = 1.5 + 7.0 * min(max(x["stiffness"] / stiffest, 0.0), 1.0)
            marks["motor"].points = _needle(*place, -x["deflection"], self._size)
        marks["goal"].visible = shown["goal"]
        marks["spring"].visible = marks["motor"].visible = shown["spring"] and not slides

    def _joint_marks(self, k: int) -> dict[str, Any]:
        colours = {"goal": GOAL, "spring": LINK, "motor": MOTOR}
        return {name: self._lines(f"/joints/{k}/{name}", 3.0, c) for name, c in colours.items()}

    def _lines(
        self, name: str, width: float, colour: tuple[int, int, int] = (109, 119, 130)
    ) -> Any:
        return self._server.scene.add_line_segments(
            name,
            points=np.zeros((1, 2, 3), np.float32),
            colors=colour,
            thickness=width,
            thickness_units="screen",
        )

    def _floor(self, model: Any) -> None:
        if any(int(kind) == 0 for kind in model.geom_type):  # it has a plane of its own
            return
        lowest = float(self._page.frame.position[:, 2].min()) - 0.5 * float(model.stat.extent)
        self._server.scene.add_grid(
            "/floor",
            plane="xy",
            position=(0.0, 0.0, lowest),
            infinite_grid=True,
            cell_size=0.1,
            section_size=0.5,
        )

    def _look(self, model: Any) -> None:
        """From the front and above, on the middle of the robot."""
        centre, extent = np.array(model.stat.center), float(model.stat.extent)
        camera = self._server.initial_camera
        camera.look_at = tuple(centre)
        camera.position = tuple(centre + extent * np.array([0.8, -1.6, 0.55]))

    def _make_draggable(self, group: Any) -> None:
        bodies: NDArray[Any] = group.body_ids

        # async: viser gives the phases of a drag to a coroutine in their order.
        @group.handle.on_drag("left", modifier="shift")
        async def _(event: Any) -> None:
            begin, end = (np.array(p) for p in (event.start_position, event.end_position))
            over = event.phase == "end"
            force = np.zeros(3) if over else self._strength * (end - begin)
            body = int(bodies[event.instance_index or 0])
            command = Push(
                body, tuple(map(float, force)), tuple(map(float, begin)), 0.0 if over else 0.3
            )
            loop = self._server.get_event_loop()
            await loop.run_in_executor(None, self._page.send, command, event)


def _needle(
    anchor: Floats, axis: Floats, direction: Floats, angle: float, size: float
) -> NDArray[np.float32]:
    """(1, 2, 3) A short line at a joint, this far from where the link is."""
    way = _turned(axis, direction, np.array([angle]))[0]
    return np.array([[anchor + 0.55 * size * way, anchor + 1.15 * size * way]], np.float32)


def _arc(
    anchor: Floats, axis: Floats, direction: Floats, begin: float, end: float, size: float
) -> NDArray[np.float32]:
    """(ARC, 2, 3) From the motor to the link."""
    points = anchor + size * _turned(axis, direction, np.linspace(begin, end, ARC + 1))
    return np.stack([points[:-1], points[1:]], axis=1).astype(np.float32)


def _turned(axis: Floats, direction: Floats, angles: Floats) -> Floats:
    """(N, 3) `direction`, at a right angle to `axis`, turned about it."""
    across = np.cross(axis, direction)
    return np.cos(angles)[:, None] * direction + np.sin(angles)[:, None] * across
