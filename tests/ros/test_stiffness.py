"""Stiffness from messages and from a bag whose joints have other names, against a pendulum in closed form."""

import numpy as np
import pytest

pytest.importorskip("cyclonedds", reason="pliant[ros2] is not installed")

from pliant import PliantError
from pliant.estimate.dynamics import load_dynamics
from pliant.io.encoder_file import read_joint_log
from pliant.io.formats.reading import Reading
from pliant.ros.channel import joint_state
from pliant.ros.messages import BagWriter
from pliant.ros.stiffness import TopicStiffness

K, MASS, LENGTH, INERTIA, DT = 60.0, 0.6, 0.13, 0.004, 0.005
RENAME = {"lift": "q_shoulder", "lift_motor": "theta_shoulder"}
PENDULUM = f"""<mujoco><worldbody><body><joint name="shoulder" axis="0 1 0"/>
<inertial pos="0 0 {-LENGTH}" mass="{MASS}" diaginertia="{INERTIA} {INERTIA} 0.001"/></body></worldbody></mujoco>"""


def messages(count):
    """The spring carries the load: K (q - theta) = -(I a + m g l sin q)."""
    for k in range(count):
        t = DT * k
        q, a = 0.8 * np.sin(3.0 * t), -0.8 * 9.0 * np.sin(3.0 * t)
        load = (INERTIA + MASS * LENGTH**2) * a + MASS * 9.81 * LENGTH * np.sin(q)
        yield t, joint_state(t + 100.0, ["other", *RENAME], np.array([1.0, q, q + load / K]))


@pytest.fixture
def dynamics(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(PENDULUM)
    return load_dynamics(path)


def test_messages_of_any_names_give_the_stiffness_and_a_gap_is_counted(dynamics):
    live, found = TopicStiffness(dynamics, RENAME), None
    for k, (_, sample) in enumerate(messages(1600)):
        if not 800 <= k < 810:
            found = live.taken(sample) or found
            assert live.taken(sample) is None  # the same once more
    assert live.missed == 1
    assert found.sigma[0] == pytest.approx(K, rel=5e-3)
    said = live.said(found)
    assert list(said.name) == ["shoulder"]
    assert said.stiffness[0] == found.sigma[0]


def test_messages_without_a_motor_are_refused(dynamics):
    with pytest.raises(PliantError, match="joint shoulder: motor channels missing"):
        TopicStiffness(dynamics, {"lift": "q_shoulder"}).taken(next(messages(1))[1])


def test_a_bag_is_read_under_the_names_that_are_meant(dynamics, tmp_path):
    with BagWriter(tmp_path / "bag") as bag:
        for t, sample in messages(400):
            bag.add("/joint_states", "sensor_msgs/msg/JointState", sample, t)
    found = read_joint_log(
        tmp_path / "bag", dynamics.names, reading=Reading(rename=RENAME), others=True
    )
    assert found.joints == {"shoulder": "sea"}
    np.testing.assert_allclose(found.log.q[:, 0], [one.position[1] for _, one in messages(400)])
    with pytest.raises(
        PliantError, match="joint: this joint is not recorded; found 'lifft'; did you mean"
    ):
        read_joint_log(
            tmp_path / "bag", dynamics.names, reading=Reading(rename={"lifft": "q_shoulder"})
        )
