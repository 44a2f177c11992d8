"""Images of a model in given poses, with MuJoCo's renderer.

Without a display, MUJOCO_GL must be "egl" or "osmesa" when mujoco is imported: its default aborts
the process there.
"""

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

__all__ = ["Image", "frames"]


def frames(
    model: mujoco.MjModel,
    poses: Sequence[NDArray[np.float64]],
    *,
    lookat: Sequence[Sequence[float]],
    distance: float,
    azimuth: float = 90.0,
    elevation: float = -15.0,
    width: int = 320,
    height: int = 240,
) -> list[Image]:
    """One (height, width, 3) image of the model in each of `poses` (nq,).

    Args:
        model: with geoms.
        poses: positions of all joints. lookat: point that the camera looks at, for each.
        distance: of the camera [m]. azimuth, elevation: [degrees].
    """
    library: Any = mujoco
    renderer = library.Renderer(model, height, width)
    camera = library.MjvCamera()
    camera.distance, camera.azimuth, camera.elevation = distance, azimuth, elevation
    data = mujoco.MjData(model)
    images: list[Image] = []
    for pose, point in zip(poses, lookat, strict=True):
        data.qpos[:] = pose
        library.mj_kinematics(model, data)
        library.mj_comPos(model, data)
        library.mj_camlight(model, data)
        camera.lookat[:] = point
        renderer.update_scene(data, camera)
        images.append(renderer.render())
    renderer.close()
    return images
