"""A planar arm of two links on compliant joints with friction: simulation, model, and motions of its motors.

Angles hang down at zero, the second relative to the first. The simulation is in closed form; the
estimator is given the same arm as a MuJoCo model, so that the two check each other. Friction of the
links is Pliant's elasto-plastic law (a Coulomb torque that builds up over a small displacement)
beside a viscous torque.
"""

from dataclasses import dataclass
from math import exp, log, pi
from typing import Literal

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.catalogue import load_law
from pliant.estimate.settings import Joint
from pliant.experiments.support.benches import GRAVITY
from pliant.experiments.support.compliant_truth import (
    Spring,
    Truth,
    in_order,
    loop,
    qbmove,
    smooth,
)


@dataclass(frozen=True, kw_only=True)
class TwoLink:
    """The numbers of both links.

    Attributes:
        mass: [kg]. length: [m]. centre: distance of the centre of mass from the joint [m].
        inertia: about the centre of mass [kg m^2].
    """

    mass: tuple[float, float]
    length: tuple[float, float]
    centre: tuple[float, float]
    inertia: tuple[float, float]

    def scaled(self, what: str, link: int, factor: float) -> "TwoLink":
        """The arm with one number of one link (0 or 1) multiplied; inertia is that about its joint.

        The inertia about the centre of mass may become negative, which is impossible for a real link.
        """
        values = {
            name: list(getattr(self, name)) for name in ("mass", "length", "centre", "inertia")
        }
        if what == "inertia":
            steiner = self.mass[link] * self.centre[link] ** 2
            values[what][link] = factor * (self.inertia[link] + steiner) - steiner
        else:
            values[what][link] *= factor
        return TwoLink(**{name: (pair[0], pair[1]) for name, pair in values.items()})

    @property
    def terms(self) -> tuple[float, float, float, float, float]:
        """M11 where cos q2 = 0, m2 l1 c2, M22, and the largest torques of gravity at the joints."""
        (m1, m2), l1, (c1, c2), (i1, i2) = self.mass, self.length[0], self.centre, self.inertia
        far = i2 + m2 * c2 * c2
        near = i1 + m1 * c1 * c1 + m2 * l1 * l1 + far
        return near, m2 * l1 * c2, far, GRAVITY * (m1 * c1 + m2 * l1), GRAVITY * m2 * c2

    def model(self) -> mujoco.MjModel:
        """The arm for MuJoCo."""
        inertial = [
            f'<inertial pos="0 0 {-c}" mass="{m}" diaginertia="{i} {i} {i}"/>'
            for m, c, i in zip(self.mass, self.centre, self.inertia, strict=True)
        ]
        return mujoco.MjModel.from_xml_string(f"""
        <mujoco><option gravity="0 0 -{GRAVITY}"/><compiler angle="radian"/><worldbody>
          <body><joint name="shoulder" axis="0 1 0"/>{inertial[0]}
            <body pos="0 0 {-self.length[0]}"><joint name="elbow" axis="0 1 0"/>{inertial[1]}</body>
          </body></worldbody></mujoco>""")


@dataclass(frozen=True, kw_only=True)
class Friction:
    """On each link: Coulomb [N m], the stiffness over which it builds up [N m/rad], viscous."""

    coulomb: float
    presliding: float
    viscous: float


def two_link_truth(
    arm: TwoLink, spring: Spring, friction: Friction, theta: Floats, dt: float, substeps: int
) -> Truth:
    """The motion from rest at zero for motor positions `theta`.

    Args:
        arm: its links. spring: of both joints, with m motors each. friction: of both links.
        theta: (2 substeps (N - 1) + 1, 2 m) [rad] motors at every half step.
        dt: sample time [s]. substeps: integration steps in it.
    """
    law = load_law("friction_state", "elastoplastic")
    rubbing = in_order(law, {"tau_f": max(friction.coulomb, 1e-6), "k_z": friction.presliding})
    count = (len(theta) - 1) // (2 * substeps) + 1
    q, sigma = np.empty((count, 2)), np.empty((count, 2))
    loop("arm", friction=law, **spring.laws)(
        spring.values,
        rubbing,
        friction.viscous,
        np.array(arm.terms),
        theta,
        dt,
        substeps,
        np.zeros((6, 6)),
        q,
        sigma,
    )
    time = np.arange(count, dtype=np.float64) * dt
    return Truth(time=time, q=q, theta=theta[:: 2 * substeps].copy(), sigma=sigma)


SOURCES = {
    "MASS, INERTIA, LENGTH": "section V-B: m, I and l of every link",
    "ARM": "section V-B, Fig. 5, set-up A: two equal links in the vertical plane; the centre at the end, where I = m l^2 puts it",
    "OWN": "assumed: none in the paper",
    "SPRING": "Parnenzini, Table I",
    "SUBSTEPS, FADE": "assumed",
    "JOINT": "assumed: scales of the estimator",
    "CRITERION": "section V-A",
    "PAPER_OMEGA": "section IV-C, Fig. 3",
    "PAPER_AMPLITUDE": "assumed",
}

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
JOINT = Joint(kind="avsa", phi_scale=0.6, torque_scale=0.5)
"""Scales of the estimator for such a joint."""
CRITERION = 0.2
"""Relative error that is the paper's criterion."""
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
    moves = smooth(t / 5.0) * (1.0 - smooth((t - motion.moving) / FADE))
    stands = smooth((t - motion.moving) / FADE)
    contracts = smooth((t - motion.moving - FADE) / FADE)
    size = motion.learning * smooth(t / 5.0) * (1.0 - contracts) + motion.contracting * contracts
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
    rise = smooth(t / 5.0)
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


def _between(rng: np.random.Generator, limits: tuple[float, float]) -> float:
    """Log-uniform."""
    return exp(rng.uniform(log(limits[0]), log(limits[1])))
