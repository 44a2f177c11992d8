"""A robot's arrays against closed forms: one joint in each of five modes, no gravity."""

from math import cosh, sinh

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.robots.manager import Manager
from pliant.robots.robot import Robot
from pliant.robots.urdf import load_urdf

pytestmark = pytest.mark.slow  # actuators are compiled

JOINTS = {"torque": 0, "position": 1, "spring": 3, "motor": 4, "servo": 5}
K, A = 0.02, 11.0
SPRING = 50.0
SEA = f"<spring_k>{SPRING}</spring_k>"
VSA = "".join(f"<spring_k{i}>{K}</spring_k{i}><spring_a{i}>{A}</spring_a{i}>" for i in (1, 2))


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The compiled model and its info; one qbmove (mode 3), the others series-elastic."""
    import urdf_texts as texts

    parts = [texts.arm(joint) for joint in JOINTS]
    parts += [
        texts.plugin("qbmove" if mode == 3 else "sea", joint, mode, VSA if mode == 3 else SEA)
        for joint, mode in JOINTS.items()
    ]
    path = tmp_path_factory.mktemp("robot") / "robot.urdf"
    path.write_text(texts.robot(*parts))
    spec, info = load_urdf(path)
    return spec.compile(), info


@pytest.fixture
def robot(built):
    return Robot(*built, target="python")


def test_joints_and_modes_are_those_of_the_file(robot):
    assert dict(zip(robot.joints, robot.modes, strict=True)) == JOINTS


def test_what_a_mode_does_not_have_is_nan(robot):
    robot.reference_2 = np.full(5, 0.3)
    robot.step(20)
    has_spring = [False, False, True, True, True]
    for values in (robot.stiffness, robot.elastic_torque_1, robot.elastic_energy):
        assert list(np.isfinite(values)) == has_spring
    assert list(np.isfinite(robot.elastic_torque_2)) == [False, False, True, False, False]
    assert list(np.isfinite(robot.reference_2)) == [False, False, True, False, False]
    assert list(np.isfinite(robot.motor_1.position)) == has_spring
    for values in (robot.motor_1.velocity, robot.motor_1.effort, robot.motor_1.commanded):
        assert list(np.isfinite(values)) == [False, False, False, True, True]
    assert np.isfinite(robot.link.position).all()


def test_springs_are_the_closed_form_of_the_angles(robot):
    robot.reference_1 = [0.01, 0.0, 0.2, 0.4, 0.3]
    robot.reference_2 = np.full(5, 0.25)
    robot.step(37)
    q, one, two = robot.link.position[2], robot.motor_1.position[2], robot.motor_2.position[2]
    assert (one, two) == pytest.approx((0.45, -0.05))
    sigma = A * K * (cosh(A * (q - one)) + cosh(A * (q - two)))
    assert robot.stiffness[2] == pytest.approx(sigma, rel=1e-12)
    assert robot.elastic_torque_1[2] == pytest.approx(-K * sinh(A * (q - one)), rel=1e-12)
    assert robot.elastic_torque_2[2] == pytest.approx(-K * sinh(A * (q - two)), rel=1e-12)
    energy = K / A * (cosh(A * (q - one)) + cosh(A * (q - two)) - 2.0)
    assert robot.elastic_energy[2] == pytest.approx(energy, rel=1e-12)
    assert robot.deflection[2] == pytest.approx((q - one, q - two))
    twist = robot.link.position[3:] - robot.motor_1.position[3:]
    np.testing.assert_allclose(robot.elastic_torque_1[3:], -SPRING * twist, rtol=1e-12)
    assert list(robot.stiffness[3:]) == [SPRING, SPRING]


def test_before_the_first_step_the_motors_are_where_the_links_are(robot):
    robot.data.qpos[:] = [0.1, 0.2, 0.3, 0.4, 0.5]
    np.testing.assert_array_equal(robot.motor_1.position[3:], [0.4, 0.5])
    np.testing.assert_array_equal(robot.elastic_torque_1[3:], [0.0, 0.0])


def test_links_move_as_their_equations_say(robot):
    """Torque, PID and spring on an inertia with damping, against a tight integrator."""
    goals = [0.05, 0.7, 0.3, 0.0, 0.0]
    robot.reference_1, robot.reference_2 = goals, np.full(5, 0.1)
    robot.step(400)
    inertia, damping = 0.01, 0.065

    def rates(t, y):
        q, v = y[:3], y[3:]
        spring = -K * (sinh(A * (q[2] - 0.4)) + sinh(A * (q[2] - 0.2)))
        torque = np.array([0.05, 0.8 * (0.7 - q[1]) - 0.2 * v[1], spring])
        return [*v, *((torque - damping * v) / inertia)]

    exact = solve_ivp(rates, (0, 0.4), np.zeros(6), rtol=1e-10, atol=1e-12).y[:3, -1]
    np.testing.assert_allclose(robot.link.position[:3], exact, atol=2e-3)


def test_link_and_motor_of_one_call_are_of_one_time(robot):
    """The lag of the motor that explains the link's acceleration by its spring: none to a tenth of a step."""
    h, rows = 1e-3, []
    for k in range(600):
        goal = 0.4 * np.sin(20.0 * h * k)
        robot.reference_1 = [0.0, 0.0, 0.0, 0.0, goal]
        robot.step()
        rows.append((robot.link.position[4], robot.motor_1.position[4]))
    q, theta = np.array(rows[100:]).T
    acceleration, speed = np.diff(q, 2) / h**2, (q[2:] - q[:-2]) / (2.0 * h)
    needed = 0.01 * acceleration + 0.065 * speed - SPRING * (theta - q)[1:-1]
    turning = SPRING * (theta[2:] - theta[:-2]) / (2.0 * h)
    lag = needed @ turning / (turning @ turning)
    assert abs(lag) < 0.1 * h


def test_a_motor_applies_what_its_limit_leaves_of_the_command(robot):
    robot.reference_1 = [0.0, 0.0, 0.0, 9.0, 2.0]
    robot.step()
    assert robot.motor_1.commanded[3] == 9.0
    assert robot.motor_1.effort[3] == 6.0
    assert robot.motor_1.effort[4] == robot.motor_1.commanded[4] == 6.0  # 125 N m/rad times 2 rad
    robot.reference_1 = [0.0, 0.0, 0.0, -1.0, 0.0]
    robot.step()
    assert robot.motor_1.effort[3] == -1.0


def test_the_torque_of_the_link_is_what_the_engine_applies(robot):
    robot.reference_1 = [0.05, 0.1, 0.1, 0.5, 0.1]
    robot.step(10)
    mujoco.mj_forward(robot.model, robot.data)
    np.testing.assert_allclose(robot.link.torque, robot.data.qfrc_actuator, rtol=1e-12)
    assert robot.link.torque[0] == 0.05


def test_external_torque_adds_to_what_is_there(robot):
    robot.data.qfrc_applied[:] = 0.5
    robot.external_torque = [0.1, 0.0, -0.2, 0.0, 0.0]
    robot.external_torque = [0.2, 0.0, 0.0, 0.0, 0.0]
    np.testing.assert_allclose(robot.data.qfrc_applied, [0.7, 0.5, 0.5, 0.5, 0.5], rtol=1e-15)
    robot.reset()
    assert not robot.data.qfrc_applied.any()
    assert not robot.external_torque.any()


def refusal(robot, name: str, values) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        setattr(robot, name, values)
    return str(refused.value)


def test_references_that_cannot_be_are_refused(robot):
    text = refusal(robot, "reference_2", [0, 0, 0.81, 0, 0])
    assert text == "joint spring: preset beyond its range; found 0.81; accepted: -0.8 to 0.8"
    text = refusal(robot, "reference_1", [0, 0, np.nan, 0, 0])
    assert text == "reference_1 of joint spring: is not finite; found nan"
    text = refusal(robot, "reference_1", [0, 0, 1e300, 0, 0])
    assert text == "reference_1 of joint spring: is beyond all numbers of MuJoCo; found 1e+300"
    text = refusal(robot, "reference_1", [0.0, 1.0])
    assert text.startswith(
        "reference_1: wrong number of values for these joints; found (2,); accepted: 5: "
    )
    with pytest.raises(ValueError, match="read-only"):
        robot.reference_1[0] = 1.0


def test_a_deflection_beyond_the_springs_is_told(robot):
    robot.check()
    robot.data.qpos[3] = 0.5
    robot.step()
    robot.data.qpos[3] = 1.5
    with pytest.raises(pliant.PliantError) as refused:
        robot.check()
    text = str(refused.value)
    assert text.startswith("joint motor: deflection of spring beyond its limit; found 1.0")
    assert text.endswith("accepted: up to 0.8 rad")


def test_each_joint_of_a_kind_has_its_own_limit(write, texts):
    parts = [texts.arm("a"), texts.arm("b")]
    parts += [texts.plugin("sea", j, 3, f"<max_def>{d}</max_def>") for j, d in (("a", 1), ("b", 2))]
    spec, info = load_urdf(write(texts.robot(*parts)))
    robot = Robot(spec.compile(), info, target="python")
    robot.reference_1 = [0.0, 0.0]
    robot.step(2)
    robot.data.qpos[:] = 0.9, 1.5
    robot.check()
    robot.data.qpos[:] = 1.5, 0.9
    with pytest.raises(pliant.PliantError, match=r"joint a: .*; accepted: up to 1 rad"):
        robot.check()


def test_a_motor_at_the_end_of_its_range_says_so(write, texts):
    tags = "<mot_maxPos>0.2</mot_maxPos>"
    parts = [texts.arm("a"), texts.arm("b"), texts.plugin("sea", "a", 5, tags)]
    spec, info = load_urdf(write(texts.robot(*parts, texts.plugin("sea", "b", 5))))
    robot = Robot(spec.compile(), info, target="python")
    robot.reference_1 = [0.5, 0.5]
    robot.step()
    assert list(robot.motor_1.at_end) == [False, False]
    robot.step(600)
    assert list(robot.motor_1.at_end) == [True, False]
    assert robot.motor_1.position[0] == 0.2
    assert robot.motor_1.effort[0] == 6.0  # it goes on to push; the toolbox publishes NaN
    assert list(robot.motor_2.at_end) == [False, False]


def manager_file(tmp_path, **changes):
    from pliant.io.manager_file import read_manager

    topics = {
        "servo": ("/reference_1", "/reference_2"),
        "spring": ("/equilibrium_position", "/stiffness_preset"),
        "motor": ("/tau_m1_command", "/tau_m2_command"),
        "torque": ("/torque_command", "/disabled"),
    }
    topics |= changes
    names = list(topics)
    path = tmp_path / "manager.yaml"
    path.write_text(
        f"namespace: bot\nT_sample: 0.01\njoints_number: {len(names)}\njoints_name: {names}\n"
        f"ref1_topic_name: {[topics[n][0] for n in names]}\n"
        f"ref2_topic_name: {[topics[n][1] for n in names]}\n"
    )
    return read_manager(path)


def test_the_manager_gives_arrays_in_the_order_of_its_file(robot, tmp_path):
    manager = Manager(robot, manager_file(tmp_path))
    assert manager.topics_1[:2] == ("/bot/servo/reference_1", "/bot/spring/equilibrium_position")
    state = manager.step([0.1, 0.2, 3.0, 0.04], [0.0, 0.3, 0.0, 0.0])
    assert state.time == pytest.approx(0.01)
    assert state.robot.name == ("servo", "spring", "motor", "torque")
    np.testing.assert_array_equal(robot.reference_1, [0.04, 0.0, 0.2, 3.0, 0.1])
    order = [4, 2, 3, 0]
    np.testing.assert_array_equal(state.robot.position, robot.link.position[order])
    np.testing.assert_array_equal(state.motor_1.effort, robot.motor_1.effort[order])
    np.testing.assert_array_equal(state.stiffness, robot.stiffness[order])
    held = manager.step()
    assert held.time == pytest.approx(0.02)
    assert robot.reference_1[3] == 3.0


def test_before_the_first_command_a_manager_gives_zeros_or_lets_the_robot_stay(robot, tmp_path):
    robot.data.qpos[2:] = 0.4
    Manager(robot, manager_file(tmp_path), before_first="stay").step()
    np.testing.assert_allclose(robot.link.position[2:], 0.4, atol=1e-9)
    robot.reset()
    robot.data.qpos[2:] = 0.4
    Manager(robot, manager_file(tmp_path)).step()
    assert robot.link.position[4] < 0.4 - 1e-5


def test_a_topic_that_the_mode_does_not_hear_and_a_period_between_steps(robot, tmp_path):
    file = manager_file(tmp_path, servo=("/equilibrium_position", "/stiffness_preset"))
    with pytest.raises(pliant.PliantError) as refused:
        Manager(robot, file)
    assert str(refused.value) == (
        f"{file.path}: ref1_topic_name: joint servo, in operation mode 5, does not listen to this"
        " topic; found '/equilibrium_position'; accepted: /reference_1"
    )
    file = manager_file(tmp_path, elbow=("/a", "/b"))
    with pytest.raises(pliant.PliantError, match="the robot has no such joint; found 'elbow'"):
        Manager(robot, file)
    file.path.write_text(manager_file(tmp_path).path.read_text().replace("0.01", "0.0105"))
    from pliant.io.manager_file import read_manager

    with pytest.raises(pliant.PliantError) as refused:
        Manager(robot, read_manager(file.path))
    assert str(refused.value) == (
        f"{file.path}: T_sample: is not a multiple of the model's timestep; found 0.0105;"
        " accepted: a multiple of 0.001 s"
    )
