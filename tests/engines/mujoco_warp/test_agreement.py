"""The same actuators move alike in MuJoCo Warp and in MuJoCo: the C engine is the oracle."""

from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.engines.mujoco.batch.pools import silent

from .arms import BOTH, Warp, changed, delayed, gap, in_c, nothing, spec_of, wandering

pytest.importorskip("mujoco_warp")


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


def test_beneath_an_actuator_without_friction_the_joint_keeps_its_own() -> None:
    def rough(spec: mujoco.MjSpec) -> None:
        for joint in spec.joints:
            joint.frictionloss = 0.02

    smooth = pliant.with_law(pliant.load_actuator("xl330_bam_m6"), "friction", "none")
    both = {"a": smooth, "b": smooth}
    controls = wandering(2)
    expected = in_c(both, controls, rough)
    assert np.abs(expected - in_c(both, controls)).max() > 5e-3
    assert gap(Warp(both, edit=rough).run(controls), expected)[1] < 0.05


def test_commands_act_as_late_as_in_c() -> None:
    late = delayed("xl330_bam_m6", 0.0113)
    both = {"a": late, "b": late}
    controls = np.sign(wandering(2)) * 0.3
    assert gap(Warp(both).run(controls), in_c(both, controls))[1] < 0.05


def test_a_command_that_mujoco_calls_bad_acts_as_in_c() -> None:
    controls = wandering(2)
    controls[100:120, 0], controls[150:160, 1], controls[170:180, 1] = 1e30, -np.inf, np.nan
    with silent():
        expected = in_c(BOTH, controls)
    assert gap(Warp(BOTH).run(controls), expected)[1] < 0.05


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


@pytest.mark.slow
def test_a_joint_at_65_percent_of_breakaway_creeps_less_than_a_twentieth_of_a_degree() -> None:
    """In 10 s, of which two are simulated; torque off, held by dry friction alone, in float32."""

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
    for _ in range(int(2.0 / 0.002)):
        end = warp.step(np.zeros(2))[0]
    assert np.degrees(np.abs(end - start)).max() < 0.05 / 5.0


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
