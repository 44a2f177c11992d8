"""The controller of all joints: gravity, feed-forward and gains, against statics and its law."""

from math import cos

import mujoco
import numpy as np
import pytest

import pliant
from pliant.robots.controller import JointCommand, JointController, SetGains, with_rate
from pliant.robots.mode import with_mode
from pliant.robots.robot import Robot

SPRING, F_C = 500.0, 500.0
MASS, LENGTH = 2.0, 0.3
TEXT = f"""<mujoco><option timestep="0.001"/><worldbody>
<body><inertial pos="{LENGTH} 0 0" mass="{MASS}" diaginertia=".01 .01 .01"/>
<joint name="a" axis="0 -1 0" damping="0.7"/>
<body pos="{2 * LENGTH} 0 0"><inertial pos="{LENGTH} 0 0" mass="{MASS}" diaginertia=".01 .01 .01"/>
<joint name="b" axis="0 -1 0" damping="0.7"/></body></body></worldbody></mujoco>"""


def torque_told(name: str) -> pliant.Actuator:
    """A series-elastic actuator under `pid_torque`, without friction: statics are exact."""
    base = with_mode(with_mode(pliant.load_actuator(name), 4), 5)
    values = {"control.k_p": 1000.0, "control.k_d": 4.0, "control.limit": 200.0, "spring.d": 1.5}
    free = pliant.with_law(base, "friction", "none")
    return with_rate(free.with_values(values, "test", "assumed"), F_C)


@pytest.fixture(scope="module")
def built():
    spec = mujoco.MjSpec.from_string(TEXT)
    attachment = pliant.attach(spec, {joint: torque_told("sea_centauro_500") for joint in "ab"})
    return spec.compile(), attachment


@pytest.fixture
def robot(built):
    model, attachment = built
    before = model.actuator_user.copy()
    yield Robot(model, attachment, target="python")
    model.actuator_user[:] = before


def weight(q) -> np.ndarray:
    """[N m] What holds the two arms at q."""
    inner, outer = cos(q[0]), cos(q[0] + q[1])
    w = 9.81 * MASS * LENGTH
    return np.array([w * (inner + 2.0 * inner + outer), w * outer])


def test_gravity_is_that_of_the_arms(robot):
    controller = JointController(robot)
    for q in ([0.0, 0.0], [0.4, -0.9]):
        np.testing.assert_allclose(controller.gravity(np.array(q)), weight(q), rtol=1e-12)


def test_with_gravity_compensated_the_links_come_to_rest_at_their_references(robot):
    q_d = np.array([0.5, -0.3])
    controller = JointController(robot, compensate_gravity=True)
    controller.command(JointCommand(("a", "b"), q_d))
    robot.step(12000)
    np.testing.assert_allclose(robot.link.position, q_d, atol=1e-6)
    state = controller.state()
    np.testing.assert_allclose(state.position, q_d + weight(q_d) / SPRING, atol=1e-6)
    np.testing.assert_allclose(state.motor_torque, weight(q_d), atol=1e-3)
    np.testing.assert_allclose(state.transmission_torque, weight(q_d), atol=1e-3)


def test_without_it_they_sag_by_motor_and_spring(robot):
    controller = JointController(robot)
    controller.command(JointCommand(("b", "a"), [0.0, 0.0]))
    robot.step(12000)
    q = robot.link.position
    np.testing.assert_allclose(q, -weight(q) * (1 / SPRING + 1 / 1000.0), atol=1e-6)


def test_torque_and_speed_references_add_to_the_motors_torque(robot):
    robot.model.opt.gravity[:] = 0.0
    controller = JointController(robot)
    controller.set_gains(SetGains("b", k_v=2.0))
    controller.command(JointCommand(("a", "b"), [0.01, 0.0], [1.0, 1.5], [3.0, 0.0]))
    robot.step()
    robot.model.opt.gravity[2] = -9.81
    np.testing.assert_allclose(robot.motor_1.effort, [1000.0 * 0.01 + 3.0, 2.0 * 1.5], rtol=1e-12)


def test_gains_are_set_while_it_runs(robot):
    robot.model.opt.gravity[:] = 0.0
    controller = JointController(robot)
    controller.command(JointCommand(("a",), [0.02], torque=[4.0]))
    controller.set_gains(SetGains("a", k_p=500.0, limit=9.0))
    assert list(controller.gains("k_p")) == [500.0, 1000.0]
    robot.step()
    robot.model.opt.gravity[2] = -9.81
    assert robot.motor_1.effort[0] == 9.0  # of 500 * 0.02 + 4
    assert robot.motor_1.effort[1] == 0.0


def test_the_controller_runs_at_its_own_rate(robot):
    controller = JointController(robot)
    every = round(1e3 / F_C)
    commanded = []
    for n in range(8):
        controller.command(JointCommand(("a",), [0.001 * n]))
        robot.step()
        commanded.append(robot.motor_1.commanded[0])
    changes = np.flatnonzero(np.diff(commanded)) + 1
    assert list(changes) == list(range(every, 8, every))


def refusal(function, *args) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        function(*args)
    return str(refused.value)


def test_what_cannot_be_commanded_is_refused(robot):
    controller = JointController(robot)
    assert refusal(controller.command, JointCommand(("c",), [0.0])) == (
        "joint: the controller leads no such joint; found 'c'; accepted: a, b"
    )
    assert refusal(controller.command, JointCommand(("a",), [0.0, 1.0])) == (
        "position: wrong number of values for these joints; found (2,); accepted: 1: a"
    )
    assert refusal(controller.set_gains, SetGains("a", k_p=-1.0)) == (
        "joint a: k_p: outside the range of its law; found -1.0; accepted: 0.0 to 1000000.0 N m/rad"
    )
    controller.set_gains(SetGains("a", k_i=5.0))
    assert refusal(controller.command, JointCommand(("a",), [0.0], torque=[1.0])) == (
        "joint a: a torque command needs a proportional gain and no integral gain;"
        " found 'k_p = 1000, k_i = 5'"
    )


def test_a_rate_that_the_step_does_not_divide_is_refused(built):
    spec = mujoco.MjSpec.from_string(TEXT)
    odd = torque_told("sea_centauro_500").with_values({"rate.f_c": 300.0}, "test", "assumed")
    attachment = pliant.attach(spec, {"a": odd})
    robot = Robot(spec.compile(), attachment, target="python")
    text = refusal(JointController, robot)
    assert text.startswith(
        "joint a: rate.f_c: f_c does not divide the rate f_s of the actuator's steps;"
        " found 300.0; accepted: "
    )


@pytest.mark.parametrize(
    ("name", "k_t"), [("sea_centauro_100", 100.0), ("sea_centauro_500", 500.0)]
)
def test_centauros_own_actuators_take_its_commands_and_gains(name, k_t):
    """Kamedula 2016, eqs. (2) to (4) at rest, without any change to the catalogue's file."""
    text = TEXT.partition("<body pos")[0] + "</body></worldbody></mujoco>"
    spec = mujoco.MjSpec.from_string(text)
    attachment = pliant.attach(spec, {"a": name})
    controller = JointController(Robot(spec.compile(), attachment, target="python"))
    controller.set_gains(SetGains("a", k_p=800.0))
    controller.command(JointCommand(("a",), [0.4], torque=[1.0]))
    controller.robot.step(4000)
    theta, q = controller.state().position[0], controller.robot.link.position[0]
    load = 9.81 * MASS * LENGTH * cos(q)
    assert k_t * (theta - q) == pytest.approx(load, abs=0.02)
    assert 800.0 * (0.4 - theta) + 1.0 == pytest.approx(load, abs=0.02)


def test_a_wheel_with_another_actuator_keeps_its_own_command_beside_the_elastic_joints():
    wheel = """<body pos="0 1 0"><joint name="wheel" axis="0 0 1"/>
    <inertial pos="0 0 0" mass="1" diaginertia=".01 .01 .01"/></body></worldbody>"""
    spec = mujoco.MjSpec.from_string(TEXT.replace("</worldbody>", wheel))
    units = {"wheel": "xl330_bam_m1", "a": "sea_centauro_500", "b": "sea_centauro_500"}
    attachment = pliant.attach(spec, units)
    robot = Robot(spec.compile(), attachment, target="python")
    controller = JointController(robot)
    assert controller.joints == ("a", "b")
    robot.reference_1 = np.array([0.7 if joint == "wheel" else 0.0 for joint in robot.joints])
    controller.command(JointCommand(("b",), [0.2]))
    at = {joint: robot.reference_1[k] for k, joint in enumerate(robot.joints)}
    assert at == pytest.approx({"wheel": 0.7, "a": 0.0, "b": 0.2})
    assert controller.state().name == ("a", "b")
    assert "leads no such joint; found 'wheel'" in refusal(
        controller.command, JointCommand(("wheel",), [0.1])
    )
