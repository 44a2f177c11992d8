"""A URDF made for the toolbox runs unchanged; its numbers, defaults and quirks are what it says."""

import struct
from math import cosh, exp, sinh

import numpy as np
import pytest
from scipy.optimize import brentq

import pliant
from pliant.engines.spec.slots import SUBSTEPS
from pliant.io.urdf_tags import read_urdf
from pliant.robots.robot import Robot
from pliant.robots.urdf import actuator_of, load_urdf

FRAGMENT = """<robot name="arm"><link name="base"/>
<joint name="j1" type="revolute">
  <parent link="base"/><child link="arm"/><origin xyz="0 0 0.035"/><axis xyz="0 0 1"/>
  <limit lower="-3.14" upper="3.14" effort="300" velocity="100"/>
  <dynamics damping="0.065" friction="0.025"/>
</joint>
<link name="arm"><inertial><mass value="0.1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
<gazebo>
  <plugin name="vsa_j1" filename="libqbmove_plugin.so">
    <joint>j1</joint><operation_mode>6</operation_mode>
    <pub_eltau>true</pub_eltau><pub_state>true</pub_state><sub_ext_tau>false</sub_ext_tau>
    <spring_k1>0.0026</spring_k1><spring_a1>8.9995</spring_a1>
    <spring_k2>0.0011</spring_k2><spring_a2>8.9989</spring_a2><max_def>0.8</max_def>
  </plugin>
</gazebo></robot>"""
"""The minimal fragment of the specification, with a link."""


def actuator(path, joint: str = "j1") -> pliant.Actuator:
    urdf = read_urdf(path)
    tags = next(tags for tags in urdf.plugins if tags.joint == joint)
    return actuator_of(tags, urdf.joints[joint], urdf.path)


def numbers(path, **expected: float) -> dict[str, float]:
    """The parameters named by `expected` ("spring_1__k")."""
    found = actuator(path)
    return {name: found.value(name.replace("__", ".")) for name in expected}


def test_the_published_fragment_becomes_its_actuator(write):
    path = write(FRAGMENT)
    spec, info = load_urdf(path)
    model = spec.compile()
    assert (model.dof_damping[0], model.dof_frictionloss[0]) == (0.065, 0.025)
    assert model.opt.timestep == 1e-3
    expected = {
        "spring_1__k": 0.0026,
        "spring_1__a": 8.9995,
        "spring_2__k": 0.0011,
        "spring_2__a": 8.9989,
        "limit_1__max_def": 0.8,
        "limit_2__max_def": 0.8,
    }
    assert numbers(path, **expected) == expected
    one = info.attachment.joints[0].actuator
    assert one.numbers["spring_1.k"].source == "URDF robot.urdf"
    with pytest.raises(pliant.PliantError, match="takes no external torque: sub_ext_tau is false"):
        Robot(model, info, target="python").external_torque = [1.0]


def test_the_arm_rests_where_unequal_springs_balance(write):
    path = write(FRAGMENT.replace('friction="0.025"', 'friction="0"'))
    spec, info = load_urdf(path)
    robot = Robot(spec.compile(), info, target="python")
    robot.reference_1, robot.reference_2 = [0.3], [0.4]
    robot.step(6000)
    one, two = robot.motor_1.position[0], robot.motor_2.position[0]

    def pull(q: float) -> float:
        return 0.0026 * sinh(8.9995 * (q - one)) + 0.0011 * sinh(8.9989 * (q - two))

    rest = brentq(pull, two, one, xtol=1e-14)
    assert robot.link.position[0] == pytest.approx(rest, abs=1e-6)
    assert rest - 0.5 * (one + two) > 0.04


TOOLBOX_MOTOR = {
    "rotor{}__J": 0.0233,
    "rotor{}__D": 0.2698,
    "control{}__limit": 6.0,
    "control{}__k_p": 125.0,
    "control{}__k_i": 0.0,
    "control{}__k_d": 4.5,
    "friction{}__tau_f": 0.02,
    "friction{}__k_z": 1e3,
}
"""The defaults of the released code, not of its template files."""
DEFAULTS = {
    "sea": {"spring__k": 10.0, "limit__max_def": 0.8},
    "qbmove": {f"spring_{i}__{n}": v for i in (1, 2) for n, v in (("k", 0.0019), ("a", 8.9992))},
    "bavs": {
        "spring_1__a": 1.21e-6,
        "spring_1__b": 2.38e-6,
        "spring_2__a": 2.38e-6,
        "spring_1__k": 1.6e5,
        "spring_1__k_e": 8.71,
        "limit_1__max_def": 0.27,
    },
    "awas_ii": {
        "spring__K_s": 10.0,
        "spring__arm": 0.05,
        "spring__r_t": 0.015,
        "limit__max_def": 0.3,
        "own__stiffest": 0.045,
        "own__softest": 0.0,
    },
}
MOTORS = {"sea": [""], "qbmove": ["_1", "_2"], "bavs": ["_1", "_2"], "awas_ii": ["_1"]}


@pytest.mark.parametrize("device", DEFAULTS)
def test_without_tags_the_numbers_are_those_of_the_released_code(write, texts, device):
    path = write(texts.robot(texts.arm("j1"), texts.plugin(device, "j1", 5)))
    motors = {k.format(n): v for k, v in TOOLBOX_MOTOR.items() for n in MOTORS[device]}
    expected = {**DEFAULTS[device], **motors}
    assert numbers(path, **expected) == pytest.approx(expected, rel=1e-15)


VARIANTS = [
    (
        "sea",
        "<spring_k>200</spring_k><mot_tauFric>0.5</mot_tauFric><mot_D>0.0019</mot_D>"
        "<ctrl_P>90</ctrl_P><mot_minPos>-inf</mot_minPos><mot_maxPos>1.5</mot_maxPos>",
        {
            "spring__k": 200.0,
            "friction__tau_f": 0.5,
            "rotor__D": 0.0019,
            "control__k_p": 90.0,
            "rotor__low": -1e3,
            "rotor__high": 1.5,
        },
    ),
    (
        "sea",
        "<max_def>0.5</max_def><mot_J>0.1</mot_J><mot_tauMax>20</mot_tauMax><ctrl_I>3</ctrl_I>",
        {"limit__max_def": 0.5, "rotor__J": 0.1, "control__limit": 20.0, "control__k_i": 3.0},
    ),
    (
        "qbmove",
        "<spring_k1>0.02</spring_k1><spring_a2>11</spring_a2><mot_2_J>0.01</mot_2_J>"
        "<ctrl_1_D>7</ctrl_1_D>",
        {
            "spring_1__k": 0.02,
            "spring_2__k": 0.0019,
            "spring_2__a": 11.0,
            "rotor_1__J": 0.0233,
            "rotor_2__J": 0.01,
            "control_1__k_d": 7.0,
            "control_2__k_d": 4.5,
        },
    ),
    (
        "bavs",
        "<spring_a>2e-6</spring_a><spring_b>1.21*pow(10,-6)</spring_b>"
        "<mot_1_tauMax>3</mot_1_tauMax><max_def>0.25</max_def>",
        {
            "spring_1__a": 2e-6,
            "spring_2__b": 2e-6,
            "spring_1__b": 1.21e-6,
            "spring_2__a": 1.21e-6,
            "control_1__limit": 3.0,
            "limit_1__max_def": 0.25,
            "limit_2__max_def": 0.25,
        },
    ),
    (
        "awas_ii",
        "<spring_Ks>5</spring_Ks><spring_L>0.1</spring_L><spring_l_0>1</spring_l_0>"
        "<mot_maxVel>6</mot_maxVel><mot_tauMax>8</mot_tauMax>",
        {"spring__K_s": 5.0, "spring__arm": 0.1, "own__stiffest": 0.09, "control_1__limit": 8.0},
    ),
]


SPEEDS = [
    ("sea", "", {"rotor__max_speed": 1e3}),
    ("sea", "<mot_maxVel>4</mot_maxVel>", {"rotor__max_speed": 1e3}),
    (
        "sea",
        "<mot_maxVel>4</mot_maxVel><enforce_max_vel>false</enforce_max_vel>",
        {"rotor__max_speed": 1e3},
    ),
    (
        "sea",
        "<mot_maxVel>4</mot_maxVel><enforce_max_vel>true</enforce_max_vel>",
        {"rotor__max_speed": 4.0},
    ),
    (
        "awas_ii",
        "<mot_maxVel>inf</mot_maxVel><enforce_max_vel>true</enforce_max_vel>",
        {"rotor_1__max_speed": 1e3},
    ),
    (
        "bavs",
        "<mot_2_maxVel>4</mot_2_maxVel><enforce_max_vel>1</enforce_max_vel>",
        {"rotor_1__max_speed": 6.0, "rotor_2__max_speed": 4.0},
    ),
]


@pytest.mark.parametrize(("device", "tags", "expected"), SPEEDS)
def test_the_speed_limit_holds_only_where_the_file_says_so(write, texts, device, tags, expected):
    """The released code reads maxVel, 6 rad/s by default, and never enforces it."""
    path = write(texts.robot(texts.arm("j1"), texts.plugin(device, "j1", 5, tags)))
    assert numbers(path, **expected) == expected
    spec, info = load_urdf(path)
    idle = "mot_maxVel changes nothing: the toolbox never enforces it; enforce_max_vel does"
    is_idle = "mot_maxVel>4" in tags and "true" not in tags
    assert info.notes == ((f"j1: {idle}",) if is_idle else ())
    if expected == {"rotor__max_speed": 4.0}:
        robot = Robot(spec.compile(), info, target="python")
        robot.reference_1 = [3.0]
        speeds = [(robot.step(1), robot.motor_1.velocity[0])[1] for _ in range(300)]
        assert max(speeds) == pytest.approx(4.0, rel=1e-12)


def test_a_speed_limit_of_no_speed_is_refused(write, texts):
    tags = "<mot_maxVel>0</mot_maxVel><enforce_max_vel>true</enforce_max_vel>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "j1", 5, tags)))
    with pytest.raises(pliant.PliantError) as caught:
        actuator(path)
    assert str(caught.value) == (
        f"{path}: plugin vsa_j1: mot_maxVel: outside the range of its law; found 0.0;"
        " accepted: 0.001 to 1000.0 rad/s"
    )


@pytest.mark.parametrize(("device", "tags", "expected"), VARIANTS)
def test_a_tag_sets_its_number(write, texts, device, tags, expected):
    path = write(texts.robot(texts.arm("j1"), texts.plugin(device, "j1", 5, tags)))
    assert numbers(path, **expected) == pytest.approx(expected, rel=1e-15)


def test_in_mode_1_the_gains_are_those_of_the_link(write, texts):
    tags = "<ctrl_1_P>3</ctrl_1_P><ctrl_2_P>9</ctrl_2_P>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("qbmove", "j1", 1, tags)))
    gains = [actuator(path).value(f"control.{n}") for n in ("k_p", "k_i", "k_d", "limit")]
    assert gains == [3.0, 0.0, 0.2, 300.0]  # the rest are the toolbox's; the limit is the joint's


def test_the_extensions_choose_laws_sub_steps_and_sign(write, texts):
    tags = (
        "<limit_mode>hardstop</limit_mode><friction_model>dahl</friction_model><substeps>7</substeps>"
        "<ext_tau_sign>-1</ext_tau_sign><spring_k>20</spring_k>"
    )
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "j1", 5, tags)))
    spec, info = load_urdf(path)
    one = info.attachment.joints[0].actuator
    assert (one.laws["limit"].name, one.laws["friction"].name) == ("hard_stop", "dahl")
    assert one.value("limit.k") == pytest.approx(10.0 * 20.0)
    model = spec.compile()
    assert model.actuator_dynprm[0, SUBSTEPS] == 7.0
    robot = Robot(model, info, target="python")
    robot.external_torque = [0.5]
    assert robot.data.qfrc_applied[0] == -0.5


def test_the_stop_of_each_spring_of_a_pair_is_ten_times_that_spring(write, texts):
    tags = "<limit_mode>hardstop</limit_mode><spring_k1>0.01</spring_k1><max_def>0.5</max_def>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("qbmove", "j1", 5, tags)))
    a = 8.9992
    expected = {
        "limit_1__k": 10.0 * a * 0.01 * cosh(a * 0.5),
        "limit_2__k": 10 * a * 0.0019 * cosh(a * 0.5),
    }
    assert numbers(path, **expected) == pytest.approx(expected, rel=1e-12)


def test_a_product_where_a_number_belongs_is_read_noted_and_can_be_refused(write, texts):
    """The toolbox's own template of the BAVS has it."""
    tags = "<spring_a>1.21*pow(10,-6)</spring_a><spring_b>2.38e-6</spring_b>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("bavs", "j1", 5, tags)))
    assert numbers(path, spring_1__a=0.0) == {"spring_1__a": 1.21e-6}
    note = "j1: spring_a is not a plain number: 1.21*pow(10,-6) is read as 1.21e-06"
    assert load_urdf(path)[1].notes == (note,)
    assert note in str(load_urdf(path)[1])
    assert refusal(path, strict=True) == (
        f"{path}: {note}; accepted: a file without it, or strict=False"
    )


def test_no_friction_in_a_motor_is_no_friction(write, texts):
    tags = "<mot_tauFric>0</mot_tauFric>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "j1", 5, tags)))
    assert actuator(path).laws["friction"].name == "none"


@pytest.mark.parametrize(
    ("device", "preset", "sigma"),
    [
        ("bavs", 0.1, 2 * 1.6e5 * 8.71 * (2.38e-6 * exp(8.71 * 0.1) + 1.21e-6 * exp(-8.71 * 0.1))),
        ("awas_ii", 0.02, 2 * 10.0 * (0.05 / 0.015 * 0.02 / 0.03) ** 2),
    ],
)
def test_a_preset_gives_the_published_stiffness(write, texts, device, preset, sigma):
    idle = "<spring_l_0>1</spring_l_0>" * (device == "awas_ii")
    path = write(texts.robot(texts.arm("j1"), texts.plugin(device, "j1", 3, idle)))
    spec, info = load_urdf(path)
    why = "j1: spring_l_0 changes nothing: the toolbox reads it and never uses it"
    assert info.notes == ((why,) if idle else ())
    robot = Robot(spec.compile(), info, target="python")
    robot.reference_2 = [preset]
    robot.step(50)
    assert robot.stiffness[0] == pytest.approx(sigma, rel=1e-9)


@pytest.mark.parametrize("place", ["link.stl", "r/meshes/link.stl"])
def test_meshes_are_found_beside_the_file_and_in_its_package(write, texts, tmp_path, place):
    place = tmp_path / place
    corners = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    faces = [(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]
    body = b"".join(
        struct.pack("<12fH", 0, 0, 0, *(float(x) for k in face for x in corners[k]), 0)
        for face in faces
    )
    mesh = '<mesh filename="package://r/meshes/link.stl"/>'
    shape = f"</inertial><collision><geometry>{mesh}</geometry></collision>"
    path = write(texts.robot(texts.arm("j1").replace("</inertial>", shape)))
    assert refusal(path).startswith(
        f"{path}: link j1_arm: mesh filename: a mesh file is missing; found"
        " 'package://r/meshes/link.stl'; accepted: packages=[folder] (--packages), or repair="
    )
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(bytes(80) + struct.pack("<I", 4) + body)
    assert load_urdf(path)[0].compile().nmesh == 1


def refusal(path, **options) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        load_urdf(path, **options)
    return str(refused.value)


def test_a_number_outside_its_law_is_named_by_its_tag(write, texts):
    tags = "<mot_J>-1</mot_J>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "j1", 5, tags)))
    assert refusal(path) == (
        f"{path}: plugin vsa_j1: mot_J: outside the range of its law; found -1.0;"
        " accepted: 1e-06 to 1000.0 kg m^2"
    )


def test_a_step_too_large_for_the_spring_is_refused_with_the_limit(write, texts):
    light = texts.arm("j1").replace("0.01", "3.2e-4")
    path = write(texts.robot(light, texts.plugin("awas_ii", "j1", 6)))
    text = refusal(path, timestep=0.025)
    said = "timestep: too large for the spring of awas_ii_urdf, even with 100 sub-steps;"
    start = f"{path}: joint j1: {said}"
    assert text.startswith(start)
    limit = float(text.rpartition("accepted: up to ")[2].removesuffix(" s"))
    stiffness, inertia = 2 * 10.0 * (0.05 / 0.015 * 0.045 / 0.005) ** 2, 3.2e-4
    assert 0.9 * limit < 0.4 * 100 / np.sqrt(stiffness / inertia) < 1.1 * limit


def test_a_fixed_joint_can_have_no_actuator(write, texts):
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "fixed")))
    assert refusal(path) == (
        f"{path}: plugin vsa_fixed: the joint does not move; found 'fixed'; accepted: j1"
    )


@pytest.mark.parametrize(
    ("tag", "value", "accepted"),
    [("ext_tau_sign", "2", "1, -1"), ("substeps", "1.5", "1, 2, 3, ...")],
)
def test_an_extension_that_is_not_understood_is_refused(write, texts, tag, value, accepted):
    tags = f"<{tag}>{value}</{tag}>"
    path = write(texts.robot(texts.arm("j1"), texts.plugin("sea", "j1", 5, tags)))
    text = refusal(path)
    assert text.startswith(f"{path}: plugin vsa_j1: {tag}: ")
    assert text.endswith(f"found {value if '.' in value else value + '.0'}; accepted: {accepted}")
