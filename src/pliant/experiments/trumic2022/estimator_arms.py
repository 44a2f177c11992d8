"""Stiffness of a qbmove joint and of an arm that moves in space, recorded as real ones are.

After the experiments of Trumić et al. 2022 with one joint and with an arm in three dimensions, in
simulation: the motors have their own control and friction, so has every link, and all positions are
seen through noise and 12-bit encoders. The simulation is MuJoCo's with Pliant's actuators; the
estimator is given the rigid bodies alone.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from math import pi
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.attach import attach
from pliant.engines.mujoco.batch.trials import controls, played
from pliant.engines.spec.names import PRESET
from pliant.estimate.dynamics_mujoco import MujocoDynamics
from pliant.estimate.estimator import Estimate, StiffnessEstimator, StiffnessWarning
from pliant.estimate.joint import Joint
from pliant.estimate.settings import EstimatorSettings
from pliant.experiments.support.benches import FLANGE_AND_CUBE, empty, one_joint, weigh
from pliant.experiments.support.compliant_truth import Truth, noisy, qbmove
from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure
from pliant.io.actuator_file import load_actuator
from pliant.io.encoder_log import EncoderLog
from pliant.robots.mode import with_mode

NAME = "estimator_arms"
TITLE = "Stiffness of a qbmove joint and of a three-joint arm in space, 12-bit encoders with noise"

SOURCES = {
    "actuator, damping, friction, duration, learned, amplitude, omega, preset, preset_amplitude": "assumed: a simulation after the paper's experiments",
    "quantum": "experiments: encoders of 12 bits",
    "noise, dt, width, prior, timestep, seed": "assumed",
    "CRITERION": "section of Figs. 6 to 8",
    "JOINT": "assumed: scales of the estimator",
    "SPRING": "Parnenzini, Table I, as the actuator has them",
    "HANGS, OUT, CUBE, CUBE_INERTIA": "assumed: cubes of 90 mm, slender",
}
"""Place of each number in the paper, or "assumed"."""

CRITERION = 0.2
"""Relative error that the paper takes as its criterion."""
JOINT = Joint(kind="avsa", phi_scale=0.6, torque_scale=0.5)
SPRING = (0.022, 6.85)
"""k [N m] and a [1/rad] of the springs of the actuator, for the truth."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        actuator: of all joints. damping, friction: of the links [N m s/rad], [N m].
        duration: [s]. learned: when the estimate is scored from [s].
        amplitude, omega: ranges of the two sinusoids of each equilibrium [rad], [rad/s].
        preset, preset_amplitude: mean and sinusoid of all presets [rad].
        quantum: encoder step [rad]. noise: standard deviation before it [rad]. dt: sample time [s].
        width, prior: of the estimator. timestep: of the simulation [s]. seed: of motion and noise.
    """

    actuator: str = "qbmove_maker_pro"
    damping: float = 0.01
    friction: float = 0.02
    duration: float = 45.0
    learned: float = 20.0
    amplitude: tuple[float, float] = (0.25, 0.5)
    omega: tuple[float, float] = (0.7, 2.5)
    preset: float = 0.5
    preset_amplitude: float = 0.06
    quantum: float = 2.0 * pi / 4096
    noise: float = 5e-4
    dt: float = 0.005
    width: int = 12
    prior: float = 1e4
    timestep: float = 2.5e-4
    seed: int = 2022


def joint(settings: Settings) -> mujoco.MjSpec:
    """A flange and a cube on one hanging joint."""
    return one_joint(
        FLANGE_AND_CUBE,
        timestep=settings.timestep,
        damping=settings.damping,
        friction=settings.friction,
        zero=-0.5 * pi,
    )


AXES = {"yaw": [0, 0, 1], "pitch": [0, 1, 0], "roll": [1, 0, 0]}
"""Joints of the arm in space, each turning about another direction."""
CUBE, CUBE_INERTIA = 0.26, 1.755e-4
"""[kg], [kg m^2] Of each link of the arm."""
HANGS, OUT = 0.09, 0.04
"""[m] Each cube hangs below its joint, and stands out to the side, so that every joint is loaded."""


def arm(settings: Settings) -> mujoco.MjSpec:
    """Three cubes below each other, on joints about three axes; the base is tilted by 0.5 rad."""
    spec = empty(settings.timestep)
    tilt = [np.cos(0.25), 0.0, np.sin(0.25), 0.0]
    parent, place = spec.worldbody.add_body(name="base", quat=tilt), [0.0, 0.0, 0.0]
    for name, axis in AXES.items():
        link = parent.add_body(name=name, pos=place)
        link.add_joint(
            name=name,
            type=mujoco.mjtJoint.mjJNT_HINGE,
            axis=axis,
            damping=settings.damping,
            frictionloss=settings.friction,
        )
        part = link.add_body(name=f"{name}_cube", pos=[OUT, 0.0, -0.5 * HANGS])
        weigh(part, CUBE, CUBE_INERTIA)
        parent, place = link, [0.0, 0.0, -HANGS]
    return spec


ROBOTS: dict[str, Callable[[Settings], mujoco.MjSpec]] = {
    "one joint": joint,
    "arm in space": arm,
}


def recorded(robot: str, settings: Settings) -> Truth:
    """The motion of `robot`, every sample, with the true stiffness."""
    spec = ROBOTS[robot](settings)
    names = [one.name for one in spec.joints]
    unit = with_mode(load_actuator(settings.actuator), 6)
    attached = attach(spec, dict.fromkeys(names, unit))
    model = spec.compile()
    steps = round(settings.duration / settings.timestep)
    motion = played(model, controls(model, steps, _commands(names, settings)), attached=attached)
    every = slice(0, None, round(settings.dt / settings.timestep))
    q = np.column_stack([motion.position(name)[every] for name in names])
    theta = np.column_stack(
        [motion.state(name, f"rotor_{side}.theta")[every] for name in names for side in (1, 2)]
    )
    spring = qbmove(*SPRING)
    sigma = np.column_stack(
        [spring.stiffness(q[:, i], theta[:, 2 * i : 2 * i + 2]) for i in range(len(names))]
    )
    time = settings.dt * np.arange(len(q), dtype=np.float64)
    return Truth(time=time, q=q, theta=theta, sigma=sigma)


def _commands(names: list[str], settings: Settings) -> dict[str, Floats | float]:
    """Two sinusoids for each equilibrium, one for each preset, from rest."""
    rng = np.random.default_rng(settings.seed)
    steps = round(settings.duration / settings.timestep)
    t = settings.timestep * np.arange(steps, dtype=np.float64)
    rise = np.minimum(t / 5.0, 1.0)
    found: dict[str, Floats | float] = {}
    for name in names:
        goal = np.zeros(steps)
        for _ in range(2):
            turn = rng.uniform(*settings.omega) * t + rng.uniform(0.0, 2.0 * pi)
            goal += rng.uniform(*settings.amplitude) * np.sin(turn)
        slow = np.sin(rng.uniform(0.4, 1.0) * t + rng.uniform(0.0, 2.0 * pi))
        found[name] = rise * goal
        found[f"{name}{PRESET}"] = settings.preset + settings.preset_amplitude * slow
    return found


def estimate(robot: str, truth: Truth, settings: Settings) -> tuple[Estimate, list[str]]:
    """Online estimates from what encoders with noise say, and the estimator's warnings."""
    both = np.concatenate([truth.q, truth.theta], axis=1)
    seen = noisy(both, settings.noise, settings.quantum, settings.dt, settings.seed)
    q, theta = seen[:, : truth.q.shape[1]], seen[:, truth.q.shape[1] :]
    model = ROBOTS[robot](settings).compile()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", StiffnessWarning)
        found = StiffnessEstimator(
            MujocoDynamics(model),
            [JOINT] * model.njnt,
            settings.dt,
            settings=EstimatorSettings(width=settings.width, prior=settings.prior),
        ).fit(EncoderLog(time=truth.time, q=q, theta=theta))
    return found, [str(one.message) for one in caught]


def run(settings: Settings | None, folder: Path) -> Outcome:
    """The joint, then the arm."""
    settings = settings or Settings()
    rows: list[Row] = []
    figure, axes = new_figure(4, 1, height=9.0)
    panels = iter(axes)
    for robot in ROBOTS:
        truth = recorded(robot, settings)
        found, words = estimate(robot, truth, settings)
        rows += _rows(robot, truth, found, words, settings)
        for k in range(truth.q.shape[1]):
            panel, true = next(panels), truth.sigma[:, k]
            panel.fill_between(truth.time, 0.8 * true, 1.2 * true, alpha=0.2, label="± 20 %")
            panel.plot(truth.time, found.sigma[:, k], lw=0.8, label="estimated")
            panel.plot(truth.time, true, "--", lw=0.8, label="true")
            name = robot if robot == "one joint" else f"{robot}, {list(AXES)[k]}"
            panel.set(title=name, ylabel="N m/rad", ylim=(0.0, 1.3 * float(true.max())))
    axes[0].legend(ncols=3, fontsize=8)
    axes[-1].set_xlabel("time [s]")
    return Outcome(rows=rows, figures=[save_figure(figure, folder, NAME)], notes=_notes(settings))


def _rows(
    robot: str, truth: Truth, found: Estimate, words: list[str], settings: Settings
) -> list[Row]:
    names = [robot] if robot == "one joint" else [f"{robot}, {name}" for name in AXES]
    scored = truth.time >= settings.learned
    true, sigma, std = truth.sigma[scored], found.sigma[scored], found.sigma_std[scored]
    error = np.where(np.isnan(sigma), 1.0, np.abs(sigma / true - 1.0))
    covered = np.abs(sigma - true) < 2.0 * std
    warned = "; ".join(words) or "nothing"
    return [
        Row(
            f"error below 20 %, {name}",
            "below 20 %",
            f"{100.0 * np.mean(error[:, k] < CRITERION):.4g} % of the time, median "
            f"{100.0 * np.median(error[:, k]):.2g} %",
            f"within 2 stated deviations {100.0 * np.mean(covered[:, k]):.0f} %; warned: {warned}",
        )
        for k, name in enumerate(names)
    ]


def _notes(settings: Settings) -> list[str]:
    return [
        f"Encoders with {1e3 * settings.quantum:.2g} mrad steps and noise of "
        f"{1e3 * settings.noise:.2g} mrad before; links with {settings.friction:g} N m of Coulomb "
        f"friction and {settings.damping:g} N m s/rad; {settings.duration:g} s, scored from "
        f"{settings.learned:g} s.",
        "The paper gives neither links nor motions of these experiments: a flange and a cube on one "
        "joint, and three cubes of 0.26 kg on joints about three axes with a tilted base, are "
        "assumed.",
        "The simulation's step is small, since one of 1 ms looks to the estimator like motors read 1 ms "
        "late: spring and link see each other's place of the step before.",
        "A simulation: the rigid bodies are known exactly, and the springs have neither hysteresis "
        "nor backlash, which would dominate on hardware.",
    ]
