"""Train an arm of two XL330 in mjlab, then let the policy drive the same servos in MuJoCo.

A servo sags under the arm and sticks, so only a policy that has learned its servo reaches a goal. On the
CPU, a few iterations take about a minute: python examples/mjlab/train.py [ITERATIONS]
"""

import sys
from dataclasses import asdict

import mujoco
import numpy as np
import torch
from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
from mjlab.envs import ManagerBasedRlEnv, ManagerBasedRlEnvCfg
from mjlab.envs.mdp import joint_pos_rel, joint_vel_rel, reset_joints_by_offset, time_out
from mjlab.envs.mdp.actions import JointPositionActionCfg
from mjlab.managers.event_manager import EventTermCfg
from mjlab.managers.observation_manager import ObservationGroupCfg, ObservationTermCfg
from mjlab.managers.reward_manager import RewardTermCfg
from mjlab.managers.scene_entity_config import SceneEntityCfg
from mjlab.managers.termination_manager import TerminationTermCfg
from mjlab.rl import RslRlModelCfg, RslRlOnPolicyRunnerCfg, RslRlPpoAlgorithmCfg, RslRlVecEnvWrapper
from mjlab.rl.runner import MjlabOnPolicyRunner
from mjlab.scene import SceneCfg
from mjlab.sim import MujocoCfg, SimulationCfg

import pliant
from pliant.engines.mjlab import PliantActuatorCfg, RandomisedActuators, actuator_parameters
from pliant.engines.spec.randomise import spread

SERVO = "xl330_bam_m6"
TIMESTEP, DECIMATION = 0.002, 10
ARM = """
<mujoco>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/>
    <joint axis="0 1 0" range="-1.5 1.5" limited="false"/></default>
  <worldbody><body name="base"><geom type="sphere" size="0.01"/>
    <body name="upper"><joint name="shoulder"/><geom fromto="0 0 0 0 0 -0.1" mass="0.06"/>
      <body name="fore" pos="0 0 -0.1"><joint name="elbow"/>
        <geom fromto="0 0 0 0 0 -0.08" mass="0.09"/></body></body></body></worldbody>
</mujoco>
"""
ROBOT = SceneEntityCfg("robot", joint_names=(".*",))


def goal(env):
    """(num_envs, 2) [rad]."""
    if not hasattr(env, "goal"):
        env.goal = torch.zeros(env.num_envs, 2, device=env.device)
    return env.goal


def new_goal(env, env_ids):
    goal(env)[env_ids] = 2.0 * torch.rand(len(env_ids), 2, device=env.device) - 1.0


def near(env):
    """1 at the goal."""
    distance = (env.scene["robot"].data.joint_pos - goal(env)).norm(dim=-1)
    return torch.exp(-5.0 * distance)


def environment(worlds: int) -> ManagerBasedRlEnv:
    servo = PliantActuatorCfg(target_names_expr=(".*",), actuator=SERVO, timestep=TIMESTEP)
    robot = EntityCfg(
        spec_fn=lambda: mujoco.MjSpec.from_string(ARM),
        articulation=EntityArticulationInfoCfg(actuators=(servo,)),
    )
    seen = {
        "position": ObservationTermCfg(func=joint_pos_rel, params={"asset_cfg": ROBOT}),
        "speed": ObservationTermCfg(func=joint_vel_rel, params={"asset_cfg": ROBOT}, scale=0.1),
        "goal": ObservationTermCfg(func=goal),
    }
    known = ObservationTermCfg(func=actuator_parameters, params={"names": ["motor.k_t"]})
    servos = spread(pliant.load_actuator(SERVO), {"motor.k_t": 0.1, "friction.K_c": 0.3})
    draws = {"shoulder": servos, "elbow": servos}
    start = {"position_range": (-0.3, 0.3), "velocity_range": (0.0, 0.0), "asset_cfg": ROBOT}
    return ManagerBasedRlEnv(
        ManagerBasedRlEnvCfg(
            scene=SceneCfg(num_envs=worlds, entities={"robot": robot}),
            observations={
                "actor": ObservationGroupCfg(seen),
                "critic": ObservationGroupCfg({**seen, "servos": known}),
            },
            actions={
                "goals": JointPositionActionCfg(
                    entity_name="robot", actuator_names=(".*",), scale=1.0
                )
            },
            events={
                "start": EventTermCfg(func=reset_joints_by_offset, mode="reset", params=start),
                "goal": EventTermCfg(func=new_goal, mode="reset"),
                "servos": EventTermCfg(
                    func=RandomisedActuators, mode="reset", params={"draws": draws}
                ),
            },
            rewards={"near": RewardTermCfg(func=near, weight=1.0)},
            terminations={"time_out": TerminationTermCfg(func=time_out, time_out=True)},
            sim=SimulationCfg(mujoco=MujocoCfg(timestep=TIMESTEP), njmax=16, nconmax=4),
            decimation=DECIMATION,
            episode_length_s=1.0,
        ),
        device="cpu",
    )


def settings(iterations: int) -> dict:
    network = {"hidden_dims": (32, 32), "activation": "elu", "obs_normalization": False}
    noise = {"class_name": "GaussianDistribution", "init_std": 0.3, "std_type": "scalar"}
    return asdict(
        RslRlOnPolicyRunnerCfg(
            actor=RslRlModelCfg(**network, distribution_cfg=noise),
            critic=RslRlModelCfg(**network),
            algorithm=RslRlPpoAlgorithmCfg(learning_rate=3e-3, schedule="fixed", gamma=0.95),
            num_steps_per_env=25,
            max_iterations=iterations,
            save_interval=10_000,
        )
    )


def deployed(policy, target, seconds=1.0):
    """(N, 2) positions in MuJoCo itself, with the same servos, at the policy's own rate."""
    spec = mujoco.MjSpec.from_string(ARM)
    spec.option.timestep, spec.option.integrator = TIMESTEP, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    pliant.attach(spec, {"shoulder": SERVO, "elbow": SERVO})
    model = spec.compile()
    data, out = mujoco.MjData(model), []
    for _ in range(round(seconds / (TIMESTEP * DECIMATION))):
        seen = np.concatenate([data.qpos, 0.1 * data.qvel, target])
        data.ctrl[:] = policy(torch.tensor(seen[None], dtype=torch.float32))[0]
        mujoco.mj_step(model, data, nstep=DECIMATION)
        out.append(data.qpos.copy())
    return np.array(out)


def in_mjlab(env, policy, target, seconds=1.0):
    """The same in mjlab's first world, with the servo's own numbers."""
    robot = env.scene["robot"]
    servo, nothing = pliant.load_actuator(SERVO), torch.zeros(env.num_envs, 2)
    for joint in robot.actuators[0].joints:
        names = ("motor.k_t", "friction.K_c")
        robot.actuators[0].running.set(joint, {name: servo.value(name) for name in names})
    env.sim.reset()
    robot.write_joint_state_to_sim(nothing, nothing)
    out = []
    for _ in range(round(seconds / (TIMESTEP * DECIMATION))):
        q, v = env.sim.data.qpos[:1], env.sim.data.qvel[:1]
        seen = torch.cat([q, 0.1 * v, torch.tensor(target[None], dtype=torch.float32)], dim=-1)
        robot.set_joint_position_target(policy(seen).expand(env.num_envs, 2))
        for _ in range(DECIMATION):
            env.scene.write_data_to_sim()
            env.sim.step()
        out.append(env.sim.data.qpos[0].numpy().copy())
    return np.array(out)


def main(iterations: int) -> None:
    torch.manual_seed(1)
    env = environment(worlds=64)
    runner = MjlabOnPolicyRunner(RslRlVecEnvWrapper(env), settings(iterations), None, "cpu")
    runner.learn(iterations)
    actor = runner.alg.get_policy()

    @torch.no_grad()
    def policy(seen):
        return actor({"actor": seen})

    for target in np.array([(0.8, -0.5), (-0.6, 0.9)]):
        ours, theirs = deployed(policy, target), in_mjlab(env, policy, target)
        apart = 1e3 * np.abs(ours - theirs)
        left = np.linalg.norm(ours[-1] - target)
        print(f"goal {target}: {left:.3f} rad from it after 1 s in MuJoCo;", end=" ")
        print(f"mjlab differs by {apart.mean():.4f} mrad, at most {apart.max():.4f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40)
