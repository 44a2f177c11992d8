"""Many actuators in one call: the motion of Pliant's own simulator, whatever stands beside them."""

from dataclasses import replace

import numpy as np
import pytest

import pliant
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.errors import PliantError
from pliant.io.log import example_logs

from .cases import COLUMNS, H, driven, known

FEW = ["xl330_bam_m6", "qbmove_maker_pro_pwm", "awas_ii", "delayed", "xl330_bam_m6"]


def test_a_joint_moves_as_in_the_joint_engine_with_a_delay_of_a_part_of_a_step() -> None:
    log = pliant.read_log(example_logs()[0])
    log = replace(log, time=5e-3 * np.arange(len(log.time)))
    servo = pliant.with_law(pliant.actuator("xl330_bam_m6", kp=log.gain), "timing", "command_delay")
    servo = servo.with_values({"timing.delay": 5.3e-3}, "the test", "assumed")
    engine = JointEngine(servo, settings=JointSettings(max_step=1e-3))
    values = engine.values({"plant.arm_mass": 0.0, "plant.position_offset": 0.0})
    expected = engine.rollout(log, values).position

    q, v, h = float(log.position[0]), 0.0, 1e-3
    stepper = pliant.Stepper([servo], h, position=q)
    stepper.inertia[:] = inertia = log.mass * log.length**2
    stepper.supply[:] = log.supply
    moved, found = inertia + stepper.armature[0], [q]
    for k in range(5 * (len(log.time) - 1)):
        stepper.load[:] = load = -log.mass * 9.81 * log.length * np.sin(q)
        stepper.step(q, v, log.goal[k // 5])
        v += (stepper.torque[0] + load + stepper.friction[0]) / moved * h
        q += v * h
        found += [q] if k % 5 == 4 else []
    assert np.ptp(expected) > 0.5
    np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-8)  # to which it rounds times


@pytest.mark.parametrize("sent", [1.1e10, -1e300, np.inf, np.nan])
def test_what_is_no_command_makes_no_number_and_leaves_the_state_as_a_zero_does(
    sent: float,
) -> None:
    told = np.array([0.3] * 30 + [sent] * 20 + [0.3] * 30)

    def run(goals: np.ndarray) -> np.ndarray:
        stepper = pliant.Stepper([known(name) for name in FEW], H)
        return np.array([stepper.step(0.0, 0.0, goal)[0].copy() for goal in goals])

    found, zero = run(told), run(np.where(told == 0.3, told, 0.0))
    assert np.isnan(found[35:50]).all()  # 30: the delayed one hears of it two or three steps later
    np.testing.assert_array_equal(found[:30], zero[:30])
    np.testing.assert_array_equal(found[55:], zero[55:])
    assert np.isfinite(run(np.where(told == 0.3, told, 1e10))).all()


def test_joints_of_several_kinds_give_what_each_gives_alone_and_a_snapshot_goes_back() -> None:
    actuators = [known(name) for name in FEW]
    alone = [driven(one, history=3, count=200) for one in actuators]
    rows = np.stack([inputs for inputs, _ in alone], axis=2)  # (N, 8, J)
    expected = np.stack([out for _, out in alone], axis=2)
    stepper = pliant.Stepper(actuators, H, position=rows[0, 2])

    def run(first: int, last: int) -> np.ndarray:
        found = np.empty((last - first, 2, len(FEW)))
        for k in range(first, last):
            row = dict(zip(COLUMNS, rows[k], strict=True))
            for name in ("preset", "load", "inertia", "supply", "on"):
                getattr(stepper, name)[:] = row[name]
            found[k - first] = stepper.step(row["q"], row["v"], row["goal"])
        return found

    np.testing.assert_allclose(run(0, 100), expected[:100], rtol=1e-12, atol=1e-12)
    kept = stepper.snapshot()
    after = run(100, 200)
    np.testing.assert_allclose(after, expected[100:], rtol=1e-12, atol=1e-12)
    stepper.restore(kept)
    assert (run(100, 200) == after).all()
    stepper.reset(rows[0, 2])
    np.testing.assert_allclose(run(0, 100), expected[:100], rtol=1e-12, atol=1e-12)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(PliantError, match="no actuators"):
        pliant.Stepper([], 1e-3)
    with pytest.raises(PliantError, match="step: not a step; found 0"):
        pliant.Stepper(["xl330_bam_m6"], 0.0)
    with pytest.raises(PliantError, match=r"did you mean 'xl330_bam_m\d'"):
        pliant.Stepper(["xl330_bam_m66"], 1e-3)
    one, two = (pliant.Stepper(["xl330_bam_m6"] * n, 1e-3) for n in (1, 2))
    with pytest.raises(PliantError, match="snapshot: is of other actuators"):
        one.restore(two.snapshot())


def test_a_motion_in_one_call_is_its_steps_one_by_one() -> None:
    actuators = [known(name) for name in FEW]
    wave = np.sin(0.01 * np.arange(200.0)[:, None] * [7.0, 3.0, 5.0, 2.0])  # goal, preset, q, v
    wave[:, 1] = np.abs(0.3 * wave[:, 1])
    one, other = (pliant.Stepper(actuators, H, position=wave[0, 2]) for _ in range(2))
    torques, states = one.led(wave)
    for k, (goal, preset, q, v) in enumerate(wave):
        for before, group in zip(other.snapshot()[::2], states, strict=True):
            np.testing.assert_array_equal(group[k], before)
        other.preset[:] = preset
        np.testing.assert_array_equal(torques[k], other.step(q, v, goal)[0])
    with pytest.raises(PliantError, match=r"motion: has another shape; found \(3, 2\)"):
        one.led(np.zeros((3, 2)))
