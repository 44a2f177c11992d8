"""Stiffness of a qbmove joint and of an arm that moves in space, with realistic recordings.

After experiments 1 and 3 of Trumić et al. 2022 (Figs. 6 and 8), in simulation: one joint that moves and then
stands in co-contraction, and the arm of set-up B. The motors have their own control and friction, so has
every link, and all positions are seen through noise and 12-bit encoders. The simulation is MuJoCo's with
Pliant's actuators; the estimator is given the rigid bodies alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, pi, sin
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.spec.names import PRESET
from pliant.estimate.dynamics_mujoco import MujocoDynamics
from pliant.estimate.estimator import Estimate, StiffnessEstimator
from pliant.estimate.settings import EstimatorSettings
from pliant.experiments.support.benches import Segment, driven, empty, hinge, one_joint, weigh
from pliant.experiments.support.compliant_truth import Truth, msrep, noisy, qbmove, relative_error
from pliant.experiments.support.recipe import Outcome, Row
from pliant.experiments.trumic2022 import panels
from pliant.experiments.trumic2022.two_link_truth import (
    CRITERION,
    FADE,
    INERTIA,
    JOINT,
    LENGTH,
    MASS,
    SPRING,
)
from pliant.io.actuator_file import load_actuator
from pliant.io.encoder_file import EncoderLog
from pliant.io.robot_log import Bools
from pliant.robots.mode import with_mode

NAME = "estimator_arms"
TITLE = (
    "Stiffness of a qbmove joint and of an arm in space, 12-bit encoders (Trumić 2022, Figs. 6, 8)"
)

SOURCES = {
    "actuator": "section V: qbmove Maker Pro; its numbers from Parnenzini, Table I",
    "damping, friction, amplitude, omega, preset, preset_amplitude, contracting": "assumed: Figs. 6 and 8 are pictures",
    "moving, duration, learned": "assumed: shorter than in Figs. 6 and 8",
    "quantum": "assumed for this paper: 12 bits, as Parnenzini, section II-A, says of the device",
    "dt": "section V-A, Fig. 5: T = 5 ms",
    "noise, width, prior, timestep, seed": "assumed",
    "MEASURED": "Fig. 6 and Fig. 8",
    "LINK": "section V-B",
}

MEASURED = {
    "one joint, moving": "0.71 %",
    "one joint, in co-contraction": "0.26 %",
    "arm B, joint_1": "3.6 %",
    "arm B, joint_2": "7.1 %",
}
"""MSREP measured in the paper."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuator: of all joints. damping, friction: of the links [N m s/rad], [N m].
        moving: how long joint and arm move; then the joint stands and co-contracts until `duration`.
        learned: when the estimate is scored from. All in [s].
        amplitude, omega: ranges of the two sinusoids of each equilibrium [rad], [rad/s].
        preset, preset_amplitude: mean and sinusoid of all presets [rad]; contracting: of the latter then.
        quantum: encoder step [rad]. noise: standard deviation before it [rad]. dt: sample time [s].
        width, prior: of the estimator. timestep: of the simulation [s]. seed: of motion and noise.
    """

    actuator: str = "qbmove_maker_pro"
    damping: float = 0.01
    friction: float = 0.02
    moving: float = 45.0
    duration: float = 70.0
    learned: float = 20.0
    amplitude: tuple[float, float] = (0.25, 0.5)
    omega: tuple[float, float] = (0.7, 2.5)
    preset: float = 0.5
    preset_amplitude: float = 0.06
    contracting: float = 0.15
    quantum: float = 2.0 * pi / 4096
    noise: float = 5e-4
    dt: float = 0.005
    width: int = 12
    prior: float = 1e4
    timestep: float = 1e-3
    seed: int = 2022


LINK = Segment(mass=MASS, centre=LENGTH, inertia=INERTIA + 1e-5, length=LENGTH)
"""The paper's link, a point mass at the end; MuJoCo requires a little more inertia than m l^2."""


def joint(settings: Settings) -> mujoco.MjSpec:
    """The paper's link on one hanging joint."""
    return one_joint(
        LINK,
        timestep=settings.timestep,
        damping=settings.damping,
        friction=settings.friction,
        zero=-0.5 * pi,
    )


def arm(settings: Settings) -> mujoco.MjSpec:
    """Set-up B by its Denavit-Hartenberg parameters, (a, alpha, d): (l, -pi/2, 0), (l, 0, 0).

    The first axis is assumed to be vertical.
    """
    spec = empty(settings.timestep)
    parent, place, turn = spec.worldbody, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]
    for name, alpha in (("joint_1", -0.5 * pi), ("joint_2", 0.0)):
        link = parent.add_body(name=name, pos=place, quat=turn)
        hinge(link, name, [0, 0, 1], damping=settings.damping, frictionloss=settings.friction)
        weigh(link, LINK.mass, LINK.inertia - LINK.mass * LENGTH**2, centre=LENGTH)
        parent, place = link, [LENGTH, 0.0, 0.0]
        turn = [cos(0.5 * alpha), sin(0.5 * alpha), 0.0, 0.0]
    return spec


ROBOTS: dict[str, Callable[[Settings], mujoco.MjSpec]] = {"one joint": joint, "arm B": arm}


def recorded(robot: str, settings: Settings) -> Truth:
    """The motion of `robot`, every sample, with the true stiffness."""
    spec = ROBOTS[robot](settings)
    names = [one.name for one in spec.joints]
    unit = with_mode(load_actuator(settings.actuator), 6)
    told = _commands(names, settings, stands=robot == "one joint")
    motion = driven(spec, dict.fromkeys(names, unit), len(told[names[0]]), told)
    assert motion.attached is not None
    every = slice(0, None, round(settings.dt / settings.timestep))
    q = np.column_stack([motion.position(name)[every] for name in names])
    # A step begins with the motor's turn at its speed, which is still to come in its state.
    late = settings.timestep / motion.attached.joints[0].steps.substeps
    theta = np.column_stack(
        [
            (
                motion.state(name, f"rotor_{k}.theta")
                + late * motion.state(name, f"rotor_{k}.omega")
            )[every]
            for name in names
            for k in (1, 2)
        ]
    )
    spring = qbmove(*SPRING)
    sigma = np.column_stack(
        [spring.stiffness(q[:, i], theta[:, 2 * i : 2 * i + 2]) for i in range(len(names))]
    )
    time = settings.dt * np.arange(len(q), dtype=np.float64)
    return Truth(time=time, q=q, theta=theta, sigma=sigma)


def _commands(names: list[str], settings: Settings, *, stands: bool) -> dict[str, Floats]:
    """Two sinusoids for each equilibrium, one for each preset, from rest; with `stands`, it stops at the end."""
    rng = np.random.default_rng(settings.seed)
    end = settings.duration if stands else settings.moving
    t = settings.timestep * np.arange(round(end / settings.timestep), dtype=np.float64)
    fade = np.clip((t - settings.moving) / FADE, 0.0, 1.0)
    moves = np.minimum(t / 5.0, 1.0) * (1.0 - fade)
    size = settings.preset_amplitude + (settings.contracting - settings.preset_amplitude) * fade
    found: dict[str, Floats] = {}
    for name in names:
        goal = np.zeros(len(t))
        for _ in range(2):
            turn = rng.uniform(*settings.omega) * t + rng.uniform(0.0, 2.0 * pi)
            goal += rng.uniform(*settings.amplitude) * np.sin(turn)
        slow = np.sin(rng.uniform(0.4, 1.0) * t + rng.uniform(0.0, 2.0 * pi))
        found[name] = moves * goal
        found[f"{name}{PRESET}"] = settings.preset + size * slow
    return found


def estimate(robot: str, truth: Truth, settings: Settings) -> tuple[Estimate, Floats, list[str]]:
    """Online estimates from noisy encoders; (N, n, p) learned parameters; warnings."""
    both = np.concatenate([truth.q, truth.theta], axis=1)
    seen = noisy(both, settings.noise, settings.quantum, settings.dt, settings.seed)
    log = EncoderLog(
        time=truth.time, q=seen[:, : truth.q.shape[1]], theta=seen[:, truth.q.shape[1] :]
    )
    model = ROBOTS[robot](settings).compile()

    def estimator() -> StiffnessEstimator:
        return StiffnessEstimator(
            MujocoDynamics(model),
            [JOINT] * model.njnt,
            settings.dt,
            settings=EstimatorSettings(width=settings.width, prior=settings.prior),
        )

    found, words = panels.fitted(estimator(), log)
    return found, panels.learned(estimator(), log), words


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The joint, then the arm."""
    settings = settings or Settings()
    rows: list[Row] = []
    figures: list[Path] = []
    for robot in ROBOTS:
        truth = recorded(robot, settings)
        found, learned, words = estimate(robot, truth, settings)
        parts = _parts(robot, truth, settings)
        rows += [_row(name, truth, found, k, scored, words) for name, (k, scored) in parts.items()]
        names = [f"{robot}, joint {k + 1}" for k in range(truth.q.shape[1])]
        file = f"{NAME}_{robot.replace(' ', '_')}"
        figures.append(panels.save(names, truth, found, learned, folder, file))
    return Outcome(rows=rows, figures=figures, notes=_notes(settings))


def _parts(robot: str, truth: Truth, settings: Settings) -> dict[str, tuple[int, Bools]]:
    """Scored quantities: name to joint and samples."""
    moving = (truth.time >= settings.learned) & (truth.time < settings.moving)
    if robot == "arm B":
        return {f"arm B, joint_{k + 1}": (k, moving) for k in range(2)}
    standing = truth.time >= settings.moving + FADE
    return {"one joint, moving": (0, moving), "one joint, in co-contraction": (0, standing)}


def _row(name: str, truth: Truth, found: Estimate, k: int, scored: Bools, words: list[str]) -> Row:
    true, sigma = truth.sigma[scored, k], found.sigma[scored, k]
    error = relative_error(true, sigma)
    covered = np.abs(sigma - true) < 2.0 * found.sigma_std[scored, k]
    return Row(
        f"MSREP, {name}",
        MEASURED[name],
        f"{msrep(true, sigma):.2g} %",
        f"error below 20 % for {100.0 * np.mean(error < CRITERION):.4g} % of the time, median "
        f"{100.0 * np.median(error):.2g} %; within 2 stated deviations {100.0 * np.mean(covered):.0f} %; "
        f"warned: {'; '.join(words) or 'nothing'}",
    )


def _notes(settings: Settings) -> list[str]:
    return [
        f"Encoders with {1e3 * settings.quantum:.2g} mrad steps and noise of "
        f"{1e3 * settings.noise:.2g} mrad before; links with {settings.friction:g} N m of Coulomb "
        f"friction and {settings.damping:g} N m s/rad; {settings.moving:g} s of motion, scored from "
        f"{settings.learned:g} s; one joint then stands and co-contracts until {settings.duration:g} s.",
        "Given by the paper (section V-B, Fig. 5): links of 0.26 kg, 2.1e-3 kg m^2 and 0.09 m, and the axes of set-up B. "
        "Its motions are shown and not given; that the first axis of B is upright is assumed.",
        "The paper's figures are of the device, against a spring model that is right to 20 %; here the springs are known. "
        "A simulation: the rigid bodies are known exactly, and the springs have neither hysteresis "
        "nor backlash, which would dominate on hardware.",
    ]
