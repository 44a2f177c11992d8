"""Coverage of the stated deviations of the stiffness: the share of errors within two, for every compliant joint.

Random motions of each actuator on a pendulum that suits its spring, exact and by encoders of 12 bits;
scored from 20 s on. `python stated_deviations.py DRAWS WORD NAME …` takes other draws, or some actuators.
"""

import sys
import warnings
from dataclasses import dataclass

import numpy as np

import pliant
from pliant.estimate.dynamics import Pendulum
from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.settings import EstimatorSettings, Joint, Mode
from pliant.experiments.support.compliant_truth import (
    Part,
    Spring,
    Truth,
    Waves,
    encoded,
    pendulum_truth,
)
from pliant.io.encoder_file import EncoderLog

SEED, DRAWS = 9301, 30
DT, SECONDS, FROM = 0.005, 100.0, 20.0
SUBSTEPS = 20
"""Simulated steps for each sample: with ten, its own error at the stiffest spring (4e-8) is what the deviation leaves out."""
MODES: tuple[Mode, ...] = ("torque", "rotatum", "paper")
ENCODERS = {"exact": (0.0, 5), "12 bit": (2.0 * np.pi / 4096, 12)}
"""Quantum [rad] and width of the kernel."""
SERIES = (
    "sea_trumic_103",
    "sea_lemon_50_6000",
    "sea_pomegranate_160_9000",
    "csf_17_50_gear",
    "sea_lime_50_21000",
)
"""A linear spring scales with its link, up to 1000 N m/rad: the first represents all of those."""
ANTAGONISTIC = (
    "antagonistic_quadratic",
    "bavs",
    "qbmove_advanced",
    "qbmove_advanced_alterego",
    "qbmove_advanced_equal",
    "qbmove_ilc_joint_1",
    "qbmove_ilc_joint_2",
    "qbmove_maker_pro",
    "qbmove_maker_pro_ilc",
)


@dataclass(frozen=True)
class Link:
    """Link and presets that an actuator of variable stiffness moves, assumed, to suit its springs.

    `inertia` [kg m^2], `gravity_torque` [N m], scales of the deflection [rad] and of the adjuster, and the
    adjuster's mean and swing, or the preset of two motors [rad].
    """

    inertia: float
    gravity_torque: float
    deflection: float
    adjuster: float = 1.0
    mean: float = 0.5
    swing: float = 0.0


LINKS = {
    "awas": Link(1.0, 20.0, 0.15, 2.0, 0.0, 2.0),
    "awas_ii": Link(0.05, 1.0, 0.15, 0.02, 0.0125, 0.004),
    "edinburgh_vsa": Link(0.01, 0.3, 0.3, 1.5, 0.8, 0.4),
    "maccepa_vd": Link(0.01, 0.3, 0.5, 2.0, 1.0, 0.6),
    "bavs": Link(0.1, 2.45, 0.4, mean=0.2),
    "antagonistic_quadratic": Link(0.02, 0.8, 0.6),
}
"""The others of two motors are qbmoves, `QBMOVE`."""
QBMOVE = Link(2.1e-3, 0.23, 0.6)
NAMES = tuple(sorted({*LINKS, *ANTAGONISTIC, *SERIES}))


@dataclass(frozen=True)
class Bench:
    """A joint with its true springs and its link."""

    spring: Spring
    link: Link
    joint: Joint

    @property
    def model(self) -> Pendulum:
        return Pendulum(inertia=self.link.inertia, gravity_torque=self.link.gravity_torque)

    def recording(self, seed: list[int]) -> Truth:
        """A random motion of 100 s."""
        waves = motion(self.joint.kind, self.link, np.random.default_rng(seed))
        link = self.link
        return pendulum_truth(
            self.spring, link.inertia, link.gravity_torque, waves, SECONDS, DT, SUBSTEPS
        )


def bench(name: str) -> Bench:
    """The joint of an actuator of the catalogue."""
    actuator = pliant.load_actuator(name)

    def law(port: str) -> Part:
        own = {n.removeprefix(f"{port}."): n for n in actuator.fields if n.startswith(f"{port}.")}
        values = {symbol: actuator.value(field) for symbol, field in own.items()}
        return actuator.laws[port], values

    if name in SERIES:
        k = actuator.value("spring.k")
        link = Link(*((k / 1000.0, k / 40.0) if k <= 1000.0 else (1.0, 30.0)), 0.0)
        joint = Joint(
            kind="sea",
            phi_scale=link.gravity_torque / k,
            torque_scale=link.gravity_torque,
        )
        return Bench(Spring(law("spring")), link, joint)
    link = LINKS.get(name, QBMOVE)
    if name in ANTAGONISTIC:
        joint = Joint(
            kind="avsa", phi_scale=link.deflection, torque_scale=2.0 * link.gravity_torque
        )
        return Bench(Spring(law("spring_1"), law("spring_2")), link, joint)
    joint = Joint(
        kind="svsa",
        phi_scale=link.deflection,
        torque_scale=link.gravity_torque,
        adjuster_scale=link.adjuster,
    )
    return Bench(Spring(law("spring")), link, joint)


def motion(kind: str, link: Link, rng: np.random.Generator) -> Waves:
    """Two sinusoids of 0.25 to 0.9 rad at 0.5 to 4 rad/s; adjuster or preset swing at 0.3 to 3 rad/s."""
    size, omega = rng.uniform(0.25, 0.9, 2), np.exp(rng.uniform(np.log(0.5), np.log(4.0), 2))
    phase = rng.uniform(0.0, 2.0 * np.pi, 2)
    slow = np.exp(rng.uniform(np.log(0.3), np.log(3.0)))
    start = rng.uniform(0.0, 2.0 * np.pi)
    if kind == "sea":
        return Waves(offset=np.zeros(1), amplitude=size[None], omega=omega[None], phase=phase[None])
    if kind == "svsa":
        return Waves(
            offset=np.array([0.0, link.mean]),
            amplitude=np.array([size, [link.swing, 0.0]]),
            omega=np.array([omega, [slow, 1.0]]),
            phase=np.array([phase, [start, 0.0]]),
        )
    swing = 0.12 * link.mean
    return Waves(
        offset=np.array([link.mean, -link.mean]),
        amplitude=np.array([[*size, swing], [*size, -swing]]),
        omega=np.array([[*omega, slow]] * 2),
        phase=np.array([[*phase, start]] * 2),
    )


@dataclass(frozen=True)
class Score:
    """Score of one recording: parts within two deviations and known, median error and deviation, changes told."""

    within: float
    known: float
    error: float
    deviation: float
    changes: int


def score(of: Bench, truth: Truth, mode: Mode, quantum: float, width: int) -> Score:
    estimator = StiffnessEstimator(
        of.model, [of.joint], DT, mode=mode, settings=EstimatorSettings(width=width)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)
        found = estimator.fit(
            EncoderLog(
                time=truth.time,
                q=encoded(truth.q, quantum),
                theta=encoded(truth.theta, quantum),
            )
        )
    scored = slice(round(FROM / DT), None)
    sigma, true = found.sigma[scored, 0], truth.sigma[scored, 0]
    std, known = found.sigma_std[scored, 0], np.isfinite(sigma)
    changes = len(estimator.changes)
    if not known.any():
        return Score(np.nan, 0.0, np.nan, np.nan, changes)
    error = np.abs(sigma - true)[known]
    return Score(
        float(np.mean(error < 2.0 * std[known])),
        float(known.mean()),
        float(np.median(error / true[known])),
        float(np.median(std[known] / true[known])),
        changes,
    )


def said(scores: list[Score]) -> str:
    """Mean and least part within, medians of error and deviation, all [%]."""
    within = np.array([one.within for one in scores])
    if np.isnan(within).all():
        return "nothing known"
    parts = f"{100 * np.nanmean(within):.0f} ({100 * np.nanmin(within):.0f})"
    error = 100 * np.nanmedian([one.error for one in scores])
    deviation = 100 * np.nanmedian([one.deviation for one in scores])
    known = 100 * np.mean([one.known for one in scores])
    changes = sum(one.changes for one in scores)
    return (
        f"{parts}; {error:.2g}, {deviation:.2g}"
        + (f"; {known:.0f} % known" if known < 99.5 else "")
        + (f"; changes told: {changes}" if changes else "")
    )


def rows(
    draws: int = DRAWS, word: int = SEED, names: tuple[str, ...] = NAMES
) -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    for name in names:
        of = bench(name)
        every = [of.recording([word, k]) for k in range(draws)]
        sound = [one for one in every if np.isfinite(one.q).all() and one.sigma.min() > 0.0]
        for encoders, (quantum, width) in ENCODERS.items():
            found = {
                mode: said([score(of, one, mode, quantum, width) for one in sound])
                for mode in MODES
            }
            what = f"`{name}`, {encoders}, recordings: {len(sound)}; within 2 sd, mean (worst); median error, sd [%]"
            out.append((what, "; ".join(f"{m}: {s}" for m, s in found.items()), ">= 90"))
    return out


if __name__ == "__main__":
    numbers = [int(x) for x in sys.argv[1:3]]
    for row in rows(*numbers, *([tuple(sys.argv[3:])] if sys.argv[3:] else [])):
        print(" | ".join(row), flush=True)
