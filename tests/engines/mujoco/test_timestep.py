"""A timestep that a program changes after `attach`: what was chosen for the other one follows it."""

import mujoco
import numpy as np
import pytest
from rigs import delayed, spec_of, wheel

import pliant

ACTUATORS = {"a": "xl330_bam_m6", "b": "qbmove_maker_pro", "c": "sea_walkman_400"}


def robot(timestep: float, actuators=ACTUATORS, inertia: float = 0.002) -> mujoco.MjSpec:
    body = "".join(wheel(name, inertia) for name in actuators)
    spec = spec_of(body, f'gravity="0 0 0" timestep="{timestep}"')
    pliant.attach(spec, actuators)
    return spec


def moved(model: mujoco.MjModel) -> np.ndarray:
    data = mujoco.MjData(model)
    data.ctrl[:3] = 0.4, 0.3, 0.2
    mujoco.mj_step(model, data, nstep=round(0.2 / model.opt.timestep))
    return data.qpos.copy()


@pytest.mark.parametrize("made", [0.0005, 0.01])
@pytest.mark.parametrize("timestep", [0.0005, 0.002, 0.01])
def test_a_model_moves_as_if_it_had_been_attached_to_at_the_timestep_it_has_now(made, timestep):
    spec = robot(made)
    model = spec.compile()
    model.opt.timestep = timestep
    right = moved(robot(timestep).compile())
    np.testing.assert_array_equal(moved(model), right)
    spec.option.timestep = timestep
    np.testing.assert_array_equal(moved(spec.compile()), right)
    assert np.all(right > 0.01)


@pytest.mark.filterwarnings("ignore:Attach conflict")
def test_a_robot_put_into_a_world_with_another_timestep_moves_as_one_attached_to_there():
    world = mujoco.MjSpec()
    world.option.timestep = 0.005
    world.attach(robot(0.0005), frame=world.worldbody.add_frame(), prefix="l/")
    world.option.gravity = 0.0, 0.0, 0.0
    np.testing.assert_array_equal(moved(world.compile()), moved(robot(0.005).compile()))


def test_saved_in_six_digits_a_timestep_is_the_same():
    model = mujoco.MjModel.from_xml_string(robot(1.0 / 480.0).to_xml())
    assert model.actuator_dynprm[0, 7] == model.opt.timestep


def test_a_delay_for_which_too_few_commands_are_kept_is_refused_and_names_its_actuator():
    model = robot(0.002, {"a": delayed("xl330_bam_m6", 0.02)}).compile()
    for fits in (0.0019, 0.004):
        model.opt.timestep = fits
        mujoco.mj_step(model, mujoco.MjData(model))
    said = "actuator 'a' was attached for another timestep; .* more old commands"
    data = mujoco.MjData(model)
    model.opt.timestep = 0.001
    with pytest.raises(mujoco.FatalError, match=said):
        mujoco.MjData(model)
    with pytest.raises(mujoco.FatalError, match=said):
        mujoco.mj_step(model, data)


def test_a_step_for_which_there_are_too_few_sub_steps_is_refused():
    """The same limit as `attach` has at once."""
    with pytest.raises(pliant.PliantError, match=r"accepted: up to 0\.01"):
        robot(0.025, {"a": "awas_ii"}, 3e-4)
    model = robot(0.001, {"a": "awas_ii"}, 3e-4).compile()
    model.opt.timestep = 0.025
    with pytest.raises(mujoco.FatalError, match="spring would need more sub-steps"):
        mujoco.MjData(model)
    model.opt.timestep = 0.009
    data = mujoco.MjData(model)
    mujoco.mj_step(model, data, nstep=100)
    assert np.isfinite(data.qpos).all()


def test_mujoco_warp_refuses_a_timestep_that_was_changed():
    mjw = pytest.importorskip("mujoco_warp")
    from pliant.engines.mujoco_warp import attach, install

    spec = spec_of(wheel(), 'timestep="0.002"')
    attachment = attach(spec, {"a": "xl330_bam_m6"})
    model = spec.compile()
    model.opt.timestep = 0.004
    data = mujoco.MjData(model)
    with pytest.raises(pliant.PliantError, match=r"timestep: .*; found 0\.004; accepted: 0\.002"):
        install(attachment, model, mjw.put_model(model), mjw.put_data(model, data))
