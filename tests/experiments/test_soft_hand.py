"""The soft hand: what it is, read back from MuJoCo, and how its joints share one tendon."""

from math import radians

import mujoco
import numpy as np
import pytest

from pliant.experiments.catalano2014 import soft_hand
from pliant.experiments.catalano2014.soft_hand import RATIOS, TENDON, Settings, hand

QUICK = Settings(duration=1.5)


@pytest.fixture(scope="module")
def model():
    return hand(Settings()).compile()


def test_it_weighs_what_its_description_says(model):
    """Palm, five knuckles, nine phalanges, five fingertips, 14 rollers [g]."""
    assert 1e3 * model.body_mass.sum() == pytest.approx(228 + 5 * 9 + 9 * 5 + 5 * 10 + 14 * 0.1)


def test_fingers_stand_where_its_description_puts_them(model):
    """The middle finger straight up, 22 mm from a rolling joint's first hinge to the next one's."""
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    for k, phalanx in enumerate(("inner", "middle", "outer")):
        joint = data.joint(f"middle_{phalanx}")
        height = 0.100699 + 0.009 + 0.022 * k
        np.testing.assert_allclose(joint.xanchor, [-0.0033, 0.0, height], atol=1e-5)
        assert np.degrees(model.joint(f"middle_{phalanx}").range) == pytest.approx([0.0, 45.0])
    thumb = data.joint("thumb_abd")
    np.testing.assert_allclose(thumb.xanchor, [0.00566972, 0.029616, 0.055314], atol=1e-12)
    assert np.degrees(model.joint("thumb_abd").range) == pytest.approx([0.0, 90.0])


def test_a_closed_finger_bends_by_twice_its_joints(model):
    data = mujoco.MjData(model)
    for joint in ("middle_inner", "middle_middle", "middle_outer"):
        data.joint(joint).qpos = data.joint(f"{joint}_roll").qpos = radians(15.0)
    mujoco.mj_forward(model, data)
    along = data.body("middle_outer").xmat.reshape(3, 3)[:, 0]
    np.testing.assert_allclose(along, [1.0, 0.0, 0.0], atol=2e-6)  # from up to forward: 90 degrees


def test_the_tendon_is_shorter_by_a_pulley_of_3_5_mm_at_each_joint(model):
    data = mujoco.MjData(model)
    for joint, (ratio, _) in RATIOS.items():
        data.qpos[:] = 0.0
        data.joint(joint).qpos = 0.2
        mujoco.mj_forward(model, data)
        assert data.tendon(TENDON).length[0] == pytest.approx(-0.2 * 3.5e-3 * ratio)


@pytest.mark.parametrize("torque", [0.0, soft_hand.held()], ids=["free", "a finger held"])
def test_joints_share_the_tendon_as_the_balance_of_19_springs_says(torque):
    """Against least energy of springs and outer torques under the length wound up, solved as one system."""
    found = soft_hand.settled(QUICK, 2.5, torque)
    ratio, elastic = np.array(list(RATIOS.values())).T
    system = np.zeros((20, 20))
    system[:19, :19] = np.diag(0.1 * elastic)
    system[:19, 19] = system[19, :19] = -3.5e-3 * ratio
    right = np.append(np.broadcast_to(torque, 19), -found.wound)
    *q, tension = np.linalg.solve(system, right)
    np.testing.assert_allclose(found.q, q, atol=2e-3)
    assert found.tension == pytest.approx(tension, rel=5e-3)
    assert found.wound == pytest.approx(2.5 * 0.01, rel=0.01)
    equation = soft_hand.balance(QUICK, found.wound, torque)
    np.testing.assert_allclose(equation.q, q, atol=1e-12)


def test_fingers_close_further_where_one_is_held():
    free, held = (soft_hand.settled(QUICK, 2.5, torque) for torque in (0.0, soft_hand.held()))
    index = [joint.startswith("index") and "abd" not in joint for joint in RATIOS]
    others = [joint.startswith(("middle", "ring")) and "abd" not in joint for joint in RATIOS]
    assert (held.q[index] < free.q[index] - 0.1).all()
    assert (held.q[others] > free.q[others] + 0.03).all()
