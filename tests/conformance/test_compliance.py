"""Springs: one energy, from which torque and stiffness follow."""

import pytest

from conformance.drawn import draws, each
from pliant.catalogue import Physics

H = 1e-4


@each("compliance")
def test_torque_is_the_slope_of_the_energy(law: Physics) -> None:
    spring = law.module
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        slope = (spring.energy(phi + H, p) - spring.energy(phi - H, p)) / (2.0 * H)
        assert spring.torque(phi, p) == pytest.approx(slope, rel=1e-5, abs=1e-7 * _scale(law, p))


@each("compliance")
def test_stiffness_is_the_slope_of_the_torque(law: Physics) -> None:
    spring = law.module
    for p, rng in draws(law):
        phi = rng.uniform(-1.0, 1.0)
        slope = (spring.torque(phi + H, p) - spring.torque(phi - H, p)) / (2.0 * H)
        assert spring.stiffness(phi, p) == pytest.approx(slope, rel=1e-5)


@each("compliance")
def test_energy_is_never_negative(law: Physics) -> None:
    for p, rng in draws(law):
        assert law.module.energy(rng.uniform(-1.0, 1.0), p) >= 0.0


@each("compliance")
def test_energy_at_rest_is_zero_where_declared(law: Physics) -> None:
    for p, _ in draws(law):
        if getattr(law.module, "ZERO_AT_REST", False):
            assert law.module.energy(0.0, p) == 0.0
            assert law.module.torque(0.0, p) == 0.0


@each("compliance")
def test_damping_takes_energy(law: Physics) -> None:
    for p, rng in draws(law):
        rate = rng.uniform(-10.0, 10.0)
        assert law.module.damping(rate, p) * rate >= 0.0
        assert law.module.damping(0.0, p) == 0.0


def _scale(law: Physics, p: object) -> float:
    return abs(law.module.torque(1.0, p))
