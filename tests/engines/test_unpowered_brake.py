"""A motor whose torque is off resists as MuJoCo's own damped, rough joint does, in every engine."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.assemble import with_laws
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.io.log import Log
from pliant.robots import Robot

MASS, LENGTH, H, STEPS, BEGIN = 0.6, 0.2, 1e-3, 600, 0.8
ARMATURE, BRAKE = 0.005, 0.03
DRY, MORE = 0.01, 0.8
BENCH = """<mujoco><option timestep="{h}" integrator="implicitfast"><flag eulerdamp="disable"/></option>
<worldbody><body><joint name="a" axis="0 -1 0" {joint}/><inertial pos="0 0 {com}" mass="{mass}"
diaginertia="{rod} {rod} 1e-3"/></body></worldbody></mujoco>"""


def bench(joint: str = "") -> mujoco.MjSpec:
    rod = MASS * LENGTH**2 / 12.0
    return mujoco.MjSpec.from_string(
        BENCH.format(h=H, joint=joint, com=-LENGTH / 2, mass=MASS, rod=rod)
    )


def drive() -> pliant.Actuator:
    laws = {
        "unpowered": "released",
        "friction": "m1",
        "timing": "immediate",
        "sensing": "ideal",
    }
    actuator = with_laws(pliant.load_actuator("ak80_6_dfki_m1"), laws)
    return actuator.with_values(
        {
            "unpowered.d_off": BRAKE,
            "unpowered.more": MORE,
            "friction.K_c": DRY,
            "friction.K_v": 0.0,
            "own.armature": ARMATURE,
            "motor.scale": 1.0,
        },
        "test",
        "assumed",
    )


@pytest.fixture(scope="module")
def damped() -> np.ndarray:
    """A plain pendulum of MuJoCo with a damped, rough joint: no part of Pliant."""
    rough = f'frictionloss="{(1.0 + MORE) * DRY}" solreffriction="0.002 1"'
    model = bench(f'damping="{BRAKE}" armature="{ARMATURE}" {rough}').compile()
    data = mujoco.MjData(model)
    data.qpos[0] = BEGIN
    found = []
    for _ in range(STEPS):
        mujoco.mj_step(model, data)
        found.append(data.qpos[0])
    return np.array(found)


def off(model: mujoco.MjModel) -> mujoco.MjModel:
    model.opt.disableactuator = 1 << int(model.actuator_group[0])
    return model


def test_in_mujoco(damped):
    spec = bench()
    attached = pliant.attach(spec, {"a": drive()})
    robot = Robot(off(spec.compile()), attached, target="python")
    robot.data.qpos[0] = BEGIN
    found = []
    for _ in range(STEPS):
        robot.step()
        found.append(robot.data.qpos[0])
    assert np.ptp(damped) > 0.3
    assert np.abs(np.array(found) - damped).max() < 5e-3 * np.ptp(damped)


def test_in_the_joint_engine(damped):
    time = H * np.arange(STEPS + 1)
    log = Log(
        name="off",
        path=Path("off.json"),
        digest="0" * 64,
        device="AK80-6",
        trajectory="release",
        mass=0.0,
        length=LENGTH,
        arm_mass=MASS,
        gain=1.0,
        supply=24.0,
        velocity=None,
        voltage=None,
        time=time,
        position=np.full(STEPS + 1, BEGIN),
        goal=np.full(STEPS + 1, 7.0),  # a torque that an unpowered motor does not give
        enabled=np.zeros(STEPS + 1, bool),
    )
    engine = JointEngine(drive(), plant="pendulum", settings=JointSettings(max_step=H))
    found = engine.rollout(log, engine.values()).position[1:]
    assert np.abs(found - damped).max() < 5e-3 * np.ptp(damped)


def test_in_warp(damped):
    mjw = pytest.importorskip("mujoco_warp")
    from pliant.engines.mujoco_warp import install

    spec = bench()
    attachment = pliant.attach(spec, {"a": drive()}, engine="mujoco_warp")
    model = off(spec.compile())
    m = mjw.put_model(model)
    d = mjw.make_data(model, nworld=2, njmax=24, nconmax=8)
    kept = install(attachment, model, m, d)
    d.qpos.assign(np.full((2, 1), BEGIN, np.float32))
    for _ in range(STEPS):
        mjw.step(m, d)
    assert kept is not None
    assert d.qpos.numpy()[1, 0] == pytest.approx(damped[-1], abs=5e-3 * np.ptp(damped))
