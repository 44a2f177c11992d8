"""Springs with an adjuster: every load is a slope of one energy, the adjuster's too."""

from typing import Any

import numpy as np
import pytest

from conformance.drawn import draws, each
from conformance.slopes import relative, slope
from pliant.catalogue import Physics, load_law

BAR = 1e-6
WIDTH = 0.02

Pose = tuple[float, float, float]


def poses(law: Physics) -> list[tuple[Any, Pose]]:
    """Parameters with q, theta, x; x of the lever's length where it is one."""
    drawn: list[tuple[Any, Pose]] = []
    for p, rng in draws(law):
        theta = rng.uniform(-1.5, 1.5)
        q = theta + rng.uniform(-0.6, 0.6)
        x = rng.uniform(-0.2, 1.2) * p.arm if law.module.ADJUSTER == "m" else rng.uniform(-1.0, 3.1)
        drawn.append((p, (q, theta, x)))
    return drawn


@each("adjustable_compliance")
@pytest.mark.parametrize(
    ("derivative", "of", "by"),
    [
        ("torque", "energy", 0),
        ("load", "energy", 1),
        ("adjuster_load", "energy", 2),
        ("stiffness", "torque", 0),
        ("coupling", "torque", 2),
        ("coupling", "adjuster_load", 0),
    ],
)
def test_each_load_is_the_slope_of_one_energy(
    law: Physics, derivative: str, of: str, by: int
) -> None:
    for p, pose in poses(law):
        f = getattr(law.module, of)
        width = WIDTH * p.arm if by == 2 and law.module.ADJUSTER == "m" else WIDTH

        def moved(to: float, f: Any = f, p: Any = p, pose: Pose = pose) -> float:
            return f(*pose[:by], to, *pose[by + 1 :], p)

        expected = slope(moved, pose[by], width)
        size = max(abs(expected[0]), 1e-3 * abs(f(*pose, p)) / width)
        assert expected[1] <= BAR * size
        assert relative(getattr(law.module, derivative)(*pose, p), expected) <= BAR


@each("adjustable_compliance")
def test_energy_is_never_negative(law: Physics) -> None:
    for p, pose in poses(law):
        assert law.module.energy(*pose, p) >= 0.0


@each("adjustable_compliance")
def test_motor_and_link_feel_opposite_torques_where_only_their_difference_counts(
    law: Physics,
) -> None:
    alike = True
    for p, (q, theta, x) in poses(law):
        here = law.module.energy(q, theta, x, p)
        alike &= law.module.energy(q + 0.7, theta + 0.7, x, p) == pytest.approx(here, rel=1e-9)
        if law.name != "edinburgh":
            assert law.module.load(q, theta, x, p) == -law.module.torque(q, theta, x, p)
    assert alike == (law.name != "edinburgh")


@each("adjustable_compliance")
def test_a_wanted_stiffness_is_met(law: Physics) -> None:
    wanted = getattr(law.module, "adjuster_for", None)
    if wanted is None:
        pytest.skip("no closed form")
    for p, rng in draws(law):
        x = rng.uniform(0.05, 0.85) * getattr(p, "arm", 1.0)
        if law.name == "awas":
            x = rng.uniform(-1.0, 0.9) * p.r0 / p.b
        sigma = law.module.stiffness(0.3, 0.3, x, p)
        assert wanted(sigma, p) == pytest.approx(x, rel=1e-9, abs=1e-12 * p[-1])


@pytest.mark.parametrize(("x", "expected"), [(0.005, 2.74), (0.04, 3556.0)])
def test_an_awas_ii_has_the_published_stiffness(x: float, expected: float) -> None:
    law = load_law("adjustable_compliance", "awas_ii").module
    p = law.P(K_s=10.0, arm=0.05, r_t=0.015)
    assert law.stiffness(0.0, 0.0, x, p) == pytest.approx(expected, rel=2e-3)
    if x == 0.04:
        assert law.torque(0.3, 0.0, x, p) == pytest.approx(1004.0, rel=1e-3)


def test_an_awas_ii_holds_its_pivot_short_of_the_end() -> None:
    law = load_law("adjustable_compliance", "awas_ii").module
    p = law.P(K_s=10.0, arm=0.05, r_t=0.015)
    for beyond in (0.0451, 0.05, 1.0):
        at_end = law.energy(0.1, 0.0, 0.045, p)
        assert law.energy(0.1, 0.0, beyond, p) == pytest.approx(at_end, rel=1e-12)
        assert law.adjuster_load(0.1, 0.0, beyond, p) == 0.0
    assert law.adjuster_load(0.1, 0.0, 0.045, p) > 0.0
    assert law.energy(0.1, 0.0, -0.01, p) == 0.0


def test_an_edinburgh_is_two_springs_between_horns_and_lever() -> None:
    """The vectors of the text, against the mirrored form of the law."""
    law = load_law("adjustable_compliance", "edinburgh").module
    p = law.P(424.0, 0.02737, 0.026, 0.026, 0.027, 0.081)
    rng = np.random.default_rng(1)
    for q, u1, u2 in rng.uniform((-1.0, 0.0, 0.0), (1.0, 3.1, 3.1), (50, 3)):
        lever = 0.026 * np.array([np.cos(q), np.sin(q)])
        one = np.array([-0.027 - 0.026 * np.sin(u1), -0.081 + 0.026 * np.cos(u1)]) + lever
        two = np.array([0.027 + 0.026 * np.sin(u2), -0.081 + 0.026 * np.cos(u2)]) - lever
        expected = sum(212.0 * (np.linalg.norm(s) - 0.02737) ** 2 for s in (one, two))
        assert law.energy(q, u1, u2, p) == pytest.approx(expected, rel=1e-12)


def test_a_maccepa_is_a_spring_between_lever_and_link() -> None:
    """The length of the rope from the coordinates of its two ends."""
    law = load_law("adjustable_compliance", "maccepa").module
    p = law.P(k_s=323.0, B=0.03, C=0.18, r=0.015, P0=0.0)
    for alpha, x in [(0.0, 0.0), (0.4, 0.0), (-1.0, 2.0), (0.7, 3.1)]:
        rope = np.hypot(0.18 - 0.03 * np.cos(alpha), 0.03 * np.sin(alpha))
        expected = 0.5 * 323.0 * (rope - 0.15 + 0.015 * x) ** 2
        assert law.energy(0.2, 0.2 + alpha, x, p) == pytest.approx(expected, rel=1e-9, abs=1e-15)
    assert law.energy(0.0, 0.0, -1.0, p) == law.torque(0.0, 0.1, -1.0, p) == 0.0
