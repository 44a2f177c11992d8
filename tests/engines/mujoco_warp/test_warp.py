"""The same actuators in MuJoCo Warp and in MuJoCo: the C engine is the oracle throughout."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError

pytest.importorskip("mujoco_warp")
mjw: Any = pytest.importorskip("mujoco_warp")
wp: Any = pytest.importorskip("warp")

SECONDS = 0.5
BOTH = {"a": "xl330_bam_m6", "b": "xl330_bam_m6"}
ARM = """
<mujoco>
  <option timestep="0.002" integrator="implicitfast"/>
  <default><geom type="capsule" size="0.01" contype="0" conaffinity="0"/><joint axis="0 1 0"/>
  </default>
  <worldbody>
    <body>
      <joint name="a"/><geom fromto="0 0 0 0 0 -0.1" mass="0.2"/>
      <body pos="0 0 -0.1" name="tip">
        <joint name="b"/><geom fromto="0 0 0 0 0 -0.08" mass="0.15"/>
      </body>
    </body>
  </worldbody>
  <keyframe><key name="bent" qpos="0.4 -0.3"/></keyframe>
</mujoco>
"""
Edit = Callable[[mujoco.MjSpec], None]


def changed(name: str, values: Mapping[str, float]) -> Actuator:
    return pliant.load_actuator(name).with_values(values, "test", "assumed")


def delayed(name: str, delay: float) -> Actuator:
    late = pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
    return late.with_values({"timing.delay": delay}, "test", "assumed")


def nothing(_: mujoco.MjSpec) -> None:
    pass


def spec_of(edit: Edit) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(ARM)
    edit(spec)
    return spec


class Warp:
    """The arm in W worlds of MuJoCo Warp."""

    def __init__(
        self,
        actuators: Mapping[str, str | Actuator],
        worlds: int = 2,
        edit: Edit = nothing,
        after: Edit = nothing,
    ) -> None:
        from pliant.engines.mujoco_warp import install

        spec = spec_of(edit)
        self.attachment = pliant.attach(spec, actuators, engine="mujoco_warp")
        after(spec)
        self.model = spec.compile()
        self.m = mjw.put_model(self.model)
        self.d = mjw.make_data(self.model, nworld=worlds, njmax=24, nconmax=8)
        self.law = install(self.attachment, self.model, self.m, self.d)
        self.worlds = worlds

    def step(self, control: Floats) -> Floats:
        """(W, nq) positions after one step with the same commands in all worlds."""
        self.d.ctrl.assign(np.tile(control.astype(np.float32), (self.worlds, 1)))
        mjw.step(self.m, self.d)
        return self.d.qpos.numpy().astype(np.float64)

    def run(self, controls: Floats) -> Floats:
        """(N, W, nq)."""
        return np.array([self.step(control) for control in controls])


def in_c(
    actuators: Mapping[str, str | Actuator],
    controls: Floats,
    edit: Edit = nothing,
    after: Edit = nothing,
) -> Floats:
    """(N, nq) by the C engine."""
    spec = spec_of(edit)
    pliant.attach(spec, actuators)
    after(spec)
    model = spec.compile()
    data = mujoco.MjData(model)
    out = np.zeros((len(controls), model.nq))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        out[k] = data.qpos
    return out


def wandering(columns: int, timestep: float = 0.002, seed: int = 1) -> Floats:
    """(N, columns) smooth random commands [rad]; those behind the second vary round 0.3."""
    rng = np.random.default_rng(seed)
    t = np.arange(int(SECONDS / timestep)) * timestep
    out = np.zeros((len(t), columns))
    for column in out.T:
        for frequency in (0.4, 0.9, 1.7):
            wave = np.sin(2.0 * np.pi * frequency * t + rng.uniform(0.0, 6.0))
            column[:] = column + rng.uniform(0.1, 0.4) * wave
    out[:, 2:] = 0.3 + 0.1 * out[:, 2:]
    return out


def gap(warp: Floats, c: Floats) -> tuple[float, float]:
    """Mean and largest difference [mrad] of the first world."""
    error = 1e3 * np.abs(warp[:, 0] - c)
    return float(error.mean()), float(error.max())


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("xl330_bam_m6", 2),
        ("mx106_bam_m4", 2),
        ("sea_walkman_400", 2),
        ("qbmove_maker_pro", 4),
        ("qbmove_maker_pro_pwm", 4),
        ("maccepa_vd", 4),
    ],
)
def test_a_trajectory_is_that_of_the_c_engine(name: str, columns: int) -> None:
    both = {"a": name, "b": name}
    controls = wandering(columns)
    mean, worst = gap(Warp(both).run(controls), in_c(both, controls))
    assert mean < 0.01
    assert worst < 0.5


@pytest.mark.parametrize("integrator", ["mjINT_EULER", "mjINT_DISCRETE"])
def test_other_integrators_agree_too(integrator: str) -> None:
    kind = getattr(mujoco.mjtIntegrator, integrator, None)
    if kind is None:
        pytest.skip("this MuJoCo does not have it")

    def edit(spec: mujoco.MjSpec) -> None:
        spec.option.integrator = kind

    controls = wandering(2)
    assert gap(Warp(BOTH, edit=edit).run(controls), in_c(BOTH, controls, edit))[1] < 0.05


def test_several_kinds_in_one_model() -> None:
    mixed = {"a": "mx106_bam_m6", "b": "qbmove_maker_pro"}
    controls = wandering(3)
    assert gap(Warp(mixed).run(controls), in_c(mixed, controls))[1] < 0.05


def test_commands_act_as_late_as_in_c() -> None:
    late = delayed("xl330_bam_m6", 0.0113)
    both = {"a": late, "b": late}
    controls = np.sign(wandering(2)) * 0.3
    assert gap(Warp(both).run(controls), in_c(both, controls))[1] < 0.05


def test_gear_and_ranges_hold() -> None:
    def ranged(spec: mujoco.MjSpec) -> None:
        for actuator in spec.actuators:
            actuator.gear[0] = -2.0
            actuator.ctrlrange[:] = (-0.3, 0.2)
            actuator.ctrllimited = mujoco.mjtLimited.mjLIMITED_TRUE
            actuator.forcerange[:] = (-0.05, 0.04)
            actuator.forcelimited = mujoco.mjtLimited.mjLIMITED_TRUE

    controls = wandering(2)
    expected = in_c(BOTH, controls, after=ranged)
    found = Warp(BOTH, after=ranged).run(controls)
    assert np.abs(expected).max() > 0.05
    assert gap(found, expected)[1] < 0.05


def test_a_floor_that_carries_the_arm_loads_its_gears() -> None:
    """The friction of M6 grows with the load; what the floor does is known one step later."""

    def floor(spec: mujoco.MjSpec) -> None:
        spec.worldbody.add_geom(
            type=mujoco.mjtGeom.mjGEOM_PLANE,
            size=[1, 1, 0.1],
            pos=[0, 0, -0.12],
            contype=1,
            conaffinity=1,
        )
        spec.body("tip").first_geom().contype = 1
        spec.body("tip").first_geom().conaffinity = 1

    controls = 0.5 * wandering(2)
    expected = in_c(BOTH, controls, floor)
    assert np.abs(expected - in_c(BOTH, controls)).max() > 0.01  # it does touch
    mean, worst = gap(Warp(BOTH, edit=floor).run(controls), expected)
    assert mean < 0.05
    assert worst < 1.0


def test_a_wrench_on_a_body_loads_the_gear() -> None:
    controls = wandering(2)
    warp = Warp(BOTH)
    pushed = np.zeros((2, warp.model.nbody, 6), np.float32)
    pushed[:, -1, :3] = (1.5, 0.0, -2.0)
    warp.d.xfrc_applied.assign(pushed)
    spec = spec_of(nothing)
    pliant.attach(spec, BOTH)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.xfrc_applied[-1, :3] = (1.5, 0.0, -2.0)
    expected = np.zeros((len(controls), 2))
    for k, control in enumerate(controls):
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
        expected[k] = data.qpos
    assert gap(warp.run(controls), expected)[1] < 0.05


def test_worlds_have_parameters_of_their_own() -> None:
    controls = wandering(2)
    warp = Warp(BOTH, worlds=3)
    base = warp.law.parameter("b", "motor.k_t")[0]
    warp.law.set("b", {"motor.k_t": [base, 0.8 * base, base], "own.armature": [0.002, 0.002, 0.02]})
    found = warp.run(controls)
    weaker = changed("xl330_bam_m6", {"motor.k_t": 0.8 * base, "own.armature": 0.002})
    heavier = changed("xl330_bam_m6", {"own.armature": 0.02})
    for world, servo in ((1, weaker), (2, heavier)):
        expected = in_c({"a": "xl330_bam_m6", "b": servo}, controls)
        assert gap(found[:, [world]], expected)[1] < 0.05
    assert gap(found[:, [1]], found[:, 2])[0] > 0.1


def test_a_reset_of_some_worlds_leaves_the_others_bit_equal() -> None:
    controls = wandering(2)
    warp, other = Warp(BOTH, worlds=3), Warp(BOTH, worlds=3)
    warp.run(controls[:80])
    other.run(controls[:80])
    mjw.reset_data(warp.m, warp.d, wp.array([False, True, False], dtype=bool))
    found, expected = warp.run(controls[80:160]), other.run(controls[80:160])
    np.testing.assert_array_equal(found[:, [0, 2]], expected[:, [0, 2]])
    fresh = Warp(BOTH, worlds=3)
    np.testing.assert_array_equal(found[:, 1], fresh.run(controls[80:160])[:, 1])


def test_a_keyframe_is_a_joint_that_rested_there() -> None:
    warp = Warp(BOTH)
    warp.run(wandering(2)[:60])
    mjw.reset_data_keyframe(warp.m, warp.d, 0)
    spec = spec_of(nothing)
    pliant.attach(spec, BOTH)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(60):
        found = warp.step(np.zeros(2))
        data.ctrl[:] = 0.0
        mujoco.mj_step(model, data)
    assert 1e3 * np.abs(found[0] - data.qpos).max() < 0.05


@pytest.mark.slow
def test_a_joint_at_65_percent_of_breakaway_creeps_less_than_a_twentieth_of_a_degree() -> None:
    """10 s, torque off, held by dry friction alone, in float32."""

    def off(spec: mujoco.MjSpec) -> None:
        spec.option.disableactuator = 1

    actuator = changed("mx106_bam_m4", {"friction.K_v": 0.0})
    breakaway = actuator.value("friction.K_c") + actuator.value("friction.K_cs")
    warp = Warp({"a": actuator, "b": actuator}, edit=off)
    applied = np.zeros((2, 2), np.float32)
    applied[:, 1] = (
        0.65 * breakaway / (1.0 - actuator.value("friction.K_l") - actuator.value("friction.K_ls"))
    )
    warp.m.opt.gravity.zero_()
    warp.d.qfrc_applied.assign(applied)
    start = warp.step(np.zeros(2))[0]
    for _ in range(int(10.0 / 0.002)):
        end = warp.step(np.zeros(2))[0]
    assert np.degrees(np.abs(end - start)).max() < 0.05


def test_draws_are_rows_of_the_table_and_seeded() -> None:
    warp = Warp(BOTH, worlds=64)
    table = {"motor.k_t": [0.3, 0.4, 0.5], "own.armature": [0.003, 0.004, 0.005]}
    drawn: list[Floats] = []
    for seed in (1, 1, 2):
        warp.law.draw_from({"b": table}, seed=seed)
        warp.law.redraw()
        k_t, armature = (warp.law.parameter("b", name) for name in table)
        np.testing.assert_allclose(armature, 0.01 * k_t, rtol=1e-5)
        assert {round(x, 3) for x in k_t} == {0.3, 0.4, 0.5}
        np.testing.assert_allclose(warp.m.dof_armature.numpy()[:, 1], armature, rtol=1e-6)
        drawn.append(k_t)
    np.testing.assert_array_equal(drawn[0], drawn[1])
    assert (drawn[0] != drawn[2]).any()
    before = warp.law.parameter("b", "motor.k_t")
    warp.law.redraw(wp.array([k == 5 for k in range(64)], dtype=bool))
    after = warp.law.parameter("b", "motor.k_t")
    np.testing.assert_array_equal(np.delete(before, 5), np.delete(after, 5))


def test_a_model_whose_law_does_not_run_is_found_out() -> None:
    warp = Warp(BOTH)
    with pytest.raises(PliantError, match="the actuators did not run in any step"):
        warp.law.check_running()
    warp.step(np.zeros(2))
    warp.law.check_running()
    warp.m.callback.act_bias = None
    warp.step(np.zeros(2))
    with pytest.raises(PliantError, match="capture the graph again after `install`"):
        warp.law.check_running()


def late() -> Actuator:
    """A servo whose commands act three and a half steps late."""
    servo = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "timing", "command_delay")
    return servo.with_values({"timing.delay": 0.007}, "test", "assumed")


def captured(warp: Warp, length: int) -> Any:
    """A graph of `length` steps; Warp captures them on the CPU device too, from 1.19 on."""
    try:
        with wp.ScopedCapture(device=warp.d.qpos.device) as capture:
            for _ in range(length):
                mjw.step(warp.m, warp.d)
    except RuntimeError as error:
        pytest.skip(f"this Warp captures no graph here: {error}")
    return capture.graph


@pytest.mark.parametrize("length", [1, 2, 3])
@pytest.mark.parametrize("conditional", [True, False])
def test_a_captured_graph_moves_as_single_steps_do(length: int, conditional: bool) -> None:
    """Bit-equal, of odd and even length, with the solver's loop inside the graph or unrolled."""
    single, replayed = (Warp({"a": "xl330_bam_m6", "b": late()}) for _ in range(2))
    for one in (single, replayed):
        one.m.opt.graph_conditional = conditional
        one.step(np.array([0.3, -0.2]))
    graph = captured(replayed, length)
    for _ in range(12 // length):
        wp.capture_launch(graph)
    replayed.law.check_running()
    for _ in range(12):
        mjw.step(single.m, single.d)
    assert np.abs(single.d.qpos.numpy()).min() > 1e-3
    for name in ("qpos", "qvel", "act"):
        expected = getattr(single.d, name).numpy()
        np.testing.assert_array_equal(getattr(replayed.d, name).numpy(), expected)


def test_a_graph_captured_before_the_actuators_came_is_found_out() -> None:
    warp = Warp({"a": "xl330_bam_m6"})
    callback, warp.m.callback.act_bias = warp.m.callback.act_bias, None
    graph = captured(warp, 1)
    warp.m.callback.act_bias = callback
    wp.capture_launch(graph)
    with pytest.raises(PliantError, match="a graph captured before `install`"):
        warp.law.check_running()


def test_other_actuators_of_the_model_stay_as_they_are() -> None:
    def filtered(spec: mujoco.MjSpec) -> None:
        spec.add_actuator(
            name="a",
            target="a",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            dyntype=mujoco.mjtDyn.mjDYN_FILTER,
            dynprm=[0.05] + [0.0] * 9,
            gainprm=[0.4] + [0.0] * 9,
        )

    controls = wandering(2)
    only = {"b": "xl330_bam_m6"}
    expected = in_c(only, controls, filtered)
    assert gap(Warp(only, edit=filtered).run(controls), expected)[1] < 0.5


def test_what_cannot_run_is_refused_in_one_line() -> None:
    from pliant.engines.mujoco_warp import install

    spec = spec_of(nothing)
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_RK4
    with pytest.raises(PliantError, match="RK4; found 'RK4'; accepted: Euler"):
        pliant.attach(spec, BOTH, engine="mujoco_warp")
    warp = Warp(BOTH)
    with pytest.raises(PliantError, match="joint a: is installed in this model already"):
        install(warp.attachment, warp.model, warp.m, warp.d)
    warp.m.callback.act_bias = print
    with pytest.raises(PliantError, match=r"callback\.act_bias: the model's callback is taken"):
        install(warp.attachment, warp.model, warp.m, warp.d)
    with pytest.raises(PliantError, match=r"motor\.k_t: must be one finite number"):
        warp.law.set("b", {"motor.k_t": [1.0, 2.0, 3.0]})
    with pytest.raises(PliantError, match="nothing was attached to this joint"):
        warp.law.parameter("elbow", "motor.k_t")
    other = mujoco.MjModel.from_xml_string(ARM)
    m = mjw.put_model(other)
    with pytest.raises(PliantError, match="the model is not the one that was attached to"):
        install(warp.attachment, other, m, mjw.make_data(other))


def test_what_stopped_a_joint_is_no_warm_start_for_the_next_step() -> None:
    """The solver begins where the joint rests, not with the deceleration of the step before."""
    warp = Warp({"a": "mx106_bam_m4", "b": "mx106_bam_m4"}, worlds=1)
    speeds, guesses = list[Floats](), list[Floats]()

    def watched(m: Any, d: Any) -> None:
        warp.law.act(m, d)
        speeds.append(d.qvel.numpy()[0].copy())
        guesses.append(d.qacc_warmstart.numpy()[0].copy())

    warp.m.callback.act_bias = watched
    for control in np.repeat([(0.1, -0.1), (0.2, 0.1), (-0.1, 0.0)], 100, axis=0):
        warp.step(control)
    v = np.abs(speeds)
    stops = (v[:-1] > 0.003) & (v[1:] < 0.01 * v[:-1])
    assert stops.sum() >= 2, v
    assert np.abs(guesses)[1:][stops].max() * 0.002 < 1e-3


def test_the_door_has_every_option_of_every_engine() -> None:
    from pliant.engines.mujoco import attach as mujoco_attach
    from pliant.engines.mujoco_warp import attach as warp_attach

    options = [*inspect.signature(pliant.attach).parameters]
    for engine in (mujoco_attach.attach, warp_attach):
        assert [*inspect.signature(engine).parameters] == options[:-1]
    with pytest.raises(PliantError, match="engine: no such engine; found 'warp'"):
        pliant.attach(spec_of(nothing), BOTH, engine="warp")  # pyright: ignore[reportArgumentType]


def test_random_steps_and_resets_move_each_world_as_it_moves_alone() -> None:
    """Sixty steps with other commands in each world, and resets of some: bit-equal to serial runs."""
    random = np.random.default_rng(4)
    k_t = [0.30, 0.37, 0.45]
    together, alone = Warp(BOTH, worlds=3), [Warp(BOTH, worlds=1) for _ in k_t]
    together.law.set("b", {"motor.k_t": k_t})
    for one, value in zip(alone, k_t, strict=True):
        one.law.set("b", {"motor.k_t": value})
    for _ in range(60):
        reset = random.random(3) < 0.05
        mjw.reset_data(together.m, together.d, wp.array(reset, dtype=bool))
        controls = random.uniform(-0.5, 0.5, (3, 2)).astype(np.float32)
        together.d.ctrl.assign(controls)
        mjw.step(together.m, together.d)
        for world, one in enumerate(alone):
            if reset[world]:
                mjw.reset_data(one.m, one.d)
            expected = one.step(controls[world])
            np.testing.assert_array_equal(together.d.qpos.numpy()[world], expected[0])


def test_a_machine_without_a_gpu_is_told_where_it_runs(caplog: pytest.LogCaptureFixture) -> None:
    if wp.is_cuda_available():
        pytest.skip("there is a GPU")
    Warp({"a": "xl330_bam_m6"})
    assert "no CUDA device: MuJoCo Warp runs on the CPU" in caplog.text
