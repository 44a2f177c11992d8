"""The robot in 3D, and at each joint a spring, its motor and its goal; a push with the mouse."""

import copy
from typing import Any

import numpy as np
from mjviser import ViserMujocoScene
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.view.commands import Frame, Push
from pliant.view.page_state import PageState

GOAL, LINK, MOTOR = (122, 92, 166), (0, 103, 168), (217, 123, 0)
SIZE = 0.28
"""Radius of what is drawn at a joint, as a part of the model's extent."""
ARC = 16
"""Pieces of an arc."""
STRENGTH = 40.0
"""[1/s^2] Of the spring that the mouse pulls with, times the mass of the robot."""


class Stage:
    """The 3D scene of a page."""

    def __init__(self, page: PageState) -> None:
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
