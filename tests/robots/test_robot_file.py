"""A robot's TOML file, MJCF with actuators of two commands, and what is refused in either."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.robots.mode import with_mode
from pliant.robots.robot_file import load_robot, load_robot_file

NAME = "qbmove_maker_pro"
BODY = """<worldbody><body><inertial pos="0 0 0" mass="1" diaginertia="1 1 .01"/>
<joint name="elbow" axis="0 0 1" damping="0.05"/></body></worldbody>"""
TEXT = f"""model = "arm.xml"
[joints]
elbow = {{ actuator = "{NAME}", mode = 3, parameters = {{ "spring_1.k" = 0.03 }} }}
"""


@pytest.fixture
def model(write):
    return write(f'<mujoco><option timestep="0.001"/>{BODY}</mujoco>', "arm.xml")


@pytest.fixture
def path(write, model):
    return write(TEXT, "robot.toml")


def test_the_file_says_which_actuator_is_on_which_joint_in_which_mode(path):
    robot = load_robot(path, target="python")
    one = robot.actuators["elbow"]
    assert (robot.modes, one.value("spring_1.k"), one.value("spring_2.k")) == ((3,), 0.03, 0.022)
    base = pliant.load_actuator(NAME).with_values({"spring_1.k": 0.03}, "x", "assumed")
    spec = mujoco.MjSpec.from_file(str(path.parent / "arm.xml"))
    pliant.attach(spec, {"elbow": with_mode(base, 3)})
    expected = spec.compile()
    data = mujoco.MjData(expected)
    robot.reference_1, robot.reference_2 = [0.4], [0.2]
    data.ctrl[:] = [0.4, 0.2]
    mujoco.mj_step(expected, data, 300)
    robot.step(300)
    np.testing.assert_array_equal(robot.data.qpos, data.qpos)
    assert robot.link.position[0] > 0.1


def test_mjcf_that_names_its_actuators_is_a_robot_and_is_saved_whole(write, model):
    head = f'<mujoco><extension><plugin plugin="pliant.{NAME}"/></extension>'
    element = f'<plugin name="a" joint="elbow" plugin="pliant.{NAME}"/>'
    path = write(f"{head}{BODY}<actuator>{element}</actuator></mujoco>", "own.xml")
    robot = load_robot(path, target="python")
    assert (robot.joints, robot.modes, robot.model.nu) == (("elbow",), (6,), 2)
    saved = write(pliant.load_model(path)[0].to_xml(), "saved.xml")
    again = pliant.load_model(saved)[0].compile()
    data = mujoco.MjData(again)
    robot.reference_1, robot.reference_2 = [0.4], [0.3]
    data.ctrl[:] = [0.4, 0.3]
    mujoco.mj_step(again, data, 300)
    robot.step(300)
    np.testing.assert_allclose(robot.data.qpos, data.qpos, atol=1e-6)  # XML has six digits


def test_an_actuator_in_a_mode_is_a_file_for_other_models(write, model, tmp_path):
    pliant.write_actuator(with_mode(pliant.load_actuator(NAME), 3), tmp_path / "held.toml")
    robot = load_robot(write(TEXT.partition("elbow")[0] + 'elbow.actuator = "held.toml"', "r.toml"))
    assert robot.modes == (3,)


def refusal(path) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        load_robot_file(path)
    return str(refused.value).removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("mode = 3", "mode = 9", "joints.elbow.mode: unknown operation mode; found 9; accepted: 0"),
        ("mode = 3", "mod = 3", "joints.elbow.mod: unknown key; found 'mod'; did you mean 'mode'?"),
        ("mode = 3", 'mode = "3"', "joints.elbow.mode: should be a valid integer"),
        (
            NAME,
            "qbmove_maker_por",
            "joints.elbow: unknown actuator; found 'qbmove_maker_por'; did you mean",
        ),
        ("spring_1.k", "spring.k", "joints.elbow: actuator 'qbmove_maker_pro' has no such"),
        ("0.03", "-1.0", "joints.elbow: spring_1.k: outside the range of its law"),
        ("elbow =", "elbwo =", "joint: no such joint in the model; found 'elbwo'; did you mean"),
        ("[joints]", "step = 1\n[joints]", "step: unknown key; found 'step'"),
        ("[joints]", "timestep = 0.0\n[joints]", "timestep: should be greater than 0"),
        ("model", "modle", "modle: unknown key; found 'modle'; did you mean 'model'?"),
        (
            'model = "arm.xml"',
            "",
            "model: is missing; accepted: MJCF or URDF, relative to the file",
        ),
        ("[joints]", "[joints", "line 2, column 8: is not TOML; found "),
    ],
)
def test_what_cannot_be_used_is_named_with_the_file(path, before, after, said):
    path.write_text(TEXT.replace(before, after, 1))
    assert refusal(path).startswith(said)


def test_a_step_too_large_is_refused(path, model):
    model.write_text(model.read_text().replace("1 1 .01", "1 1 .0003"))
    path.write_text('model = "arm.xml"\ntimestep = 0.025\n[joints]\nelbow.actuator = "awas_ii"')
    assert refusal(path).startswith(
        "joint elbow: timestep: too large for the spring of awas_ii, even with 100 sub-steps;"
        " found 0.025; accepted: up to 0.01"
    )


def test_a_model_without_actuators_is_no_robot(model):
    with pytest.raises(pliant.PliantError, match="no joint has an actuator of Pliant"):
        load_robot(model)


def test_the_plugins_of_a_urdf_give_way_and_that_is_said(write):
    tags = "<joint>elbow</joint><operation_mode>6</operation_mode>"
    plugin = f'<plugin name="vsa" filename="libqbmove_plugin.so">{tags}</plugin>'
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    )
    write(
        f'<robot name="r"><link name="base"/><link name="arm">{inertial}</inertial></link>'
        '<joint name="elbow" type="continuous"><parent link="base"/><child link="arm"/></joint>'
        f"<gazebo>{plugin}<plugin name='camera' filename='libcamera.so'/></gazebo></robot>",
        "arm.urdf",
    )
    path = write(TEXT.replace("arm.xml", "arm.urdf"), "robot.toml")
    said = r"arm\.urdf: its own plugins \(vsa\) are ignored"
    with pytest.warns(pliant.PliantWarning, match=said):
        info = load_robot_file(path)[1]
    assert info.notes[0].startswith("arm.urdf: its own plugins (vsa) are ignored")
