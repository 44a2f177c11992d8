"""Servos on tendons: torque and length by the travel of a drum, friction as on a joint."""

import mujoco
import numpy as np
import pytest

import pliant

SERVO = "mx106_bam_m4"
RADIUS = 0.02
HEAD = """<mujoco><option timestep="0.001"/><default><tendon frictionloss="5"/>
<joint damping="7"/><equality solref="0.5 1"/></default><worldbody>"""
LEVER = f"""{HEAD}<body><joint name="q" axis="0 1 0" damping="0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.2" mass="0.4"/></body></worldbody>
<tendon><fixed name="cable" frictionloss="0"><joint joint="q" coef="0.5"/></fixed></tendon></mujoco>"""
WINCH = f"""{HEAD}<site name="top" pos="0 0 1"/><body><joint name="z" type="slide" axis="0 0 1" damping="0"/>
<geom size="0.05" mass="0.5"/><site name="load"/></body></worldbody>
<tendon><spatial name="cable" frictionloss="0"><site site="top"/><site site="load"/></spatial></tendon>
<actuator><motor name="m" tendon="cable" ctrlrange="-1 1"/></actuator>
<sensor><actuatorfrc name="pull" actuator="m"/></sensor>
<keyframe><key name="up" qpos="0.1" ctrl="0.3"/></keyframe></mujoco>"""


def run(spec: mujoco.MjSpec, goal: float, steps: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = goal
    mujoco.mj_step(model, data, steps)
    return model, data


def test_on_a_tendon_along_one_joint_it_moves_that_as_with_a_gear_on_it() -> None:
    """Tendon length is half the joint's angle, so that a travel of 0.5 is a direct drive."""
    direct, cable = mujoco.MjSpec.from_string(LEVER), mujoco.MjSpec.from_string(LEVER)
    pliant.attach(direct, {"q": SERVO})
    pliant.attach(cable, {"cable": SERVO}, transmission={"cable": 0.5})
    _, expected = run(direct, 0.6, 400)
    model, data = run(cable, 0.6, 400)
    assert abs(float(expected.qpos[0])) > 0.3
    assert data.qpos[0] == pytest.approx(expected.qpos[0], abs=3e-3)
    assert data.qpos[model.joint("cable").qposadr[0]] == pytest.approx(data.qpos[0], abs=3e-3)


def test_a_winch_lifts_by_its_travel_and_holds_the_weight_at_its_radius() -> None:
    spec = mujoco.MjSpec.from_string(WINCH)
    attachment = pliant.attach(
        spec, {"cable": SERVO}, transmission={"cable": -RADIUS}, replace=True
    )
    model, data = run(spec, 3.0, 3000)
    turned = float(data.qpos[model.joint("cable").qposadr[0]])
    assert turned == pytest.approx(3.0, abs=0.2)
    assert data.qpos[0] == pytest.approx(RADIUS * turned, abs=2e-4)
    drum = model.joint("cable").dofadr[0]
    weight = 0.5 * 9.81 * RADIUS
    servo, budget = (
        float(x(data)) for x in (attachment["cable"].torque, attachment["cable"].budget)
    )
    assert abs(float(data.qvel[drum])) < 1e-3
    assert data.sensor("pull").data[0] == servo
    assert abs(servo - weight) <= budget


def test_what_was_on_the_tendon_gives_way_and_keyframes_stand_where_they_stood() -> None:
    spec = mujoco.MjSpec.from_string(WINCH)
    attachment = pliant.attach(
        spec, {"cable": SERVO}, transmission={"cable": -RADIUS}, replace=True
    )
    model = spec.compile()
    entry = attachment["cable"]
    assert (entry.name, [former.kind for former in entry.formers]) == ("m", ["motor"])
    assert (model.nu, model.actuator(0).name) == (1, "m")
    assert "joint 'cable', after the others in qpos" in attachment.notes[0]
    np.testing.assert_allclose(model.key_qpos[0], [0.1, 0.1 / RADIUS], rtol=1e-12)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_forward(model, data)
    np.testing.assert_allclose(data.efc_pos[data.efc_type == 0], 0.0, atol=1e-12)


ASKS = '<position name="m" tendon="cable" kp="100" gear="3"/>'
DOWN = '<key qpos="-0.1" ctrl="2.7"/>'


def winch(motor: str, key: str) -> mujoco.MjSpec:
    text = WINCH.replace('<motor name="m" tendon="cable" ctrlrange="-1 1"/>', motor)
    return mujoco.MjSpec.from_string(text.replace('<key name="up" qpos="0.1" ctrl="0.3"/>', key))


def from_its_keyframe(spec: mujoco.MjSpec, steps: int) -> tuple[mujoco.MjModel, mujoco.MjData]:
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    mujoco.mj_step(model, data, steps)
    return model, data


def test_a_keyframe_that_asked_for_a_length_of_the_tendon_still_does() -> None:
    """2.7 with a gear of 3 is 0.9 m, which is 0.1 m shorter than in the reference pose."""
    spec = winch(ASKS, DOWN)
    pliant.attach(spec, {"cable": SERVO}, transmission={"cable": -RADIUS}, replace=True)
    model, data = from_its_keyframe(spec, 3000)
    np.testing.assert_allclose(model.key_ctrl, [[0.1 / RADIUS]], rtol=1e-12)
    assert data.ten_length[0] == pytest.approx(0.9, abs=5e-3)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("spring", ["sea_walkman_200", "qbmove_maker_pro"])
def test_a_drum_in_the_place_of_a_spring_asks_for_its_length_alone(spring, compiled) -> None:
    """MuJoCo deletes nothing of a compiled spec whose keyframe has grown by the drum."""
    spec = winch(ASKS, DOWN)
    pliant.attach(spec, {"cable": spring}, transmission={"cable": -0.05}, replace=True)
    if compiled:
        np.testing.assert_allclose(spec.compile().key_ctrl[0, 0], 0.1 / 0.05)
    pliant.attach(spec, {"cable": SERVO}, transmission={"cable": -RADIUS}, replace=True)
    model, data = from_its_keyframe(spec, 3000)
    assert [model.actuator(k).name for k in range(model.nu)] == ["m"]
    np.testing.assert_allclose(model.key_ctrl, [[0.1 / RADIUS]], rtol=1e-12)
    assert data.ten_length[0] == pytest.approx(0.9, abs=5e-3)


def test_the_travel_of_a_drum_that_is_there_is_no_gear_on_it() -> None:
    spec = winch(ASKS, DOWN)
    options = {"transmission": {"cable": -RADIUS}, "replace": True}
    pliant.attach(spec, {"cable": SERVO}, **options)
    pliant.attach(spec, {"cable": "mx64_bam_m4"}, **options)
    model = spec.compile()
    assert (model.nu, model.njnt, model.actuator_gear[0, 0]) == (1, 2, 1.0)
    np.testing.assert_allclose(model.key_ctrl, [[0.1 / RADIUS]], rtol=1e-12)
    options["transmission"] = {"cable": 0.05}
    with pytest.raises(pliant.PliantError, match=r"transmission: cable: .* accepted: -0.02, or"):
        pliant.attach(spec, {"cable": SERVO}, **options)


def test_nothing_of_the_models_defaults_is_on_the_drum() -> None:
    spec = mujoco.MjSpec.from_string(LEVER)
    pliant.attach(spec, {"cable": SERVO}, transmission={"cable": 0.5})
    model = spec.compile()
    drum = model.joint("cable").dofadr[0]
    assert model.dof_damping[drum] == 0.0
    assert model.tendon_frictionloss[model.tendon("cable.drum").id] == 0.0
    assert model.eq_solref[0, 0] == 0.002


@pytest.mark.parametrize(
    ("text", "actuator", "options", "said"),
    [
        (
            WINCH,
            SERVO,
            {"transmission": {"cable": 0.02}},
            "tendon cable: the tendon has an actuator",
        ),
        (
            WINCH,
            SERVO,
            {"replace": True},
            "needs a transmission: the actuator is rotary and the tendon is measured in metres",
        ),
        (WINCH, SERVO, {"replace": True, "transmission": {"cable": 0.0}}, "moves nothing"),
        (
            LEVER,
            SERVO,
            {"limits": "model"},
            "cannot limit a tendon: its ranges are not those of its drum",
        ),
        (WINCH, SERVO, {"replace": True, "transmission": {"z": 1.0, "cable": 1.0}}, "'z'"),
    ],
)
def test_what_cannot_be_on_a_tendon_is_refused_and_changes_nothing(text, actuator, options, said):
    spec = mujoco.MjSpec.from_string(text)
    before = spec.to_xml()
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(spec, {"cable": actuator}, **options)
    assert said in str(refused.value)
    assert spec.to_xml() == before


def test_a_tendon_has_no_range_of_a_joint_and_that_is_told() -> None:
    """Beside a joint whose range holds; a drum's command can be limited by hand."""
    spec = mujoco.MjSpec.from_string(LEVER.replace('name="q"', 'name="q" range="-30 40"'))
    with pytest.warns(
        pliant.PliantWarning, match=r"^cable: limits='joint' has no effect on a tendon"
    ):
        attachment = pliant.attach(
            spec, {"q": SERVO, "cable": SERVO}, transmission={"cable": 0.5}, limits="joint"
        )
    assert "limits" in [one.kind for one in attachment.warnings if one.joint == "cable"]
    assert "limits" not in [one.kind for one in attachment.warnings if one.joint == "q"]
    spec.actuator("cable").ctrlrange = [-1.0, 2.0]
    model = spec.compile()
    np.testing.assert_allclose(model.actuator("q").ctrlrange, np.deg2rad([-30, 40]))
    np.testing.assert_array_equal(model.actuator("cable").ctrlrange, [-1.0, 2.0])
    assert model.actuator("cable").ctrllimited[0]


def test_a_range_that_a_tendon_s_actuator_lost_is_not_said_to_come_back_with_limits() -> None:
    spec = mujoco.MjSpec.from_string(WINCH)
    attachment = pliant.attach(spec, {"cable": SERVO}, transmission={"cable": RADIUS}, replace=True)
    (lost,) = [one for one in attachment.warnings if one.kind == "command_range"]
    assert lost.text.endswith(
        "an empty action space in Gymnasium: a ctrlrange of its actuator sets one"
    )


def test_a_site_is_refused_with_the_reason() -> None:
    with pytest.raises(pliant.PliantError, match="is a site, not a joint: friction needs"):
        pliant.attach(mujoco.MjSpec.from_string(WINCH), {"load": SERVO})
