"""Simulated recordings of compliant joints, for experiments that need the true stiffness.

The springs are Pliant's laws. Motors follow given sums of sinusoids, started from rest by a smooth
ramp; the link's response is integrated by Runge-Kutta steps of a tenth of a sample or less.
"""

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.catalogue import Physics, load_law
from pliant.io.encoder_file import EncoderLog
from pliant.lower.assembly import plant_source
from pliant.lower.kernel import compiled_source
from pliant.lower.law import lower_law
from pliant.lower.source import read_source

SOURCES = {
    "RAMP": "assumed",
}

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


Part = tuple[Physics, Mapping[str, float]]
"""A law and its parameters; those not named are 0."""


class Spring:
    """The springs of one joint: one on each motor, or one on a main motor and an adjuster.

    Attributes:
        laws: of the first and, if there are two, the second. values: their parameters.
    """

    def __init__(self, *parts: Part) -> None:
        self.laws = dict(zip(("first", "second"), (law for law, _ in parts), strict=False))
        self.values = np.concatenate([in_order(law, numbers) for law, numbers in parts])

    def stiffness(self, q: Floats, theta: Floats) -> Floats:
        """(N,) [N m/rad] at positions (N,) of the link and (N, m) of the motors."""
        sigma = np.empty(len(q))
        columns = np.ascontiguousarray(q), np.ascontiguousarray(theta)
        loop("stiffnesses", **self.laws)(self.values, *columns, sigma)
        return sigma


def in_order(law: Physics, numbers: Mapping[str, float]) -> Floats:
    """(P,) Parameters in the law's order."""
    return np.array([float(numbers.get(field.name, 0.0)) for field in law.parameters])


def series_elastic(k: float) -> Spring:
    """A linear spring of k [N m/rad]."""
    return Spring((load_law("compliance", "linear_spring"), {"k": k}))


def awas(k_s: float, r0: float, b: float) -> Spring:
    """AwAS: k_s [N/m], r0 [m], b [m/rad]; motors: main, adjuster."""
    return Spring((load_law("adjustable_compliance", "awas"), {"k_s": k_s, "r0": r0, "b": b}))


def qbmove(k: float, a: float) -> Spring:
    """Two equal springs of hyperbolic sine: k [N m], a [1/rad]."""
    one = load_law("compliance", "sinh_spring"), {"k": k, "a": a}
    return Spring(one, one)


def loop(entry: str, **laws: Physics) -> Callable[..., None]:
    """A function of `compliant_motion`, compiled for these laws."""
    return _loop(entry, tuple(laws.items()))


@cache
def _loop(entry: str, laws: tuple[tuple[str, Physics], ...]) -> Callable[..., None]:
    motion = read_source(Path(__file__).with_name("compliant_motion.py"), "motion")
    motion.bindings = {name: plant_source(law) for name, law in laws}
    for name, law in laws:
        motion.bindings[name].constants |= {
            "ADJUSTED": ast.Constant(law.kind == "adjustable_compliance"),
            "ALONE": ast.Constant("second" not in motion.bindings),
        }
    return compiled_source(motion, [entry], f"motion_{entry}").functions[entry]


def smooth(x: Floats) -> Floats:
    """Smooth step from 0 to 1, with neither speed nor acceleration at the ends."""
    y = np.clip(x, 0.0, 1.0)
    return y**3 * (10.0 - 15.0 * y + 6.0 * y**2)


def motor_positions(waves: Waves, time: Floats) -> Floats:
    """(N, m) [rad]."""
    ramp, theta = smooth(time / RAMP), np.empty((len(time), len(waves.offset)))
    for i, offset in enumerate(waves.offset):
        sines = zip(waves.amplitude[i], waves.omega[i], waves.phase[i], strict=True)
        theta[:, i] = offset + ramp * sum(a * np.sin(w * time + phase) for a, w, phase in sines)
    return theta


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
    q, sigma = np.empty(count), np.empty(count)
    run = loop("pendulum", **spring.laws)
    run(spring.values, inertia, gravity_torque, theta, dt, substeps, q, sigma)
    return Truth(
        time=np.arange(count, dtype=np.float64) * dt,
        q=q[:, None],
        theta=theta[:: 2 * substeps].copy(),
        sigma=sigma[:, None],
    )


def encoded(positions: Floats, quantum: float) -> Floats:
    """`positions` as measured by encoders with steps of `quantum` [rad]; 0 for exact ones."""
    if quantum == 0.0:
        return positions.copy()
    law = lower_law(load_law("sensing", "encoder"), "llvm")
    rows = np.column_stack([positions.ravel(), np.full(positions.size, quantum)])
    return law.evaluate("measured", rows)[:, 0].reshape(positions.shape)


def encoder_log(truth: Truth, quantum: float, first: int = 0) -> EncoderLog:
    """A motion from sample `first` on, as measured by encoders with steps of `quantum` [rad]."""
    q, theta = (encoded(x[first:], quantum) for x in (truth.q, truth.theta))
    return EncoderLog(time=truth.time[first:], q=q, theta=theta)


def noisy(positions: Floats, std: float, quantum: float, dt: float, seed: int) -> Floats:
    """(N, m) `positions` as measured by encoders with steps and independent white noise [rad]."""
    law = load_law("sensing", "noisy_encoder")
    columns, run = np.ascontiguousarray(positions.T), loop("sensed", sensor=law)
    seen = np.empty_like(columns)
    for k in range(len(columns)):
        numbers = {"std": std, "wander": 1.0, "quantum": quantum, "seed": float(seed + k)}
        run(in_order(law, numbers), columns[k], dt, seen[k])
    return seen.T.copy()


def relative_error(sigma: Floats, estimate: Floats) -> Floats:
    """|error| over the true stiffness; unknown counts as 100 %."""
    return np.where(np.isnan(estimate), 1.0, np.abs(estimate / sigma - 1.0))


def msrep(sigma: Floats, estimate: Floats) -> float:
    """[%] 100 times the mean squared relative error; unknown counts as an error of 100 %."""
    error = np.where(np.isnan(estimate), 1.0, (estimate - sigma) / sigma)
    return float(100.0 * np.mean(error**2))
