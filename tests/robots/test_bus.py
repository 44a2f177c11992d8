"""Delays on the bus against the figures of the specification, the encoder's step and its noise."""

import copy
from math import pi

import mujoco
import numpy as np
import pytest
from mujoco import rollout

import pliant
from pliant.robots.bus import Bus, on_bus, with_encoder, with_noise


@pytest.mark.parametrize(
    ("modules", "baud", "reads", "milliseconds"),
    [
        (12, 2e6, False, 0.60),
        (12, 460.8e3, False, 2.60),
        (12, 2e6, True, 2.28),
        (12, 460.8e3, True, 7.9),
        (8, 2e6, True, 1.5),
        (8, 460.8e3, True, 5.3),
    ],
)
def test_a_sweep_takes_what_was_computed(modules, baud, reads, milliseconds):
    bus = Bus(modules=modules, baud=baud, reads=reads)
    assert 1e3 * bus.sweep == pytest.approx(milliseconds, rel=0.02)


def test_a_module_hears_after_those_before_it():
    bus = Bus(modules=3, baud=1e6, host=1e-3)
    assert [bus.command_delay(k) for k in range(3)] == pytest.approx([1.1e-3, 1.2e-3, 1.3e-3])
    both = Bus(modules=3, baud=1e6, reads=True, turnaround=20e-6)
    assert both.command_delay(1) == pytest.approx(300e-6 + 100e-6)


def test_each_actuator_gets_the_delay_of_its_place():
    qbmove = pliant.load_actuator("qbmove_maker_pro")
    found = on_bus({"a": qbmove, "b": qbmove}, Bus(modules=2))
    assert found["a"].laws["timing"].name == "command_delay"
    assert found["b"].value("timing.delay") == pytest.approx(1e-4)
    assert found["a"].value("timing.delay") == pytest.approx(0.5e-4)


def test_an_encoder_is_in_front_of_each_controller():
    one = with_encoder(pliant.load_actuator("qbmove_maker_pro"))
    assert [one.value(f"sensing_{k}.quantum") for k in (1, 2)] == [2 * pi / 4096] * 2


def test_what_is_no_bus_and_no_place_on_it():
    with pytest.raises(pliant.PliantError, match="not a valid bus"):
        Bus(modules=0)
    with pytest.raises(pliant.PliantError) as refused:
        Bus(modules=2).command_delay(2)
    assert str(refused.value) == "module: no such module on the bus; found 2; accepted: 0 to 1"


def noisy_joint(seed):
    """A hanging link whose servo reads an encoder with noise."""
    servo = with_noise(pliant.load_actuator("mx106_bam_m4"), 2e-3, seed=seed, bits=12)
    spec = mujoco.MjSpec.from_string(
        """<mujoco><option timestep=".001"/><worldbody><body><joint name="a" axis="0 1 0"/>
        <geom type="capsule" fromto="0 0 0 .2 0 0" size=".02" mass=".3"/></body></worldbody></mujoco>"""
    )
    pliant.attach(spec, {"a": servo})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.2
    return model, data


def test_noise_goes_on_alike_in_copies_and_rollouts_and_otherwise_with_another_seed():
    model, data = noisy_joint(3)
    mujoco.mj_step(model, data, 100)
    state = np.empty(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    twin = copy.copy(data)
    mujoco.mj_step(model, data, 200)
    mujoco.mj_step(model, twin, 200)
    np.testing.assert_array_equal(data.act, twin.act)
    assert data.qpos[0] == twin.qpos[0]
    run, _ = rollout.rollout(
        model, mujoco.MjData(model), state[None], np.tile(data.ctrl, (1, 200, 1))
    )
    assert run[0, -1, 1] == data.qpos[0]
    other, same = noisy_joint(4), noisy_joint(3)
    for one in (other, same):
        mujoco.mj_step(*one, 300)
    assert same[1].qpos[0] == data.qpos[0]
    assert other[1].qpos[0] != data.qpos[0]
