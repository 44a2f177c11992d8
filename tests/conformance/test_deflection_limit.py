"""Limits of a spring's deflection: what the whole stores, transmits and yields agree."""

from typing import Any

import pytest

from conformance.drawn import draws, each
from conformance.slopes import relative, slope
from pliant.catalogue import Physics

BAR = 1e-6


def linear(k: float) -> tuple[Any, Any]:
    """Energy and torque of a spring, to stand before the limit."""
    return (lambda x: 0.5 * k * x * x), (lambda x: k * x)


@each("deflection_limit")
def test_torque_is_the_slope_of_the_energy_on_both_sides_of_the_limit(law: Physics) -> None:
    for p, rng in draws(law):
        energy, torque = linear(rng.uniform(1.0, 100.0))
        limit = getattr(p, "max_def", 1.0)

        def whole(phi: float, p: Any = p, energy: Any = energy, torque: Any = torque) -> float:
            x = law.module.inside(phi, p)
            return energy(x) + torque(x) * (phi - x) + law.module.stop_energy(phi, p)

        for phi in (0.7 * limit, -0.7 * limit, 1.3 * limit, -1.3 * limit):
            expected = slope(whole, phi, 0.1 * limit)
            found = torque(law.module.inside(phi, p)) + law.module.stop_torque(phi, p)
            assert expected[1] <= BAR * abs(expected[0])
            assert relative(found, expected) <= BAR


@each("deflection_limit")
def test_the_stops_stiffness_is_the_slope_of_its_torque(law: Physics) -> None:
    for p, _ in draws(law):
        limit = getattr(p, "max_def", 1.0)
        for part in (-1.3, -0.7, 0.0, 0.7, 1.3):
            expected = slope(
                lambda phi, p=p: law.module.stop_torque(phi, p), part * limit, 0.1 * limit
            )
            assert relative(law.module.stop_stiffness(part * limit, p), expected) <= BAR
            assert law.module.stop_energy(part * limit, p) >= 0.0


@each("deflection_limit")
def test_the_spring_sees_its_range_and_no_more(law: Physics) -> None:
    for p, _ in draws(law):
        limit = getattr(p, "max_def", 1.0)
        assert law.module.inside(0.7 * limit, p) == 0.7 * limit
        assert law.module.is_inside(-0.7 * limit, p) == 1.0
        if law.name == "none":
            assert law.module.inside(9.0, p) == 9.0
            assert law.module.is_inside(9.0, p) == 1.0
        else:
            assert law.module.inside(1.3 * limit, p) == limit
            assert law.module.inside(-1.3 * limit, p) == -limit
            assert law.module.is_inside(1.3 * limit, p) == 0.0


@each("deflection_limit")
def test_only_a_hard_stop_pushes_back(law: Physics) -> None:
    for p, _ in draws(law):
        pushed = law.module.stop_torque(11.0, p)
        assert pushed == (pytest.approx(p.k * (11.0 - p.max_def)) if law.name == "hard_stop" else 0)
