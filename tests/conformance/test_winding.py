"""Windings: a circuit of resistance and inductance, under one voltage and under a current loop."""

from math import exp, log

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from conformance.drawn import draws, each, laws, size, state
from pliant.catalogue import Physics, load_law

INDUCTANCE = load_law("winding", "inductance")


def circuit(inductance: float, r: float, voltage: float, begin: float, h: float) -> float:
    """Current after h: L di = (v - R i) dt, by scipy."""
    rates = lambda t, i: (voltage - r * i) / inductance  # noqa: E731
    run = solve_ivp(rates, (0.0, h), [begin], method="Radau", rtol=1e-10, atol=1e-12)
    return float(run.y[0, -1])


@each("winding")
def test_a_held_command_ends_at_the_torque_without_inductance(law: Physics) -> None:
    for p, rng in draws(law):
        s, asked = state(law, p, rng), float(rng.uniform(-5.0, 5.0))
        for _ in range(5):
            s = law.module.step(s, asked, asked, asked, 2.0, p, 1e3)
        assert law.module.torque(s, asked, p) == pytest.approx(asked, rel=1e-12)


@each("winding")
def test_no_step_is_too_long(law: Physics) -> None:
    """The torque goes towards the asked one and never past it."""
    for p, rng in draws(law):
        s, asked, h = state(law, p, rng), float(rng.uniform(-5.0, 5.0)), size(rng, 1e-7, 1e7)
        before = law.module.torque(s, asked, p)
        s = law.module.step(s, asked, asked, asked, 0.5, p, h)
        slack = 1e-12 * (abs(asked) + abs(before))
        now = law.module.torque(s, asked, p)
        assert min(before, asked) - slack <= now <= max(before, asked) + slack


def test_there_are_both() -> None:
    assert {law.name for law in laws("winding")} >= {"none", "inductance"}


@pytest.mark.parametrize("parts", [1, 7])
def test_one_voltage_is_the_circuit(parts: int) -> None:
    """In one step or several; torques are currents times 3 N m/A."""
    w, k_t, r, inductance, voltage, begin, h = INDUCTANCE.module, 3.0, 2.0, 0.02, 5.0, -1.5, 0.013
    p, s, asked = w.P(inductance), w.S(k_t * begin), k_t * voltage / r
    for _ in range(parts):
        s = w.step(s, asked, asked, asked, r, p, h / parts)
    expected = k_t * circuit(inductance, r, voltage, begin, h)
    assert w.torque(s, asked, p) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("wanted", [3.0, -3.0, 0.5])
@pytest.mark.parametrize("h", [5e-4, 2e-3, 0.05])
def test_a_current_loop_drives_with_full_voltage_until_it_is_there(wanted: float, h: float) -> None:
    """From 1 A towards `wanted` under -+U, then held; 2 Ohm, 20 mH, 12 V, back-EMF 1.5 V."""
    w, r, inductance, bus, emf = INDUCTANCE.module, 2.0, 0.02, 12.0, 1.5
    low, high = (-bus - emf) / r, (bus - emf) / r
    end = high if wanted > 1.0 else low
    arrives = inductance / r * log((end - 1.0) / (end - wanted))
    s = w.S(1.0)
    for k in range(1, 5):
        s = w.step(s, wanted, low, high, r, w.P(inductance), h)
        rising = circuit(inductance, r, r * end, 1.0, min(k * h, arrives))
        assert s.tau == pytest.approx(rising if k * h < arrives else wanted, rel=1e-7)


def test_after_one_time_constant_63_percent_are_there() -> None:
    w = INDUCTANCE.module
    s = w.step(w.S(0.0), 2.0, 2.0, 2.0, 4.0, w.P(0.1), 0.1 / 4.0)
    assert s.tau == pytest.approx(2.0 * (1.0 - exp(-1.0)), rel=1e-14)


def test_without_henry_the_torque_is_there_at_once() -> None:
    w = INDUCTANCE.module
    assert w.step(w.S(-7.0), 2.0, 2.0, 2.0, 4.0, w.P(0.0), 1e-6).tau == 2.0


def test_a_smaller_inductance_comes_nearer_to_none() -> None:
    w = INDUCTANCE.module
    away = [
        2.0 - w.step(w.S(0.0), 2.0, 2.0, 2.0, 1.0, w.P(x), 1e-3).tau
        for x in (1e-2, 1e-3, 1e-4, 1e-5)
    ]
    assert (np.diff(away) < 0.0).all()
    assert away[-1] < 1e-12
