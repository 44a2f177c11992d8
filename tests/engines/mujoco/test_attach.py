"""Statements, refusals and warnings of `attach`."""

import dataclasses

import mujoco
import numpy as np
import pytest
from rigs import changed, played, spec_of, wheel, wheels

import pliant
from pliant.engines.mujoco.plugin import layout as layout_module

NAME = "xl330_bam_m6"


def refusal(spec, actuators) -> str:
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(spec, actuators)
    return str(refused.value)


def test_it_says_what_it_set_and_what_that_replaces():
    joint = 'damping=".1" frictionloss=".2" armature=".003"'
    spec = spec_of(wheel(joint=joint) + wheel("b"), 'gravity="0 0 0" timestep="0.004"')
    assert str(pliant.attach(spec, {"a": NAME, "b": "sea_centauro_188"})) == (
        "a: xl330_bam_m6 (Dynamixel XL330-M288-T, friction model M6);"
        " replaces the joint's damping 0.1, frictionloss 0.2, armature 0.003\n"
        "b: sea_centauro_188 (CENTAURO series-elastic actuator, spring 188 N m/rad, motor position"
        " loop); 2 sub-steps of the actuator in each step\n"
        "friction of a: solreffriction=(-1, -250), the rate 1/timestep of 0.004 s, so that a joint"
        " within its friction budget is at rest after one step; solimpfriction=(0.9999, …), the"
        " stiffest MuJoCo allows."
    )
    model = spec.compile()
    p = pliant.load_actuator(NAME).value
    np.testing.assert_array_equal(model.dof_damping, 0.0)
    np.testing.assert_array_equal(model.dof_armature, [p("own.armature"), 0.0])
    assert model.dof_frictionloss[0] == p("friction.K_c") + p("friction.K_cs")


def test_the_damping_of_a_joint_with_a_series_elastic_actuator_stays():
    spec = spec_of(wheel(joint='damping=".7" frictionloss=".2"'))
    attachment = pliant.attach(spec, {"a": "sea_centauro_100"})
    model = spec.compile()
    assert (model.dof_damping[0], model.dof_frictionloss[0]) == (0.7, 0.2)
    assert "replaces" not in str(attachment)


FREE = {"friction__K_c": 0.0, "friction__K_v": 0.0}
STIFF = {
    "back-EMF": (changed("xl330_bam_m1", **FREE, control__kp=0.0), 1e-4),
    "gain": (changed("mx106_bam_m1", **FREE, motor__R=1e3, control__kp=3e4), 1e-3),
    "both": (changed("mx106_bam_m1", **FREE, control__kp=200.0), 1e-3),
    "current": (changed("erob80_100_bam_m1", **FREE), 1e-2),
}


def limit_of(actuator, inertia: float, timestep: float) -> float:
    attachment = pliant.attach(
        spec_of(wheel(inertia=inertia), f'gravity="0 0 0" timestep="{timestep}"'), {"a": actuator}
    )
    [warning] = [one for one in attachment.warnings if one.kind != "gain"]
    assert (warning.kind, warning.joint) == ("timestep", "a")
    return warning.numbers["limit"]


def grows(actuator, inertia: float, timestep: float) -> bool:
    """Does a push of a micro-radian per step, too small to saturate anything, swell?"""
    model = wheels({"a": actuator}, f'timestep="{timestep}"', a=inertia)
    data = mujoco.MjData(model)
    data.qvel[:] = 1e-6 / timestep
    return np.ptp(played(model, np.zeros((300, 1)), data)[200:]) > 3e-5


@pytest.mark.parametrize("case", STIFF)
def test_the_stability_limit_it_warns_of_is_the_limit(case):
    actuator, inertia = STIFF[case]
    limit = limit_of(actuator, inertia, 0.2)
    assert not grows(actuator, inertia, 0.97 * limit)
    assert grows(actuator, inertia, 1.03 * limit)


def test_it_warns_from_half_the_limit_on():
    actuator, inertia = STIFF["gain"]
    limit = limit_of(actuator, inertia, 0.2)
    for part, warned in ((0.45, 0), (0.55, 1)):
        spec = spec_of(wheel(inertia=inertia), f'timestep="{part * limit}"')
        assert len(pliant.attach(spec, {"a": actuator}).warnings) == warned


def test_the_warning_names_joint_step_limit_and_what_they_come_from():
    spec = spec_of(wheel(inertia=0.01), 'gravity="0 0 0" timestep="0.02"')
    [warning] = pliant.attach(spec, {"a": "erob80_100_bam_m4"}).warnings
    assert str(warning) == (
        "a: timestep 0.02 s is near or beyond the stability limit of 0.00954 s"
        " (inertia 0.957 kg m^2, 980 N m/rad, 196 N m s/rad)"
    )


def test_the_limit_is_that_of_the_joint_with_all_others_free():
    """A leg of a light floating base feels less inertia than with the base held."""
    base = '<body><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="{0} {0} {0}"/>{1}</body>'
    actuator = changed("mx106_bam_m1", **FREE, motor__R=1e3, control__kp=3e4)
    limits = []
    for inertia in (1e6, 1e-3):
        body = base.format(inertia, wheel(inertia=1.0))
        spec = spec_of(body, 'gravity="0 0 0" timestep="1"')
        [warning] = pliant.attach(spec, {"a": actuator}).warnings
        limits.append(warning.numbers["limit"])
    assert limits[1] < 0.3 * limits[0]


def test_a_joint_that_is_not_there_is_named_with_the_nearest():
    spec = spec_of(wheel("shoulder") + wheel("elbow"))
    assert refusal(spec, {"sholder": NAME}) == (
        "joint: no such joint in the model; found 'sholder'; did you mean 'shoulder'?;"
        " accepted: elbow, shoulder"
    )


def test_an_unknown_actuator_is_named_with_the_nearest():
    text = refusal(spec_of(wheel()), {"a": "xl330_bam_m9"})
    assert text.startswith("unknown actuator; found 'xl330_bam_m9'; did you mean 'xl330_bam_m6' or")


@pytest.mark.parametrize("kind", ["ball", "free"])
def test_a_joint_with_several_degrees_of_freedom_is_refused(kind):
    body = f'<body><joint name="a" type="{kind}"/><geom size=".1"/></body>'
    assert refusal(spec_of(body), {"a": NAME}) == (
        "joint a: only a joint with one degree of freedom can have an actuator's friction;"
        f" found '{kind}'; accepted: hinge, slide"
    )


def test_two_actuators_on_one_joint_are_refused_each_way():
    way_out = "accepted: replace=True (--replace), to replace it by this one"
    assert refusal(spec_of(wheel()), [("a", NAME), ("a", NAME)]) == (
        "joint a: two actuators on one joint; found 'two of Pliant'; accepted: one"
    )
    twice = spec_of(wheel())
    pliant.attach(twice, {"a": NAME})
    assert refusal(twice, {"a": NAME}) == (
        f"joint a: the joint has an actuator already: pliant.{NAME} 'a'; {way_out}"
    )


def test_joints_may_be_given_to_attach_one_after_the_other():
    both, apart = (spec_of(wheel("a") + wheel("b"), 'gravity="0 0 0"') for _ in range(2))
    pliant.attach(both, {"a": NAME, "b": "mx106_bam_m4"})
    pliant.attach(apart, {"a": NAME})
    pliant.attach(apart, {"b": "mx106_bam_m4"})
    goals = np.random.default_rng(0).uniform(-1, 1, (200, 2))
    np.testing.assert_array_equal(played(apart.compile(), goals), played(both.compile(), goals))


def test_where_another_actuator_has_the_joints_name_it_gets_one_of_its_own():
    rest = (
        '<tendon><fixed name="t"><joint joint="b" coef="1"/></fixed></tendon>'
        '<actuator><motor name="a" tendon="t"/></actuator>'
    )
    spec = spec_of(wheel("a") + wheel("b"), rest=rest)
    attachment = pliant.attach(spec, {"a": NAME, "b": NAME})
    assert [entry.name for entry in spec.actuators] == ["a", "a.joint", "b"]
    assert attachment["a"].name == "a.joint"
    assert (
        "a: its actuator is called 'a.joint', because another one has the joint's name"
        in attachment.notes
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    data.actuator("a.joint").ctrl = 0.3
    mujoco.mj_step(model, data)
    assert attachment["a"].torque(data) > 0.0


def test_user_data_of_other_actuators_may_be_longer():
    user = " ".join(["1"] * 50)
    rest = f'<actuator><motor joint="b" user="{user}"/></actuator>'
    spec = spec_of(wheel("a") + wheel("b"), rest=rest)
    pliant.attach(spec, {"a": NAME})
    assert spec.compile().nuser_actuator == 50


def test_a_model_that_mujoco_refuses_is_no_traceback():
    text = refusal(spec_of('<body><joint name="a"/></body>'), {"a": NAME})
    assert "MuJoCo refuses the model; found " in text
    assert "mass and inertia of moving bodies" in text


@pytest.mark.parametrize("version", ["3.10.1", "5.0.0"])
def test_a_mujoco_that_is_not_recognised_is_said_with_the_range(version, monkeypatch):
    monkeypatch.setattr(mujoco, "__version__", version)
    layout_module.records.cache_clear()
    with pytest.raises(pliant.PliantError) as refused:
        layout_module.records()
    monkeypatch.undo()
    layout_module.records.cache_clear()
    assert str(refused.value) == (
        "installed mujoco: this MuJoCo cannot run native actuators: its memory layout is not"
        f" known; found '{version}'; accepted: mujoco >=3.11,<5"
    )


def test_an_own_law_of_the_same_actuator_name_is_another_plugin():
    late = pliant.with_law(pliant.load_actuator(NAME), "friction", "m4")
    same = dataclasses.replace(late, name=NAME)
    spec = spec_of(wheel("a") + wheel("b"))
    pliant.attach(spec, {"a": NAME, "b": same})
    model = spec.compile()
    assert model.nplugin == 2
    assert len(set(model.plugin)) == 2


def test_a_parameter_is_found_where_the_callback_reads_it():
    spec = mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>'
    )
    attachment = pliant.attach(spec, {"j": "xl330_bam_m6"})
    model = spec.compile()
    column = attachment.column("j", "friction.K_c")
    expected = pliant.load_actuator("xl330_bam_m6").value("friction.K_c")
    assert model.actuator_user[0, column] == expected
    with pytest.raises(pliant.PliantError, match="nothing was attached to this joint; found 'k'"):
        attachment.column("k", "friction.K_c")
    with pytest.raises(pliant.PliantError, match=r"no such parameter; found 'friction\.K_d'"):
        attachment.column("j", "friction.K_d")


def test_the_models_defaults_of_actuators_are_not_the_attached_ones():
    """Gear, ranges and the like of `<default>` are for the model's own actuators."""
    defaults = '<default><general gear="150" ctrlrange="-.4 .4" forcerange="-.01 .01" group="3"/></default>'
    plain = wheels({"a": "xl330_bam_m4", "b": "qbmove_maker_pro"})
    spec = mujoco.MjSpec.from_string(
        f'<mujoco><option gravity="0 0 0"/>{defaults}<worldbody>{wheel("a")}{wheel("b")}'
        "</worldbody></mujoco>"
    )
    attachment = pliant.attach(spec, {"a": "xl330_bam_m4", "b": "qbmove_maker_pro"})
    goals = np.full((300, 3), 1.0)
    np.testing.assert_array_equal(played(spec.compile(), goals), played(plain, goals))
    [note] = attachment.notes
    assert note == (
        "not taken from the model's actuator defaults: ctrlrange, forcerange, gear, group"
    )
    assert note in str(attachment)


def test_the_models_ranges_hold_where_that_is_asked_for():
    spec = mujoco.MjSpec.from_string(
        '<mujoco><default><position gear="150" ctrlrange="-60 60"/></default><worldbody>'
        f"{wheel('a')}</worldbody></mujoco>"
    )
    pliant.attach(spec, {"a": "xl330_bam_m4"}, limits=True)
    model = spec.compile()
    assert (model.actuator_ctrlrange[0].tolist(), model.actuator_gear[0, 0]) == ([-0.4, 0.4], 1.0)
    assert abs(played(model, np.full((2000, 1), 1.0))[-1, 0]) < 0.45


def slider() -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(
        '<mujoco><option gravity="0 0 0"/><worldbody><body><joint name="a" type="slide"/>'
        '<inertial pos="0 0 0" mass="1" diaginertia=".1 .1 .1"/></body></worldbody></mujoco>'
    )


def test_a_servo_on_a_slide_needs_a_transmission():
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(slider(), {"a": "xl330_bam_m4"})
    assert str(refused.value) == (
        "joint a: needs a transmission: the actuator is rotary and the joint slides; accepted: "
        'transmission={"a": metres for one radian} (--transmission a=METRES)'
    )


def test_a_rack_moves_its_slide_as_the_servo_moves_the_inertia_it_feels():
    """x = rack q: a mass m on a rack r feels as an inertia m r^2."""
    rack = 0.01
    spec = slider()
    pliant.attach(spec, {"a": "xl330_bam_m4"}, transmission={"a": rack})
    goals = np.full((500, 1), 1.0)
    turned = played(wheels({"a": "xl330_bam_m4"}, a=1.0 * rack**2), goals)
    np.testing.assert_allclose(played(spec.compile(), goals) / rack, turned, atol=1e-4)
    assert turned[-1, 0] > 0.5


@pytest.mark.parametrize("travel", [1 / 1.917, 0.5, -0.5, 2.0, 0.1])
def test_goals_behind_a_transmission_are_the_actuators_and_that_is_said(travel: float):
    spec = spec_of(wheel(), 'gravity="0 0 0"')
    attachment = pliant.attach(spec, {"a": "xl330_bam_m4"}, transmission={"a": travel})
    end = played(spec.compile(), np.full((2000, 1), 0.5))[-1, 0]
    assert end == pytest.approx(0.5 * travel, rel=0.1)
    said = f"goals, limits and motor angles are in turns of the actuator, {abs(1 / travel):.4g} per turn of the joint"
    assert said in str(attachment)


def test_the_warnings_of_sticking_are_among_the_warnings():
    spec = spec_of(wheel("a"), 'iterations="5"')
    attachment = pliant.attach(spec, {"a": "xl330_bam_m4"})
    [warning] = attachment.warnings
    assert str(warning) == "iterations=5 may end before the friction holds; use 100"
    assert (warning.kind, warning.joint) == ("iterations", None)
    assert dict(warning.numbers) == {"iterations": 5}
    assert str(attachment).count("iterations=5") == 1
