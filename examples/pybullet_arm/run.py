"""Pliant's servos in PyBullet, compared with the same arm in MuJoCo.

PyBullet's constraint solver applies each joint's friction: a velocity motor with target 0 and the friction as
largest torque. It has no rotor inertia: that of each joint is added to its link, which is exact only for the
first joint. So MuJoCo simulates the arm twice, with rotors and with such links.
"""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np

import pliant

SERVOS = ["xl330_bam_m6", "xl330_bam_m6"]
ARM = str(Path(__file__).with_name("arm.urdf"))
GOALS = [0.8, -0.6]  # [rad]
SECONDS = 2.0


def in_pybullet(step: float) -> list[list[float]]:
    import pybullet as p

    client = p.connect(p.DIRECT)
    p.setGravity(0, 0, -9.81)
    p.setTimeStep(step)
    arm = p.loadURDF(ARM, useFixedBase=True, flags=p.URDF_USE_INERTIA_FROM_FILE)
    joints = [0, 1]
    servos = pliant.Stepper(SERVOS, step)
    for j in joints:
        diagonal = list(p.getDynamicsInfo(arm, j)[2])
        diagonal[1] += servos.armature[j]
        p.changeDynamics(arm, j, localInertiaDiagonal=diagonal)
        p.changeDynamics(
            arm, j, linearDamping=0, angularDamping=0
        )  # separate, because a single call loses the inertia
    moved = []
    for _ in range(round(SECONDS / step)):
        states = p.getJointStates(arm, joints)
        q, v = [s[0] for s in states], [s[1] for s in states]
        servos.load[:] = p.calculateInverseDynamics(arm, q, v, [0.0, 0.0])
        servos.load *= -1.0  # gravity pulls as much as it takes to hold the arm
        torque, budget = servos.step(q, v, GOALS)
        p.setJointMotorControlArray(
            arm, joints, p.VELOCITY_CONTROL, targetVelocities=[0.0, 0.0], forces=budget.tolist()
        )
        p.setJointMotorControlArray(arm, joints, p.TORQUE_CONTROL, forces=torque.tolist())
        p.stepSimulation()
        moved.append([s[0] for s in p.getJointStates(arm, joints)])
    p.disconnect(client)
    return moved


def in_mujoco(step: float, *, rotors: bool) -> list[list[float]]:
    spec = mujoco.MjSpec.from_file(ARM)
    spec.option.timestep = step
    pliant.attach(spec, dict(zip(("shoulder", "elbow"), SERVOS, strict=True)))
    model = spec.compile()
    if not rotors:
        model.body_inertia[1:, 1] += model.dof_armature  # about the axis of the joints
        model.dof_armature[:] = 0.0
    data = mujoco.MjData(model)
    data.ctrl[:] = GOALS
    moved = []
    for _ in range(round(SECONDS / step)):
        mujoco.mj_step(model, data)
        moved.append(data.qpos.tolist())
    return moved


def main() -> None:
    if importlib.util.find_spec("pybullet") is None:
        print("PyBullet is not installed: pip install pybullet")
        return
    step = 1e-3
    bullet = np.array(in_pybullet(step))
    for rotors, what in ((False, "the same links"), (True, "rotors, which PyBullet lacks")):
        apart = 1e3 * np.abs(bullet - np.array(in_mujoco(step, rotors=rotors)))
        print(f"MuJoCo with {what}: {apart.mean():.2f} mrad apart, {apart.max():.1f} at most")


if __name__ == "__main__":
    main()
