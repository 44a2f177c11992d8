"""An inertia that is written in axes turned against its link, with and without products."""

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from pliant.engines.mujoco.model_file import load_model
from pliant.errors import PliantError
from pliant.robots.urdf import load_urdf

ARM = (
    '<robot name="r"><link name="base"/><link name="arm"><inertial><origin rpy="{rpy}"/>'
    '<mass value="{mass}"/><inertia {inertia}/></inertial></link><joint name="j" '
    'type="continuous"><parent link="base"/><child link="arm"/><axis xyz="{axis}"/></joint></robot>'
)
MASS, RPY = 0.7, (0.4, -0.9, 1.3)
READERS = {
    "model": lambda path: load_model(path)[0].compile(),
    "robot": lambda path: load_urdf(path)[0].compile(),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("along", [(0.3, 0.0, 0.0), (0.1, -0.2, 0.25)])
@pytest.mark.parametrize("axis", np.eye(3))
def test_a_dumbbell_turns_about_each_axis_as_its_two_masses_do(tmp_path, reader, along, axis):
    d = np.array(along)
    about = MASS * (d @ d * np.eye(3) - np.outer(d, d)) + 1e-4 * np.eye(3)
    numbers = {
        f"i{a}{b}": about[i, j] for i, a in enumerate("xyz") for j, b in enumerate("xyz") if i <= j
    }
    written = " ".join(f'{name}="{value:.17g}"' for name, value in numbers.items())
    path = tmp_path / "arm.urdf"
    path.write_text(
        ARM.format(
            rpy=" ".join(map(str, RPY)), mass=MASS, inertia=written, axis=" ".join(map(str, axis))
        )
    )
    model = READERS[reader](path)
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = 1.0  # and no gravity: the centre of mass is on the axis
    mujoco.mj_forward(model, data)
    lies = Rotation.from_euler("xyz", RPY).apply(d)
    expected = MASS * (lies @ lies - (lies @ axis) ** 2) + 1e-4
    assert 1.0 / data.qacc[0] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("reader", READERS)
def test_an_angle_that_is_none_is_named(tmp_path, reader):
    path = tmp_path / "arm.urdf"
    zeros = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'
    path.write_text(ARM.format(rpy="0 nan 0", mass=MASS, inertia=zeros, axis="0 1 0"))
    with pytest.raises(PliantError) as refused:
        READERS[reader](path)
    assert str(refused.value) == (
        f"{path}: link arm: origin: rpy: is not finite; found '0 nan 0'; accepted: finite numbers"
    )


@pytest.mark.parametrize("reader", READERS)
def test_numbers_as_c_writes_them_mean_the_same(tmp_path, reader):
    """MuJoCo reads them; 0x1p-1 is 0.5."""
    models = []
    for half, angle in (("0.5", "1.25"), ("0x1p-1", "0x1.4")):
        zeros = f'ixx="1" iyy="{half}" izz="1" ixy="0" ixz="0" iyz="0"'
        path = tmp_path / "arm.urdf"
        path.write_text(ARM.format(rpy=f"{angle} 0 0", mass=MASS, inertia=zeros, axis="0 1 0"))
        models.append(READERS[reader](path))
    np.testing.assert_array_equal(models[0].body_inertia, models[1].body_inertia)


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("rpy", ["0.1 0.2", "0 nan(1) 0", "0 0 0x1p9999"])
def test_angles_that_cannot_be_are_refused(tmp_path, reader, rpy):
    path = tmp_path / "arm.urdf"
    zeros = 'ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"'
    path.write_text(ARM.format(rpy=rpy, mass=MASS, inertia=zeros, axis="0 1 0"))
    with pytest.raises(PliantError, match=r"arm\.urdf: .+: "):
        READERS[reader](path)
