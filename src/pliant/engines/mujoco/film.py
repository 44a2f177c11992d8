"""Images of a model in given poses, with MuJoCo's renderer.

Without a display, MUJOCO_GL must be "egl" or "osmesa" when mujoco is imported: its default aborts
the process there.
"""

import struct
import zlib
from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

__all__ = ["Image", "frames", "png"]


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


def png(image: Image) -> bytes:
    """A (height, width, 3) image as a PNG (W3C, 3rd edition): 8 bits a channel, rows without a filter."""
    height, width, _ = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)
    rows[:, 1:] = image.reshape(height, 3 * width)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in parts)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
