"""Torques that load a gear, and friction after a reversal: what every law keeps, and what each says."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from conformance.drawn import draws, each, signed, size, state
from pliant.catalogue import Physics, load_law

CARRIED = load_law("gear_load", "without_inertia").module
DWELL = load_law("reversal", "dwell").module
GRADUAL = load_law("reversal", "gradual").module


@each("gear_load")
def test_at_constant_speed_the_gear_carries_all(law: Physics) -> None:
    for p, rng in draws(law):
        s, v, h = state(law, p, rng), signed(rng, 1e-3, 30.0), size(rng, 1e-4, 1e-2)
        for _ in range(2):
            s = law.module.step(s, v, p, h)
        tau = signed(rng, 1e-3, 30.0)
        assert law.module.carried(s, tau, size(rng, 1e-4, 1.0), p) == tau


def test_an_arm_that_falls_freely_leaves_the_load_side_of_its_gear_empty() -> None:
    """I a = tau_e: what gravity gives goes into the arm."""
    inertia, gravity, h = 0.02, 0.3, 1e-3
    p, v = CARRIED.P(), 0.0
    s = CARRIED.start(p)
    for _ in range(5):
        s = CARRIED.step(s, v, p, h)
        v += h * gravity / inertia
    assert CARRIED.carried(s, gravity, inertia, p) == pytest.approx(0.0, abs=1e-12)


def test_a_first_step_at_speed_is_no_acceleration() -> None:
    p = CARRIED.P()
    s = CARRIED.step(CARRIED.start(p), 5.0, p, 1e-3)
    assert CARRIED.carried(s, 0.1, 1.0, p) == 0.1


@each("reversal")
def test_no_share_is_below_none_or_above_all(law: Physics) -> None:
    for p, rng in draws(law):
        s = state(law, p, rng)
        share = law.module.share(s, signed(rng, 1e-6, 30.0), signed(rng, 1e-3, 30.0), p)
        assert 0.0 <= share <= 1.0


@each("reversal")
def test_all_of_the_budget_acts_after_a_long_way(law: Physics) -> None:
    for p, rng in draws(law):
        s, v = state(law, p, rng), signed(rng, 1.0, 30.0)
        for _ in range(60):
            s = law.module.step(s, v, p, getattr(p, "reach", 1.0) / abs(v))
        assert law.module.share(s, v, -v, p) == pytest.approx(1.0, abs=1e-12)


def test_friction_comes_back_as_the_differential_equation_says() -> None:
    p = GRADUAL.P(0.02, 0.6)
    way = np.linspace(0.0, 0.05, 11)
    z = solve_ivp(
        lambda q, z: (1.0 - z) / p.reach, (0.0, way[-1]), [-1.0], t_eval=way, rtol=1e-10, atol=1e-12
    )
    s = GRADUAL.S(-1.0)
    for expected, h in zip(z.y[0][1:], np.diff(way), strict=True):
        s = GRADUAL.step(s, 1.0, p, float(h))
        assert s.z == pytest.approx(expected, abs=1e-8)
        assert GRADUAL.share(s, 1.0, 0.0, p) == pytest.approx(
            1.0 - 0.3 * (1.0 - expected), abs=1e-8
        )


def test_a_joint_at_rest_breaks_away_backwards_more_easily() -> None:
    p = GRADUAL.P(0.01, 0.5)
    s = GRADUAL.S(1.0)  # it came forwards
    assert GRADUAL.share(s, 1e-9, 1.0, p) == 1.0
    assert GRADUAL.share(s, 1e-9, -1.0, p) == 0.5


def test_friction_at_rest_rises_with_the_time_at_rest_and_stays_so_in_the_motion_after_it() -> None:
    p, h = DWELL.P(t_d=0.5, drop=0.4, v_s=0.1), 1e-3
    s = DWELL.step(DWELL.step(DWELL.start(p), 0.0, p, h), 1.0, p, h)
    assert DWELL.share(s, 0.0, 1.0, p) == pytest.approx(1.0, abs=1e-6)
    for n in range(1, 1501):
        s = DWELL.step(s, 0.0, p, h)
        if n in (1, 500, 1500):
            assert DWELL.share(s, 0.0, 1.0, p) == pytest.approx(1.0 - 0.4 / (1.0 + n * h / 0.5))
    for v, left in ((0.05, 0.1 * np.exp(-0.25)), (2.0, 0.0)):
        s = DWELL.step(s, v, p, h)
        assert DWELL.share(s, v, 1.0, p) == pytest.approx(1.0 - left)
