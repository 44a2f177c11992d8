"""Masses of the experiments' bodies, read back from MuJoCo's compiled model."""

from math import cos, pi, sin

import mujoco
import numpy as np
import pytest

from pliant.experiments.mengacci2021 import push_box_arm
from pliant.experiments.support.benches import Segment, chain

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
