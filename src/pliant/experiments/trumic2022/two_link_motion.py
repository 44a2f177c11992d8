"""Motor motions of an arm of two qbmoves: first it moves, then it may stand and co-contract."""

from dataclasses import dataclass
from math import exp, log, pi
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.experiments.support.compliant_truth import Truth, encoded, qbmove
from pliant.experiments.trumic2022.two_link_truth import Friction, TwoLink, two_link_truth

SOURCES = {
    "MASS, INERTIA, LENGTH": "section V-B: m, I and l of every link",
    "ARM": "section V-B, Fig. 5, set-up A: two equal links in the vertical plane; the centre at the end, where I = m l^2 puts it",
    "OWN": "assumed: none in the paper",
    "SPRING": "Parnenzini, Table I",
    "SUBSTEPS, FADE": "assumed",
    "PAPER_OMEGA": "section IV-C, Fig. 3",
    "PAPER_AMPLITUDE": "assumed",
}
"""Place of each number in the paper, or "assumed"."""

MASS, INERTIA, LENGTH = 0.26, 2.1e-3, 0.09
"""[kg], [kg m^2] about the joint, [m] Of every link of the paper's three set-ups."""
OWN = 1e-6
"""[kg m^2] About the centre of mass: m l^2 is all of the paper's I, and MuJoCo wants some."""
ARM = TwoLink(
    mass=(MASS, MASS), length=(LENGTH, LENGTH), centre=(LENGTH, LENGTH), inertia=(OWN, OWN)
)
"""Set-up A: the next module is the mass at the end of each link, as the paper's last one is."""
SPRING = (0.022, 6.85)
"""k [N m] and a [1/rad] of every spring, Maker Pro."""
SUBSTEPS = 10
FADE = 3.0
"""[s] From moving to standing, and from one preset to the next."""
DEVELOPMENT, HELD_OUT = 1, 2022
"""First words of the seeds: settings were chosen on the first, results are of the second."""


@dataclass(frozen=True, kw_only=True)
class TwoLinkMotion:
    """Choices that the papers leave open.

    Attributes:
        moving: how long the arm moves [s]. duration: of all [s].
        amplitude, omega: ranges of the two sinusoids of each equilibrium [rad], [rad/s].
        preset: mean [rad]. learning, contracting: amplitude of the preset's sinusoid while moving
            and afterwards [rad]. preset_omega: range of its frequency [rad/s].
        hold: range of the angles at which the arm comes to stand [rad].
        dt: sample time [s].
    """

    moving: float
    duration: float
    amplitude: tuple[float, float] = (0.25, 0.6)
    omega: tuple[float, float] = (0.5, 3.0)
    preset: float = 0.5
    learning: float = 0.06
    contracting: float = 0.2
    preset_omega: tuple[float, float] = (0.4, 2.0)
    hold: tuple[float, float] = (-0.5, 0.5)
    dt: float = 0.005


def motor_motion(
    motion: TwoLinkMotion, seed: Literal["held-out", "development"], number: int
) -> Floats:
    """(2 SUBSTEPS (N - 1) + 1, 4) [rad] motors of draw `number` at every half step."""
    rng = np.random.default_rng([HELD_OUT if seed == "held-out" else DEVELOPMENT, 9, number])
    t = _half_steps(motion)
    moves = _smooth(t / 5.0) * (1.0 - _smooth((t - motion.moving) / FADE))
    stands = _smooth((t - motion.moving) / FADE)
    contracts = _smooth((t - motion.moving - FADE) / FADE)
    size = motion.learning * _smooth(t / 5.0) * (1.0 - contracts) + motion.contracting * contracts
    columns: list[Floats] = []
    for _ in range(2):
        equilibrium = np.zeros_like(t)
        for _ in range(2):
            angle = _between(rng, motion.omega) * t + rng.uniform(0.0, 2.0 * pi)
            equilibrium += rng.uniform(*motion.amplitude) * np.sin(angle)
        slow = _between(rng, motion.preset_omega) * t + rng.uniform(0.0, 2.0 * pi)
        preset = motion.preset + size * np.sin(slow)
        mean = equilibrium * moves + rng.uniform(*motion.hold) * stands
        columns += [mean + preset, mean - preset]
    return np.stack(columns, -1)


PAPER_OMEGA = pi / 6.0
"""[rad/s] Of both equilibria in Fig. 3 of Trumić et al. 2022."""
PAPER_AMPLITUDE = (0.8, 0.6)
"""[rad] Of shoulder and elbow: assumed."""


def paper_motion(motion: TwoLinkMotion) -> Floats:
    """Like `motor_motion`: one slow sinusoid for each equilibrium, as in Fig. 3."""
    t = _half_steps(motion)
    rise = _smooth(t / 5.0)
    preset = motion.preset + motion.learning * rise * np.sin(0.9 * t)
    columns: list[Floats] = []
    for size in PAPER_AMPLITUDE:
        equilibrium = size * rise * np.sin(PAPER_OMEGA * t)
        columns += [equilibrium + preset, equilibrium - preset]
    return np.stack(columns, -1)


def _half_steps(motion: TwoLinkMotion) -> Floats:
    steps = 2 * SUBSTEPS * round(motion.duration / motion.dt)
    return np.arange(steps + 1, dtype=np.float64) * (motion.dt / (2 * SUBSTEPS))


def simulate(
    motion: TwoLinkMotion, friction: Friction, seed: Literal["held-out", "development"], number: int
) -> Truth:
    """The motion of the arm in draw `number`."""
    return moved(motion, friction, motor_motion(motion, seed, number))


def moved(motion: TwoLinkMotion, friction: Friction, theta: Floats) -> Truth:
    """The motion of the arm for motors `theta` at every half step."""
    return two_link_truth(ARM, qbmove(*SPRING), friction, theta, motion.dt, SUBSTEPS)


def measured(truth: Truth, quantum: float) -> tuple[Floats, Floats]:
    """Links and motors as encoders with steps of `quantum` [rad] give them."""
    return encoded(truth.q, quantum), encoded(truth.theta, quantum)


def _between(rng: np.random.Generator, limits: tuple[float, float]) -> float:
    """Log-uniform."""
    return exp(rng.uniform(log(limits[0]), log(limits[1])))


def _smooth(x: Floats) -> Floats:
    """Smooth step from 0 to 1, with neither speed nor acceleration at the ends."""
    y = np.clip(x, 0.0, 1.0)
    return y**3 * (10.0 - 15.0 * y + 6.0 * y**2)
