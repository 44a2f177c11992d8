"""Wear of a known size is planted in a servo, and told with its kind; a servo that is as it was is left alone."""

import contextlib
import dataclasses
import itertools
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import Actuator
from pliant.io.robot_log import RobotLog
from pliant.report.health import (
    Estimate,
    JointHealth,
    check_device,
    health,
    population,
    repeats,
    sentences,
)
from pliant.robots.identify import robot_rig

SERVO = pliant.load_actuator("sts3215_so101")
BRAKES = [f"friction.{name}" for name in ("K_c", "K_v", "K_l", "K_cs", "K_ls")]
WORN = {
    "stiff": (dict.fromkeys(BRAKES, 1.5), "friction", np.log(1.5)),
    "loose": ({"control.dead_band": 2.0}, "play", np.log(2.0)),
    "weak": ({"motor.k_t": 0.8}, "torque", np.log(0.8)),
}
MODEL = """<mujoco><option timestep="0.001"/><worldbody><body><joint name="j" axis="0 1 0"/>
<geom type="capsule" fromto="0 0 0 0.2 0 0" size="0.02" mass="0.4"/></body></worldbody></mujoco>"""
TIME = np.arange(0.0, 20.0, 0.02)
GOAL = 0.8 + 0.5 * np.sin(0.9 * TIME) * np.where(TIME % 5.0 < 3.0, 1.0, 0.3)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / "arm.xml"
    path.write_text(MODEL)
    return path


def recorded(model: Path, servo: Actuator, seed: int, goal: np.ndarray = GOAL) -> RobotLog:
    """A plain loop of MuJoCo, read by an encoder of 12 bit with noise."""
    spec = mujoco.MjSpec.from_file(str(model))
    pliant.attach(spec, {"j": servo})
    compiled = spec.compile()
    data = mujoco.MjData(compiled)
    data.qpos[0] = goal[0]
    line = np.empty((len(TIME), 1))
    for n, t in enumerate(TIME):
        while data.time < t - 1e-9:
            data.ctrl[:] = goal[np.searchsorted(TIME, data.time + 1e-9, side="right") - 1]
            mujoco.mj_step(compiled, data)
        line[n] = data.qpos
    line += 5e-4 * np.random.default_rng(seed).normal(size=line.shape)
    line = np.round(line / (2 * np.pi / 4096)) * (2 * np.pi / 4096)
    on = np.ones(line.shape, bool)
    return RobotLog("run", ("j",), TIME, line, goal[:, None], np.full_like(line, np.nan), on)


def test_wear_is_told_with_its_kind_and_size_and_health_is_not(model: Path) -> None:
    rig = robot_rig(model, {"j": SERVO}, [recorded(model, SERVO, 1)], "separately")
    (sound,) = health(rig, [recorded(model, SERVO, 2)], "now", "first", {})
    assert sound.kinds == []
    for kind, (factors, quantity, size) in WORN.items():
        values = {n: SERVO.value(n) * x for n, x in factors.items()}
        log = recorded(model, SERVO.with_values(values, "", "assumed"), 3)
        (one,) = health(rig, [log], "now", "first", {})
        assert one.kinds == [kind]
        assert one.now[quantity].value == pytest.approx(size, rel=0.35)
        assert one.deviations[quantity] == one.now[quantity].value / one.now[quantity].width
        assert kind in sentences([one])[0] and "first" in sentences([one])[0]


def test_what_the_first_recordings_tell_as_the_later_ones_do_is_no_change(model: Path) -> None:
    """The reference's dead band is wrong by 0.6, as that of a fit to the first recordings may be."""
    band = SERVO.value("control.dead_band")
    wrong = SERVO.with_values({"control.dead_band": 0.6 * band}, "", "assumed")
    begun = [recorded(model, SERVO, 1)]
    rig = robot_rig(model, {"j": wrong}, begun, "separately")
    (alone,) = health(rig, [recorded(model, SERVO, 2)], "now", "first", {})
    (one,) = health(rig, [recorded(model, SERVO, 2)], "now", "first", {}, begun)
    assert alone.kinds == ["loose"] and one.kinds == []
    worn = SERVO.with_values({"control.dead_band": 2.0 * band}, "", "assumed")
    (one,) = health(rig, [recorded(model, worn, 3)], "now", "first", {}, begun)
    assert one.kinds == ["loose"] and one.now["play"].value == pytest.approx(np.log(2.0), rel=0.35)


def test_what_a_recording_does_not_show_is_not_told(model: Path) -> None:
    """A joint that is not told to move shows nothing of its torque and its play."""
    still = np.full_like(TIME, 0.8)
    log = recorded(model, SERVO, 1, still)
    (one,) = health(robot_rig(model, {"j": SERVO}, [log], "separately"), [log], "", "", {})
    assert one.kinds == [] and {"torque", "play"} <= {*one.unseen}


def test_the_spread_of_units_counts_with_the_recordings() -> None:
    now = {"friction": Estimate(0.4, 0.1), "torque": Estimate(-0.4, 0.1)}
    one = JointHealth("j", "now", "device", now, {"friction": 0.2, "torque": 0.0})
    assert one.deviations == pytest.approx({"friction": 0.4 / np.hypot(0.1, 0.2), "torque": -4.0})
    assert one.kinds == ["weak"]
    both = dataclasses.replace(one, spread={}, temperature=61.0)
    assert both.kinds == ["worn", "stiff", "weak", "hot"]


def test_the_units_in_a_file_are_the_spread_and_else_each_numbers_own() -> None:
    """Numbers of six units go together: their friction differs by less than each number lets expect."""
    units = population(SERVO)
    alone = population(dataclasses.replace(SERVO, ensemble=None))
    assert units["friction"] < 0.5 * alone["friction"] and 0.05 < units["torque"] < 0.2
    assert SERVO.ensemble is not None
    rows = SERVO.ensemble.of_draws()
    column = SERVO.ensemble.names.index("control.dead_band")
    assert units["play"] == pytest.approx(np.std(np.log(rows[:, column])))


def test_recordings_of_other_commands_are_no_repetition(model: Path) -> None:
    log = recorded(model, SERVO, 1)
    shorter = log.keep(log.time < 12.0)
    other = dataclasses.replace(log, goal=log.goal + 0.1 * np.sin(log.time)[:, None])
    for first, later in itertools.product(([log], [log, other]), ([shorter], [shorter, log])):
        assert repeats(first, later)
    assert not repeats([log], [log, other])


@pytest.mark.parametrize(
    ("factors", "refused"),
    [
        ([2.9, 3.1, 1.0, 3.0], True),
        ([0.3, 1.0, 0.4, 0.3], True),
        ([3.0, 1.0, 1.1, 3.0], False),  # two worn servos of four
        ([3.0], False),
        ([4.0], True),
    ],
)
def test_a_robot_most_of_whose_joints_are_far_off_is_of_another_device(
    factors: list[float], refused: bool
) -> None:
    far = [{"friction": Estimate(0.0, 0.1), "torque": Estimate(np.log(x), 0.1)} for x in factors]
    found = [JointHealth(f"j{k}", "now", "device", now, {}) for k, now in enumerate(far)]
    refusal = pytest.raises(pliant.PliantError, match=r"of another device: .* by factors of [0-9]")
    with refusal if refused else contextlib.nullcontext():
        check_device(found)
