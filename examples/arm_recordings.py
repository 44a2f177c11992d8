"""Recordings of a simulated arm, which `identify_arm.py` uses instead of a real one.

The robot is simulated more finely than any model fitted to it (0.1 ms, another integrator). Its commands
arrive late, and its positions are read by 12-bit encoders with some noise.
"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path

import mujoco
import numpy as np

import pliant
from pliant.robots import RobotLog

STEP, SAMPLE = 1e-4, 5e-3
"""[s] Of the simulation, of the recording."""
QUANTUM = 2.0 * math.pi / 4096
NOISE = 0.5e-3
"""[rad]"""

Motion = Callable[[float], tuple[float, ...]]


def fast(t: float) -> tuple[float, float]:
    """Slow and fast sines."""
    return (
        0.7 * math.sin(1.5 * t) + 0.25 * math.sin(8.0 * t),
        -0.9 * math.sin(1.1 * t) + 0.3 * math.sin(9.5 * t),
    )


def rising(t: float) -> tuple[float, float]:
    """Sines of rising frequency."""
    return 0.6 * math.sin(0.9 * t * t), 0.8 * math.sin(0.7 * t * t + 0.3 * t)


def steps(t: float) -> tuple[float, float]:
    """One joint after the other, and rest."""
    return 0.8 * ((t % 4.0) > 1.0), -1.0 * ((t % 3.0) > 1.4)


def slow(t: float) -> tuple[float, float]:
    """Raise, then lower."""
    return 1.1 * math.sin(0.5 * t) ** 3, 0.9 * math.sin(0.7 * t)


def mixed(t: float) -> tuple[float, float]:
    """A motion unlike the others."""
    return (
        0.5 * math.sin(2.3 * t) + 0.3 * math.tanh(10.0 * math.sin(1.3 * t)),
        0.6 * math.sin(3.1 * t) - 0.3 * math.tanh(10.0 * math.sin(1.9 * t)),
    )


MOTIONS: dict[str, Motion] = {
    "fast": fast,
    "rising": rising,
    "steps": steps,
    "slow": slow,
    "mixed": mixed,
}


def record(
    path: Path | str,
    actuators: Mapping[str, pliant.Actuator],
    motion: str,
    *,
    seconds: float = 6.0,
    mass: Mapping[str, float] | None = None,
    off_from: float = math.inf,
    noise: float = NOISE,
    seed: int = 0,
) -> RobotLog:
    """One run of the arm in `path`.

    Args:
        path: MJCF. actuators: joint to its true actuator. motion: one of `MOTIONS`.
        seconds: how long. mass: body to factor of its real mass and inertia.
        off_from: [s] when the torque is switched off. noise: [rad] of the encoders.
        seed: of the noise.
    """
    spec = mujoco.MjSpec.from_file(str(path))
    for entry in list(spec.actuators):
        spec.delete(entry)
    for name, factor in (mass or {}).items():
        body = spec.body(name)
        body.mass, body.inertia = body.mass * factor, np.array(body.inertia) * factor
    spec.option.timestep = STEP
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    pliant.attach(spec, actuators)
    for joint in actuators:
        spec.actuator(joint).group = 1
    model = spec.compile()
    data = mujoco.MjData(model)
    places = [int(model.joint(joint).qposadr[0]) for joint in actuators]
    controls = [model.actuator(joint).id for joint in actuators]
    time = SAMPLE * np.arange(round(seconds / SAMPLE), dtype=np.float64)
    goal = np.array([MOTIONS[motion](t) for t in time])
    true = np.empty_like(goal)
    data.qpos[places] = goal[0]
    for k, t in enumerate(time):
        true[k] = data.qpos[places]
        data.ctrl[controls] = goal[k]
        model.opt.disableactuator = 2 if t >= off_from else 0
        mujoco.mj_step(model, data, nstep=round(SAMPLE / STEP))
    read = true + noise * np.random.default_rng(seed).normal(size=true.shape)
    enabled = np.repeat((time < off_from)[:, None], len(controls), axis=1)
    return RobotLog(
        motion,
        tuple(actuators),
        time,
        QUANTUM * np.round(read / QUANTUM),
        goal,
        np.full_like(goal, np.nan),
        enabled,
        digest="simulated",
    )


if __name__ == "__main__":
    arm = {
        "shoulder": pliant.load_actuator("mx106_bam_m4"),
        "elbow": pliant.load_actuator("xl330_bam_m6"),
    }
    run = record(Path(__file__).with_name("arm.xml"), arm, "fast")
    print(f"{len(run.time)} samples of {' and '.join(run.joints)}")
