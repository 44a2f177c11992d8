"""Protection: it only ever takes from a command, and each maker's rule step by step."""

import pytest

from conformance.drawn import draws, each, signed, state
from pliant.catalogue import Physics, load_law

COLD = 298.15
H = 0.01


@each("protection")
def test_nothing_is_added_to_a_command_and_its_side_is_kept(law: Physics) -> None:
    for p, rng in draws(law):
        s, asked = state(law, p, rng), signed(rng, 1e-3, 1.5)
        passed = law.module.passed(s, asked, p)
        assert 0.0 <= passed / asked <= 1.0
        assert law.module.enabled(s, p) in (0.0, 1.0)


@each("protection")
def test_a_servo_at_rest_and_cold_is_left_alone(law: Physics) -> None:
    for p, _ in draws(law):
        if getattr(p, "Overload_Torque", 1.0) <= 0.0 or getattr(p, "PWM_Limit", 1.0) <= 0.0:
            continue
        s = law.module.start(p)
        for _ in range(5):
            s = law.module.step(s, 0.0, 0.0, 0.0, 150.0, p, H)
        assert law.module.enabled(s, p) == 1.0
        assert law.module.passed(s, 1e-3, p) == min(1e-3, getattr(p, "PWM_Limit", 1e-3))


def held(law, p, s, seconds, *, goal=1.0, q=0.0, duty=1.0, temperature=COLD):
    for _ in range(round(seconds / H)):
        s = law.step(s, goal, q, duty, temperature, p, H)
    return s


FEETECH = load_law("protection", "feetech_overload").module
STS = FEETECH.P(0.8, 2.0, 0.2, 343.15, 0.0)


def test_feetech_lowers_the_duty_after_the_protection_time() -> None:
    s = held(FEETECH, STS, FEETECH.start(STS), 1.98)
    assert FEETECH.passed(s, 1.0, STS) == 1.0
    s = held(FEETECH, STS, s, 0.05)
    assert FEETECH.passed(s, 1.0, STS) == 0.2
    assert FEETECH.passed(s, -1.0, STS) == -0.2
    assert FEETECH.passed(s, 0.1, STS) == 0.1


def test_feetech_stays_low_until_the_goal_is_on_the_other_side() -> None:
    s = held(FEETECH, STS, FEETECH.start(STS), 2.1)
    s = held(FEETECH, STS, s, 10.0, goal=1.0, q=0.9, duty=0.1)
    assert FEETECH.passed(s, 1.0, STS) == 0.2
    s = held(FEETECH, STS, s, H, goal=0.8, q=0.9, duty=-0.1)
    assert FEETECH.passed(s, 1.0, STS) == 1.0
    s = held(FEETECH, STS, s, 1.9)
    assert FEETECH.passed(s, 1.0, STS) == 1.0  # the time began anew


@pytest.mark.parametrize(("fade", "trips"), [(0.0, True), (1.0, False), (1000.0, False)])
def test_what_feetechs_timer_forgets_is_a_parameter(fade: float, trips: bool) -> None:
    """1.2 s of overload, 1.2 s below it, and 1.2 s of overload again."""
    p = STS._replace(fade=fade)
    s = held(FEETECH, p, FEETECH.start(p), 1.2)
    s = held(FEETECH, p, s, 1.2, duty=0.5)
    s = held(FEETECH, p, s, 1.2)
    assert (s.tripped != 0.0) == trips


def test_feetech_is_off_while_too_hot() -> None:
    s = held(FEETECH, STS, FEETECH.start(STS), 0.1, duty=0.1, temperature=344.0)
    assert FEETECH.enabled(s, STS) == 0.0
    s = held(FEETECH, STS, s, 0.1, duty=0.1, temperature=342.0)
    assert FEETECH.enabled(s, STS) == 1.0


DYNAMIXEL = load_law("protection", "dynamixel_shutdown").module
XL330 = DYNAMIXEL.P(1.0, 5.0, 343.15, 1.0, 1.0)


def test_dynamixel_is_off_for_good_after_a_persistent_overload() -> None:
    s = held(DYNAMIXEL, XL330, DYNAMIXEL.start(XL330), 4.9)
    s = held(DYNAMIXEL, XL330, s, 0.1, duty=0.99)  # a moment below the limit
    s = held(DYNAMIXEL, XL330, s, 4.9)
    assert DYNAMIXEL.enabled(s, XL330) == 1.0
    s = held(DYNAMIXEL, XL330, s, 0.2)
    assert DYNAMIXEL.enabled(s, XL330) == 0.0
    s = held(DYNAMIXEL, XL330, s, 100.0, duty=0.0, goal=-1.0)
    assert DYNAMIXEL.enabled(s, XL330) == 0.0


def test_dynamixel_heeds_the_bits_of_its_register() -> None:
    p = XL330._replace(overload_bit=0.0, overheating_bit=0.0)
    s = held(DYNAMIXEL, p, DYNAMIXEL.start(p), 20.0, temperature=400.0)
    assert DYNAMIXEL.enabled(s, p) == 1.0
    p = XL330._replace(overload_bit=0.0)
    s = held(DYNAMIXEL, p, DYNAMIXEL.start(p), 0.1, temperature=344.0)
    assert DYNAMIXEL.enabled(s, p) == 0.0


def test_dynamixels_duty_stays_within_its_limit_and_is_an_overload_there() -> None:
    p = XL330._replace(PWM_Limit=0.6)
    s = held(DYNAMIXEL, p, DYNAMIXEL.start(p), 4.9, duty=0.9)
    assert [DYNAMIXEL.passed(s, duty, p) for duty in (0.5, 0.9, -1.0)] == [0.5, 0.6, -0.6]
    assert DYNAMIXEL.enabled(held(DYNAMIXEL, p, s, 0.2, duty=-0.9), p) == 0.0


def test_derating_falls_along_a_line_and_shuts_down_with_a_pause() -> None:
    law = load_law("protection", "derating").module
    p = law.P(T_derate=380.0, T_off=400.0, T_on=370.0)
    passed = {}
    for temperature in (300.0, 380.0, 385.0, 395.0, 400.0):
        s = held(law, p, law.start(p), H, temperature=temperature)
        passed[temperature] = law.passed(s, 2.0, p) * law.enabled(s, p)
    assert passed == {300.0: 2.0, 380.0: 2.0, 385.0: 1.5, 395.0: 0.5, 400.0: 0.0}
    s = held(law, p, law.start(p), H, temperature=401.0)
    s = held(law, p, s, H, temperature=375.0)
    assert law.enabled(s, p) == 0.0
    s = held(law, p, s, H, temperature=369.0)
    assert law.enabled(s, p) == 1.0
