"""Worlds of MuJoCo Warp: parameters, resets and draws of each leave the others alone."""

from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats

from .arms import BOTH, Warp, changed, gap, in_c, nothing, spec_of, wandering

mjw: Any = pytest.importorskip("mujoco_warp")
wp: Any = pytest.importorskip("warp")


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
