"""Friction with a memory: passive, with its breakaway torque while slipping, holding below it."""

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq

from conformance.drawn import draws, each
from pliant.catalogue import Physics, load_law

TAU_F, K_Z = 0.5, 1000.0
Z_MAX = TAU_F / K_Z


@each("friction_state")
def test_takes_more_work_than_it_stores(law: Physics) -> None:
    """Random to and fro in fine steps: the work done on it is never less than what it holds."""
    for p, rng in list(draws(law))[:20]:
        z_max = _z_max(p)
        steps = np.concatenate(
            [
                np.full(n, signed)
                for n, signed in zip(
                    rng.integers(1, 200, 30), 0.01 * z_max * rng.uniform(-1.0, 1.0, 30), strict=True
                )
            ]
        )
        s, work = law.module.start(p), 0.0
        begun = law.module.energy(s, p)
        for dtheta in steps:
            after = law.module.step(s, dtheta, p)
            work += 0.5 * (law.module.torque(s, p) + law.module.torque(after, p)) * dtheta
            s = after
            travelled = _tau_f(p) * float(np.abs(steps).sum())
            assert work >= law.module.energy(s, p) - begun - 1e-6 * travelled


@each("friction_state")
def test_slips_at_exactly_its_breakaway_torque(law: Physics) -> None:
    for p, rng in list(draws(law))[:20]:
        for way in (1.0, -1.0):
            s = law.module.start(p)
            for _ in range(4000):
                s = law.module.step(s, way * rng.uniform(0.01, 0.02) * _z_max(p), p)
            assert law.module.torque(s, p) == pytest.approx(way * _tau_f(p), rel=1e-9)


@each("friction_state")
def test_never_exceeds_its_breakaway_torque(law: Physics) -> None:
    for p, rng in draws(law):
        s = law.module.start(p)
        for dtheta in _z_max(p) * rng.normal(0.0, 3.0, 50):
            s = law.module.step(s, dtheta, p)
            assert abs(law.module.torque(s, p)) <= _tau_f(p) * (1.0 + 1e-12)


@each("friction_state")
def test_one_way_the_step_does_not_matter_or_vanishes_as_declared(law: Physics) -> None:
    for p, rng in list(draws(law))[:20]:
        begun = law.module.step(law.module.start(p), rng.uniform(-0.9, 0.9) * _z_max(p), p)
        travel = rng.uniform(0.1, 1.5) * _z_max(p) * rng.choice([-1.0, 1.0])
        fine = _torque_after(law, begun, travel, 8192, p)
        coarse = [abs(_torque_after(law, begun, travel, n, p) - fine) for n in (1, 64, 512)]
        if law.module.EXACT:
            assert max(coarse) <= 1e-10 * _tau_f(p)
        else:
            assert coarse[2] <= 1e-2 * _tau_f(p)
            assert coarse[2] <= 0.3 * coarse[1] + 1e-10 * _tau_f(p)


@each("friction_state")
def test_declared_stiffness_is_that_near_rest(law: Physics) -> None:
    for p, _ in draws(law):
        dtheta = 1e-7 * _z_max(p)
        s = law.module.step(law.module.start(p), dtheta, p)
        assert law.module.torque(s, p) == pytest.approx(law.module.stiffness(p) * dtheta, rel=1e-5)


@pytest.mark.parametrize(
    ("name", "extra", "drift_expected"),
    [
        ("elastoplastic", {}, 0.0),
        ("hayward_armstrong", {"z_stick": 0.85}, 0.0),
        # Dahl's equation solved by hand for z between 0.2 and 0.8 of z_max, there and back.
        ("dahl", {}, 1000 * Z_MAX * np.log((1.0 - 0.2**2) / (1.0 - 0.8**2))),
    ],
)
def test_drift_below_breakaway_after_1000_biased_cycles(
    name: str, extra: dict[str, float], drift_expected: float
) -> None:
    """The torque goes to and fro between 20 % and 80 % of breakaway, slowly; where is the joint?"""
    law = load_law("friction_state", name)
    p = law.module.P(tau_f=TAU_F, k_z=K_Z, **extra)
    s, first = _moved_to(law, law.module.start(p), 0.2 * TAU_F, p)
    theta = first
    for _ in range(1000):
        for share in (0.8, 0.2):
            s, dtheta = _moved_to(law, s, share * TAU_F, p)
            theta += dtheta
    assert theta - first == pytest.approx(drift_expected, rel=1e-6, abs=1e-9)
    if name == "dahl":
        assert theta - first > 0.3


def test_an_elastoplastic_cycle_costs_four_tau_f_times_the_slip() -> None:
    law = load_law("friction_state", "elastoplastic")
    p = law.module.P(tau_f=TAU_F, k_z=K_Z)
    amplitude, n = 0.02, 4000
    theta = amplitude * np.sin(np.linspace(0.0, 4.0 * np.pi, 2 * n + 1))
    s, work = law.module.start(p), np.zeros(2 * n)
    for k, dtheta in enumerate(np.diff(theta)):
        after = law.module.step(s, float(dtheta), p)
        work[k] = 0.5 * (law.module.torque(s, p) + law.module.torque(after, p)) * dtheta
        s = after
    assert work[n:].sum() == pytest.approx(4.0 * TAU_F * (amplitude - Z_MAX), rel=1e-5)


def _moved_to(law: Physics, s: Any, tau: float, p: Any) -> tuple[Any, float]:
    """The state in which friction holds `tau`, and the motion that leads there."""

    def missing(dtheta: float) -> float:
        return law.module.torque(law.module.step(s, dtheta, p), p) - tau

    dtheta = float(brentq(missing, -3.0 * Z_MAX, 3.0 * Z_MAX, xtol=1e-15, rtol=1e-14))
    return law.module.step(s, dtheta, p), dtheta


def _torque_after(law: Physics, s: Any, travel: float, n: int, p: Any) -> float:
    for _ in range(n):
        s = law.module.step(s, travel / n, p)
    return law.module.torque(s, p)


def _tau_f(p: Any) -> float:
    return getattr(p, "tau_f", 0.0)


def _z_max(p: Any) -> float:
    return p.tau_f / p.k_z if hasattr(p, "k_z") else 1e-3
