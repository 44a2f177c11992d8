"""Masses of the experiments' bodies, read back from MuJoCo's compiled model."""

from math import cos, pi, sin
from pathlib import Path
from types import SimpleNamespace

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.batch.trials import bench
from pliant.experiments.kamedula2016 import centauro_body
from pliant.experiments.mengacci2021 import push_box_arm
from pliant.experiments.parnenzini import snake
from pliant.experiments.support.benches import FLANGE_AND_CUBE, Segment, chain, one_joint
from pliant.experiments.trumic2022 import estimator_arms
from pliant.experiments.trumic2022.two_link_truth import ARM, TwoLink

LOWER = Segment(mass=0.7, centre=0.05, inertia=5e-3, length=0.12)
UPPER = Segment(mass=0.4, centre=0.03, inertia=1e-3, length=0.2)


def read_back(model, body):
    place = model.body(body)
    return float(place.mass[0]), place.ipos, place.inertia


def test_a_segment_weighs_what_it_should_where_it_should():
    model = chain([LOWER, UPPER], ["a", "b"], timestep=1e-3).compile()
    for name, one in (("a_link", LOWER), ("b_link", UPPER)):
        mass, at, inertia = read_back(model, name)
        assert mass == one.mass
        np.testing.assert_allclose(at, [one.centre, 0.0, 0.0])
        np.testing.assert_allclose(inertia, one.inertia - one.mass * one.centre**2)


@pytest.mark.parametrize("tip", [0.0, 0.3])
def test_a_chain_is_as_heavy_to_lift_and_to_turn_as_two_rods_with_a_point_at_their_end(tip):
    model = chain([LOWER, UPPER], ["a", "b"], timestep=1e-3, tip_mass=tip).compile()
    data = mujoco.MjData(model)
    q1, q2 = 0.4, -0.9
    data.qpos[:] = q1, q2
    mujoco.mj_forward(model, data)
    turn = np.zeros((2, 2))
    mujoco.mj_fullM(model, data, turn)
    far = UPPER.mass * UPPER.centre + tip * UPPER.length
    near = LOWER.mass * LOWER.centre + (UPPER.mass + tip) * LOWER.length
    cross = LOWER.length * far * cos(q2)
    m22 = UPPER.inertia + tip * UPPER.length**2
    m11 = LOWER.inertia + (UPPER.mass + tip) * LOWER.length**2 + m22 + 2.0 * cross
    np.testing.assert_allclose(turn, [[m11, m22 + cross], [m22 + cross, m22]], rtol=1e-6)
    lift = 9.81 * far * sin(q1 + q2)
    expected = [9.81 * near * sin(q1) + lift, lift]
    np.testing.assert_allclose(data.qfrc_bias, expected, rtol=1e-12)


def test_cubes_and_flanges_of_the_pushing_arm_hang_where_its_parts_are():
    """Stretched out along x and level: what each pitch joint holds."""
    model = push_box_arm.arm(push_box_arm.Settings(), box=False).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    joints = np.cumsum([0.0, 0.0, 0.09, 0.0775, 0.09])
    parts = [[(0.0866, x + 0.0073)] for x in joints]
    for k, end in enumerate(joints[1:]):
        parts[k].append((0.4542, end))
    parts[-1].append((0.02, joints[-1] + 0.0405))  # the hand
    total = sum(mass for body in parts for mass, _ in body)
    assert float(model.body_mass.sum()) == pytest.approx(total, rel=1e-12)
    for name, k in (("pitch_1", 1), ("pitch_2", 3)):
        held = sum(mass * (x - joints[k]) for body in parts[k:] for mass, x in body)
        load = -data.qfrc_bias[int(model.joint(name).dofadr[0])]
        assert load == pytest.approx(9.81 * held, rel=1e-9)


def test_a_hanging_chain_points_down():
    model = chain([LOWER], ["a"], timestep=1e-3, zero=-0.5 * pi).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.xipos[1], [0.0, 0.0, -LOWER.centre], atol=1e-15)


def turning(model, *angles):
    """Mass matrix and the torques that hold the robot, at `angles`."""
    data = mujoco.MjData(model)
    data.qpos[:] = angles
    mujoco.mj_forward(model, data)
    whole = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, whole)
    return whole, np.array(data.qfrc_bias)


def test_inertias_are_given_nowhere_else():
    """Whoever gives a body its inertia in a new place adds a test of what MuJoCo makes of it."""
    room = Path(pliant.__file__).parent
    given = {
        path.relative_to(room).as_posix()
        for path in room.rglob("*.py")
        if "explicitinertial" in (text := path.read_text()) or "<inertial" in text
    }
    assert given == {
        "experiments/support/benches.py",  # a chain, above
        "experiments/trumic2022/two_link_truth.py",  # below
        "engines/mujoco/batch/trials.py",  # below
        "engines/spec/repairs.py",  # of a model that MuJoCo refuses, with its place
        "estimate/dynamics_mujoco.py",  # only asks
        "robots/inverse_load.py",  # a payload, in test_compensator
        "plain/forms.py",  # a stand-in for what the user's own links weigh
        "engines/spec/drums.py",  # stands at the world's origin and has no weight to speak of
    }


def test_the_pendulum_of_a_bench_turns_as_a_rod_with_a_point_at_its_end():
    m, rod, length, q = 0.4, 0.1, 0.15, 0.7
    log = SimpleNamespace(mass=m, length=length)
    inertia, load = turning(bench(log, 0.0, rod).compile(), q)
    assert inertia[0, 0] == pytest.approx((m + rod / 3.0) * length**2, rel=1e-5)
    assert load[0] == pytest.approx(9.81 * (m + 0.5 * rod) * length * sin(q), rel=1e-9)


def test_the_arm_of_the_estimators_recipes_has_the_mass_matrix_of_two_rods():
    a = TwoLink(mass=(0.5, 0.3), length=(0.2, 0.15), centre=(0.08, 0.06), inertia=(2e-3, 1e-3))
    q1, q2 = 0.3, 1.1
    turn, load = turning(a.model(), q1, q2)
    far = 1e-3 + 0.3 * 0.06**2
    cross = 0.3 * 0.2 * 0.06 * cos(q2)
    near = 2e-3 + 0.5 * 0.08**2 + 0.3 * 0.2**2 + far + 2.0 * cross
    np.testing.assert_allclose(turn, [[near, far + cross], [far + cross, far]], rtol=1e-12)
    last = 9.81 * 0.3 * 0.06 * sin(q1 + q2)
    np.testing.assert_allclose(load, [9.81 * (0.5 * 0.08 + 0.3 * 0.2) * sin(q1) + last, last])


def test_the_arms_of_the_estimators_are_the_papers():
    """Trumić 2022, section V-B and Fig. 5: m = 0.26 kg, I = 2.1e-3 kg m^2, l = 0.09 m, equal links."""
    m, i, length = 0.26, 2.1e-3, 0.09
    turn, load = turning(ARM.model(), 0.4, 0.7)
    bend = m * length**2 * cos(0.7)
    mass = [[i + m * length**2 + i + 2.0 * bend, i + bend], [i + bend, i]]
    np.testing.assert_allclose(turn, mass, rtol=5e-3)
    last = 9.81 * m * length * sin(1.1)
    np.testing.assert_allclose(load, [9.81 * 2.0 * m * length * sin(0.4) + last, last])
    turn, load = turning(estimator_arms.arm(estimator_arms.Settings()).compile(), 0.3, 0.7)
    about = m * length**2 * (1.0 + (1.0 + cos(0.7)) ** 2)  # B: the first axis is upright
    np.testing.assert_allclose(turn, [[about, 0.0], [0.0, i]], atol=3e-5)
    assert abs(load[0]) < 1e-12
    assert abs(load[1]) == pytest.approx(9.81 * m * length * cos(0.7))


def test_the_snake_weighs_twelve_cubes_and_its_head():
    model = snake.body(snake.Settings()).compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    masses = np.array([0.25] * 12 + [1.0])
    np.testing.assert_allclose(model.body_mass[1:], masses)
    np.testing.assert_allclose(model.body_inertia[1:], np.outer(masses, [0.075**2 / 6.0] * 3))
    np.testing.assert_allclose(data.xipos[1:, 0], 0.089 * np.arange(13), atol=1e-12)


def test_arms_and_legs_of_centauro_weigh_ten_kilograms_and_are_80_cm_long():
    model = centauro_body.robot(centauro_body.FIVE, grounded=True, timestep=1e-3).compile()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    weight = {model.body(k).name: model.body_subtreemass[k] for k in range(model.nbody)}
    assert weight["arm_left_upper"] == pytest.approx(10.0)
    assert weight["leg_1_thigh"] == pytest.approx(10.1)
    hand = model.body("arm_left_hand")
    reach = data.xpos[model.body("arm_left_upper").id, 2] - data.xipos[hand.id, 2]
    assert reach + 0.075 == pytest.approx(0.8)
    lever = 4.0 * 0.175 + 4.0 * 0.5 + 2.0 * 0.725  # stretched out to the side
    data.qpos[int(model.joint("arm_left_shoulder_roll").qposadr[0])] = 0.5 * pi
    mujoco.mj_forward(model, data)
    held = data.qfrc_bias[int(model.joint("arm_left_shoulder_roll").dofadr[0])]
    assert abs(held) == pytest.approx(9.81 * lever, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "spec", "joints"),
    [
        ("one_joint", lambda: one_joint(FLANGE_AND_CUBE, timestep=1e-3, zero=-0.5 * pi), 1),
        ("two_joints", lambda: chain([FLANGE_AND_CUBE] * 2, ["a", "b"], timestep=1e-3), 2),
        ("five_joints", lambda: push_box_arm.arm(push_box_arm.Settings(), box=True), 5),
    ],
)
def test_the_platforms_to_open_are_those_of_the_experiments(name, spec, joints):
    folder = Path(__file__).parents[2] / "examples" / "mengacci2021"
    robot = pliant.load_robot(folder / f"{name}.toml")
    assert len(robot.joints) == joints
    built, angles = spec().compile(), [0.3, 0.7, -0.4, 0.5, 0.2][:joints]
    angles += built.qpos0[joints:].tolist()
    ours, theirs = (turning(m, *angles) for m in (robot.model, built))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=2e-5, atol=1e-8)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-5)
    np.testing.assert_allclose(robot.model.dof_damping[:joints], 0.065)
