"""Goals that bring joints where they are wanted; the arms here are simulated, with other numbers than those known."""

import ctypes
import dataclasses
import runpy
import shutil
import subprocess
from math import sin
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Floats
from pliant.assemble.ensemble import Ensemble
from pliant.engines.hosts.c_header import c_header
from pliant.engines.hosts.leads import Leads
from pliant.robots.held_payload import held_payload
from pliant.robots.inverse_load import Course

ROOT = Path(__file__).parents[2]
SO101 = ROOT / "src" / "pliant" / "data" / "so101_arm"
PENDULUM = """<mujoco><compiler angle="radian"/><worldbody><body><joint name="j" axis="0 1 0" range="-2 2" limited="true"/>
<inertial mass="0.2" pos="0 0 -0.1" diaginertia="1e-6 1e-6 1e-6"/><site name="tip" pos="0 0 -0.1"/>
</body></worldbody></mujoco>"""
WEIGHT = 0.2 * 9.81 * 0.1


def pendulum() -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(PENDULUM)


def compensator(actuator: Any, **options: Any) -> pliant.Compensator:
    return pliant.Compensator(pendulum(), {"j": actuator}, cycle=0.01, **options)


def at_rest(known: pliant.Compensator, q: float, cycles: int = 80) -> float:
    """The goal of a joint that has always been wanted where it is."""
    for _ in range(cycles):
        known.step([q], [0.0], measured=[q])
    return float(known.goal[0])


@pytest.mark.parametrize(("name", "payload"), [("mx64_bam_m1", 0.0), ("xl330_bam_m6", 0.05)])
def test_a_held_weight_takes_the_error_that_ohm_and_the_gain_say(name: str, payload: float) -> None:
    servo = pliant.load_actuator(name)
    k_t, r, gain, kp = (
        servo.value(x) for x in ("motor.k_t", "motor.R", "control.gain", "control.kp")
    )
    torque = (WEIGHT + payload * 9.81 * 0.1) * sin(0.7)
    # torque = k_t duty U / R and duty = gain kp (goal - q); no friction where nothing moved.
    expected = 0.7 + torque * r / (k_t * servo.value("own.voltage") * gain * kp)
    assert at_rest(compensator(name, payload={"tip": payload}), 0.7) == pytest.approx(
        expected, abs=2e-5
    )


def test_a_steady_motion_leads_by_back_emf_and_delay() -> None:
    servo = pliant.actuator("mx64_bam_m1", K_c=0.0, K_v=0.0)
    k_t, r, gain, kp = (
        servo.value(x) for x in ("motor.k_t", "motor.R", "control.gain", "control.kp")
    )
    known = compensator(servo)
    at_rest(known, -1.0)
    for n in range(100):
        q = -1.0 + 0.01 * n
        known.step([q], [1.0], measured=[q])
    there = q + 0.005  # acts in the middle of the cycle that it is held
    torque = k_t / r * k_t + WEIGHT * sin(there)
    volts = servo.value("own.voltage")
    expected = there + torque * r / (k_t * volts * gain * kp)
    assert known.goal[0] == pytest.approx(expected, abs=2e-5)


def test_the_first_goal_is_where_the_joint_is_and_what_is_unusable_holds_the_last() -> None:
    known = compensator("xl330_bam_m6", speed=0.4)
    with pytest.raises(pliant.PliantError, match="measured position is missing"):
        known.step([0.5], measured=[np.nan])
    assert known.step([0.5], measured=[0.1])[0] == 0.1
    goals = [float(known.step([0.5], measured=[0.1])[0]) for _ in range(20)]
    assert np.abs(np.diff([0.1, *goals])).max() == pytest.approx(0.4 * 0.01)
    sent = goals[-1]
    for wanted, seen, age in (([np.nan], [0.1], 0.0), ([0.6], [np.inf], 0.0), ([0.6], [0.1], 0.2)):
        assert known.step(wanted, measured=seen, age=age)[0] == sent
        assert known.held
    assert known.step([0.6], measured=[0.1])[0] != sent and not known.held


def test_a_joint_that_stays_short_is_pushed_by_twice_what_is_missing_and_then_left() -> None:
    known = compensator("xl330_bam_m6")
    base = at_rest(known, 0.3)
    goals = [float(known.step([0.3], [0.0], measured=[0.29])[0]) for _ in range(500)]
    assert max(goals) > base + 0.02  # friction on that side besides
    assert goals[-1] == pytest.approx(base + 0.02, abs=5e-4)
    assert np.ptp(goals[-150:]) == 0.0


def test_goals_keep_the_joint_s_range_and_the_torque_of_a_current() -> None:
    known = compensator("xl330_bam_m6")
    for _ in range(200):
        known.step([1.99], measured=[1.9])
    assert known.goal[0] == 2.0
    servo = pliant.load_actuator("xl330_bam_m6")
    known = compensator(servo, current=0.2)
    for _ in range(300):  # blocked
        known.step([1.0], measured=[0.0])
    duty = servo.value("control.gain") * servo.value("control.kp") * known.goal[0]
    assert duty * servo.value("own.voltage") / servo.value("motor.R") == pytest.approx(
        0.2, rel=1e-3
    )


@pytest.mark.parametrize(
    ("actuator", "position", "options", "said"),
    [
        ("sea_lime_50_21000", 0.0, {}, "does not take a position"),
        ("xl330_bam_m6", 2.1, {}, "joint j at 0.000 s: beyond the joint's range; found 2.1"),
        ("xl330_bam_m6", 1.5, {"payload": {"tip": 3.0}}, r"cannot hold it .*found '3.13 N m'"),
        ("xl330_bam_m6", 0.0, {"payload": {"top": 3.0}}, "no such site or body; found 'top'"),
        ("qbmove_maker_pro", 0.0, {}, "the stiffness is missing"),
    ],
)
def test_what_cannot_be_is_said_before(
    actuator: str, position: float, options: Any, said: str
) -> None:
    course = Course(["j"], [0.0, 1.0], [[position], [position]], 0.01)
    with pytest.raises(pliant.PliantError, match=said):
        compensator(actuator, **options).along(course)


def moved(name: str, dry: float, *, told: bool) -> Floats:
    """(600,) Positions less those wanted of a servo with `dry` times the friction known: 0.15 rad/s, then rest."""
    known, servo, spec = compensator(name), pliant.load_actuator(name), pendulum()
    more = {"friction.K_c": dry * servo.value("friction.K_c")}
    spec.option.timestep = 1e-3
    attached = pliant.attach(spec, {"j": servo.with_values(more, "worn", "assumed")})
    robot, away = pliant.Robot(spec.compile(), attached), np.empty(600)
    for n in range(len(away)):
        q = 0.3 * min(n / 200.0, 1.0)
        robot.reference_1 = known.step([q], measured=robot.link.position) if told else [q]
        robot.step(10)
        away[n] = robot.link.position[0] - q
    return away


@pytest.mark.parametrize("name", ["xl330_bam_m6", "erob80_50_bam_m4", "robstride_02_ksim"])
def test_a_servo_with_more_friction_than_known_settles_closer_and_stays(name: str) -> None:
    plain, told = (moved(name, 1.3, told=told)[500:] for told in (False, True))
    assert np.ptp(plain) < 1e-4 and np.ptp(told) < 1e-4
    assert abs(told[0]) < max(abs(plain[0]) / 3.0, 2e-3)  # so much is left as it is


@pytest.mark.parametrize("name", ["xl330_bam_m6", "erob80_50_bam_m4"])
def test_friction_is_learned_while_moving(name: str) -> None:
    """Whether it is half or twice what is known then tells little of where the joint is."""
    plain, told = (
        np.ptp([moved(name, dry, told=told)[150:200].mean() for dry in (0.5, 2.0)])
        for told in (False, True)
    )
    assert told < plain / 4.0


@pytest.mark.parametrize("name", ["sea_walkman_200", "bavs", "mx106_m4_backlash"])
def test_a_link_behind_a_spring_is_where_it_is_wanted_and_as_stiff(name: str) -> None:
    known, spec = compensator(name), pendulum()
    spec.option.timestep = 1e-3
    attached = pliant.attach(spec, {"j": name})
    robot = pliant.Robot(spec.compile(), attached)
    robot.model.dof_damping[:] = 0.02  # else the link swings on
    stiffness = [12.0] if name == "bavs" else None
    for n in range(400):
        q = 0.4 * min(n / 200.0, 1.0)
        robot.reference_1 = known.step([q], measured=robot.link.position, stiffness=stiffness)
        robot.reference_2 = known.preset
        robot.step(10)
    assert robot.link.position[0] == pytest.approx(0.4, abs=3e-3)
    if stiffness:
        assert robot.stiffness[0] == pytest.approx(12.0, rel=1e-3)


def test_a_payload_is_found_from_holding_still() -> None:
    """Goal and position of a servo without dry friction, by hand."""
    servo = pliant.actuator("mx64_bam_m1", K_c=1e-4, K_v=0.0)
    k_t, r, gain, kp = (
        servo.value(x) for x in ("motor.k_t", "motor.R", "control.gain", "control.kp")
    )
    poses = np.repeat([[0.4], [0.9]], 3, axis=0)
    torque = (WEIGHT + 0.15 * 9.81 * 0.1) * np.sin(poses)
    goals = poses + torque * r / (k_t * servo.value("own.voltage") * gain * kp)
    found = held_payload(pendulum(), "tip", goals, poses, {"j": servo})
    assert found.mass == pytest.approx(0.15, abs=1e-4) and found.doubt < 1e-3


def arm_of_many(folder: Path) -> Path:
    """A robot file of an SO-101 whose servos carry sets of numbers: friction, torque and play of the firmware vary."""
    servo, rng = pliant.load_actuator("sts3215_so101"), np.random.default_rng(3)
    names = ("friction.K_c", "friction.K_cs", "friction.K_l", "motor.R", "control.dead_band")
    factors = np.vstack([np.ones(5), rng.normal(1.0, [0.25, 0.25, 0.25, 0.08, 0.15], (24, 5))])
    own = np.array([servo.value(name) for name in names])
    many = dataclasses.replace(servo, ensemble=Ensemble(names, own * np.maximum(factors, 0.1), 1))
    pliant.write_actuator(many, folder / "servo.toml")
    shutil.copy(SO101 / "so101.xml", folder)
    path = folder / "robot.toml"
    path.write_text('model = "so101.xml"\n[joints]\n"*" = { actuator = "servo.toml" }\n')
    return path


@pytest.mark.slow
def test_an_arm_settles_within_a_third_and_follows_twice_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    run = runpy.run_path(str(ROOT / "benchmarks" / "compensation.py"), run_name="bench")["run"]
    found = run(arm_of_many(tmp_path), 3, SO101 / "held_out")
    assert found.moves.all() and (found.plain.gap.mean(axis=0) > 0.02).all()
    assert (found.shares <= 1.0 / 3.0).all()
    assert found.worse == 0 and found.cycling == 0
    assert (found.errors[:, 1] <= found.errors[:, 0] / 2.0).all()


@pytest.mark.slow
def test_goals_in_c_are_those_of_python(tmp_path: Path) -> None:
    if shutil.which("gcc") is None:
        pytest.skip("gcc is not installed")
    name = "sts3215_so101"
    (tmp_path / "s.h").write_text(c_header(pliant.load_actuator(name), "s"))
    (tmp_path / "s.c").write_text(
        '#include "s.h"\nvoid run(int n, const double *x, const double *l, double *out) {\n'
        "static const s_parameters p = S_VALUES; s_kept k = {0};\n"
        "s_limits m = {l[0], l[1], l[2], l[3], l[4]}; int i;\n"
        "for (i = 0; i < n; i++) { const double *r = x + 4 * i;\n"
        "k = s_goal(&p, &k, &m, r[0], r[1], r[2], r[3], 7.4, 0.02); out[i] = k.goal; } }\n"
    )
    made = tmp_path / "s.so"
    words = ["gcc", "-std=c99", "-O1", "-fPIC", "-shared", "-ffp-contract=off"]
    subprocess.run([*words, str(tmp_path / "s.c"), "-o", str(made), "-lm"], check=True)
    leads, rows = compensator(name).leads, inputs(300)
    expected = np.empty(len(rows))
    leads.limits[:, 0] = known = np.array([-1.5, 1.5, 5.0, 2.0, 0.6])
    from pliant.engines.hosts.leads import Leads

    fresh = Leads([pliant.load_actuator(name)], 0.02, [0])
    fresh.limits[:, 0] = known
    for n, row in enumerate(rows):
        fresh.wanted[:4, 0] = row
        expected[n] = fresh.follow()[0]
    out = np.empty(len(rows))
    pointers = [x.ctypes.data_as(ctypes.c_void_p) for x in (rows, known, out)]
    ctypes.CDLL(str(made)).run(len(rows), *pointers)
    np.testing.assert_allclose(out, expected, rtol=0.0, atol=1e-12)


def inputs(count: int) -> Floats:
    """(count, 4) Wanted position, speed, torque, and measured position; it rests in the second half."""
    time = 0.02 * np.arange(count)
    moves = time < 0.5 * time[-1]
    q, v = np.where(moves, np.sin(time), 0.2), np.where(moves, np.cos(time), 0.0)
    seen = q - 0.01 * np.cos(7.0 * time)
    return np.ascontiguousarray(np.column_stack([q, v, 0.4 * np.cos(q), seen]))


def test_a_goal_that_keeps_its_lead_asks_nothing_of_the_derivative():
    servo = pliant.load_actuator("feetech_sts3215_7_4V_bam_m1")
    speed, lead, load = np.array([[0.2], [0.1], [0.0]])
    torques = [
        Leads([servo.with_values({"control.derivative_gain": d}, "test", "assumed")], 0.02, [0])
        .answers(speed, lead, load)[0]
        .item()
        for d in (0.0, 0.02)
    ]
    assert torques[1] == pytest.approx(torques[0], rel=1e-9)
