"""Strips of images where something can be rendered, and where nothing can."""

import subprocess
import sys

import matplotlib.image
import mujoco
import numpy as np

from pliant.engines.mujoco.batch.trials import controls, played
from pliant.experiments.support import strip

ARM = """<mujoco><worldbody><body name="a"><joint name="a" axis="0 1 0"/><geom size=".02" mass="1"/>
<body name="b" pos=".3 0 0"><geom size=".02" mass="1"/></body></body></worldbody></mujoco>"""


def test_opengl_is_chosen_before_mujoco_is_imported():
    code = (
        "import sys, pliant.cli\n"
        "assert pliant.cli.main(['reproduce']) == 0\n"
        "assert 'mujoco' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_without_opengl_the_bodies_are_drawn_as_points_and_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(strip, "can_draw", lambda: False)
    model = mujoco.MjModel.from_xml_string(ARM)
    motion = played(model, controls(model, 200, {}))
    path = strip.write_strip(
        motion,
        tmp_path,
        "arm",
        times=[0.0, 0.2, 0.4],
        view=strip.View(lookat=[0.0, 0.0, 0.0], distance=1.0),
    )
    image = matplotlib.image.imread(path)
    assert image.shape[1] > 2 * image.shape[0]
    blue = (image[..., 2] - image[..., 0] > 0.3).any(axis=0)
    thirds = np.array_split(blue, 3)
    assert all(part.any() for part in thirds)
