"""The same actuators in mjlab and in MuJoCo, of mjlab's own version: the C engine is the oracle."""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.errors import PliantError

pytest.importorskip("mjlab")
torch: Any = pytest.importorskip("torch")
pytestmark = pytest.mark.filterwarnings("ignore")  # mjlab's and torch's own

H = 0.002
ARM = """
<mujoco>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/>
  </default>
  <worldbody>
    <body name="base"><geom type="sphere" size="0.01"/>
      <body name="upper"><joint name="a"/><geom fromto="0 0 0 0 0 -0.1" mass="0.2"/>
        <body name="fore" pos="0 0 -0.1"><joint name="b"/>
          <geom fromto="0 0 0 0 0 -0.08" mass="0.15"/>
        </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


class Arm:
    """The arm in mjlab, in W worlds, with these groups of actuators."""

    def __init__(self, groups: Mapping[str, str], worlds: int = 2, **options: Any) -> None:
        from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
        from mjlab.scene import Scene, SceneCfg
        from mjlab.sim import MujocoCfg, Simulation, SimulationCfg

        from pliant.engines.mjlab import PliantActuatorCfg, capture

        actuators = tuple(
            PliantActuatorCfg(target_names_expr=(joints,), actuator=name, **options)
            for joints, name in groups.items()
        )
        entity = EntityCfg(
            spec_fn=lambda: mujoco.MjSpec.from_string(ARM),
            articulation=EntityArticulationInfoCfg(actuators=actuators),
        )
        self.worlds = worlds
        self.num_envs, self.device = worlds, "cpu"
        self.scene = Scene(SceneCfg(num_envs=worlds, entities={"robot": entity}), "cpu")
        cfg = SimulationCfg(mujoco=MujocoCfg(timestep=H), njmax=16, nconmax=4)
        self.sim = Simulation(num_envs=worlds, cfg=cfg, model=self.scene.compile(), device="cpu")
        self.scene.initialize(self.sim.mj_model, self.sim.model, self.sim.data)
        capture(self)

    def run(self, goals: Floats, presets: Floats | None = None) -> Floats:
        """(N, W, 2)."""
        robot, out = self.scene["robot"], []
        for k, goal in enumerate(goals):
            robot.set_joint_position_target(self._same(goal))
            if presets is not None:
                robot.set_joint_effort_target(self._same(presets[k]))
            self.scene.write_data_to_sim()
            self.sim.step()
            out.append(self.sim.data.qpos.numpy().copy())
        return np.array(out)

    def _same(self, values: Floats) -> Any:
        return torch.tensor(np.tile(values, (self.worlds, 1)), dtype=torch.float32)


def in_c(joints: Mapping[str, str], controls: Floats) -> Floats:
    spec = mujoco.MjSpec.from_string(ARM)
    spec.option.timestep, spec.option.integrator = H, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    pliant.attach(spec, joints)
    model = spec.compile()
    data, out = mujoco.MjData(model), np.zeros((len(controls), 2))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        out[k] = data.qpos
    return out


def goals(steps: int) -> Floats:
    t = np.arange(steps)[:, None]
    return np.hstack([0.9 * np.sin(0.008 * t), 0.6 * np.sin(0.013 * t)])


def test_mjlab_moves_as_mujoco_does() -> None:
    arm = Arm({"a": "xl330_bam_m6", "b": "mx106_bam_m4"})
    expected = in_c({"a": "xl330_bam_m6", "b": "mx106_bam_m4"}, goals(400))
    found = arm.run(goals(400))
    assert np.ptp(expected, axis=0).min() > 0.3
    assert 1e3 * np.abs(found[:, 0] - expected).max() < 0.01
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


def test_the_second_command_is_the_effort_target() -> None:
    arm = Arm({".*": "qbmove_maker_pro"}, worlds=1)
    presets = np.tile([0.1, 0.4], (150, 1))
    found = arm.run(goals(150), presets)
    order = [0, 1, 2, 3]
    expected = in_c(
        dict.fromkeys("ab", "qbmove_maker_pro"), np.hstack([goals(150), presets])[:, order]
    )
    assert 1e3 * np.abs(found[:, 0] - expected).mean() < 0.01


def test_worlds_draw_parameters_of_their_own_and_terms_see_them() -> None:
    from mjlab.managers.event_manager import EventTermCfg

    from pliant.engines.mjlab import (
        RandomisedActuators,
        actuator_parameters,
        actuator_state,
        actuator_torque,
    )

    arm = Arm({".*": "xl330_bam_m6"}, worlds=8)
    table = {"motor.k_t": [0.3, 0.4, 0.5], "own.armature": [0.003, 0.004, 0.005]}
    cfg = EventTermCfg(func=RandomisedActuators, mode="reset", params={"draws": {"b": table}})
    term = RandomisedActuators(cfg, arm)
    before = actuator_parameters(arm, ["motor.k_t"]).clone()
    term(arm, torch.tensor([1, 5]))
    after = actuator_parameters(arm, ["motor.k_t"])
    changed = (before != after).any(dim=0)
    assert changed.tolist() == [False, True]
    assert torch.equal(before[[0, 2, 3, 4, 6, 7]], after[[0, 2, 3, 4, 6, 7]])
    term(arm, None)
    k_t = actuator_parameters(arm, ["motor.k_t"])[:, 1]
    assert {round(float(x), 3) for x in k_t} <= {0.3, 0.4, 0.5}
    torch.testing.assert_close(arm.sim.model.dof_armature[:, 1], 0.01 * k_t)
    arm.run(goals(20))
    assert actuator_torque(arm).shape == (8, 2)
    assert actuator_torque(arm).abs().min() > 0.0
    assert actuator_state(arm, "control.reference").shape == (8, 2)


def test_a_simulation_that_runs_without_the_law_is_found_out() -> None:
    arm = Arm({".*": "xl330_bam_m6"}, worlds=1)
    arm.sim.wp_model.callback.act_bias = None
    with pytest.raises(PliantError, match=r"did not run in any step.*capture"):
        arm.run(goals(12))


def test_what_cannot_be_is_one_clear_line() -> None:
    with pytest.raises(PliantError, match=r"armature: the actuator defines it itself; found 0\.1"):
        Arm({".*": "xl330_bam_m6"}, armature=0.1)
    with pytest.raises(PliantError, match=r"timestep: not the timestep that the actuators were"):
        Arm({".*": "xl330_bam_m6"}, timestep=0.005)
    with pytest.raises(PliantError, match=r"xl331"):
        Arm({".*": "xl331_bam_m6"})
