"""Compiled callbacks in MuJoCo's own stepping: one instance, same step, state in act."""

import mujoco
import numpy as np
import pytest
import toy

from pliant.engines.mujoco.plugin import table as plugin
from pliant.errors import PliantError

INTEGRATORS = ["Euler", "implicitfast", "implicit", "RK4", "discrete"]
PENDULUM = (
    '<body><joint name="a" axis="0 1 0" frictionloss=".1"/><geom size=".1" pos="0 0 -.3"/>'
    '<body pos="0 0 -.5"><joint name="b" axis="0 1 0" frictionloss=".1"/>'
    '<geom size=".1" pos="0 0 -.3"/></body></body>'
)
STATEFUL = 'dyntype="user" actdim="2"'


def compiled(xml: str) -> mujoco.MjModel:
    if 'integrator="discrete"' in xml and not hasattr(mujoco.mjtIntegrator, "mjINT_DISCRETE"):
        pytest.skip("this MuJoCo has no integrator discrete")
    return mujoco.MjModel.from_xml_string(xml)


def stateful(integrator: str = "Euler", **keywords: str) -> mujoco.MjModel:
    actuators = toy.actuator("a", "1 .2 0 0", STATEFUL) + toy.actuator("b", "1 .2 0 0", STATEFUL)
    return compiled(toy.mjcf(PENDULUM, actuators, option=f'integrator="{integrator}"', **keywords))


def test_registering_again_gives_the_same_slot(toy_plugin):
    assert toy.register() == toy_plugin


def test_a_name_stands_for_one_set_of_functions():
    with pytest.raises(PliantError, match="another plugin of this process already has this name"):
        plugin.register(toy.NAME, dict.fromkeys(plugin.CALLBACKS, 0))


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_one_instance_serves_all_its_actuators_and_act_advances_once_a_step(integrator):
    model = stateful(integrator)
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=7)
    assert model.nplugin == 1
    np.testing.assert_allclose(data.act[::2], 7.0, rtol=1e-12)


@pytest.mark.parametrize("integrator", INTEGRATORS)
@pytest.mark.parametrize("island", ["enable", "disable"])
def test_a_budget_acts_in_the_step_it_is_computed_in(integrator, island):
    actuators = toy.actuator("a", "0 1e6 0 0") + toy.actuator("b", "0 0 0 0")
    model = compiled(
        toy.mjcf(PENDULUM, actuators).replace(
            "<option  />",
            f'<option integrator="{integrator}"><flag island="{island}"/></option>',
        )
    )
    data = mujoco.MjData(model)
    data.qpos[:] = 0.5
    mujoco.mj_forward(model, data)
    np.testing.assert_array_equal(data.efc_frictionloss, [1e6, 0.0])
    assert abs(data.efc_force[0]) > 1.0
    assert data.efc_force[1] == 0.0


@pytest.mark.parametrize("integrator", INTEGRATORS)
def test_advance_keeps_what_other_constraints_did_to_the_joint(integrator):
    body = (
        '<body><joint name="a" axis="0 1 0" frictionloss=".1" limited="true" range="0 10"/>'
        '<geom size=".1" pos="0 0 -.3"/></body>'
    )
    actuators = toy.actuator("a", "1 .2 0 0", STATEFUL)
    model = compiled(toy.mjcf(body, actuators, option=f'integrator="{integrator}"'))
    data = mujoco.MjData(model)
    data.ctrl[:] = -1.0
    mujoco.mj_step(model, data, nstep=500)
    # at rest on the stop: motor and gravity against stop and at most the friction budget
    assert data.act[1] == pytest.approx(1.0, abs=0.21)
    assert data.act[1] == data.qfrc_constraint[0] - data.efc_force[0]


def test_state_survives_copy_keyframe_and_rollout_and_leaves_with_reset():
    model = stateful(tail='<keyframe><key act="4 5 6 7"/></keyframe>')
    data, twin = mujoco.MjData(model), mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=3)
    mujoco.mj_copyData(twin, model, data)
    mujoco.mj_step(model, data, nstep=2)
    mujoco.mj_step(model, twin, nstep=2)
    np.testing.assert_array_equal(twin.act, data.act)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    np.testing.assert_array_equal(data.act, [4, 5, 6, 7])
    mujoco.mj_resetData(model, data)
    np.testing.assert_array_equal(data.act, 0.0)


def test_rollout_on_two_threads_equals_stepping():
    from mujoco import rollout

    model = stateful()
    data = mujoco.MjData(model)
    physics = mujoco.mjtState.mjSTATE_FULLPHYSICS
    start = np.empty(mujoco.mj_stateSize(model, physics))
    mujoco.mj_getState(model, data, start, physics)
    controls = np.random.default_rng(0).normal(size=(8, 50, 2))
    states, _ = rollout.rollout(
        model, [mujoco.MjData(model) for _ in range(2)], np.tile(start, (8, 1)), controls
    )
    for control in controls[3]:
        data.ctrl[:] = control
        mujoco.mj_step(model, data)
    final = np.empty_like(start)
    mujoco.mj_getState(model, data, final, physics)
    np.testing.assert_array_equal(states[3, -1], final)


def test_batch_steps_natively_with_parameters_of_its_own_per_simulation():
    batch = pytest.importorskip("mujoco.batch")
    model = stateful()
    many = batch.Batch(model, 8, nthread=2)
    many.expand("actuator_user")[3, 0, 0] = 5.0
    controls = np.ones((8, 20, 2))
    act = many.rollout(20, controls, record=("act", "qpos"))
    np.testing.assert_allclose(act["act"][:, -1, 0], 20.0)
    assert np.ptp(np.delete(act["qpos"][:, -1, 0], 3)) == 0.0
    assert act["qpos"][3, -1, 0] != act["qpos"][0, -1, 0]


def test_a_spec_attaches_without_xml_and_survives_its_own_xml():
    spec = mujoco.MjSpec.from_string(f"<mujoco><worldbody>{PENDULUM}</worldbody></mujoco>")
    spec.activate_plugin(toy.NAME)
    shared = spec.add_plugin(name="toy", plugin_name=toy.NAME, active=True)
    shared.config = {"note": "hello"}
    for name in "ab":
        actuator = spec.add_actuator(
            name=name,
            target=name,
            trntype=mujoco.mjtTrn.mjTRN_JOINT,
            dyntype=mujoco.mjtDyn.mjDYN_USER,
            actdim=2,
            userdata=[1.0, 0.2, 0.0, 0.0],
        )
        actuator.plugin.name = "toy"
        actuator.plugin.plugin_name = toy.NAME
        actuator.plugin.active = True
    for model in (spec.compile(), mujoco.MjModel.from_xml_string(spec.to_xml())):
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data)
        assert (model.nplugin, data.act[0], data.act[2]) == (1, 1.0, 1.0)
