"""Teeth with play: nothing within the gap, a spring beyond it that pushes and never pulls."""

import math

import pytest

from conformance.drawn import draws, each, laws, signed
from conformance.slopes import relative, slope
from pliant.catalogue import Physics, load_law

BAR = 1e-6


@each("contact")
def test_torque_at_rest_is_the_slope_of_the_energy(law: Physics) -> None:
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        width = 0.5 * abs(abs(phi) - 0.5 * p.gap)
        expected = slope(lambda x, p=p: law.module.energy(x, p), phi, width)
        assert relative(law.module.torque(phi, 0.0, p), expected) <= BAR


@each("contact")
def test_stiffness_is_the_slope_of_the_torque_and_never_beyond_the_stiffest(law: Physics) -> None:
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        width = 0.5 * abs(abs(phi) - 0.5 * p.gap)
        expected = slope(lambda x, p=p: law.module.torque(x, 0.0, p), phi, width)
        assert relative(law.module.stiffness(phi, p), expected) <= BAR
        assert law.module.stiffness(phi, p) <= law.module.stiffest(p)


@each("contact")
def test_teeth_touch_nothing_in_the_gap(law: Physics) -> None:
    for p, rng in draws(law):
        phi, rate = rng.uniform(-0.5, 0.5) * p.gap, signed(rng, 1e-2, 30.0)
        assert law.module.torque(phi, rate, p) == law.module.energy(phi, p) == 0.0


@each("contact")
def test_teeth_push_and_take_energy(law: Physics) -> None:
    for p, rng in draws(law):
        phi, rate = signed(rng, 1e-4, 1.0), signed(rng, 1e-2, 30.0)
        torque = law.module.torque(phi, rate, p)
        assert torque * phi >= 0.0
        assert (torque - law.module.torque(phi, 0.0, p)) * rate >= 0.0


def test_teeth_by_hand() -> None:
    law = load_law("contact", "dead_zone").module
    p = law.P(gap=0.02, k=100.0, d=2.0)
    assert law.torque(0.03, 0.5, p) == pytest.approx(100.0 * 0.02 + 2.0 * 0.5)
    assert law.torque(-0.03, -0.5, p) == pytest.approx(-(100.0 * 0.02 + 2.0 * 0.5))
    assert law.torque(0.03, -5.0, p) == 0.0  # it would pull
    assert law.energy(0.03, p) == pytest.approx(0.5 * 100.0 * 0.02**2)


def test_a_bounce_returns_the_closed_forms_speed() -> None:
    """A mass on a tooth: x'' = -2 z w x' - w^2 x until it would pull, at tan(wd t) = 2 z s / (2 z^2 - 1)."""
    law = load_law("contact", "dead_zone").module
    mass, k, z = 0.02, 500.0, 0.2
    p = law.P(gap=0.01, k=k, d=2.0 * z * math.sqrt(k * mass))
    x, v, h = 0.005, 1.0, 1e-7
    while True:
        x += h * v
        torque = law.torque(x, v, p)
        v -= h * torque / mass
        if torque == 0.0:
            break
    s = math.sqrt(1.0 - z * z)
    leaves = math.atan2(2.0 * z * s, 2.0 * z * z - 1.0)  # wd t, between 0 and pi
    expected = math.exp(-z / s * leaves)
    assert -v == pytest.approx(expected, rel=1e-4)


@each("encoder_side")
def test_an_encoder_turns_with_one_of_the_two(law: Physics) -> None:
    for p, rng in draws(law):
        q, theta, v, omega = rng.uniform(-1.0, 1.0, 4)
        seen = law.module.angle(q, theta, p), law.module.speed(v, omega, p)
        assert seen == ((q, v) if law.name == "joint" else (theta, omega))


def test_there_are_both_sides() -> None:
    assert {law.name for law in laws("encoder_side")} == {"joint", "motor"}
