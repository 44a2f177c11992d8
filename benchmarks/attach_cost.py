"""Cost of `attach`: `mj_step` of an arm with M6 servos against MuJoCo's own position actuators.

The same arm three times: with attached servos; with `position` actuators, joint damping and
frictionloss; and with motors, and the servos written as a NumPy loop that sets torque and
friction before each step.
"""

import time
from collections.abc import Callable
from statistics import median
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np

import pliant

STEPS = 4000
HOLD = 50
"""Steps from one command to the next."""


def arm(joints: int, integrator: str = "implicitfast", step: float = 0.002) -> mujoco.MjSpec:
    """A chain of links of 0.1 m and 0.05 kg, each turned against the last, without contact."""
    spec = mujoco.MjSpec()
    spec.option.integrator = getattr(mujoco.mjtIntegrator, f"mjINT_{integrator.upper()}")
    spec.option.timestep = step
    body = spec.worldbody
    for k in range(joints):
        body = body.add_body(pos=[0.0, 0.0, -0.1 if k else 0.0])
        axis = [0.0, 1.0, 0.0] if k % 2 else [1.0, 0.0, 0.0]
        body.add_joint(name=f"j{k}", type=mujoco.mjtJoint.mjJNT_HINGE, axis=axis)
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_CAPSULE,
            size=[0.015, 0, 0],
            mass=0.05,
            fromto=[0, 0, 0, 0, 0, -0.1],
            contype=0,
            conaffinity=0,
        )
    return spec


def attached(
    joints: int, integrator: str, actuator: str | pliant.Actuator, step: float = 0.002
) -> mujoco.MjModel:
    spec = arm(joints, integrator, step)
    pliant.attach(spec, {f"j{k}": actuator for k in range(joints)})
    return spec.compile()


def native(joints: int, integrator: str, actuator: str, step: float = 0.002) -> mujoco.MjModel:
    """MuJoCo's own: a position servo with the same stiffness, back-EMF and Coulomb friction."""
    servo = pliant.load_actuator(actuator)
    k_t, resistance = servo.value("motor.k_t"), servo.value("motor.R")
    kp = servo.value("control.gain") * servo.value("control.kp") * servo.value("own.voltage")
    spec = arm(joints, integrator, step)
    for k in range(joints):
        joint = spec.joint(f"j{k}")
        joint.damping = np.full_like(joint.damping, k_t**2 / resistance)
        joint.frictionloss = 0.02
        joint.armature = servo.value("own.armature")
        added = spec.add_actuator(
            name=f"j{k}",
            target=f"j{k}",
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            gaintype=mujoco.mjtGain.mjGAIN_FIXED,
            biastype=mujoco.mjtBias.mjBIAS_AFFINE,
        )
        stiffness = kp * k_t / resistance
        added.gainprm[0], added.biasprm[1] = stiffness, -stiffness
    return spec.compile()


def run(model: mujoco.MjModel, each: "PythonServos | None" = None) -> float:
    """Seconds for `STEPS` steps; `each` is called before every step, as a Python loop would."""
    data = mujoco.MjData(model)
    random = np.random.default_rng(0)
    goals = random.uniform(-0.5, 0.5, (STEPS // HOLD, model.nu))
    began = time.perf_counter()
    for goal in goals:
        data.ctrl[:] = goal
        if each is None:
            mujoco.mj_step(model, data, nstep=HOLD)
        else:
            each.goal = goal
            for _ in range(HOLD):
                each(model, data)
                mujoco.mj_step(model, data)
    seconds = time.perf_counter() - began
    diverged = data.warning[int(mujoco.mjtWarning.mjWARN_BADQACC)].number
    if diverged or not np.isfinite(data.qpos).all():
        raise RuntimeError("the motion diverged")
    return seconds


class PythonServos:
    """The same servos as people write them today: NumPy over all joints, before every step."""

    def __init__(self, actuator: str, joints: int) -> None:
        servo = pliant.load_actuator(actuator)
        values = {name.partition(".")[2]: number.value for name, number in servo.numbers.items()}
        self.p = SimpleNamespace(**values)
        self.spec = arm(joints)
        for k in range(joints):
            self.spec.joint(f"j{k}").frictionloss = 0.01
            self.spec.joint(f"j{k}").armature = self.p.armature
            added = self.spec.add_actuator(
                name=f"j{k}", target=f"j{k}", trntype=mujoco.mjtTrn.mjTRN_JOINT
            )
            added.gainprm[0] = 1.0
        self.goal = np.zeros(joints)

    def __call__(self, model: Any, data: Any) -> None:
        p, v = self.p, data.qvel
        duty = np.clip(p.gain * p.kp * (self.goal - data.qpos), -p.limit, p.limit)
        motor = p.k_t * (duty * p.voltage - p.k_t * v) / p.R
        load = data.qfrc_passive + data.qfrc_applied - data.qfrc_bias
        s = np.exp(-np.power(np.abs(v / p.v_s), p.alpha))
        square = np.where(np.abs(motor) > np.abs(load), p.K_eq * load**2, p.K_mq * motor**2)
        square = np.where(motor * load < 0, square, 0.0)
        steady = p.K_c + p.K_v * np.abs(v) + np.abs(p.K_m * motor - p.K_e * load)
        extra = p.K_cs + np.abs(p.K_ms * motor - p.K_es * load) + square
        data.ctrl[:] = motor
        model.dof_frictionloss[:] = steady + s * extra


def ratio(a: Callable[[], float], b: Callable[[], float], repetitions: int = 9) -> float:
    """Median of a/b, measured alternately, after a warm-up run of each."""
    a(), b()
    return median(a() / b() for _ in range(repetitions))


def batch_speedup(joints: int = 6, actuator: str = "xl330_bam_m6", size: int = 64) -> float | None:
    """`Batch` on 2 threads against 1; None if this MuJoCo has no Batch."""
    try:
        from mujoco.batch import Batch
    except ImportError:
        return None
    model = attached(joints, "implicitfast", actuator)
    one, two = (Batch(model, size, nthread=n) for n in (1, 2))

    def seconds(batch: Any) -> float:
        began = time.perf_counter()
        batch.step(nstep=500)
        return time.perf_counter() - began

    return ratio(lambda: seconds(one), lambda: seconds(two), 5)


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    for joints, bar in ((1, 1.10), (6, 1.15), (20, 1.20)):
        for integrator in ("implicitfast", "euler"):
            ours = attached(joints, integrator, "xl330_bam_m6")
            theirs = native(joints, integrator, "xl330_bam_m6")
            cost = ratio(lambda a=ours: run(a), lambda b=theirs: run(b))
            note = f"mj_step, {joints} joints, {integrator}: attached / native"
            out.append((note, f"{cost:.3f}", f"<= {bar}"))
        loop = PythonServos("xl330_bam_m6", joints)
        looped = loop.spec.compile()
        ours = attached(joints, "implicitfast", "xl330_bam_m6")
        slow = ratio(lambda b=looped, f=loop: run(b, f), lambda a=ours: run(a), 3)
        note = f"{joints} joints: the servos in a NumPy loop / attached"
        out.append((note, f"{slow:.2f}", "> 3 expected"))
    speedup = batch_speedup()
    out.append(
        (
            "Batch of 64, 6 joints: 1 thread / 2 threads",
            "no Batch in this MuJoCo" if speedup is None else f"{speedup:.2f}",
            ">= 1.7",
        )
    )
    return out


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
