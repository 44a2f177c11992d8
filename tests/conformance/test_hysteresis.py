"""Hysteresis of springs: takes energy whatever the path, stays within its torque, knows no time."""

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from conformance.drawn import draws, each
from pliant.catalogue import Physics, load_law


def width(p) -> float:
    """[rad] Deflection over which it yields."""
    return p.tau_z / p.k_r if hasattr(p, "k_r") else 1e-3


def turns(p, rng, count=30) -> np.ndarray:
    return np.cumsum(width(p) * rng.uniform(-2.0, 2.0, count))


@each("hysteresis")
def test_what_goes_in_is_stored_or_lost_and_losses_are_never_below_zero(law: Physics) -> None:
    for p, rng in list(draws(law))[:15]:
        sharp = getattr(p, "n", 1.0) * getattr(p, "sigma", 1.0)
        s, work, lost, travelled = law.module.start(0.0, p), 0.0, 0.0, 0.0
        for phi in turns(p, rng, 10):
            begun = s.phi if hasattr(s, "phi") else 0.0
            way = math.copysign(1.0, phi - begun)
            for x in np.linspace(begun, phi, 401)[1:]:
                after = law.module.step(s, float(x), p)
                step = abs(phi - begun) / 400
                work += 0.5 * way * step * (law.module.torque(s, p) + law.module.torque(after, p))
                rates = law.module.lost(s, way, p), law.module.lost(after, way, p)
                assert min(rates) >= 0.0
                lost += 0.5 * step * sum(rates)
                travelled += step * getattr(p, "tau_z", 0.0)
                s = after
        left = work - law.module.energy(s, p) - lost
        assert abs(left) <= 2e-4 * sharp * sharp * travelled
        assert law.module.energy(s, p) >= 0.0


@each("hysteresis")
def test_its_torque_and_its_slope_have_their_bounds(law: Physics) -> None:
    for p, rng in draws(law):
        s = law.module.start(0.0, p)
        for phi in turns(p, rng):
            near = law.module.step(s, phi - 1e-9 * width(p), p)
            s = law.module.step(s, phi, p)
            assert abs(law.module.torque(s, p)) <= getattr(p, "tau_z", 0.0) * (1.0 + 1e-12)
            slope = (law.module.torque(s, p) - law.module.torque(near, p)) / (1e-9 * width(p))
            assert abs(slope) <= law.module.stiffest(p) * (1.0 + 1e-3) + 1e-3


@each("hysteresis")
def test_rest_changes_nothing(law: Physics) -> None:
    for p, rng in draws(law):
        s = law.module.start(0.0, p)
        for phi in turns(p, rng, 5):
            s = law.module.step(s, phi, p)
            assert law.module.step(s, phi, p) == s


@pytest.mark.parametrize(("sigma", "n"), [(0.5, 1.5), (1.0, 1.0), (0.7, 3.0)])
def test_bouc_wen_is_its_differential_equation_to_second_order(sigma: float, n: float) -> None:
    law = load_law("hysteresis", "bouc_wen").module
    p = law.P(tau_z=2.0, k_r=300.0, sigma=sigma, n=n)
    ends = np.cumsum(np.random.default_rng(0).uniform(-0.02, 0.02, 8))
    begun = np.r_[0.0, ends[:-1]]

    def rate(phi, z, way):
        lag = sigma * way * abs(z) ** (n - 1.0) * z + (1.0 - sigma) * abs(z) ** n
        return (1.0 - lag) * p.k_r / p.tau_z

    expected, z = [], np.zeros(1)
    for a, b in zip(begun, ends, strict=True):
        args = (math.copysign(1.0, b - a),)
        run = solve_ivp(rate, (a, b), z, "DOP853", args=args, rtol=1e-11, atol=1e-13)
        z = run.y[:, -1]
        expected.append(p.tau_z * z[0])
    errors = []
    for steps in (16, 64):
        s, found = law.start(0.0, p), []
        for a, b in zip(begun, ends, strict=True):
            for x in np.linspace(a, b, steps + 1)[1:]:
                s = law.step(s, float(x), p)
            found.append(law.torque(s, p))
        errors.append(np.abs(np.subtract(found, expected)).max())
    assert errors[1] < 1e-4
    assert errors[0] / errors[1] > 10.0


def test_a_cycle_costs_the_area_of_the_closed_forms_loop() -> None:
    """n = 1, sigma = 1/2: back along a line to z = 0, then 1 - exp(-x); the loop closes at z_m."""
    law = load_law("hysteresis", "bouc_wen").module
    p = law.P(tau_z=1.6, k_r=22000.0, sigma=0.5, n=1.0)
    x, amplitude = p.tau_z / p.k_r, 2e-4
    z = brentq(lambda z: 1.0 - math.exp(-(2.0 * amplitude - z * x) / x) - z, 0.0, 1.0)
    yielding = 2.0 * amplitude - z * x
    half = yielding - x * (1.0 - math.exp(-yielding / x)) - 0.5 * z * z * x
    phi = amplitude * np.sin(np.linspace(0.0, 8.0 * math.pi, 16001))
    s, torque = law.start(0.0, p), [0.0]
    for one in phi[1:]:
        s = law.step(s, float(one), p)
        torque.append(law.torque(s, p))
    last = slice(12000, None)
    area = np.trapezoid(torque[last], phi[last])
    assert area == pytest.approx(2.0 * p.tau_z * half, rel=1e-5)
