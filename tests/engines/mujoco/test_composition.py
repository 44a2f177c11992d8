"""Actuators before and after `MjSpec.attach`, in copies, and on several robots of one world."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.spec.names import actuator_named
from pliant.engines.spec.readings import control_of

ARM = """<mujoco><option timestep="0.001"/><worldbody><body name="upper">
<joint name="shoulder" axis="0 1 0"/><geom type="capsule" size=".02" fromto="0 0 0 0 0 -.1" mass=".2"/>
<body name="fore" pos="0 0 -.1"><joint name="elbow" axis="0 1 0"/>
<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.1" mass=".1"/></body></body></worldbody></mujoco>"""
ACTUATORS = {"shoulder": "mx106_bam_m4", "elbow": "qbmove_maker_pro"}
GOALS = {"shoulder": 0.4, "elbow": 0.3, "elbow.preset": 0.2}


def arm(actuators: dict[str, str] | None = None) -> mujoco.MjSpec:
    spec = mujoco.MjSpec.from_string(ARM)
    if actuators:
        pliant.attach(spec, actuators)
    return spec


def world(child: mujoco.MjSpec, **affixes: str) -> mujoco.MjSpec:
    spec = mujoco.MjSpec()
    spec.option.timestep = 0.001
    place(spec, child, **affixes)
    return spec


def place(spec: mujoco.MjSpec, child: mujoco.MjSpec, y: float = 0.0, **affixes: str) -> None:
    frame = spec.worldbody.add_frame(pos=[0.0, y, 0.0])
    spec.attach(child, frame=frame, **affixes)


def motion(spec: mujoco.MjSpec, before: str = "", behind: str = "") -> np.ndarray:
    """(T, 2) positions of one arm, its actuators commanded by their names."""
    model = spec.compile()
    data = mujoco.MjData(model)
    joints = [f"{before}{joint}{behind}" for joint in ("shoulder", "elbow")]
    known = [model.actuator(k).name for k in range(model.nu)]
    for name, goal in GOALS.items():
        joint, dot, preset = name.partition(".")
        # A suffix stands behind all that there was, the preset of what comes later behind it.
        either = f"{before}{name}{behind}", f"{before}{joint}{behind}{dot}{preset}"
        data.actuator(next(name for name in either if name in known)).ctrl = goal
    found: list[np.ndarray] = []
    for _ in range(200):
        mujoco.mj_step(model, data)
        found.append(np.concatenate([data.joint(joint).qpos for joint in joints]))
    return np.array(found)


@pytest.fixture(scope="module")
def alone() -> np.ndarray:
    found = motion(arm(ACTUATORS))
    assert np.ptp(found, axis=0).min() > 0.05
    return found


@pytest.mark.parametrize(
    "affix", [{"prefix": "l/"}, {"prefix": "l/", "suffix": "_1"}], ids=["prefix", "both"]
)
def test_a_robot_moves_alike_attached_to_before_and_after_it_is_put_into_a_world(alone, affix):
    before, behind = affix.get("prefix", ""), affix.get("suffix", "")
    first = world(arm(ACTUATORS), **affix)
    then = world(arm(), **affix)
    named = {f"{before}{joint}{behind}": actuator for joint, actuator in ACTUATORS.items()}
    pliant.attach(then, named)
    np.testing.assert_allclose(motion(first, before, behind), alone, rtol=0, atol=1e-12)
    model = then.compile()
    joints = [control_of(model, joint) for joint in named]
    assert (model.nu, joints) == (3, [0, 1])
    assert control_of(first.compile(), f"{before}elbow{behind}") == 1


@pytest.mark.parametrize("affix", [{"suffix": "_1"}, {"prefix": "l/", "suffix": "_1"}])
def test_behind_a_suffix_an_actuator_with_two_commands_is_replaced_whole(affix):
    spec = world(arm({"elbow": "qbmove_maker_pro"}), **affix)
    # MuJoCo 3 puts "/" before a name that is given a suffix alone.
    elbow = next(joint.name for joint in spec.joints if "elbow" in joint.name)
    attachment = pliant.attach(spec, {elbow: pliant.actuator("qbmove_maker_pro")}, replace=True)
    assert spec.compile().nu == 2
    assert [former.name for former in attachment[elbow].formers] == [elbow]


def test_attached_behind_a_prefix_the_robot_moves_as_alone(alone):
    spec = world(arm(), prefix="l/")
    attachment = pliant.attach(spec, {f"l/{joint}": a for joint, a in ACTUATORS.items()})
    assert [entry.name for entry in attachment.joints] == ["l/shoulder", "l/elbow"]
    assert [a.name for a in spec.actuators] == ["l/shoulder", "l/elbow", "l/elbow.preset"]
    np.testing.assert_allclose(motion(spec, "l/"), alone, rtol=0, atol=1e-12)


def test_several_robots_in_one_world_move_as_each_does_alone(alone):
    other = {"shoulder": "xl330_bam_m6", "elbow": "qbmove_maker_pro"}
    spec = world(arm(ACTUATORS), prefix="a/")
    place(spec, arm(other), y=1.0, prefix="b/")
    place(spec, arm(), y=2.0, prefix="c/")
    pliant.attach(spec, {f"c/{joint}": actuator for joint, actuator in ACTUATORS.items()})
    model = spec.compile()
    data = mujoco.MjData(model)
    for robot in "abc":
        for name, goal in GOALS.items():
            data.actuator(f"{robot}/{name}").ctrl = goal
    mujoco.mj_step(model, data, 200)
    end = {
        robot: [float(data.joint(f"{robot}/{joint}").qpos[0]) for joint in ACTUATORS]
        for robot in "abc"
    }
    np.testing.assert_allclose(end["a"], alone[-1], atol=1e-7)
    np.testing.assert_allclose(end["c"], alone[-1], atol=1e-7)
    np.testing.assert_allclose(end["b"], motion(arm(other))[-1], atol=1e-7)
    assert model.nu == 9


MOTORS = """<actuator><position name="w" joint="wrist" kp="3"/><motor name="e" joint="elbow"/>
<motor name="s" joint="shoulder"/></actuator><keyframe><key ctrl="0.1 2 3"/></keyframe>
<sensor><actuatorfrc name="fe" actuator="e"/><actuatorfrc name="fs" actuator="s"/></sensor>
<custom><tuple name="t"><element objtype="actuator" objname="s"/></tuple></custom></mujoco>"""


@pytest.mark.parametrize("affix", ["", "l/"], ids=["copied", "attached"])
def test_an_actuator_of_a_copied_or_attached_spec_is_replaced_in_its_place(affix):
    """Against the same robot to which the new actuators were attached at once."""
    hand = (
        '<body pos="0 0 -.1"><joint name="wrist" axis="0 1 0"/><geom size=".02" mass=".1"/></body>'
    )
    text = ARM.replace("</body></body>", f"{hand}</body></body>").replace("</mujoco>", MOTORS)
    first = {"elbow": "qbmove_maker_pro", "shoulder": "mx106_bam_m4"}
    last = {"elbow": "mx106_bam_m4", "shoulder": "xl330_bam_m6"}
    spec, fresh = mujoco.MjSpec.from_string(text), mujoco.MjSpec.from_string(text)
    pliant.attach(spec, first, replace=True)
    pliant.attach(fresh, last, replace=True)
    spec = world(spec, prefix=affix) if affix else spec.copy()
    keyed = bool(spec.keys)  # MuJoCo 3.11 shows those of an attached spec only when it is compiled
    named = {f"{affix}{joint}": actuator for joint, actuator in last.items()}
    told = pliant.attach(spec, named, replace=True)
    model, alone = spec.compile(), fresh.compile()
    names = [model.actuator(k).name for k in range(model.nu)]
    assert names == [f"{affix}{name}" for name in ("w", "e", "s")]
    assert [entry.formers[0].kind for entry in told.joints] == [
        f"pliant.{n}" for n in first.values()
    ]
    fields = ["sensor_objid", "tuple_objid", "actuator_actnum", "dof_armature"]
    if keyed:
        fields.append("key_ctrl")
    for field in fields:
        np.testing.assert_array_equal(getattr(model, field), getattr(alone, field))
    np.testing.assert_allclose(ended(spec), ended(fresh), atol=1e-9)


def test_behind_a_plugin_whose_numbers_cannot_be_copied_it_is_refused_with_the_way_out(tmp_path):
    named = f"""<mujoco><option timestep="0.001"/><extension><plugin plugin="pliant.xl330_bam_m6"/>
    </extension>{ARM.partition("/>")[2].removesuffix("</mujoco>")}<actuator><motor name="elbow"
    joint="elbow"/><plugin name="shoulder" joint="shoulder" plugin="pliant.xl330_bam_m6"/></actuator>
    </mujoco>"""
    (tmp_path / "arm.xml").write_text(named)
    spec, _ = pliant.load_model(tmp_path / "arm.xml")
    pliant.attach(spec, {"elbow": "qbmove_maker_pro"}, replace=True)
    copied = spec.copy()
    with pytest.raises(pliant.PliantError, match="found 'elbow'; accepted: call attach before"):
        pliant.attach(copied, {"elbow": "mx106_bam_m4"}, replace=True)
    for name in ("elbow", "elbow.preset"):
        if (entry := actuator_named(copied, name)) is not None:
            copied.delete(entry)
    pliant.attach(copied, {"elbow": "mx106_bam_m4"})
    assert copied.compile().nu == 2


def ended(spec: mujoco.MjSpec) -> np.ndarray:
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.3
    mujoco.mj_step(model, data, 200)
    return data.qpos.copy()


def test_a_copied_spec_moves_as_the_original_and_can_be_attached_to_by_itself(alone):
    spec = arm({"shoulder": "mx106_bam_m4"})
    copy = spec.copy()
    pliant.attach(copy, {"elbow": "qbmove_maker_pro"})
    np.testing.assert_array_equal(motion(copy), alone)
    assert spec.compile().nu == 1
    np.testing.assert_array_equal(motion(copy.copy()), alone)
