"""Actuators with springs on tendons: as on a joint, statics by hand, couplings of several joints."""

import mujoco
import numpy as np
import pytest

import pliant
from pliant.robots import Robot

SEA, PAIR = "sea_walkman_200", "qbmove_maker_pro"
HEAD = '<mujoco><option timestep="0.001" gravity="0 0 {g}"/><worldbody>'
LINK = '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1"/>'
CHAIN = f"""<body><joint name="a" axis="0 1 0" damping="0.5"/>{LINK}<body pos="0 0 -0.3">
<joint name="b" axis="0 1 0" damping="0.5"/>{LINK}</body></body></worldbody>"""
WINCH = """<site name="top" pos="0 0 1"/><body><joint name="z" type="slide" axis="0 0 1" damping="5"/>
<geom size="0.05" mass="0.5"/><site name="load"/></body></worldbody><tendon><spatial name="cable">
<site site="top"/><site site="load"/></spatial></tendon></mujoco>"""
RADIUS = 0.02


def fixed(name: str, **coefficients: float) -> str:
    along = "".join(f'<joint joint="{j}" coef="{c}"/>' for j, c in coefficients.items())
    return f'<fixed name="{name}">{along}</fixed>'


def chain(*tendons: str, g: float = 0.0, more: str = "") -> mujoco.MjSpec:
    text = f"{HEAD.format(g=g)}{CHAIN}<tendon>{''.join(tendons)}</tendon>{more}</mujoco>"
    return mujoco.MjSpec.from_string(text)


def settled(spec: mujoco.MjSpec, *commands: float, steps: int = 6000):
    model = spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = commands[: model.nu]
    mujoco.mj_step(model, data, steps)
    return model, data


@pytest.mark.parametrize("actuator", [SEA, PAIR])
def test_along_one_joint_it_is_what_it_is_on_the_joint(actuator) -> None:
    direct, tendon = (chain(fixed("t", b=0.5), g=-9.81) for _ in range(2))
    on_joint = pliant.attach(direct, {"b": actuator})
    on_tendon = pliant.attach(tendon, {"t": actuator}, transmission={"t": 0.5})
    _, expected = settled(direct, 0.4, 0.2, steps=500)
    _, found = settled(tendon, 0.4, 0.2, steps=500)
    assert abs(float(expected.qpos[1])) > 0.1
    np.testing.assert_allclose(found.qpos, expected.qpos, atol=1e-9)
    states = [one.state(data) for one, data in ((on_joint["b"], expected), (on_tendon["t"], found))]
    for name in on_joint["b"].actuator.state:
        assert states[1][name] == pytest.approx(states[0][name], abs=1e-8)


def test_a_biarticular_spring_pulls_each_joint_by_its_coefficient() -> None:
    spec = chain(fixed("t", a=0.5, b=-1.5), g=-9.81)
    attachment = pliant.attach(spec, {"t": SEA})
    _, data = settled(spec, 0.8)
    k = attachment["t"].actuator.value("spring.k")
    theta = attachment["t"].state(data)["rotor.theta"]
    tension = k * (theta - (0.5 * data.qpos[0] - 1.5 * data.qpos[1]))
    assert abs(tension) > 0.1
    assert attachment["t"].torque(data) == pytest.approx(tension, rel=1e-6)
    np.testing.assert_allclose(data.qfrc_actuator, [0.5 * tension, -1.5 * tension], rtol=1e-6)
    # Statics by hand: gravity of two rods of 1 kg and 0.3 m.
    one, two = np.sin(data.qpos[0]), np.sin(data.qpos[0] + data.qpos[1])
    weight = 9.81 * np.array([0.15 * one + 0.3 * one + 0.15 * two, 0.15 * two])
    np.testing.assert_allclose(data.qfrc_actuator, weight, rtol=1e-3)


def test_two_motors_on_a_differential_move_its_two_joints_by_half_sum_and_half_difference() -> None:
    spec = chain(fixed("left", a=1.0, b=1.0), fixed("right", a=1.0, b=-1.0))
    attachment = pliant.attach(spec, {"left": SEA, "right": SEA})
    _, data = settled(spec, 0.5, 0.1)
    np.testing.assert_allclose(data.qpos, [0.3, 0.2], atol=2e-3)
    pull = [float(attachment[name].torque(data)) for name in ("left", "right")]
    np.testing.assert_allclose(data.qfrc_actuator, [sum(pull), pull[0] - pull[1]], atol=1e-12)


def test_the_synergy_tendon_of_a_soft_hand_shares_its_force_by_stiffness() -> None:
    """Three finger joints with return springs k on one tendon with pulleys r: q = r T / k each."""
    joints = "".join(
        f'<body pos="{0.03 * i} 0 0"><joint name="f{i}" axis="1 0 0" stiffness="{k}" damping="0.02"/>'
        '<geom type="capsule" size="0.008" fromto="0 0 0 0 0 -0.08" mass="0.05"/></body>'
        for i, k in enumerate((0.4, 0.8, 1.6))
    )
    tendon = fixed("grip", f0=0.010, f1=0.008, f2=0.006)
    text = f"{HEAD.format(g=0)}{joints}</worldbody><tendon>{tendon}</tendon></mujoco>"
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = 2e-4  # fingers are light
    attachment = pliant.attach(spec, {"grip": SEA}, transmission={"grip": 0.01})
    _, data = settled(spec, 0.9)
    tension = float(attachment["grip"].torque(data))  # already a force: the gear is 1 / 0.01 m
    assert tension > 5.0
    expected = tension * np.array([0.010 / 0.4, 0.008 / 0.8, 0.006 / 1.6])
    np.testing.assert_allclose(data.qpos, expected, rtol=1e-3)
    assert data.ten_length[0] == pytest.approx(expected @ [0.010, 0.008, 0.006], rel=1e-3)


def test_a_winch_with_a_spring_sags_by_its_load() -> None:
    spec = mujoco.MjSpec.from_string(HEAD.format(g=-9.81) + WINCH)
    attachment = pliant.attach(spec, {"cable": SEA}, transmission={"cable": -RADIUS})
    _, data = settled(spec, 3.0)
    theta = float(attachment["cable"].state(data)["rotor.theta"])
    sag = 0.5 * 9.81 * RADIUS / attachment["cable"].actuator.value("spring.k")
    assert data.qpos[0] == pytest.approx(RADIUS * (theta - sag), abs=1e-6)
    assert attachment["cable"].torque(data) == pytest.approx(-0.5 * 9.81, rel=1e-4)
    assert not attachment["cable"].sticking(data)


def test_second_commands_of_a_joint_and_of_a_tendon_with_the_same_number_stay_apart() -> None:
    spec = chain(fixed("t", b=1.0))
    pliant.attach(spec, {"a": PAIR, "t": PAIR})
    model = spec.compile()
    names = [model.actuator(k).name for k in range(model.nu)]
    assert sorted(names) == ["a", "a.preset", "t", "t.preset"]
    model.actuator_dynprm[[names.index("a"), names.index("t")], 4] = 0.0  # the search begins anew
    data = mujoco.MjData(model)
    data.ctrl[names.index("a.preset")], data.ctrl[names.index("t.preset")] = 0.1, 0.4
    mujoco.mj_step(model, data, 3000)
    state = [data.act[model.actuator_actadr[names.index(n)] :] for n in "at"]
    actuator = pliant.load_actuator(PAIR)
    spread = [
        s[2 + actuator.state.index("rotor_1.theta")] - s[2 + actuator.state.index("rotor_2.theta")]
        for s in state
    ]
    np.testing.assert_allclose(spread, [0.2, 0.8], atol=0.1)


def test_a_robot_has_the_joints_and_leaves_the_tendon_to_its_attachment() -> None:
    more = '<keyframe><key name="bent" qpos="0.1 0.2" ctrl=""/></keyframe>'
    spec = chain(fixed("t", b=1.0), more=more)
    attachment = pliant.attach(spec, {"t": SEA, "a": SEA})
    model = spec.compile()
    robot = Robot(model, attachment, target="python")
    assert robot.joints == ("a",)
    assert [entry.joint for entry in attachment.joints] == ["a", "t"]


def test_what_was_on_the_tendon_gives_way_in_its_place_and_keyframes_keep_theirs() -> None:
    more = """<actuator><motor name="m" tendon="t"/><motor name="n" joint="a"/></actuator>
    <sensor><actuatorfrc actuator="m"/></sensor><keyframe><key qpos="0.1 0.4" ctrl="0.3 0.7"/></keyframe>"""
    spec = chain(fixed("t", b=1.0), more=more)
    with pytest.raises(pliant.PliantError, match="tendon t: the tendon has an actuator already"):
        pliant.attach(spec, {"t": SEA})
    attachment = pliant.attach(spec, {"t": SEA}, replace=True)
    model = spec.compile()
    assert [former.name for former in attachment["t"].formers] == ["m"]
    assert [model.actuator(k).name for k in range(model.nu)] == ["m", "n"]
    assert model.sensor_objid[0] == 0
    # A motor's command is no position: it becomes the pose, here a tendon of 0.4 rad.
    np.testing.assert_allclose(model.key_ctrl[0], [0.4, 0.7])


@pytest.mark.parametrize(
    ("text", "actuator", "options", "said"),
    [
        ("chain", "csf_17_50_gear", {}, "too long for the spring of csf_17_50_gear on the tendon"),
        ("winch", SEA, {}, "needs a transmission: the actuator is rotary and the tendon"),
        ("chain", SEA, {"engine": "mujoco_warp"}, "cannot run an actuator with a spring on a"),
        ("chain", SEA, {"transmission": {"t": 0.0}}, "moves nothing"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(text, actuator, options, said) -> None:
    winch = mujoco.MjSpec.from_string(HEAD.format(g=0) + WINCH)
    spec = chain(fixed("t", b=1.0)) if text == "chain" else winch
    if actuator.startswith("csf"):
        spec.option.timestep = 0.01
    before, name = spec.to_xml(), "t" if text == "chain" else "cable"
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(spec, {name: actuator}, **options)
    assert said in str(refused.value)
    assert spec.to_xml() == before
