"""Armature, damping and friction that a model gives a joint, beside those of its actuator."""

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant
from pliant.assemble.exchange import with_backlash

PLAY = with_backlash(pliant.load_actuator("xl330_bam_m6"), 0.01, stiffness=50.0)
SPRINGS = ["sea_walkman_400", "qbmove_maker_pro", "awas_ii", PLAY]
GIVEN = 'armature="1" damping=".7" frictionloss=".2"'
STEP = 'gravity="0 0 0" timestep="0.001"'


def numbers(some) -> dict[str, float]:
    return {one.kind: one.value for one in some}


def compiled(spec: mujoco.MjSpec) -> tuple[float, float, float]:
    model = spec.compile()
    return tuple(
        float(np.ravel(field[0])[0])
        for field in (model.dof_armature, model.dof_damping, model.dof_frictionloss)
    )


@pytest.mark.parametrize("engine", ["mujoco", "mujoco_warp"])
@pytest.mark.parametrize("actuator", SPRINGS, ids=str)
def test_behind_a_spring_or_play_a_joint_has_no_rotor_and_keeps_its_friction(actuator, engine):
    if engine == "mujoco_warp":
        pytest.importorskip("mujoco_warp")
    spec = spec_of(wheel(joint=GIVEN), STEP)
    attachment = pliant.attach(spec, {"a": actuator}, engine=engine)
    assert compiled(spec) == (0.0, 0.7, 0.2)
    assert numbers(attachment["a"].replaced) == {"armature": 1.0}
    assert numbers(attachment["a"].kept) == {"damping": 0.7, "frictionloss": 0.2}
    assert "replaces the joint's armature 1; the joint keeps its damping 0.7, frictionloss 0.2" in (
        str(attachment)
    )


@pytest.mark.parametrize("engine", ["mujoco", "mujoco_warp"])
def test_a_joint_that_only_an_armature_made_heavy_is_told_alike_with_and_without_a_spring(engine):
    if engine == "mujoco_warp":
        pytest.importorskip("mujoco_warp")
    servo = pliant.load_actuator("mx106_bam_m4")
    rotor = servo.value("own.armature")
    body = wheel("a", joint=GIVEN) + wheel("b", joint=GIVEN) + wheel("c", joint='armature=".005"')
    spec = spec_of(body, STEP)
    wanted = {"a": "sea_walkman_400", "b": servo, "c": servo}
    with pytest.warns(pliant.PliantWarning, match="a, b: its armature in the model exceeded"):
        attachment = pliant.attach(spec, wanted, engine=engine)
    told = [(one.kind, one.joint, dict(one.numbers)) for one in attachment.warnings]
    assert told == [
        ("armature", "a", {"armature": 1.0, "actuator": 0.0, "inertia": pytest.approx(0.01)}),
        (
            "armature",
            "b",
            {"armature": 1.0, "actuator": rotor, "inertia": pytest.approx(0.01 + rotor)},
        ),
    ]


@pytest.mark.parametrize("actuator", ["mx106_bam_m4", *SPRINGS], ids=str)
def test_the_models_armature_stays_where_asked(actuator):
    spec = spec_of(wheel(joint=GIVEN), STEP)
    travel = {"a": 0.5}
    attachment = pliant.attach(spec, {"a": actuator}, transmission=travel, keep_armature=True)
    assert compiled(spec)[0] == 1.0
    assert numbers(attachment["a"].kept)["armature"] == 1.0
    assert [one for one in attachment.warnings if one.kind == "armature"] == []


def test_a_servo_that_keeps_the_models_armature_counts_it_as_its_own():
    spec = spec_of(wheel(joint='armature=".2"') + wheel("b"), STEP)
    names = dict.fromkeys("ab", "mx106_bam_m4")
    attachment = pliant.attach(spec, names, transmission={"a": 0.5}, keep_armature=True)
    assert attachment["a"].actuator.value("own.armature") == pytest.approx(0.2 / 4.0)
    own = pliant.load_actuator("mx106_bam_m4").value("own.armature")
    assert attachment["b"].actuator.value("own.armature") == own
    assert spec.compile().dof_armature.tolist() == [0.2, own]


def test_a_pushed_link_behind_a_spring_speeds_up_by_its_own_inertia():
    """A torque on the joint at rest, its spring relaxed: a = tau / J of the body alone."""
    spec = spec_of(wheel(joint='armature="1"'), STEP)
    pliant.attach(spec, {"a": "sea_walkman_400"})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qfrc_applied[0] = 1e-3
    mujoco.mj_forward(model, data)
    assert data.qacc[0] == pytest.approx(1e-3 / 0.01, rel=1e-3)


def test_too_light_a_joint_without_its_armature_is_refused_with_both_ways_out():
    spec = spec_of(wheel("a", 1e-8, 'armature="1"'), STEP)
    with pytest.raises(pliant.PliantError, match=r"joint a: timestep: .* keep_armature=True"):
        pliant.attach(spec.copy(), {"a": "sea_walkman_400"})
    pliant.attach(spec, {"a": "sea_walkman_400"}, keep_armature=True)
    assert spec.compile().dof_armature[0] == 1.0


def test_a_robots_file_and_a_model_that_names_its_actuators_follow_the_same_rule(tmp_path):
    (tmp_path / "arm.xml").write_text(spec_of(wheel(joint=GIVEN), STEP).to_xml())
    for kept, armature in ((False, 0.0), (True, 1.0)):
        (tmp_path / "robot.toml").write_text(
            f'model = "arm.xml"\nkeep_armature = {str(kept).lower()}\n'
            '[joints]\na.actuator = "sea_walkman_400"'
        )
        assert pliant.load_robot(tmp_path / "robot.toml").model.dof_armature[0] == armature
    named = tmp_path / "named.xml"
    named.write_text(
        '<mujoco><option timestep="0.001"/><extension><plugin plugin="pliant.sea_walkman_400"/>'
        f'</extension><worldbody>{wheel(joint=GIVEN)}</worldbody><actuator><plugin name="a"'
        ' joint="a" plugin="pliant.sea_walkman_400"/></actuator></mujoco>'
    )
    spec, _ = pliant.load_model(named)
    assert spec.compile().dof_armature[0] == 0.0
    assert pliant.load_model(named, keep_armature=True)[0].compile().dof_armature[0] == 1.0
    assert mujoco.MjModel.from_xml_path(str(named)).dof_armature[0] == 0.0  # MuJoCo alone


@pytest.mark.parametrize(("part", "moves"), [(0.9, False), (1.3, True)])
def test_beneath_an_actuator_without_friction_the_joint_keeps_its_own(part, moves):
    """It starts to move when gain times goal is more than the joint's friction."""
    name, friction = "unitree_go1_hip_mjlab", 2.0
    spec = spec_of(wheel(joint=f'frictionloss="{friction}"'), STEP)
    attachment = pliant.attach(spec, {"a": name})
    assert numbers(attachment["a"].kept) == {"frictionloss": friction}
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[0] = part * friction / pliant.load_actuator(name).value("control.k_p")
    mujoco.mj_step(model, data, 200)
    assert bool(data.qpos[0] > 1e-3) is moves
    assert moves or abs(data.qpos[0]) < 1e-5
