"""The stiffness estimator: cost of its streaming core and of a whole `step`, for 1 to 12 joints.

The core runs at each sample in addition to the rigid-body terms, whose cost depends on the model. It is
timed inside one compiled call over a recording; a complete `step` is timed from Python.
"""

import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.estimate.core.entries import Core
from pliant.estimate.dynamics import Engine, Pendulum, load_dynamics
from pliant.estimate.estimator import StiffnessEstimator, StiffnessWarning
from pliant.estimate.layout import new_buffers
from pliant.estimate.settings import EstimatorSettings, Joint
from pliant.io.encoder_file import Kind

DT, SAMPLES, ROUNDS = 0.005, 4000, 40
JOINTS = (1, 2, 6, 12)
KINDS: tuple[Kind, ...] = ("sea", "svsa", "avsa")
M, MGL = 0.02, 0.8
TURN = 2.0 * np.pi / (SAMPLES * DT)
"""[rad/s] Once in a recording: one follows the other without a jump."""


def recording(kind: Kind, n: int, count: int) -> tuple[Floats, Floats, Floats, Floats]:
    """q, theta, momentum, rest of n pendulums whose springs are of 20 N m/rad."""
    t, w = DT * np.arange(count)[:, None] + np.linspace(0.0, 3.0, n), 6.0 * TURN
    q, v = 0.5 * np.sin(w * t), 0.5 * w * np.cos(w * t)
    phi = -(MGL * np.sin(q) - M * w**2 * q) / 20.0
    motors = {
        "sea": [q - phi],
        "svsa": [q - phi, 0.5 * np.sin(2.0 * TURN * t)],
        "avsa": [q - phi + 0.5, q - phi - 0.5],
    }[kind]
    theta = np.stack(motors, -1).reshape(count, -1)
    theta += np.random.default_rng(0).normal(0.0, 6e-5, theta.shape)
    return q, theta, M * v, MGL * np.sin(q)


def core(kind: Kind, n: int, width: int = 5) -> Floats:
    """[us] (ROUNDS,) per joint and sample."""
    buffers = new_buffers([Joint(kind=kind)] * n, "torque", DT, EstimatorSettings(width=width))
    compiled = Core(*buffers)
    recorded = recording(kind, n, SAMPLES)
    taken: list[float] = []
    for _ in range(ROUNDS + 2):
        begin = time.perf_counter()
        compiled.run(*recorded)
        taken.append(time.perf_counter() - begin)
    return np.array(taken[2:]) / (SAMPLES * n) * 1e6


def steps(estimator: StiffnessEstimator, kind: Kind, n: int) -> Floats:
    """[us] (SAMPLES,) per sample, of `step` called from Python."""
    q, theta, *_ = recording(kind, n, 2 * SAMPLES)
    taken: list[int] = []
    clock = time.perf_counter_ns
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", StiffnessWarning)  # the arm does not move as its model
        for one, other in zip(q, theta, strict=True):
            begin = clock()
            estimator.step(one, other)
            taken.append(clock() - begin)
    return np.array(taken[SAMPLES:]) * 1e-3


def arm(n: int, engine: Engine) -> StiffnessEstimator:
    """For a chain of n links."""
    link = (
        '<body pos="0 0 -.2"><joint name="j{}" axis="{} {} 0"/>'
        '<inertial pos="0 0 -.1" mass=".5" diaginertia=".004 .004 .001"/>'
    )
    text = "".join(link.format(k, k % 2, 1 - k % 2) for k in range(n)) + "</body>" * n
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arm.xml"
        path.write_text(f"<mujoco><worldbody>{text}</worldbody></mujoco>")
        return StiffnessEstimator(load_dynamics(path, engine), [Joint(kind="sea")] * n, DT)


def spread(taken: Sequence[float] | Floats) -> str:
    """Median and quartiles."""
    low, middle, high = np.quantile(np.asarray(taken), [0.25, 0.5, 0.75])
    return f"{middle:.2f} us ({low:.2f} to {high:.2f})"


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    for kind in KINDS:
        found = [core(kind, n) for n in JOINTS]
        out += [
            (
                f"stiffness core, {kind}, joints: {n}; per joint and sample, median (quartiles)",
                spread(one),
                "<= 10 us",
            )
            for n, one in zip(JOINTS, found, strict=True)
        ]
        medians = [float(np.median(one)) for one in found]
        out.append(
            (
                f"stiffness core, {kind}: cost per joint, 12 joints / 1",
                f"{medians[-1] / medians[0]:.2f}",
                "linear: about 1",
            )
        )
    out.append(
        (
            "stiffness core, avsa, 1 joint, width 12 (12-bit encoders)",
            spread(core("avsa", 1, 12)),
            "<= 10 us",
        )
    )
    model = Pendulum(inertia=M, gravity_torque=MGL)
    for kind in KINDS:
        whole = steps(StiffnessEstimator(model, [Joint(kind=kind)], DT), kind, 1)
        out.append(
            (
                f"StiffnessEstimator.step from Python, {kind} on a pendulum: per sample",
                spread(whole),
                "<= 10 us",
            )
        )
    for engine in ("mujoco", "auto"):
        for n in (2, 6):
            whole = steps(arm(n, engine), "sea", n)
            name = type(arm(n, engine).dynamics).__name__
            out.append((f"step with {name}, {n} joints: per sample", spread(whole), "stated"))
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
