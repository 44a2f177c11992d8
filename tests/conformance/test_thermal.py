"""Heat of a winding: the energy that came in is in the bodies or has left, whatever the step."""

from math import exp

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from conformance.drawn import draws, each, size, state
from pliant.catalogue import Physics, load_law

TWO = load_law("thermal", "two_body").module
EC45 = TWO.P(3.96, 11.5, 5.7, 251.0, 298.15, 298.15, 0.0039, -0.0011)
"""maxon EC 45 flat 30 W."""
WARM = pytest.mark.parametrize("law", ["one_body", "two_body"])


@each("thermal")
def test_a_cold_winding_without_heat_stays_and_has_its_stated_numbers(law: Physics) -> None:
    for drawn, rng in draws(law):
        p = drawn._replace(**{"stated_at": drawn.ambient} if "ambient" in drawn._fields else {})
        s = law.module.step(law.module.start(p), 0.0, p, size(rng, 1e-4, 10.0))
        assert law.module.resistance(s, p) == law.module.constant(s, p) == 1.0


@each("thermal")
def test_a_hotter_winding_resists_more_and_its_magnets_are_weaker(law: Physics) -> None:
    for p, rng in draws(law):
        s = state(law, p, rng)
        hotter = law.module.step(s, 50.0, p, 5.0)
        if law.module.temperature(hotter, p) > law.module.temperature(s, p):
            assert law.module.resistance(hotter, p) >= law.module.resistance(s, p)
        assert law.module.resistance(s, p) > 0.0
        assert law.module.constant(s, p) > 0.0


@WARM
def test_no_step_is_too_long(law: str) -> None:
    """One step of ages ends where heat times thermal resistance says."""
    module = load_law("thermal", law).module
    for p, rng in draws(load_law("thermal", law)):
        heat = size(rng, 1e-2, 50.0)
        s = module.step(module.start(p), heat, p, 1e20)
        whole = p.R_th if law == "one_body" else p.R_w + p.R_h
        assert module.temperature(s, p) - p.ambient == pytest.approx(heat * whole, rel=1e-6)


def test_one_body_warms_by_63_percent_in_its_time_constant() -> None:
    module = load_law("thermal", "one_body").module
    p = module.P(8.0, 120.0, 290.0, 298.15, 0.0039, -0.0011)
    for parts in (1, 7):
        s = module.start(p)
        for _ in range(parts):
            s = module.step(s, 5.0, p, 120.0 / parts)
        assert s.rise == pytest.approx(40.0 * (1.0 - exp(-1.0)), rel=1e-12)


def test_two_bodies_are_the_network_of_two_resistors_and_capacitors() -> None:
    """A pulse of 20 W for 5 s, then nothing, by scipy; the error is of first order in the step."""
    c_w, c_h = EC45.tau_w / EC45.R_w, EC45.tau_h / EC45.R_h

    def rates(t, y):
        heat = 20.0 if t < 5.0 else 0.0
        across = (y[0] - y[1]) / EC45.R_w
        return [(heat - across) / c_w, (across - y[1] / EC45.R_h) / c_h]

    first = solve_ivp(rates, (0.0, 5.0), [0.0, 0.0], rtol=1e-10, atol=1e-10).y[:, -1]
    # scipy would step over the end of the pulse
    rest = lambda t, y: rates(t + 10.0, y)  # noqa: E731
    expected = solve_ivp(rest, (0.0, 55.0), first, rtol=1e-10, atol=1e-10).y[:, -1]
    errors = []
    for h in (0.05, 0.0125):
        s = TWO.start(EC45)
        for k in range(round(60.0 / h)):
            s = TWO.step(s, 20.0 if k * h < 5.0 - 1e-9 else 0.0, EC45, h)
        errors.append(np.abs(np.array(s) - expected).max())
    assert errors[1] < 0.02
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_the_bodies_hold_what_came_in_less_what_left() -> None:
    c_w, c_h = EC45.tau_w / EC45.R_w, EC45.tau_h / EC45.R_h
    s, came, left, h = TWO.start(EC45), 0.0, 0.0, 0.3
    for k in range(1000):
        heat = 10.0 * (1.0 + np.sin(0.1 * k))
        s = TWO.step(s, heat, EC45, h)
        came += heat * h
        left += s.housing / EC45.R_h * h
    assert c_w * s.winding + c_h * s.housing == pytest.approx(came - left, rel=1e-10)


def test_a_flat_motor_reaches_its_largest_temperature_within_a_minute_at_three_times_its_current() -> (
    None
):
    """At 3 x 2.03 A its adiabatic winding would gain 100 K in 6.7 s at cold resistance; it gets hotter sooner than linear."""
    s, t = TWO.start(EC45), 0.0
    while TWO.temperature(s, EC45) < 398.15:
        heat = 1.2 * TWO.resistance(s, EC45) * 6.09**2
        s, t = TWO.step(s, heat, EC45, 1e-2), t + 1e-2

    def rates(t, y):
        heat = 1.2 * (1.0 + 0.0039 * y[0]) * 6.09**2
        across = (y[0] - y[1]) / 3.96
        return [(heat - across) / (11.5 / 3.96), (across - y[1] / 5.7) / (251.0 / 5.7)]

    hot = lambda t, y: y[0] - 100.0  # noqa: E731
    hot.terminal = True
    expected = solve_ivp(rates, (0.0, 60.0), [0.0, 0.0], events=hot, rtol=1e-9, atol=1e-9).t[-1]
    assert t == pytest.approx(expected, abs=0.03)
