"""Meshes of a URDF by package, shapes that are not needed, and repairs that are asked for."""

import struct

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.repairs import nearest_moments
from pliant.examine.model import load_spec

MOMENTS = "ixx='1e-3' iyy='1e-3' izz='1e-3'"
URDF = """<robot name="r">{head}<link name="base"/><link name="arm">
<inertial><mass value="1"/><inertia {moments} ixy="0" ixz="0" iyz="0"/></inertial>
<visual><geometry><mesh filename="package://parts/seen.dae"/></geometry></visual>
{collision}</link>
<joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit effort="1" lower="-1" upper="1" velocity="1"/></joint></robot>"""
TOUCHED = '<collision><geometry><mesh filename="package://parts/m/{}"/></geometry></collision>'


def stl() -> bytes:
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(float(x) for k in face for x in corners[k]), 0)
        for face in faces
    )
    return bytes(80) + struct.pack("<I", 4) + body


@pytest.fixture
def urdf(tmp_path):
    def write(collision: str = "", moments: str = MOMENTS, head: str = ""):
        path = tmp_path / "robot" / "r.urdf"
        path.parent.mkdir(exist_ok=True)
        path.write_text(URDF.format(collision=collision, moments=moments, head=head))
        return path

    return write


def refusal(path, **options) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        pliant.load_urdf(path, **options)
    return str(refused.value)


@pytest.mark.parametrize(
    ("place", "variable"),
    [
        ("ws/src/parts", "ROS_PACKAGE_PATH"),
        ("ws/parts", "ROS_PACKAGE_PATH"),
        ("ws/share/parts", "AMENT_PREFIX_PATH"),
        ("ws/parts", "GZ_SIM_RESOURCE_PATH"),
    ],
)
def test_packages_are_looked_for_where_ros_does(urdf, tmp_path, monkeypatch, place, variable):
    path = urdf(TOUCHED.format("arm.stl"))
    mesh = tmp_path / place / "m" / "arm.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(stl())
    assert "a mesh file is missing" in refusal(path)
    monkeypatch.setenv(variable, f"{tmp_path / 'nothing'}:{tmp_path / 'ws'}")
    assert pliant.load_urdf(path)[0].compile().nmesh == 1


@pytest.mark.parametrize("folder", ["ws/src", "ws/src/parts"])
def test_a_folder_of_packages_or_a_package_may_be_given(urdf, tmp_path, folder):
    path = urdf(TOUCHED.format("arm.stl"))
    mesh = tmp_path / "ws/src/parts/m/arm.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(stl())
    given = [tmp_path / folder]
    assert pliant.load_urdf(path, packages=given)[0].compile().nmesh == 1
    assert pliant.load_model(path, packages=given)[0].compile().nmesh == 1
    assert pliant.check(path, packages=given).ok


def test_packages_of_this_installation_are_found(urdf, tmp_path, monkeypatch):
    path = urdf(TOUCHED.format("arm.stl"))
    mesh = tmp_path / "site/cmeel.prefix/share/parts/m/arm.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(stl())
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    assert pliant.load_urdf(path)[0].compile().nmesh == 1


def test_shapes_that_are_only_seen_are_not_needed(urdf):
    spec, info = pliant.load_urdf(urdf())
    assert (spec.compile().nmesh, info.notes) == (0, ())
    kept = '<mujoco><compiler discardvisual="false"/></mujoco>'
    spec, info = pliant.load_urdf(urdf(head=kept))
    assert spec.compile().ngeom == 0
    assert info.notes == (
        "link arm: visual left out: a mesh file is missing: package://parts/seen.dae",
    )


@pytest.mark.parametrize("name", ["gone.stl", "there.dae", "broken.stl"])
def test_shapes_that_cannot_be_read_are_left_out_where_asked(urdf, tmp_path, name):
    for there in ("there.dae", "broken.stl"):
        mesh = tmp_path / "parts/m" / there
        mesh.parent.mkdir(parents=True, exist_ok=True)
        mesh.write_bytes(b"\0" * 100)
    path = urdf(TOUCHED.format(name))
    assert "pliant simulate --repair meshes" in refusal(path)
    assert "pliant simulate --repair meshes" in str(pliant.check(path))
    assert load_measured(path)[1].notes == pliant.load_urdf(path, repair=["meshes"])[1].notes
    spec, info = pliant.load_urdf(path, repair=["meshes"])
    assert (spec.compile().ngeom, len(info.notes)) == (0, 1)
    assert "left out" in info.notes[0] and name.rpartition(".")[2] in info.notes[0]


def test_a_moving_link_without_mass_gets_one_where_asked(urdf):
    path = urdf()
    text = path.read_text()
    path.write_text(text.replace('mass value="1"', 'mass value="0"').replace("1e-3", "0"))
    assert "mass and inertia of moving bodies" in refusal(path)
    assert "--repair inertia" in refusal(path)
    spec, info = pliant.load_urdf(path, repair=["inertia"])
    assert any("body arm: moves and has no mass or inertia" in note for note in info.notes)
    model = spec.compile()
    assert model.body("arm").mass[0] == 1e-3
    np.testing.assert_allclose(model.body("arm").inertia, 0.4 * 1e-3 * 0.01**2)  # of a ball


def test_a_flat_inertia_is_repaired_however_small_its_least_moment_comes_out(urdf):
    path = urdf(moments='ixx="0.2125" iyy="0.205" izz="0.0125" ')
    text = path.read_text().replace(
        'ixy="0" ixz="0" iyz="0"', 'ixy="-0.005" ixz="0.0225" iyz="0.045"'
    )
    path.write_text(text)
    assert "--repair inertia" in refusal(path)
    model = pliant.load_urdf(path, repair=["inertia"])[0].compile()
    np.testing.assert_allclose(np.sort(model.body("arm").inertia)[1:], 0.215, rtol=1e-5)


def test_what_mujoco_refuses_in_a_urdf_is_named_by_its_link_or_joint(urdf):
    path = urdf()
    text = path.read_text()
    path.write_text(
        text.replace('<axis xyz="0 1 0"/>', '<origin xyz="0 0 $(arg z)"/><axis xyz="0 1 0"/>')
    )
    assert "joint elbow: origin: MuJoCo refuses it; found" in refusal(path)
    path.write_text(text.replace('<axis xyz="0 1 0"/>', '<axis xyz="0 1 0"/><axis xyz="0 1 0"/>'))
    assert "joint elbow: axis: MuJoCo refuses it; found" in refusal(path)


@pytest.mark.parametrize(("before", "behind"), [("\n\n", ""), ("", "\n\0"), ("\n \n", "\r\n\0\0")])
def test_blank_lines_before_and_zero_bytes_behind_are_passed_over(urdf, before, behind):
    path = urdf()
    whole = '<?xml version="1.0"?>\n' + path.read_text()
    path.write_text(before + whole + behind)
    assert pliant.load_urdf(path)[0].compile().njnt == 1
    path.write_text(before + whole.replace("</robot>", "</robt>") + behind)
    wrong = 1 + before.count("\n") + whole[: whole.index("</robot>")].count("\n")
    assert f"line {wrong}, column" in refusal(path)


def test_an_inertia_that_no_body_can_have_is_repaired_where_asked(urdf):
    path = urdf(moments="ixx='2.3e-6' iyy='3.5e-6' izz='7.3e-6'")
    for read in (pliant.load_urdf, load_spec):
        with pytest.raises(pliant.PliantError, match="--repair inertia"):
            read(path)
    spec, info = pliant.load_urdf(path, repair=["inertia"])
    assert info.notes == (
        "body arm: moments of inertia 2.3e-06, 3.5e-06, 7.3e-06 kg m^2, which no body can have, are replaced"
        " by 3.05e-06, 4.25e-06, 7.3e-06",
    )
    found = np.sort(spec.compile().body_inertia[1])
    np.testing.assert_allclose(found, [3.05e-6, 4.25e-6, 7.3e-6], rtol=1e-5)
    loaded = pliant.load_model(path, repair="inertia")[0].compile()
    np.testing.assert_array_equal(np.sort(loaded.body_inertia[1]), found)


def test_an_mjcf_is_repaired_too(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        """<mujoco><asset><mesh name="gone" file="gone.stl"/>
        <texture name="skin" type="2d" file="skin.png"/><material name="m" texture="skin"/></asset>
        <worldbody><body name="b"><inertial pos="0 0 0" mass="1" diaginertia="1 1 3"/><joint/>
        <geom type="mesh" mesh="gone" material="m"/><geom size="0.1" material="m"/></body></worldbody>
        </mujoco>"""
    )
    spec, attachment = pliant.load_model(path, repair=["inertia", "meshes"])
    model = spec.compile()
    assert (model.ngeom, model.ntex, model.nmesh) == (1, 0, 0)
    assert [note.split(":")[0] for note in attachment.notes] == [
        "body b",
        "body b",
        "texture skin left out",
    ]
    assert "what it touches with it" in attachment.notes[1]
    np.testing.assert_allclose(model.body_inertia[1], [1.5, 1.5, 3.0], rtol=1e-5)


def test_the_nearest_moments_are_those_of_masses_that_exist():
    """Second moments of the mass are found by a projection, here by a search over all of them."""
    from scipy.optimize import minimize

    wanted = np.array([2.3, 3.5, 7.3])
    extents = lambda x: x.sum() - x  # noqa: E731 - moments of a mass with these extents
    best = minimize(
        lambda x: np.sum((0.5 * wanted.sum() - wanted - x) ** 2), np.ones(3), bounds=[(0, None)] * 3
    )
    np.testing.assert_allclose(nearest_moments(wanted, 1.0), extents(best.x), rtol=1e-4)


def test_an_unknown_repair_is_named_with_the_nearest(urdf):
    assert refusal(urdf(), repair=["inertias"]) == (
        "repair: is not a repair; found 'inertias'; did you mean 'inertia'?; accepted: inertia, meshes"
    )


def test_a_model_reads_the_same_in_every_way(urdf):
    path = urdf()
    first = pliant.load_urdf(path)[0].compile()
    for spec in (
        pliant.load_model(path)[0],
        load_spec(path)[0],
        mujoco.MjSpec.from_file(str(path)),
    ):
        other = spec.compile()
        for field in ("body_mass", "body_inertia", "body_ipos", "jnt_range", "dof_armature"):
            np.testing.assert_array_equal(getattr(first, field), getattr(other, field))
