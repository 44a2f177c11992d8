"""Inputs of a callback besides its own joint: loads of the user, and late commands."""

from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.arrays import Vector
from pliant.engines.mujoco.batch.pools import silent
from pliant.engines.mujoco.native.commands import delayed_command
from pliant.engines.mujoco.native.friction_rows import any_wrench, load, wrench_torque
from pliant.engines.mujoco.native.structs import MjData, MjModel
from pliant.engines.mujoco.plugin.layout import types_of
from pliant.lower.kernel import compiled

HERE = Path(__file__)


def torques(model: MjModel, data: MjData, out: Vector) -> None:
    for i in range(len(out)):
        out[i] = load(data, i) + wrench_torque(model, data, i)


def is_pushed(model: MjModel, data: MjData) -> bool:
    return any_wrench(model, data)


def command(model: MjModel, data: MjData, delay: float) -> float:
    return delayed_command(model, data, 0, delay)


CALL = compiled(HERE, ["torques", "is_pushed", "command"], types=types_of(HERE)).functions


def test_load_and_wrench_are_all_that_mujoco_adds_up_without_actuators():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody>
      <body><freejoint/><geom size=".1"/>
        <body pos=".2 .1 0"><joint axis="0 1 .3" damping=".3"/><geom size=".1" pos=".3 0 0"/>
          <body pos=".4 0 .1"><joint type="ball"/><geom size=".1" pos=".2 0 .1"/></body></body>
        <body pos="-.2 .1 0"><joint axis="0 1 .3" type="slide"/><geom size=".1"/></body></body>
      <body pos="2 0 0"><joint axis="1 1 0"/><geom size=".1" pos=".3 0 0"/></body>
    </worldbody></mujoco>""")
    data = mujoco.MjData(model)
    random = np.random.default_rng(1)
    data.qpos[:] = random.normal(size=model.nq)
    data.qvel[:] = random.normal(size=model.nv)
    data.qfrc_applied[:] = random.normal(size=model.nv)
    assert not CALL["is_pushed"](model._address, data._address)
    data.xfrc_applied[1:] = random.normal(size=(model.nbody - 1, 6))
    assert CALL["is_pushed"](model._address, data._address)
    mujoco.mj_forward(model, data)
    ours = np.empty(model.nv)
    CALL["torques"](model._address, data._address, ours)
    np.testing.assert_allclose(ours, data.qfrc_smooth, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("interpolation", ["zoh", "linear"])
@pytest.mark.parametrize("steps", [1.0, 1.85, 2.0, 2.5, 4.0])
def test_delayed_command_equals_that_of_a_native_actuator(interpolation, steps):
    model = mujoco.MjModel.from_xml_string(f"""<mujoco><option gravity="0 0 0"/>
      <worldbody><body><joint name="a"/><geom size=".1"/></body></worldbody>
      <actuator><motor joint="a" delay="{0.002 * steps}" nsample="6" interp="{interpolation}"/>
      </actuator></mujoco>""")
    data = mujoco.MjData(model)
    for value in np.random.default_rng(2).normal(size=40):
        data.ctrl[:] = value
        ours = CALL["command"](model._address, data._address, 0.002 * steps)
        mujoco.mj_step(model, data)
        assert ours == pytest.approx(data.actuator_force[0], abs=1e-6)


def test_a_delay_below_one_step_lies_between_the_last_two_commands():
    model = mujoco.MjModel.from_xml_string("""<mujoco><worldbody><body><joint name="a"/>
      <geom size=".1"/></body></worldbody><actuator>
      <motor joint="a" delay=".0005" nsample="2" interp="linear"/></actuator></mujoco>""")
    data = mujoco.MjData(model)
    data.ctrl[:] = 1.0
    mujoco.mj_step(model, data)
    data.ctrl[:] = 2.0
    assert CALL["command"](model._address, data._address, 0.0005) == pytest.approx(1.75)


@pytest.mark.parametrize("sent", [1e11, -1e300, np.inf, np.nan])
@pytest.mark.parametrize("ends", ["", 'ctrlrange="-2 2"'], ids=["free", "limited"])
def test_a_command_that_mujoco_calls_bad_is_the_one_that_its_own_actuators_take(sent, ends):
    body = '<body><joint name="a" axis="0 1 0"/><geom size=".1"/></body>'
    motor = f'<actuator><motor joint="a" {ends}/></actuator>'
    text = f"<mujoco><worldbody>{body}</worldbody>{motor}</mujoco>"
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    data.ctrl[0] = sent
    with silent():
        mujoco.mj_forward(model, data)
    taken = float(data.actuator_force[0])  # gain 1: it is the command
    moved: list[float] = []
    for command in (sent, taken):
        spec = mujoco.MjSpec.from_string(text)
        pliant.attach(spec, {"a": "xl330_bam_m6"}, replace=True)
        spec.actuators[0].ctrlrange[:] = (-2.0, 2.0)
        spec.actuators[0].ctrllimited = bool(ends)
        model = spec.compile()
        data = mujoco.MjData(model)
        for _ in range(50):
            data.ctrl[0] = command
            with silent():
                mujoco.mj_step(model, data)
        moved.append(float(data.qpos[0]))
    assert moved[0] == moved[1]
