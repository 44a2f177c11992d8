"""Images of a model in given poses, drawn without a display; a robot's picture of some poses side by side.

MuJoCo chooses its OpenGL when it is imported, and ends the process if there is none: without a display,
MUJOCO_GL must be "egl" or "osmesa" by then. So a robot's picture is drawn by a separate process, which runs
`_DRAWING`; if that fails there is no picture.
"""

import json
import math
import os
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.engines.mujoco.model_file import load_model

__all__ = ["Image", "frames", "png", "portrait"]


Image = NDArray[np.uint8]


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


BINDINGS = {"win32": ("wgl",), "darwin": ("cgl",)}.get(sys.platform, ("egl", "osmesa"))
"""MuJoCo's, by system: those that draw without a display."""
PATIENCE = 60.0
"""[s] For one binding."""
WIDTH, HEIGHT = 360, 300
"""[pixels] Of each pose."""
THICK = 0.09
"""Radius of the limbs that are drawn, as a part of the mean distance between bodies."""
LIMB, JOINT, LIGHT = (0.96, 0.62, 0.22, 1.0), (0.23, 0.25, 0.29, 1.0), (0.94, 0.95, 0.97, 1.0)


_DRAWING = """
import json, sys
import mujoco, numpy
from pliant.engines.mujoco.film import frames, png
model, asked = mujoco.MjModel.from_binary_path(sys.argv[1]), json.load(sys.stdin)
poses = [numpy.array(pose) for pose in asked.pop("poses")]
images = frames(model, poses, lookat=[asked.pop("lookat")] * len(poses), **asked)
sys.stdout.buffer.write(png(numpy.concatenate(images, axis=1)))
"""


def portrait(model: Path, poses: Sequence[Mapping[str, float]]) -> bytes | None:
    """PNG of the robot in `poses`, side by side; None where nothing can draw it.

    Args:
        model: MJCF or URDF; a body without geometry is drawn as a limb to its children.
        poses: joint to position [rad, m]; a joint that is not named stays at its zero.
    """
    compiled = with_limbs(model).compile()
    asked = json.dumps(_view(compiled, poses)).encode()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.mjb"
        mujoco.mj_saveModel(compiled, str(file), None)
        chosen = os.environ.get("MUJOCO_GL")
        for binding in dict.fromkeys([chosen, *BINDINGS] if chosen else BINDINGS):
            if drawn := _drawn(file, asked, binding):
                return drawn
    return None


def _drawn(model: Path, asked: bytes, binding: str) -> bytes | None:
    try:
        drawn = subprocess.run(  # noqa: S603 - the text above, by this interpreter
            [sys.executable, "-c", _DRAWING, str(model)],
            input=asked,
            env={**os.environ, "MUJOCO_GL": binding},
            capture_output=True,
            check=False,
            timeout=PATIENCE,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return drawn.stdout if drawn.returncode == 0 else None


def _view(model: mujoco.MjModel, poses: Sequence[Mapping[str, float]]) -> dict[str, Any]:
    """Positions of all joints in each pose, and a camera that sees every body in all of them."""
    data = mujoco.MjData(model)
    placed: list[list[float]] = []
    seen: list[Floats] = []
    for pose in poses:
        data.qpos[:] = model.qpos0
        for joint, value in pose.items():
            data.qpos[int(model.joint(joint).qposadr[0])] = value
        mujoco.mj_kinematics(model, data)
        seen.append(np.array(data.xpos[1:]))
        placed.append(data.qpos.tolist())
    points = np.concatenate(seen)
    low, high = points.min(axis=0), points.max(axis=0)
    return {
        "poses": placed,
        "lookat": (0.5 * (low + high)).tolist(),
        "distance": 1.35 * float(np.linalg.norm(high - low)) + 0.05,
        "azimuth": 120.0,
        "elevation": -18.0,
        "width": WIDTH,
        "height": HEIGHT,
    }


def with_limbs(path: Path) -> mujoco.MjSpec:
    """The model with a limb for each body that has no geometry, and a lamp."""
    library: Any = mujoco
    loaded, _ = load_model(path)
    spec: Any = loaded
    bodies: list[Any] = [body for body in spec.bodies if body.name != "world"]
    far = [math.hypot(*body.pos) for body in bodies]
    thick = THICK * float(np.mean([x for x in far if x > 0.0] or [0.1]))
    for body in bodies:
        if any(geom.size[0] > thick for geom in body.geoms):
            continue
        ends = [child.pos for child in body.bodies] or [2.0 * np.array(body.ipos)]
        for end in ends:
            if np.linalg.norm(end) > thick:
                _limb(body, np.array(end), thick)
        for joint in body.joints:
            ball = body.add_geom(type=library.mjtGeom.mjGEOM_SPHERE, size=[1.6 * thick, 0, 0])
            ball.pos, ball.rgba, ball.contype, ball.conaffinity = joint.pos, JOINT, 0, 0
    lamp = spec.worldbody.add_light(pos=[0.5, -1.0, 2.0], dir=[-0.2, 0.4, -1.0])
    lamp.diffuse = [0.7, 0.7, 0.7]
    spec.visual.headlight.ambient[:] = 0.45
    sky = spec.add_texture(name="sky of the picture", type=library.mjtTexture.mjTEXTURE_SKYBOX)
    sky.builtin, sky.width, sky.height = library.mjtBuiltin.mjBUILTIN_FLAT, 64, 384
    sky.rgb1, sky.rgb2 = LIGHT[:3], LIGHT[:3]
    return loaded


def _limb(body: Any, end: Floats, thick: float) -> None:
    library: Any = mujoco
    limb = body.add_geom(type=library.mjtGeom.mjGEOM_CAPSULE, size=[thick, 0, 0])
    limb.fromto[:] = [0.0, 0.0, 0.0, *end]
    limb.rgba, limb.contype, limb.conaffinity, limb.mass = LIMB, 0, 0, 0.0
