"""The same actuators in Newton and in MuJoCo, of Newton's own version: the C engine is the oracle."""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError

newton: Any = pytest.importorskip("newton")
pytestmark = pytest.mark.filterwarnings("ignore")  # Newton's own

H = 0.002
ARM = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/>
  </default>
  <worldbody>
    <body name="upper"><joint name="a"/><geom fromto="0 0 0 0 0 -0.1" mass="0.2"/>
      <body name="fore" pos="0 0 -0.1"><joint name="b"/>
        <geom fromto="0 0 0 0 0 -0.08" mass="0.15"/>
      </body>
    </body>
  </worldbody>
</mujoco>
"""
Choice = Mapping[str, str | Actuator]


def builder() -> Any:
    made = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(made)
    return made


class Arm:
    """The arm in Newton, in W worlds."""

    def __init__(self, actuators: Choice, worlds: int = 1) -> None:
        from pliant.engines.newton import add_actuators, install

        one, many = builder(), builder()
        one.add_mjcf(ARM)
        add_actuators(one, actuators, timestep=H)
        many.replicate(one, worlds)
        self.model = many.finalize(device="cpu")
        self.solver = newton.solvers.SolverMuJoCo(
            self.model, integrator="implicitfast", njmax=16, nconmax=4
        )
        self.friction = install(self.solver, self.model)
        self.states = self.model.state(), self.model.state()
        self.control = self.model.control()
        self.acts = [(one.state(), one.state()) for one in self.model.actuators]
        self.worlds = worlds

    def run(self, goals: Floats) -> Floats:
        """(N, W, 2)."""
        out: list[Floats] = []
        for goal in goals:
            tiled = np.tile(goal, self.worlds).astype(np.float32)
            self.control.joint_target_q.assign(tiled)
            self.advance()
            out.append(self.states[0].joint_q.numpy().reshape(self.worlds, 2).copy())
        return np.array(out)

    def advance(self) -> None:
        """One step; states and their successors change places."""
        before, after = self.states
        self.control.joint_f.zero_()
        for k, actuator in enumerate(self.model.actuators):
            actuator.step(before, self.control, *self.acts[k], dt=H)
            self.acts[k] = self.acts[k][::-1]
        before.clear_forces()
        self.solver.step(before, after, self.control, None, H)
        self.states = after, before

    def change_places(self) -> None:
        """Put what is now where it was an odd number of steps ago, as Newton asks for."""
        import warp as wp

        self.states[1].assign(self.states[0])
        self.states = self.states[::-1]
        for k, (now, then) in enumerate(self.acts):
            wp.copy(then.drive_state.act, now.drive_state.act)
            self.acts[k] = then, now


def in_c(actuators: Choice, goals: Floats) -> Floats:
    spec = mujoco.MjSpec.from_string(ARM)
    pliant.attach(spec, actuators)
    model = spec.compile()
    data, out = mujoco.MjData(model), np.zeros((len(goals), 2))
    for k, goal in enumerate(goals):
        data.ctrl[:2] = goal  # second commands stay 0, as in `Arm`
        mujoco.mj_step(model, data)
        out[k] = data.qpos
    return out


def goals(steps: int) -> Floats:
    t = np.arange(steps)[:, None]
    return np.hstack([0.9 * np.sin(0.008 * t), 0.6 * np.sin(0.013 * t)])


def late() -> Actuator:
    servo = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    return servo.with_values({"timing.delay": 0.0123}, "test", "assumed")


@pytest.mark.parametrize(("a", "b"), [("xl330_bam_m6", "mx106_bam_m4"), ("late", "xl330_bam_m6")])
def test_newton_moves_as_mujoco_does(a: str, b: str) -> None:
    both: Choice = {"a": late() if a == "late" else a, "b": b}
    expected, found = in_c(both, goals(300)), Arm(both, worlds=2).run(goals(300))
    assert np.ptp(expected, axis=0).min() > 0.3
    assert 1e3 * np.abs(found[:, 0] - expected).max() < 0.1
    np.testing.assert_array_equal(found[:, 0], found[:, 1])


@pytest.mark.parametrize("name", ["sea_walkman_400", "sea_centauro_188", "qbmove_advanced"])
def test_springs_move_as_in_mujoco(name: str) -> None:
    """The joint moves in the sub-steps of the first two, under the other forces of that step."""
    both = dict.fromkeys("ab", name)
    expected = in_c(both, goals(200))
    assert np.ptp(expected, axis=0).min() > 0.3
    assert 1e3 * np.abs(Arm(both).run(goals(200))[:, 0] - expected).max() < 0.01


def test_springs_and_servos_in_one_arm_move_as_in_mujoco() -> None:
    both: Choice = {"a": "sea_walkman_400", "b": "xl330_bam_m6"}
    error = 1e3 * np.abs(Arm(both).run(goals(200))[:, 0] - in_c(both, goals(200)))
    assert error.max() < 0.01


def test_numbers_of_the_joint_give_way_as_in_mujoco() -> None:
    from pliant.engines.newton import add_actuators

    text = ARM.replace("<joint axis", '<joint armature="1" damping=".2" frictionloss=".3" axis')
    one = builder()
    one.add_mjcf(text)
    add_actuators(one, {"a": "sea_walkman_400", "b": "xl330_bam_m6"}, timestep=H)
    spec = mujoco.MjSpec.from_string(text)
    pliant.attach(spec, {"a": "sea_walkman_400", "b": "xl330_bam_m6"})
    model = spec.compile()
    np.testing.assert_allclose(one.joint_armature, model.dof_armature, rtol=1e-6)
    assert model.dof_armature[0] == 0.0
    assert one.joint_friction[0] == pytest.approx(0.3) == model.dof_frictionloss[0]
    assert one.joint_friction[1] < 0.1, "the servo's own, set in each step"


def test_a_reset_of_some_joints_leaves_the_others() -> None:
    import warp as wp

    arm = Arm({"a": "xl330_bam_m6", "b": "xl330_bam_m6"}, worlds=2)
    arm.run(goals(30))
    state = arm.acts[0][0].drive_state
    before = state.act.numpy().copy()
    state.reset(wp.array([True, True, False, False], dtype=wp.bool))
    np.testing.assert_array_equal(state.act.numpy()[2:], before[2:])
    assert not state.act.numpy()[:2].any()
    assert before[:2].any()


@pytest.mark.parametrize("a", ["xl330_bam_m6", "sea_walkman_400"])
@pytest.mark.parametrize("length", [2, 3])
def test_a_captured_graph_moves_as_single_steps_do(length: int, a: str) -> None:
    """Bit-equal, of odd and even length; Warp captures on the CPU device too, from 1.19 on."""
    import warp as wp

    single, replayed = (Arm({"a": a, "b": late()}) for _ in range(2))
    for arm in (single, replayed):
        arm.run(np.array([[0.4, -0.3]]))
    try:
        with wp.ScopedCapture(device="cpu") as capture:
            for _ in range(length):
                replayed.advance()
            if length % 2:
                replayed.change_places()
    except RuntimeError as error:
        pytest.skip(f"this Warp captures no graph here: {error}")
    for _ in range(12 // length):
        wp.capture_launch(capture.graph)
    replayed.friction.check_running()
    for _ in range(12):
        single.advance()
    expected = single.states[0].joint_q.numpy()
    assert np.abs(expected).min() > 1e-4
    np.testing.assert_array_equal(replayed.states[0].joint_q.numpy(), expected)


def test_friction_that_does_not_run_is_found_out() -> None:
    arm = Arm({"a": "xl330_bam_m6"})
    arm.run(np.zeros((1, 2)))
    arm.friction.check_running()
    arm.solver.mjw_model.callback.control = None
    arm.run(np.zeros((1, 2)))
    with pytest.raises(PliantError, match=r"friction did not act in any step"):
        arm.friction.check_running()


def test_what_cannot_be_is_one_clear_line() -> None:
    from pliant.engines.newton import add_actuators, install

    one = builder()
    one.add_mjcf(ARM)
    with pytest.raises(PliantError, match=r"joint: no such joint; found 'wrist'"):
        add_actuators(one, {"wrist": "xl330_bam_m6"})
    arm = Arm({"a": "xl330_bam_m6"})
    with pytest.raises(PliantError, match=r"callback\.control: the model's callback is taken"):
        install(arm.solver, arm.model)
    arm.solver.mjw_model.callback.control = None
    arm.solver.mjw_model.dof_frictionloss.zero_()
    with pytest.raises(PliantError, match=r"has no friction row in the solver"):
        install(arm.solver, arm.model)
    arm.model.actuators[0].drive.installed = False
    with pytest.raises(
        PliantError, match=r"the actuators' friction is not installed in the solver"
    ):
        arm.run(np.zeros((1, 2)))


def test_isaac_labs_adapter_steps_it_and_resets_one_world() -> None:
    adapters = pytest.importorskip("isaaclab.actuators.newton.adapter")
    both = dict.fromkeys("ab", "xl330_bam_m6")
    arm, lab = Arm(both, worlds=2), Arm(both, worlds=2)
    adapter = adapters.NewtonActuatorAdapter(lab.model.actuators, 2, 2, 0, "cpu")
    adapter.finalize(lab.control)

    def advance() -> None:
        before, after = lab.states
        adapter.step(before, lab.control, H)
        before.clear_forces()
        lab.solver.step(before, after, lab.control, None, H)
        lab.states = after, before

    lab.advance = advance
    np.testing.assert_array_equal(lab.run(goals(100)), arm.run(goals(100)))
    adapter.reset([0])
    acts = adapter._states_a[0].drive_state.act.numpy().reshape(2, 2, -1)
    assert (acts[0] == 0.0).all() and acts[1].any()
