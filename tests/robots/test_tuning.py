"""Gains that are tuned: what is measured, against closed forms; what is chosen; registers; refusals."""

from math import exp, pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import pliant
from pliant.cli import main
from pliant.engines.mujoco.batch.trials import JOINT, bench
from pliant.record.emulated_servo import Load
from pliant.record.tables import register_name, register_value
from pliant.robots.servo_trials import OFFSET, ServoTrials
from pliant.robots.tuning import lowered, tune

ARM = Path(__file__).parents[2] / "examples" / "arm.xml"
MASS, LENGTH = 0.5, 0.2


def drive(ratio: float, friction: float) -> pliant.Actuator:
    """A drive with the torque kp (goal - q) - kd v, damped so, and with dry friction."""
    base = pliant.load_actuator("sts3215_menagerie")
    inertia = base.value("own.armature") + MASS * LENGTH**2
    kp = 20.0
    numbers = {"control.kp": kp, "control.kd": 2.0 * ratio * sqrt(kp * inertia)}
    numbers |= {"friction.K_v": 0.0, "control.limit": 100.0}
    return base.with_values(numbers | {"friction.K_c": friction}, "test", "assumed")


def trials(actuator: pliant.Actuator) -> ServoTrials:
    spec = bench(Load(MASS, LENGTH))
    spec.option.gravity, spec.option.timestep = [0.0, 0.0, 0.0], 5e-4
    found = ServoTrials(spec, {JOINT: actuator}, draws=1)
    found.follow(np.array([0.0, 0.5]), np.array([[0.0], [0.3]]))
    return found


@pytest.mark.parametrize("more", [1.0, 4.0])
def test_the_overshoot_is_that_of_a_second_order_system(more: float) -> None:
    found = trials(drive(0.3, 0.0)).run([{"control.kp": more}])
    ratio = 0.3 / sqrt(more)
    wanted = OFFSET * exp(-pi * ratio / sqrt(1.0 - ratio**2))
    assert found.overshoot[0, 0] == pytest.approx(wanted, rel=0.03)
    assert found.gap[0, 0] == pytest.approx(0.0, abs=1e-4)
    # 1 N m/A, and the whole jump is the error at first
    assert found.current[0, 0] == pytest.approx(20.0 * more * OFFSET, rel=0.03)


def test_dry_friction_holds_a_slow_joint_on_both_sides() -> None:
    found = trials(drive(3.0, 0.2)).run([{}])
    assert found.gap[0, 0] == pytest.approx(2.0 * 0.2 / 20.0, rel=0.03)
    assert found.overshoot[0, 0] < 1e-4


def test_a_joint_that_overshoots_is_damped_and_no_worse() -> None:
    tuning = tune(trials(drive(0.4, 0.1)))
    own, best = tuning.own, tuning.together
    assert tuning.values(JOINT)["control.kd"] > tuning.actuators[0].value("control.kd")
    assert best.left[0, 0] < own.left[0, 0] and best.cycling[0, 0] < 1e-3
    assert best.gap[0, 0] <= own.gap[0, 0] + 1e-3 and best.overshoot[0, 0] < own.overshoot[0, 0]


@pytest.mark.parametrize(("limit", "factor"), [(100.0, 0.5), (4.5, 0.71), (3.1, 1.0)])
def test_a_limit_is_lowered_to_what_a_step_needs(limit: float, factor: float) -> None:
    """A jump by 0.15 rad asks 20 N m/rad for 3 N m."""
    servo = drive(1.0, 0.0).with_values({"control.limit": limit}, "test", "assumed")
    tried = trials(servo)
    found, best = lowered(tried, [(1.0, 1.0, 1.0)], tried.run([{}]))
    assert found == [factor]
    assert best.current[0, 0] == pytest.approx(20.0 * OFFSET, rel=0.03)


def test_registers_have_their_makers_names_and_counts() -> None:
    sts, xl = pliant.load_actuator("sts3215_so101"), pliant.load_actuator("xl330_bam_m6")
    assert register_name(sts, "control.kp") == "P_Coefficient"
    assert register_name(xl, "control.kp") == "Position P Gain"
    assert register_name(sts, "control.acceleration_limit") == "Acceleration"
    assert register_value(sts, "control.acceleration_limit", 39.0) == "254"
    # e-Manual: one count of Profile Velocity is 0.229 rev/min
    assert register_value(xl, "control.speed_limit", 100 * 0.229 * 2.0 * pi / 60.0) == "100"
    assert register_value(sts, "control.kp", 22.6) == "23"
    assert register_name(sts, "control.limit") == "Torque_Limit"
    assert register_name(xl, "control.limit") == "PWM Limit"
    assert register_value(sts, "control.limit", 0.485) == "x 0.5"
    mode5 = pliant.load_actuator("xl330_mode5_m4")
    assert register_name(mode5, "control.limit") == "Goal Current"
    assert register_value(mode5, "control.limit", 0.875) == "875"


@pytest.mark.parametrize(
    ("position", "more", "said"),
    [
        ("1.2", [], "wanted.csv: shoulder: is beyond the joint's range; found 1.2"),
        ("0.3", ["--payload", "hand=9"], "cannot hold it there, with the payload"),
        ("0.3", ["--mass", "1"], "--attach: belongs to a robot"),
        ("0.3", ["--draws", "0"], "--draws: out of range"),
    ],
)
def test_what_cannot_be_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], position: str, more: list[str], said: str
) -> None:
    motion = tmp_path / "wanted.csv"
    motion.write_text(f"time,shoulder,elbow\n0,0,0\n1,{position},0\n")
    servos = "shoulder=mx106_bam_m4,elbow=xl330_bam_m6"
    arm = tmp_path / "arm.xml"
    text = ARM.read_text("utf-8").replace('"shoulder"', '"shoulder" limited="true" range="-60 60"')
    arm.write_text(text)
    words = ["tune", str(arm), "--motion", str(motion), "--attach", servos, *more]
    assert main(words) == 1
    error = capsys.readouterr().err.strip()
    assert said in error and len(error.splitlines()) == 1
