"""A strip of images of a simulated motion as PNG."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion
from pliant.engines.mujoco.film import Image, frames
from pliant.experiments.support.offscreen import can_draw
from pliant.experiments.support.recipe import new_figure, save_figure


@dataclass(frozen=True, kw_only=True)
class View:
    """Position and direction of the camera.

    Attributes:
        lookat: the point it looks at [m]. distance: from there [m].
        azimuth: direction that it looks along, 0 along x, 90 along y [degrees].
        elevation: negative from above [degrees].
    """

    lookat: Sequence[float]
    distance: float
    azimuth: float = 90.0
    elevation: float = -15.0


WIDE, HIGH, ABREAST = 2.6, 1.95, 3
"""[inches] Size of an image of the strip, with its time above; and number of images per row."""


def write_strip(
    motion: Motion,
    folder: Path,
    name: str,
    *,
    times: Sequence[float],
    view: View,
    title: str = "",
    since: float = 0.0,
) -> Path:
    """Images of the motion at `times` [s], in rows.

    If nothing can be rendered, the bodies are drawn as points joined to their parents, seen from the
    side.

    Args:
        motion: of a model with geoms. folder, name: of the PNG file. view: the camera.
        title: above all images. since: the time [s] that is labelled 0.
    """
    poses = [motion.qpos[int(np.argmin(np.abs(motion.time - t)))] for t in times]
    images = _rendered(motion.model, poses, view) if can_draw() else []
    columns = min(len(times), ABREAST)
    lines = -(-len(times) // columns)
    height = lines * (HIGH + 0.3) + 0.25 * bool(title)
    figure, axes = new_figure(lines, columns, width=WIDE * columns, height=height)
    if title:
        figure.suptitle(title, fontsize=11)
    panels: list[Any] = np.ravel(axes).tolist()
    for empty in panels[len(times) :]:
        empty.set_axis_off()
    for k, axis in enumerate(panels[: len(times)]):
        if images:
            axis.imshow(images[k])
            axis.set_axis_off()
        else:
            _skeleton(axis, motion.model, _positions(motion.model, poses[k]), view)
        axis.set_title(f"{times[k] - since:.1f} s", fontsize=9)
    return save_figure(figure, folder, name)


def _rendered(model: mujoco.MjModel, poses: Sequence[Floats], view: View) -> list[Image]:
    return frames(
        model,
        poses,
        lookat=[view.lookat] * len(poses),
        distance=view.distance,
        azimuth=view.azimuth,
        elevation=view.elevation,
        width=480,
        height=360,
    )


def _positions(model: mujoco.MjModel, pose: Floats) -> Floats:
    """(nbody, 3) [m]."""
    data = mujoco.MjData(model)
    data.qpos[:] = pose
    mujoco.mj_forward(model, data)
    return np.array(data.xpos)


def _skeleton(axis: Any, model: mujoco.MjModel, bodies: Floats, view: View) -> None:
    draw = axis.plot
    for k in range(1, model.nbody):
        parent = int(model.body_parentid[k])
        if parent:
            draw(*bodies[[parent, k]][:, [0, 2]].T, "o-", color="tab:blue", ms=3)
        else:
            draw(bodies[k, 0], bodies[k, 2], "s", color="tab:orange", ms=5)
    reach, centre = 0.5 * view.distance, view.lookat
    axis.set(
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[2] - reach, centre[2] + reach),
        aspect="equal",
    )
