"""Pliant's servos in Pinocchio, Drake and SAPIEN, if installed, compared with the same arm in MuJoCo.

Each simulator moves the arm of `examples/pybullet_arm` under the servos' torque and friction, and gives the
stepper the other torques on the joints and their inertias.
"""

import importlib.util
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

import pliant

SERVOS = ["xl330_bam_m6", "xl330_bam_m6"]
ARM = str(Path(__file__).parents[1] / "pybullet_arm" / "arm.urdf")
GOALS = np.array([0.8, -0.6])  # [rad]
SECONDS, STEP = 2.0, 1e-3


def in_pinocchio() -> np.ndarray:
    import pinocchio

    model = pinocchio.buildModelFromUrdf(ARM)
    servos = pliant.Stepper(SERVOS, STEP)
    model.armature[:] = servos.armature  # in Pinocchio's dynamics from here on
    data, q = model.createData(), pinocchio.neutral(model)  # cosine and sine of each joint
    angle, v, moved = np.zeros(2), np.zeros(2), []
    for _ in range(round(SECONDS / STEP)):
        servos.load[:] = -pinocchio.nonLinearEffects(model, data, q, v)
        servos.inertia[:] = np.diag(pinocchio.crba(model, data, q)) - servos.armature
        torque, _ = servos.step(angle, v, GOALS)
        v = v + STEP * pinocchio.aba(model, data, q, v, torque + servos.friction)
        q, angle = pinocchio.integrate(model, q, STEP * v), angle + STEP * v
        moved.append(angle)
    return np.array(moved)


def in_drake() -> np.ndarray:
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant
    from pydrake.systems.analysis import Simulator

    plant = MultibodyPlant(time_step=STEP)
    Parser(plant).AddModels(ARM)
    plant.WeldFrames(plant.world_frame(), plant.GetBodyByName("base").body_frame())
    servos = pliant.Stepper(SERVOS, STEP)
    for name, armature in zip(("shoulder", "elbow"), servos.armature, strict=True):
        motor = plant.AddJointActuator(name, plant.GetJointByName(name))
        motor.set_default_rotor_inertia(armature)
        motor.set_default_gear_ratio(1.0)
    plant.Finalize()
    simulator = Simulator(plant)
    context, moved = simulator.get_mutable_context(), []
    port = plant.get_actuation_input_port()
    for k in range(round(SECONDS / STEP)):
        q, v = plant.GetPositions(context), plant.GetVelocities(context)
        forces = plant.CalcGravityGeneralizedForces(context)
        servos.load[:] = forces - plant.CalcBiasTerm(context)
        servos.inertia[:] = np.diag(plant.CalcMassMatrix(context)) - servos.armature
        torque, _ = servos.step(q, v, GOALS)
        port.FixValue(context, torque + servos.friction)
        simulator.AdvanceTo((k + 1) * STEP)
        moved.append(plant.GetPositions(context).copy())
    return np.array(moved)


def in_sapien() -> np.ndarray:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about missing Vulkan: nothing is drawn here
        import sapien

    scene = sapien.Scene([sapien.physx.PhysxCpuSystem()])
    scene.set_timestep(STEP)
    loader = scene.create_urdf_loader()
    loader.fix_root_link = True
    arm = loader.load(ARM)
    servos = pliant.Stepper(SERVOS, STEP)
    for joint, armature in zip(arm.get_active_joints(), servos.armature, strict=True):
        joint.set_armature([armature])
        joint.set_friction(0.0)
        joint.set_drive_properties(0.0, 0.0)
    for link in arm.get_links():
        link.set_linear_damping(0.0)
        link.set_angular_damping(0.0)
    bodies, moved = arm.create_pinocchio_model(), []
    for _ in range(round(SECONDS / STEP)):
        q, v = arm.get_qpos(), arm.get_qvel()
        servos.load[:] = -arm.compute_passive_force(gravity=True, coriolis_and_centrifugal=True)
        servos.inertia[:] = np.diag(bodies.compute_generalized_mass_matrix(q))
        torque, _ = servos.step(q, v, GOALS)
        arm.set_qf(torque + servos.friction)
        scene.step()
        moved.append(arm.get_qpos().copy())
    return np.array(moved)


def in_mujoco() -> np.ndarray:
    spec = mujoco.MjSpec.from_file(ARM)
    spec.option.timestep = STEP
    pliant.attach(spec, dict(zip(("shoulder", "elbow"), SERVOS, strict=True)))
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = GOALS
    moved = []
    for _ in range(round(SECONDS / STEP)):
        mujoco.mj_step(model, data)
        moved.append(data.qpos.copy())
    return np.array(moved)


HOSTS: dict[str, tuple[str, Callable[[], np.ndarray]]] = {
    "pinocchio": ("pip install pin", in_pinocchio),
    "pydrake": ("pip install drake", in_drake),
    "sapien": ("pip install sapien", in_sapien),
}


def main() -> None:
    reference = in_mujoco()
    for module, (command, run) in HOSTS.items():
        if importlib.util.find_spec(module) is None:
            print(f"{module} is not installed: {command}")
            continue
        apart = 1e3 * np.abs(run() - reference)
        print(f"{module} and MuJoCo: {apart.mean():.3f} mrad apart, {apart.max():.2f} at most")


if __name__ == "__main__":
    main()
