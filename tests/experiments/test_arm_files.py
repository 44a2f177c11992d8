"""The arms as files are those that the experiments build."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

from pliant.experiments.mengacci2021 import push_box_arm, two_link
from pliant.experiments.support.benches import FLANGE_AND_CUBE, chain, one_joint
from pliant.robots import load_robot

ARMS = Path(__file__).parents[2] / "examples" / "mengacci2021"
BUILT = {
    "one_joint": lambda: one_joint(FLANGE_AND_CUBE, timestep=1e-3, zero=-0.5 * np.pi),
    "two_joints": lambda: chain([FLANGE_AND_CUBE] * 2, list(two_link.JOINTS), timestep=1e-3),
    "five_joints": lambda: push_box_arm.arm(push_box_arm.Settings(), box=True),
}


@pytest.mark.parametrize("name", BUILT)
def test_masses_and_gravity_are_those_of_the_experiment(name):
    filed = mujoco.MjSpec.from_file(str(ARMS / f"{name}.xml")).compile()
    built = BUILT[name]().compile()
    joints = [built.joint(k).name for k in range(built.njnt)]
    assert [filed.joint(k).name for k in range(filed.njnt)] == joints
    hinges = built.jnt_type == mujoco.mjtJoint.mjJNT_HINGE
    for angles in np.random.default_rng(1).uniform(-1.0, 1.0, (3, int(hinges.sum()))):
        q = built.qpos0.copy()
        q[built.jnt_qposadr[hinges]] = angles
        for v in np.eye(built.nv):
            sides = []
            for model in (filed, built):
                data, out = mujoco.MjData(model), np.zeros(model.nv)
                data.qpos[:] = q
                mujoco.mj_forward(model, data)
                mujoco.mj_mulM(model, data, out, v)
                sides.append([out, data.qfrc_bias])
            np.testing.assert_allclose(*sides, atol=1e-8)


def test_an_arm_as_a_file_reaches_its_equilibrium():
    robot = load_robot(ARMS / "one_joint.toml")
    robot.reference_1, robot.reference_2 = [0.3], [0.6]
    robot.step(4000)
    q = robot.link.position[0]
    torque = 0.5408 * 0.0768 * 9.81 * np.sin(q)
    spring = sum(0.0019 * np.sinh(8.9992 * (q - 0.3 + side)) for side in (0.6, -0.6))
    # Dry friction of the joint, and of the motors, which stop a little short of their references.
    assert spring + torque == pytest.approx(0.0, abs=0.025 + 0.03)
