"""Springs: one energy, from which torque and stiffness follow."""

import math

import pytest
from scipy.optimize import brentq

from conformance.drawn import draws, each
from conformance.slopes import relative, slope
from pliant.catalogue import Physics, load_law

BAR = 1e-6
"""Largest relative difference between a torque or stiffness and the slope it should be."""


@each("compliance")
def test_torque_is_the_slope_of_the_energy(law: Physics) -> None:
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        expected = slope(lambda x, p=p: law.module.energy(x, p), phi, 0.02)
        assert expected[1] <= BAR * max(abs(expected[0]), 1e-3 * law.module.energy(phi, p))
        assert relative(law.module.torque(phi, p), expected) <= BAR


@each("compliance")
def test_stiffness_is_the_slope_of_the_torque(law: Physics) -> None:
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        expected = slope(lambda x, p=p: law.module.torque(x, p), phi, 0.02)
        assert expected[1] <= BAR * abs(expected[0])
        assert relative(law.module.stiffness(phi, p), expected) <= BAR


@each("compliance")
def test_energy_is_never_negative(law: Physics) -> None:
    for p, rng in draws(law):
        assert law.module.energy(rng.uniform(-1.0, 1.0), p) >= 0.0


@each("compliance")
def test_energy_at_rest_is_zero_where_declared(law: Physics) -> None:
    for p, _ in draws(law):
        if law.module.ZERO_AT_REST:
            assert law.module.energy(0.0, p) == 0.0
            assert law.module.torque(0.0, p) == 0.0
        else:
            assert law.module.energy(0.0, p) > 0.0


@each("compliance")
def test_nothing_overflows_at_three_radians(law: Physics) -> None:
    for field_values in zip(*((f.low, f.high) for f in law.parameters), strict=True):
        p = law.module.P(*field_values)
        for function in (law.module.energy, law.module.torque, law.module.stiffness):
            assert abs(function(3.0, p)) < 3.4e38  # float32 too
            assert abs(function(-3.0, p)) < 3.4e38


@each("compliance")
def test_damping_takes_energy(law: Physics) -> None:
    for p, rng in draws(law):
        rate = rng.uniform(-10.0, 10.0)
        assert law.module.damping(rate, p) * rate >= 0.0
        assert law.module.damping(0.0, p) == 0.0


@pytest.mark.parametrize(
    ("k", "a", "preset", "expected"),
    [
        (0.0019, 8.9992, 0.0, 0.034),
        (0.0019, 8.9992, 0.2, 0.106),
        (0.0019, 8.9992, 0.6, 3.78),
        (0.022, 6.85, 0.0, 0.30),
        (0.022, 6.85, 0.2, 0.63),
        (0.022, 6.85, 0.6, 9.19),
    ],
)
def test_a_qbmove_has_the_published_stiffness(
    k: float, a: float, preset: float, expected: float
) -> None:
    sinh = load_law("compliance", "sinh_spring").module
    p = sinh.P(k=k, a=a, d=0.0)
    both = sinh.stiffness(-preset, p) + sinh.stiffness(preset, p)
    assert both == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize(("preset", "expected"), [(0.4602, 0.261), (0.6903, 0.083)])
def test_a_qbmove_maker_pro_gives_way_as_published(preset: float, expected: float) -> None:
    """Parnenzini, Fig. 3: the deflection under 1.5 N m."""
    sinh = load_law("compliance", "sinh_spring").module
    p = sinh.P(k=0.022, a=6.85, d=0.0)
    found = brentq(
        lambda q: sinh.torque(q - preset, p) + sinh.torque(q + preset, p) - 1.5, 0.0, 1.0
    )
    assert found == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("preset", "expected"), [(0.001, 10.0), (0.22, 45.6)])
def test_a_bavs_has_the_published_stiffness(preset: float, expected: float) -> None:
    law = load_law("compliance", "exponential_spring").module
    one = law.P(k=1.6e5, a=1.21e-6, b=2.38e-6, k_e=8.71)
    two = law.P(k=1.6e5, a=2.38e-6, b=1.21e-6, k_e=8.71)
    assert law.torque(-preset, one) + law.torque(preset, two) == pytest.approx(0.0, abs=1e-12)
    both = law.stiffness(-preset, one) + law.stiffness(preset, two)
    assert both == pytest.approx(expected, rel=5e-3)
    energy = law.energy(-preset, one) + law.energy(preset, two)
    assert both == pytest.approx(8.71**2 * energy, rel=1e-12)


def test_two_quadratic_springs_are_linear_with_a_stiffness_of_four_k_s() -> None:
    law = load_law("compliance", "quadratic_spring").module
    p, preset = law.P(k=7.0), 0.3
    for q in (-0.29, -0.1, 0.0, 0.05, 0.3):
        both = law.torque(q - preset, p) + law.torque(q + preset, p)
        assert both == pytest.approx(4.0 * 7.0 * preset * q, abs=1e-13)
        stiffness = law.stiffness(q - preset, p) + law.stiffness(q + preset, p)
        assert math.isclose(stiffness, 4.0 * 7.0 * preset, rel_tol=1e-13)
