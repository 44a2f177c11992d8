"""A strip of images of a simulated motion as PNG."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.trials import Motion
from pliant.engines.mujoco.film import frames
from pliant.experiments.support.offscreen import can_draw
from pliant.experiments.support.recipe import new_figure, save_figure


def write_strip(
    motion: Motion,
    folder: Path,
    name: str,
    *,
    times: Sequence[float],
    lookat: Sequence[float],
    distance: float,
    azimuth: float = 90.0,
    elevation: float = -15.0,
    title: str = "",
    since: float = 0.0,
) -> Path:
    """Images of the motion at `times` [s], side by side.

    Where nothing can be rendered, the bodies are drawn as points joined to their parents, seen from
    the side.

    Args:
        motion: of a model with geoms. folder, name: of the PNG file.
        lookat: what the camera looks at. distance, azimuth, elevation: of it [m, degrees].
        title: over all images. since: the time [s] that is written as 0 over an image.
    """
    rows = [int(np.argmin(np.abs(motion.time - t))) for t in times]
    poses = [motion.qpos[row] for row in rows]
    bodies = [_positions(motion.model, pose) for pose in poses]
    images = (
        frames(
            motion.model,
            poses,
            lookat=[lookat] * len(poses),
            distance=distance,
            azimuth=azimuth,
            elevation=elevation,
        )
        if can_draw()
        else []
    )
    height = 2.1 + 0.25 * bool(title)
    figure, axes = new_figure(1, len(times), width=2.6 * len(times), height=height)
    figure.suptitle(title, fontsize=11)
    panels: list[Any] = np.atleast_1d(axes).tolist()
    for k, axis in enumerate(panels):
        if images:
            axis.imshow(images[k])
            axis.set_axis_off()
        else:
            _skeleton(axis, motion.model, bodies[k], lookat, distance)
        axis.set_title(f"{times[k] - since:.1f} s", fontsize=9)
    return save_figure(figure, folder, name)


def _positions(model: mujoco.MjModel, pose: Floats) -> Floats:
    """(nbody, 3) [m]."""
    data = mujoco.MjData(model)
    data.qpos[:] = pose
    mujoco.mj_forward(model, data)
    return np.array(data.xpos)


def _skeleton(
    axis: Any, model: mujoco.MjModel, bodies: Floats, centre: Sequence[float], distance: float
) -> None:
    draw = axis.plot
    for k in range(1, model.nbody):
        parent = int(model.body_parentid[k])
        if parent:
            draw(*bodies[[parent, k]][:, [0, 2]].T, "o-", color="tab:blue", ms=3)
        else:
            draw(bodies[k, 0], bodies[k, 2], "s", color="tab:orange", ms=5)
    reach = 0.5 * distance
    axis.set(
        xlim=(centre[0] - reach, centre[0] + reach),
        ylim=(centre[2] - reach, centre[2] + reach),
        aspect="equal",
    )
