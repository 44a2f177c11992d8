"""References of a whole robot: its links rest where they were asked to, as stiff as asked."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.robots.robot import Robot

ARM = """<mujoco><option timestep="0.001" gravity="0 0 0"/><worldbody>
  <body><joint name="vsa" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/></body>
  <body pos="0 0 1"><joint name="pair" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/></body>
  <body pos="0 0 2"><joint name="sea" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/></body>
  <body pos="0 0 3"><joint name="rigid" axis="0 0 1"/><geom size=".05" pos=".2 0 0"/></body>
  </worldbody></mujoco>"""
MODES = {
    "vsa": ("qbmove_advanced", 3),
    "pair": ("qbmove_advanced", 2),
    "sea": ("sea_walkman_400", 2),
    "rigid": ("sea_walkman_400", 1),
}
Q, TORQUE = np.array([0.3, -0.2, 0.1, 0.4]), np.array([-0.1, 0.2, 3.0, 0.0])


def robot(modes=MODES):
    spec = mujoco.MjSpec.from_string(ARM)
    actuators = {
        joint: pliant.with_mode(pliant.load_actuator(name), mode)
        for joint, (name, mode) in modes.items()
    }
    attachment = pliant.attach(spec, actuators)
    for joint in spec.joints:
        joint.damping = [0.5, 0, 0] if np.ndim(joint.damping) else 0.5
    return Robot(spec.compile(), attachment, target="python")


@pytest.mark.slow
def test_the_links_come_to_rest_where_they_were_asked_to():
    moved = robot()
    sigma = np.array([3.0, 4.0, np.nan, np.nan])
    moved.reference_1, second = moved.refs_for(Q, sigma, TORQUE)
    assert list(np.isnan(second)) == [False, False, True, True]
    moved.reference_2 = second
    moved.external_torque = TORQUE
    moved.step(20_000)
    found = dict(zip(moved.joints, moved.link.position, strict=True))
    wanted = dict(zip(MODES, Q, strict=True))
    for joint in ("vsa", "pair", "sea"):
        assert found[joint] == pytest.approx(wanted[joint], abs=1e-6)
    np.testing.assert_allclose(moved.stiffness[:2], sigma[:2], rtol=1e-6)
    theta = moved.motor_1.position, moved.motor_2.position
    back = moved.equilibrium(*theta, TORQUE)
    np.testing.assert_allclose(back[:3], moved.link.position[:3], atol=1e-6)
    assert np.isnan(back[3])


def test_a_joint_that_cannot_is_named():
    moved = robot()
    with pytest.raises(
        pliant.PliantError, match=r"^joint vsa: actuator \S+: sigma: no preset gives"
    ):
        moved.refs_for(0.0, [1e6, 4.0, np.nan, np.nan])
    with pytest.raises(pliant.PliantError, match=r"^q_eq: wrong number of values for these joints"):
        moved.refs_for([0.0, 0.1], 4.0)
    torques = robot(MODES | {"sea": ("sea_walkman_400", 4)})
    with pytest.raises(pliant.PliantError, match=r"^joint sea: mode: has torques as references"):
        torques.refs_for(Q, [3.0, 4.0, np.nan, np.nan])
