"""Pliant's servos in Genesis, compared with the same arm in MuJoCo.

In every step, Genesis solves the dry friction given by the stepper. It does not report the other torques on a
joint, so the servo has a friction law that does not need them (M1). The first step compiles for a while.
"""

import importlib.util
from pathlib import Path

import mujoco
import numpy as np

import pliant

SERVOS = ["xl330_bam_m1", "xl330_bam_m1"]
JOINTS = ("shoulder", "elbow")
ARM = str(Path(__file__).parents[1] / "pybullet_arm" / "arm.urdf")
GOALS = np.array([0.8, -0.6])  # [rad]
SECONDS, STEP = 1.0, 1e-3


def in_genesis() -> np.ndarray:
    import genesis as gs

    gs.init(backend=gs.cpu, precision="64", logging_level="error")
    scene = gs.Scene(
        sim_options=gs.options.SimOptions(dt=STEP),
        rigid_options=gs.options.RigidOptions(enable_collision=False),
        show_viewer=False,
    )
    arm = scene.add_entity(gs.morphs.URDF(file=ARM, fixed=True))
    scene.build()
    dofs = [arm.get_joint(name).dofs_idx_local[0] for name in JOINTS]
    servos = pliant.Stepper(SERVOS, STEP)
    arm.set_dofs_armature(servos.armature, dofs)
    for unset in (arm.set_dofs_damping, arm.set_dofs_kp, arm.set_dofs_kv):
        unset([0.0, 0.0], dofs)
    moved = []
    for _ in range(round(SECONDS / STEP)):
        q, v = arm.get_dofs_position(dofs), arm.get_dofs_velocity(dofs)
        torque, budget = servos.step(q.numpy(), v.numpy(), GOALS)
        arm.set_dofs_frictionloss(budget, dofs)
        arm.control_dofs_force(torque, dofs)
        scene.step()
        moved.append(arm.get_dofs_position(dofs).numpy().copy())
    return np.array(moved)


def in_mujoco() -> np.ndarray:
    spec = mujoco.MjSpec.from_file(ARM)
    spec.option.timestep = STEP
    pliant.attach(spec, dict(zip(JOINTS, SERVOS, strict=True)))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = GOALS
    moved = []
    for _ in range(round(SECONDS / STEP)):
        mujoco.mj_step(model, data)
        moved.append(data.qpos.copy())
    return np.array(moved)


def main() -> None:
    if importlib.util.find_spec("genesis") is None:
        print("Genesis is not installed: pip install genesis-world torch")
        return
    apart = 1e3 * np.abs(in_genesis() - in_mujoco())
    print(f"Genesis and MuJoCo: {apart.mean():.2f} mrad apart, {apart.max():.1f} at most")


if __name__ == "__main__":
    main()
