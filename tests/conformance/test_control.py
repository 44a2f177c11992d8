"""Control: limits hold, no error asks for nothing, an integral does not wind up."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

import pliant
from conformance.drawn import draws, each, signed
from pliant.catalogue import Physics, load_law
from pliant.engines.joint.engine import JointEngine
from pliant.engines.joint.simulate import simulate

H = 1e-3


@each("control")
def test_the_command_stays_within_its_limit(law: Physics) -> None:
    reached = 0
    for p, rng in draws(law):
        s = law.module.start(0.0, p)
        for _ in range(5):
            goal, q, v = rng.normal(0.0, 10.0, 3) * signed(rng, 1e-3, 1e3)
            s = law.module.step(s, goal, q, v, p, H)
            command = law.module.command(s, goal, q, v, p)
            assert abs(command) <= p.limit
            reached += abs(command) == p.limit
    assert reached > 0


@each("control")
def test_no_error_asks_for_nothing(law: Physics) -> None:
    """At rest at the goal, where that is a position; with a goal of 0, where it is the command."""
    for p, rng in draws(law):
        q = 0.0 if law.module.GOAL != "rad" else rng.uniform(-3.0, 3.0)
        s = law.module.start(q, p)
        for _ in range(3):
            s = law.module.step(s, q, q, 0.0, p, H)
            assert law.module.command(s, q, q, 0.0, p) == 0.0


@each("control")
def test_left_and_right_are_alike(law: Physics) -> None:
    for p, rng in draws(law):
        goal, q, v = rng.normal(0.0, 1.0, 3)
        commands = [
            law.module.command(
                law.module.step(law.module.start(w * q, p), w * goal, w * q, w * v, p, H),
                w * goal,
                w * q,
                w * v,
                p,
            )
            for w in (1.0, -1.0)
        ]
        assert commands[0] == -commands[1]


@pytest.mark.parametrize(
    ("goal", "load"), [(3.0, 0.2), (-3.0, 0.2), (3.0, -0.2), (0.0, 0.3), (12.0, 0.1)]
)
def test_wheel_mode_holds_its_speed_under_a_load_by_the_integral(goal: float, load: float) -> None:
    law = load_law("control", "firmware_velocity").module
    p, s, v = law.P(0.1, 2.0, 1.0), law.start(0.0, law.P(0.1, 2.0, 1.0)), 0.0
    for _ in range(5000):  # a motor of 20 rad/s at full duty, time constant 0.05 s
        s = law.step(s, goal, 0.0, v, p, H)
        v += H / 0.05 * (20.0 * (law.command(s, goal, 0.0, v, p) - load) - v)
    assert v == pytest.approx(goal, abs=1e-3)
    assert s.integral == pytest.approx(goal / 20.0 + load, abs=1e-3)


def test_a_profile_takes_the_time_that_its_limits_allow() -> None:
    """Bang, coast, bang: distance over speed and speed over acceleration, whatever the step."""
    law = load_law("control", "firmware_profile").module
    a, v, far = 39.0, 2.0, 0.5
    p = law.P(0.166, 16.0, 0.0, 0.0, v, a, 0.97)
    for h in (2e-3, 1e-4):
        s, steps = law.start(0.1, p), 0
        speeds: list[float] = []
        while s.reference < 0.1 + far - 1e-4 and steps * h < 1.0:
            s, steps = law.step(s, 0.1 + far, 0.0, 0.0, p, h), steps + 1
            speeds.append(s.speed)
        assert steps * h == pytest.approx(far / v + v / a, abs=10e-3)
        assert max(speeds) == pytest.approx(v) and s.reference < 0.1 + far + 1e-9
        assert np.abs(np.diff(speeds)).max() <= a * h * (1.0 + 1e-9)


def test_a_profile_without_limits_is_the_plain_firmware() -> None:
    profile, plain = (load_law("control", f"firmware_{n}").module for n in ("profile", "position"))
    fast = profile.P(0.158, 10.0, 0.02, 1e-3, 1e9, 1e12, 0.9625)
    slow = plain.P(0.158, 10.0, 0.02, 1e-3, 1e9, 0.9625)
    s, t = profile.start(0.2, fast), plain.start(0.2, slow)
    for goal in (0.5, -0.3, -0.31):
        s, t = profile.step(s, goal, 0.1, 0.4, fast, H), plain.step(t, goal, 0.1, 0.4, slow, H)
        assert s.reference == pytest.approx(t.reference, abs=1e-12)
        command = profile.command(s, goal, 0.1, 0.4, fast)
        assert command == pytest.approx(plain.command(t, goal, 0.1, 0.4, slow), abs=1e-12)


def firmware(**changed: float) -> tuple[Any, Any]:
    law = load_law("control", "firmware_position").module
    given = {
        "gain": 0.158,
        "kp": 10.0,
        "derivative_gain": 0.0,
        "dead_band": 0.0,
        "speed_limit": 1e9,
        "limit": 0.9625,
    } | changed
    return law, law.P(**given)


def test_firmware_duty_is_gain_kp_error() -> None:
    law, p = firmware()
    s = law.step(law.start(0.0, p), 0.3, 0.0, 0.0, p, H)
    assert law.command(s, 0.3, 0.0, 0.0, p) == pytest.approx(0.158 * 10.0 * 0.3, rel=1e-14)


def test_firmware_derivative_gain_opposes_the_speed() -> None:
    law, p = firmware(derivative_gain=0.02)
    assert law.command(law.start(0.0, p), 0.0, 0.0, 3.0, p) == pytest.approx(-0.06, rel=1e-14)


@pytest.mark.parametrize("name", ["firmware_position", "firmware_profile"])
def test_firmware_derivative_is_that_of_the_error(name: str) -> None:
    """A joint that keeps a constant distance from a goal that moves is driven by the distance alone."""
    law = load_law("control", name).module
    given = {"gain": 0.158, "kp": 4.0, "dead_band": 0.0, "speed_limit": 1e9, "limit": 0.9625}
    if name == "firmware_profile":
        given["acceleration_limit"] = 1e4
    p = law.P(derivative_gain=0.02, **given)
    s, speed = law.start(0.0, p), 1.5
    for k in range(1, 200):
        goal = speed * H * k
        s = law.step(s, goal, goal - 0.1, speed, p, H)
    distance = s.reference - (goal - 0.1)
    wanted = 0.158 * 4.0 * distance
    assert distance == pytest.approx(0.1, abs=2e-3)
    assert law.command(s, goal, goal - 0.1, speed, p) == pytest.approx(wanted, abs=2e-4)


def test_firmware_does_nothing_within_its_dead_band() -> None:
    law, p = firmware(dead_band=0.01)
    for q, moves in ((0.009, False), (-0.009, False), (0.011, True), (-0.011, True)):
        assert (law.command(law.start(0.0, p), 0.0, q, 0.0, p) != 0.0) is moves


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_firmware_reaches_the_speed_limit_of_the_goal_exactly(way: float) -> None:
    law, p = firmware(speed_limit=5.2)
    s = law.start(0.0, p)
    references = []
    for _ in range(300):
        s = law.step(s, way * 1.0, 0.0, 0.0, p, H)
        references.append(s.reference)
    speeds = np.diff(references) / H
    moving = np.abs(references[1:]) < 1.0 - 5.2 * H
    assert moving.sum() > 150
    np.testing.assert_allclose(speeds[moving], way * 5.2, rtol=1e-10)
    assert references[-1] == pytest.approx(way * 1.0, rel=1e-12)


def test_pid_integral_holds_while_saturated_and_pushed_further() -> None:
    law = load_law("control", "pid").module
    p = law.P(k_p=2.0, k_i=3.0, k_d=0.1, limit=0.5)
    for way in (1.0, -1.0):
        s = law.S(0.1 * way)
        for _ in range(1000):
            after = law.step(s, way * 1.0, 0.0, 0.0, p, H)
            assert after.integral == s.integral
            s = after


def test_pid_integral_moves_back_while_saturated_and_pulled_back() -> None:
    law = load_law("control", "pid").module
    p = law.P(k_p=0.0, k_i=3.0, k_d=0.0, limit=0.5)
    for way in (1.0, -1.0):
        s = law.step(law.S(2.0 * way), -way, 0.0, 0.0, p, H)
        assert s.integral == pytest.approx(way * (2.0 - 3.0 * H))


def test_pid_recovers_at_once_when_the_error_turns() -> None:
    """After a long time at the limit: an integral that had wound up would hold it there."""
    law = load_law("control", "pid").module
    p = law.P(k_p=2.0, k_i=50.0, k_d=0.0, limit=0.5)
    s = law.start(0.0, p)
    for _ in range(5000):
        s = law.step(s, 1.0, 0.0, 0.0, p, H)
    assert law.command(s, 1.0, 0.0, 0.0, p) == 0.5
    for _ in range(20):
        s = law.step(s, -0.2, 0.0, 0.0, p, H)
    assert law.command(s, -0.2, 0.0, 0.0, p) < 0.0


def test_pid_is_the_sum_of_its_three_parts() -> None:
    law = load_law("control", "pid").module
    p = law.P(k_p=0.2, k_i=0.3, k_d=0.01, limit=1.0)
    e = 0.5 * np.sin(np.arange(400) * H * 9.0)
    s = law.start(0.0, p)
    for error in e:
        s = law.step(s, float(error), 0.0, 0.0, p, H)
    expected = 0.2 * e[-1] + 0.3 * H * e.sum() - 0.01 * 2.0
    assert law.command(s, float(e[-1]), 0.0, 2.0, p) == pytest.approx(expected, rel=1e-12)


def test_current_pd_is_the_erob_law() -> None:
    """Current = kp (goal - q) - 2 sqrt(kp) v, within 12 A."""
    law = load_law("control", "current_pd").module
    p = law.P(gain=1.0, kp=30.0, damping_gain=2.0, limit=12.0)
    s = law.start(0.0, p)
    assert law.command(s, 0.3, 0.1, 0.4, p) == pytest.approx(30.0 * 0.2 - 2.0 * sqrt(30.0) * 0.4)
    assert law.command(s, 9.0, 0.0, 0.0, p) == 12.0
    assert law.command(s, -9.0, 0.0, 0.0, p) == -12.0


def swings(name: str, **control: float) -> tuple[float, float]:
    """Largest overshoot, and undershoot after it, of a bare horn's step of 0.5 rad, as parts of it."""
    servo = pliant.load_actuator(name)
    changes = {"plant.inertia": 5e-4} | {f"control.{n}": x for n, x in control.items()}
    time = np.arange(0.0, 1.0, 1e-3)
    trace = simulate(JointEngine(servo, plant="inertia"), time, 0.5 + 0.0 * time, changes=changes)
    over = trace.position / 0.5 - 1.0
    peak = int(np.argmax(over))
    return float(over[peak]), float(-over[peak:].min())


def test_a_current_loop_without_a_d_gain_rings_where_a_duty_does_not() -> None:
    """As reported of an XL330 at P 400: mode 5 oscillates on P alone, not with a D gain, and mode 3 not at all."""
    over, under = swings("xl330_mode5_m4", kp=400.0)
    assert over > 0.5 and under > 0.3
    for name, control in (
        ("xl330_mode5_m4", {"kp": 400.0, "derivative_gain": 0.05}),
        ("xl330_bam_m4", {"kp": 400.0}),
    ):
        over, under = swings(name, **control)
        assert over < 0.25 and under < 0.05


def test_the_current_of_mode_5_is_that_of_its_gain_after_the_lag() -> None:
    """Closed form of a first-order lag; measured at a standstill: 2.525e-3 A per unit of P and rad."""
    law = load_law("control", "current_based_position").module
    p = law.P(2.5465e-3, 400.0, 0.0, 0.01, 1.75)
    s = law.start(0.0, p)
    for k in range(1, 101):
        s = law.step(s, 0.5, 0.0, 0.0, p, 1e-4)
        expected = 2.525e-3 * 400.0 * 0.5 * (1.0 - np.exp(-k * 1e-4 / 0.01))
        assert law.command(s, 0.5, 0.0, 0.0, p) == pytest.approx(expected, rel=0.02)
