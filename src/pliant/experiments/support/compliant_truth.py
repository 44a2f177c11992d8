"""Simulated recordings of compliant joints, for experiments that must know the true stiffness.

The springs are Pliant's laws. Motors follow stated sums of sinusoids, started from rest by a smooth
ramp; the link answers, integrated by Runge-Kutta steps of a tenth of a sample or less.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numba import njit

from pliant.arrays import Floats
from pliant.catalogue import load_law
from pliant.lower.law import lower_law

SOURCES = {
    "RAMP": "assumed",
}
"""Place of each number in the paper, or "assumed"."""

compiled = njit(nogil=True, error_model="numpy")

RAMP = 5.0
"""[s] From rest to the full motion of the motors."""


@dataclass(frozen=True, kw_only=True)
class Waves:
    """Motions of motors: `offset` (m,) [rad], and (m, K) sinusoids.

    theta_i(t) = offset_i + ramp(t) sum_k amplitude_ik sin(omega_ik t + phase_ik)
    """

    offset: Floats
    amplitude: Floats
    omega: Floats
    phase: Floats


@dataclass(frozen=True)
class Spring:
    """The springs of one joint, compiled: (q, theta (m,)) to torque and stiffness."""

    torque: Callable[[float, Floats], float]
    stiffness: Callable[[float, Floats], float]


def law_functions(family: str, name: str, numbers: dict[str, float]) -> tuple[Any, Any, Any]:
    """Compiled torque and stiffness of a law, and its parameters; those not named are 0."""
    law = load_law(family, name)
    lowered = lower_law(law, "numba")
    values = [float(numbers.get(field.name, 0.0)) for field in law.parameters]
    return (
        lowered.functions["torque"],
        lowered.functions["stiffness"],
        lowered.structures["P"](*values),
    )


@cache
def series_elastic(k: float) -> Spring:
    """A linear spring of k [N m/rad]."""
    return Spring(*_on_one_motor(*law_functions("compliance", "linear_spring", {"k": k})))


@cache
def awas(k_s: float, r0: float, b: float) -> Spring:
    """AwAS: k_s [N/m], r0 [m], b [m/rad]; motors: main, adjuster."""
    numbers = {"k_s": k_s, "r0": r0, "b": b}
    return Spring(*_adjusted(*law_functions("adjustable_compliance", "awas", numbers)))


@cache
def qbmove(k: float, a: float) -> Spring:
    """Two equal springs of hyperbolic sine: k [N m], a [1/rad]."""
    return Spring(*_on_two_motors(*law_functions("compliance", "sinh_spring", {"k": k, "a": a})))


def _on_one_motor(torque: Any, stiffness: Any, p: Any) -> tuple[Any, Any]:
    def one(function: Any) -> Any:
        def at(q: float, theta: Floats) -> Any:
            return function(q - theta[0], p)

        return compiled(at)

    return one(torque), one(stiffness)


def _on_two_motors(torque: Any, stiffness: Any, p: Any) -> tuple[Any, Any]:
    def both(function: Any) -> Any:
        def at(q: float, theta: Floats) -> Any:
            return function(q - theta[0], p) + function(q - theta[1], p)

        return compiled(at)

    return both(torque), both(stiffness)


def _adjusted(torque: Any, stiffness: Any, p: Any) -> tuple[Any, Any]:
    def adjusted(function: Any) -> Any:
        def at(q: float, theta: Floats) -> Any:
            return function(q, theta[0], theta[1], p)

        return compiled(at)

    return adjusted(torque), adjusted(stiffness)


def motor_positions(waves: Waves, time: Floats) -> Floats:
    """(N, m) [rad]."""
    x = np.clip(time / RAMP, 0.0, 1.0)
    ramp = x**3 * (10.0 - 15.0 * x + 6.0 * x**2)
    angle = waves.omega[None] * time[:, None, None] + waves.phase[None]
    return waves.offset + ramp[:, None] * (waves.amplitude * np.sin(angle)).sum(-1)


@dataclass(frozen=True, eq=False, kw_only=True)
class Truth:
    """The true motion: (N,) time [s], (N, n) q [rad], (N, m) theta, (N, n) sigma [N m/rad]."""

    time: Floats
    q: Floats
    theta: Floats
    sigma: Floats


def pendulum_truth(
    spring: Spring,
    inertia: float,
    gravity_torque: float,
    waves: Waves,
    duration: float,
    dt: float,
    substeps: int = 10,
) -> Truth:
    """One joint with `spring`: M q'' + m g l sin q + tau_e = 0, from rest at q = 0."""
    count = round(duration / dt) + 1
    fine = np.arange(2 * substeps * (count - 1) + 1, dtype=np.float64) * (dt / (2 * substeps))
    theta = motor_positions(waves, fine)
    q, sigma = _pendulum(
        spring.torque, spring.stiffness, inertia, gravity_torque, theta, dt, substeps
    )
    return Truth(
        time=np.arange(count, dtype=np.float64) * dt,
        q=q[:, None],
        theta=theta[:: 2 * substeps].copy(),
        sigma=sigma[:, None],
    )


@compiled
def _pendulum(
    torque: Any, stiffness: Any, inertia: float, mgl: float, theta: Floats, dt: float, substeps: int
) -> tuple[Floats, Floats]:
    """Runge-Kutta 4; theta at every half step."""
    count = (len(theta) - 1) // (2 * substeps) + 1
    positions, sigma = np.empty(count), np.empty(count)
    q, v, h = 0.0, 0.0, dt / substeps
    for k in range(count):
        positions[k], sigma[k] = q, stiffness(q, theta[2 * substeps * k])
        if k == count - 1:
            break
        for j in range(substeps):
            at = 2 * (substeps * k + j)
            a1 = -(mgl * np.sin(q) + torque(q, theta[at])) / inertia
            q2, v2 = q + 0.5 * h * v, v + 0.5 * h * a1
            a2 = -(mgl * np.sin(q2) + torque(q2, theta[at + 1])) / inertia
            q3, v3 = q + 0.5 * h * v2, v + 0.5 * h * a2
            a3 = -(mgl * np.sin(q3) + torque(q3, theta[at + 1])) / inertia
            q4, v4 = q + h * v3, v + h * a3
            a4 = -(mgl * np.sin(q4) + torque(q4, theta[at + 2])) / inertia
            q += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4)
            v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
    return positions, sigma


def encoded(positions: Floats, quantum: float) -> Floats:
    """`positions` as encoders with steps of `quantum` [rad] give them; 0 for exact ones."""
    if quantum == 0.0:
        return positions.copy()
    law = lower_law(load_law("sensing", "encoder"), "numba")
    rows = np.column_stack([positions.ravel(), np.full(positions.size, quantum)])
    return law.evaluate("measured", rows)[:, 0].reshape(positions.shape)


def noisy(positions: Floats, std: float, quantum: float, dt: float, seed: int) -> Floats:
    """(N, m) `positions` as encoders with white noise [rad] before their steps give them, each its own."""
    law = lower_law(load_law("sensing", "noisy_encoder"), "numba")
    seen = np.empty_like(positions)
    for column in range(positions.shape[1]):
        p = law.structures["P"](std, 0.0, 1.0, quantum, float(seed + column))
        start, step, measured = (law.functions[name] for name in ("start", "step", "measured"))
        _sensed(start, step, measured, p, positions[:, column], dt, seen[:, column])
    return seen


@compiled
def _sensed(
    start: Any, step: Any, measured: Any, p: Any, positions: Floats, dt: float, out: Floats
) -> None:
    s = start(p)
    for k in range(len(positions)):
        s = step(s, p, dt)
        out[k] = measured(s, positions[k], p)


def msrep(sigma: Floats, estimate: Floats) -> float:
    """[%] 100 times the mean squared relative error; unknown counts as an error of 100 %."""
    error = np.where(np.isnan(estimate), 1.0, (estimate - sigma) / sigma)
    return float(100.0 * np.mean(error**2))
