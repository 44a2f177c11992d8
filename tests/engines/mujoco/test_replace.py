"""Models that have actuators already: what gives way, and what stays as it was."""

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant

NAME, PAIR = "xl330_bam_m6", "qbmove_maker_pro"
REST = """
<actuator>
  <motor name="hip" joint="a" gear="150" ctrlrange="-1 1" group="2"/>
  <position name="other" joint="b" kp="3" timeconst="0.1"/>
  <velocity name="other_v" joint="b" kv="2"/>
  <motor name="last" joint="c"/>
</actuator>
<sensor>
  <actuatorpos name="hip_pos" actuator="hip"/>
  <actuatorfrc name="other_frc" actuator="other_v"/>
</sensor>
<custom><tuple name="all"><element objtype="actuator" objname="other_v"/></tuple></custom>
<keyframe><key name="home" qpos="0.3 0.2 0.1" ctrl="1 0.5 3 4" act="0.7"/></keyframe>
"""


def robot(rest: str = REST) -> mujoco.MjSpec:
    return spec_of("".join(map(wheel, "abc")), 'gravity="0 0 0"', rest)


def names(model: mujoco.MjModel) -> list[str]:
    return [model.actuator(k).name for k in range(model.nu)]


def test_without_replace_the_one_that_is_there_is_named_with_the_way_out():
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(robot(), {"a": NAME})
    assert str(refused.value) == (
        "joint a: the joint has an actuator already: motor 'hip';"
        " accepted: replace=True (--replace), to replace it by this one"
    )


def test_name_place_group_and_sensors_of_the_first_stay():
    spec = robot()
    pliant.attach(spec, {"a": NAME, "c": NAME}, replace=True)
    model = spec.compile()
    assert names(model) == ["hip", "other", "other_v", "last"]
    assert model.actuator_group[0] == 2
    assert model.sensor("hip_pos").objid[0] == 0
    data = mujoco.MjData(model)
    data.qpos[0] = 0.25
    mujoco.mj_forward(model, data)
    assert data.sensor("hip_pos").data[0] == 0.25  # its gear is 1 now


def test_others_on_the_joint_are_deleted_and_what_reads_them_reads_the_one_that_stays():
    spec = robot()
    attachment = pliant.attach(spec, {"b": NAME}, replace=True)
    model = spec.compile()
    assert names(model) == ["hip", "other", "last"]
    assert model.sensor("other_frc").objid[0] == 1
    assert model.tuple("all").objid[0] == 1
    first, second = attachment.joints[0].formers
    assert (first.name, first.kind, first.place, first.deleted) == ("other", "position", 1, False)
    assert (second.name, second.kind, second.place, second.deleted) == (
        "other_v",
        "velocity",
        2,
        True,
    )
    assert second.readers == ("sensor other_frc", "tuple all")
    assert (
        "in the place of position 'other' and velocity 'other_v' (read by sensor other_frc, tuple"
        " all, deleted: the actuators after it moved up by one)"
    ) in str(attachment)


def test_a_replaced_one_moves_as_one_attached_to_a_bare_joint():
    spec, bare = robot(), robot("")
    every = dict.fromkeys("abc", NAME)
    pliant.attach(spec, every, replace=True)
    pliant.attach(bare, every)
    paths = []
    for model in (spec.compile(), bare.compile()):
        data = mujoco.MjData(model)
        data.ctrl[:] = 0.3, -0.2, 0.4
        mujoco.mj_step(model, data, 500)
        paths.append(data.qpos.copy())
    np.testing.assert_array_equal(*paths)
    assert abs(paths[0][0]) > 0.1


def test_keyframes_keep_positions_and_hold_their_pose_elsewhere():
    """A former position command stays; a torque is no position, so the goal is the pose."""
    spec = robot()
    pliant.attach(spec, {"a": PAIR, "b": NAME}, replace=True)
    model = spec.compile()
    assert names(model) == ["hip", "other", "last", "hip.preset"]
    np.testing.assert_array_equal(model.key_ctrl, [[0.3, 0.5, 4.0, 0.0]])
    np.testing.assert_array_equal(model.key_act, np.zeros((1, model.na)))
    kept = robot()
    pliant.attach(kept, {"a": PAIR}, replace=True)
    model = kept.compile()
    first = int(model.actuator_actadr[names(model).index("other")])
    assert model.key_act[0, first] == 0.7
    assert np.count_nonzero(model.key_act) == 1


@pytest.mark.parametrize(
    "actuators",
    [
        "",
        '<motor joint="a"/><motor joint="b"/>',
        '<velocity joint="a" kv="1"/>',
        '<intvelocity joint="a" kp="3" actrange="-2 2"/>',
        '<position joint="a"/>',
    ],
)
def test_a_keyframe_without_commands_keeps_its_pose(actuators):
    """Also of rotors that follow their reference, whatever their controller is told."""
    key = '<keyframe><key qpos="0.9 -1.2 0"/></keyframe>'
    spec = robot(f"<actuator>{actuators}</actuator>{key}")
    pliant.attach(spec, {"a": NAME, "b": "csf_17_50_gear"}, replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    for _ in range(500):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[:2], [0.9, -1.2], atol=0.03)


@pytest.mark.parametrize(
    "name", [NAME, PAIR, "awas_ii", "csf_17_50_gear", "maccepa_vd", "sea_walkman_200"]
)
def test_a_pose_that_a_keyframe_commands_is_held(name):
    """Also by rotors that follow their reference: at 0 they would carry the joint away."""
    former = '<position joint="a"/><position joint="b"/>'
    key = '<keyframe><key qpos="1.2 -0.7 0" ctrl="1.2 -0.7"/></keyframe>'
    spec = robot(f"<actuator>{former}</actuator>{key}")
    pliant.attach(spec, {"a": name, "b": name}, replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    furthest = 0.0
    for _ in range(500):
        mujoco.mj_step(model, data)
        furthest = max(furthest, np.abs(data.qpos[:2] - [1.2, -0.7]).max())
    assert furthest < 0.03


NUMBERS = '<config key="kp" value="4"/>'
SHARED = f"""<extension><plugin plugin="mujoco.pid"><instance name="pid">{NUMBERS}</instance></plugin>
</extension><actuator><plugin joint="a" plugin="mujoco.pid" instance="pid"/>
<plugin joint="b" plugin="mujoco.pid" instance="pid"/></actuator>"""
INLINE = f"""<extension><plugin plugin="mujoco.pid"/></extension><actuator>
<plugin joint="a" plugin="mujoco.pid">{NUMBERS}</plugin>
<plugin joint="b" plugin="mujoco.pid">{NUMBERS}</plugin></actuator>"""


OLD = mujoco.__version__.startswith("3.")


@pytest.mark.skipif(not OLD, reason="newer MuJoCos can")
def test_an_old_mujoco_is_not_made_to_delete_the_plugin_of_another():
    with pytest.raises(pliant.PliantError, match=r"mujoco 3\..*; accepted: mujoco >=4, or a model"):
        pliant.attach(robot(INLINE), {"a": NAME}, replace=True)


@pytest.mark.skipif(OLD, reason="it ends the process")
@pytest.mark.parametrize("rest", [SHARED, INLINE])
@pytest.mark.parametrize("joints", ["a", "ab"])
@pytest.mark.parametrize("prepared", [lambda s: s, lambda s: s.copy(), lambda s: s.compile() and s])
def test_the_plugin_of_another_gives_way(rest, joints, prepared):
    """Also where a second joint keeps the same plugin; MuJoCo binds instances to actuators."""
    spec = prepared(robot(rest))
    attachment = pliant.attach(spec, dict.fromkeys(joints, NAME), replace=True)
    assert [f.kind for one in attachment.joints for f in one.formers] == ["mujoco.pid"] * len(
        joints
    )
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3
    for _ in range(1000):
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[: len(joints)], 0.3, atol=0.05)
    assert model.nplugin == 3 - len(joints)


def test_one_without_a_name_gets_its_joints():
    spec = robot('<actuator><motor joint="b"/><motor joint="a"/></actuator>')
    attachment = pliant.attach(spec, {"a": NAME, "b": NAME}, replace=True)
    assert names(spec.compile()) == ["b", "a"]
    assert [entry.name for entry in attachment.joints] == ["a", "b"]
    assert "in the place of motor without a name" in str(attachment)


def test_one_of_pliants_is_replaced_too_and_its_second_command_goes():
    spec = robot("")
    pliant.attach(spec, {"a": PAIR, "b": NAME})
    attachment = pliant.attach(spec, {"a": NAME, "b": PAIR}, replace=True)
    model = spec.compile()
    assert names(model) == ["a", "b", "b.preset"]
    assert [former.kind for former in attachment.joints[0].formers] == [
        f"pliant.{PAIR}",
        "second command",
    ]
    # The friction and rotor of the servo that was on b went with it.
    assert (model.dof_armature[1], model.dof_frictionloss[1]) == (0.0, 0.0)
    again = pliant.attach(spec, {"b": "qbmove_advanced_equal"}, replace=True)
    assert names(spec.compile()) == ["a", "b", "b.preset"]
    assert not again.joints[0].formers[0].deleted


COUNTS = 'biastype="affine" gainprm="0.04" biasprm="-0.1 -2 -1"'  # 0 to 255 are -0.05 to 5.05
FORMERS = [
    ('<position joint="a" gear="2" ctrlrange="-1 3" forcerange="-2 3"/>', (-0.5, 1.5), (-4.0, 6.0)),
    ('<position joint="a" gear="-2" ctrlrange="-1 3"/>', (-1.5, 0.5), None),
    ('<position joint="a" timeconst=".1" ctrlrange="-1 3"/>', (-1.0, 3.0), None),
    ('<position joint="a" inheritrange="0.5"/>', tuple(np.deg2rad([-10.0, 50.0])), None),
    (f'<general joint="a" ctrlrange="0 255" {COUNTS}/>', (-0.05, 5.05), None),
    ('<motor joint="a" gear="9" forcerange="-2 3"/>', None, (-18.0, 27.0)),
]


@pytest.mark.parametrize(("former", "commands", "torque"), FORMERS)
def test_limits_of_the_model_are_converted_where_they_are_positions(former, commands, torque):
    rest = f'<actuator>{former}</actuator><default><joint range="-40 80"/></default>'
    for limits, wanted, force in (
        (False, None, None),
        ("model", commands, torque),
        ("joint", tuple(np.deg2rad([-40.0, 80.0])), None),
    ):
        spec = robot(rest)
        [entry] = pliant.attach(spec, {"a": NAME}, replace=True, limits=limits).joints
        for found, known in ((entry.command_range, wanted), (entry.force_range, force)):
            assert found is None if known is None else np.allclose(found, known)
        assert bool(spec.compile().actuator_ctrllimited[0]) == (wanted is not None)


@pytest.mark.parametrize(
    "former",
    [
        "motor",
        'velocity kv="1"',
        'intvelocity kp="1" actrange="-1 1"',
        "damper",
        'general gainprm="3"',
    ],
)
def test_limits_that_are_no_positions_are_refused(former):
    rest = f'<actuator><{former} joint="a" ctrlrange="0 1"/></actuator>'
    with pytest.raises(
        pliant.PliantError, match=r"limits: joint a: the commands of .* not positions"
    ):
        pliant.attach(robot(rest), {"a": NAME}, replace=True, limits="model")


def test_limits_that_are_none_are_refused():
    with pytest.raises(pliant.PliantError, match="limits: unknown; found 'joints'; did you mean"):
        pliant.attach(robot(), {"a": NAME}, replace=True, limits="joints")


def test_limits_of_the_joint_hold_without_autolimits():
    spec = mujoco.MjSpec.from_string(
        """<mujoco><compiler autolimits="false"/><worldbody><body><geom size=".1"/>
        <joint name="a" axis="0 1 0" limited="true" range="-30 40"/></body></worldbody></mujoco>"""
    )
    pliant.attach(spec, {"a": "xl330_bam_m6"}, limits="joint")
    model = spec.compile()
    assert model.actuator_ctrllimited[0]
    np.testing.assert_allclose(model.actuator_ctrlrange[0], np.deg2rad([-30, 40]))


def test_a_model_file_that_names_its_actuators_can_have_others_give_way(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text(
        f'<mujoco><extension><plugin plugin="pliant.{NAME}"/></extension>'
        f"<worldbody>{wheel('a')}{wheel('b')}</worldbody><actuator>"
        f'<motor name="old" joint="a"/><plugin name="new" joint="a" plugin="pliant.{NAME}"/>'
        '<motor name="b" joint="b"/></actuator>'
        '<sensor><actuatorfrc name="s" actuator="old"/></sensor>'
        '<keyframe><key ctrl="1 2 3"/></keyframe></mujoco>'
    )
    with pytest.raises(pliant.PliantError, match=r"robot.xml: joint a: .* motor 'old'; .*replace"):
        pliant.load_model(path)
    spec, attachment = pliant.load_model(path, replace=True)
    model = spec.compile()
    assert names(model) == ["new", "b"]
    assert model.sensor("s").objid[0] == 0
    np.testing.assert_array_equal(model.key_ctrl, [[2.0, 3.0]])
    assert [former.name for former in attachment.joints[0].formers] == ["old"]


@pytest.mark.filterwarnings("ignore:compiler attribute 'settotalmass'")
@pytest.mark.parametrize("name", ["ant", "half_cheetah", "humanoid"])
def test_gymnasiums_robots_run_with_their_actuators_replaced(name, tmp_path):
    gymnasium = pytest.importorskip("gymnasium")
    folder = pytest.importorskip("gymnasium.envs.mujoco").__path__[0]
    kind = {"ant": "Ant-v5", "half_cheetah": "HalfCheetah-v5", "humanoid": "Humanoid-v5"}[name]
    spec = mujoco.MjSpec.from_file(f"{folder}/assets/{name}.xml")
    spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    joints = [entry.target for entry in spec.actuators]
    pliant.attach(spec, dict.fromkeys(joints, "mx106_bam_m4"), replace=True, limits="joint")
    spec.compile()
    path = tmp_path / "robot.xml"
    path.write_text(spec.to_xml())
    before, now = gymnasium.make(kind), gymnasium.make(kind, xml_file=str(path))
    assert now.observation_space == before.observation_space
    assert now.action_space.shape == before.action_space.shape
    model = now.unwrapped.model
    assert [model.joint(int(j)).name for j in model.actuator_trnid[:, 0]] == joints
    now.action_space.seed(1)
    observation, _ = now.reset(seed=1)
    for _ in range(40):
        observation, *_ = now.step(now.action_space.sample())
    assert np.isfinite(observation).all()
