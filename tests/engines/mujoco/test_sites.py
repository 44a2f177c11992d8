"""Actuators with springs between sites: as on a joint, statics by Jacobians, an integrator of its own."""

import pickle

import mujoco
import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.robots import Robot

SEA, PAIR = "sea_walkman_200", "qbmove_maker_pro"
TRAVEL = 0.05
LINK = '<geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.3" mass="1"/>'
ARM = f"""<site name="base" pos="0.1 0 0" euler="0 30 0"/>
<body><joint name="a" axis="0 1 0" damping="0.5"/>{LINK}<site name="middle" pos="0 0 -0.1"/>
<body pos="0 0 -0.3"><joint name="b" axis="0 1 0" damping="0.5"/>{LINK}
<site name="tip" pos="0 0 -0.3" euler="0 -20 0"/></body></body>
<body pos="1 0 0"><joint name="c" axis="0 1 0"/>{LINK}<site name="aside" pos="0.1 0 0"/></body>"""
SLIDE = """<site name="base" pos="0.1 0 0" euler="0 90 0"/><body><joint name="z" type="slide"
axis="0 0 1" damping="5"/><geom size="0.05" mass="2"/><site name="tip" pos="0 0 0.3"/></body>"""


def push(gear: str, name: str = "push", frame: str = "base", kind: str = "motor") -> str:
    return f'<{kind} name="{name}" site="tip" refsite="{frame}" gear="{gear}"/>'


def spec_of(bodies: str, *actuators: str, more: str = "", h: float = 1e-3, g: float = -9.81):
    return mujoco.MjSpec.from_string(
        f'<mujoco><option timestep="{h}" gravity="0 0 {g}"/><worldbody>{bodies}</worldbody>'
        f"<actuator>{''.join(actuators)}</actuator>{more}</mujoco>"
    )


def moved(spec: mujoco.MjSpec, steps: int, **commands: float):
    model = spec.compile()
    data = mujoco.MjData(model)
    for name, value in commands.items():
        data.actuator(name.replace("_preset", ".preset")).ctrl = value
    mujoco.mj_step(model, data, steps)
    return model, data


@pytest.mark.parametrize("actuator", [SEA, PAIR])
def test_along_a_slide_it_is_what_it_is_on_the_slide(actuator) -> None:
    direct = spec_of(SLIDE)
    on_joint = pliant.attach(direct, {"z": actuator}, transmission={"z": TRAVEL})
    between = spec_of(SLIDE, push("-7 0 0 0 0 0"))  # x of the frame points down
    on_site = pliant.attach(
        between, {"push": actuator}, transmission={"push": TRAVEL}, replace=True
    )
    more = 0.2 if actuator == PAIR else None
    _, expected = moved(direct, 500, z=2.0, **({} if more is None else {"z_preset": more}))
    _, found = moved(between, 500, push=2.0, **({} if more is None else {"push_preset": more}))
    assert abs(float(expected.qpos[0])) > 0.02
    np.testing.assert_allclose(found.qpos, expected.qpos, atol=1e-9)
    states = [
        one.state(data) for one, data in ((on_joint["z"], expected), (on_site["push"], found))
    ]
    for name in on_joint["z"].actuator.state:
        assert states[1][name] == pytest.approx(states[0][name], abs=1e-8)
    assert on_site["push"].torque(found) == pytest.approx(on_joint["z"].torque(expected), abs=1e-6)


def test_on_a_bent_arm_its_force_is_that_of_the_spring_and_holds_the_weight() -> None:
    spec = spec_of(ARM, push("3 0 0 0 0 0"))
    attachment = pliant.attach(spec, {"push": SEA}, transmission={"push": TRAVEL}, replace=True)
    model, data = moved(spec, 8000, push=3.0)
    way = data.site("base").xmat.reshape(3, 3)[:, 0]
    gone = way @ (data.site("tip").xpos - np.array([0.0, 0.0, -0.6]))
    sea = attachment["push"]
    stretch = float(sea.state(data)["rotor.theta"]) - gone / TRAVEL
    force = sea.actuator.value("spring.k") * stretch / TRAVEL
    assert abs(force) > 1.0
    assert sea.torque(data) == pytest.approx(force, rel=1e-6)
    jacobian = np.zeros((3, model.nv))
    mujoco.mj_jacSite(model, data, jacobian, None, model.site("tip").id)
    np.testing.assert_allclose(data.qfrc_actuator, jacobian.T @ way * force, rtol=1e-6, atol=1e-9)
    one, two = np.sin(data.qpos[0]), np.sin(data.qpos[0] + data.qpos[1])
    weight = 9.81 * np.array([0.15 * one + 0.3 * one + 0.15 * two, 0.15 * two])
    np.testing.assert_allclose(data.qfrc_actuator[:2], weight, rtol=1e-3)


def test_it_swings_a_pendulum_as_an_integrator_of_its_own_does() -> None:
    """m l^2 q'' = x'(q) tau / r - m g l sin q, J theta'' = motor - tau, tau = k e + d e', e = theta - x / r."""
    m, length, h = 1.5, 0.4, 5e-5
    body = f"""<site name="base" pos="0.5 0 -0.2" euler="0 30 0"/><body><joint name="q" axis="0 1 0"/>
    <inertial pos="0 0 -{length}" mass="{m}" diaginertia="1e-9 1e-9 1e-9"/>
    <site name="tip" pos="0 0 -{length}"/></body>"""
    actuator = pliant.actuator(SEA, tau_f=1e-6, d=2.0)
    spec = spec_of(body, push("1 0 0 0 0 0"), h=h)
    attachment = pliant.attach(spec, {"push": actuator}, transmission={"push": 0.1}, replace=True)
    _, data = moved(spec, round(0.1 / h), push=1.2)

    way = np.array([np.cos(np.pi / 6), -np.sin(np.pi / 6)])  # x of the frame, in the plane x, z
    k, inertia, drag = (actuator.value(n) for n in ("spring.k", "rotor.J", "rotor.D"))
    kp, kd, most = (actuator.value(f"control.{n}") for n in ("k_p", "k_d", "limit"))

    def rates(_: float, y: np.ndarray) -> list[float]:
        q, v, theta, omega = y
        x = way @ (length * np.array([-np.sin(q), 1.0 - np.cos(q)]))
        slope = way @ (length * np.array([-np.cos(q), np.sin(q)]))
        torque = k * (theta - x / 0.1) + 2.0 * (omega - slope * v / 0.1)
        motor = float(np.clip(kp * (1.2 - theta) - kd * omega, -most, most))
        falls = -m * 9.81 * length * np.sin(q)
        swings = (slope * torque / 0.1 + falls) / (m * length**2)
        return [v, swings, omega, (motor - drag * omega - torque) / inertia]

    exact = solve_ivp(rates, (0.0, 0.1), [0.0, 0.0, 0.0, 0.0], rtol=1e-10, atol=1e-12).y[:, -1]
    assert abs(exact[0]) > 0.1
    assert float(data.qpos[0]) == pytest.approx(exact[0], abs=1e-3)
    assert float(attachment["push"].state(data)["rotor.theta"]) == pytest.approx(exact[2], abs=2e-3)


def test_it_turns_two_hinges_of_one_axis_by_the_same_torque() -> None:
    """Without gravity and at rest each of them has turned by its own part of the motor's angle."""
    springy = ARM.replace('damping="0.5"', 'damping="0.5" stiffness="2"')
    spec = spec_of(springy, push("0 0 0 0 5 0", name="turn"), g=0.0)
    attachment = pliant.attach(spec, {"turn": SEA}, replace=True)
    assert not attachment.warnings
    _, data = moved(spec, 6000, turn=0.8)
    torque = float(attachment["turn"].torque(data))
    theta = float(attachment["turn"].state(data)["rotor.theta"])
    assert torque == pytest.approx(200.0 * (theta - data.qpos[0] - data.qpos[1]), rel=1e-6)
    np.testing.assert_allclose(data.qfrc_actuator, [torque, torque, 0.0], rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(data.qpos[:2], torque / 2.0, rtol=1e-4)


def test_it_has_the_place_the_name_and_the_control_of_the_models_actuator() -> None:
    more = """<sensor><actuatorfrc actuator="push"/></sensor>
    <keyframe><key qpos="0.1" ctrl="0.5 22.5 1"/><key qpos="0.1" ctrl="0 0 0"/></keyframe>"""
    others = '<motor name="first" joint="z"/>', '<motor name="last" joint="z" gear="0"/>'
    spec = spec_of(SLIDE, others[0], push("-50 0 0 0 0 0", kind="position"), others[1], more=more)
    attachment = pliant.attach(spec, {"push": SEA}, transmission={"push": TRAVEL}, replace=True)
    model = spec.compile()
    assert [model.actuator(k).name for k in range(model.nu)] == ["first", "push", "last"]
    assert (attachment["push"].name, attachment["push"].formers[0].kind) == ("push", "position")
    # 0.45 m in the frame asked for, 0.3 m of them there in the reference pose.
    np.testing.assert_allclose(model.key_ctrl, [[0.5, 0.15 / TRAVEL, 1], [0, -0.3 / TRAVEL, 0]])
    _, data = moved(spec, 10, push=1.0)
    assert data.sensordata[0] == pytest.approx(attachment["push"].torque(data) * TRAVEL)


def test_a_motor_between_sites_becomes_the_pose_of_its_keyframe() -> None:
    spec = spec_of(
        SLIDE, push("-9 0 0 0 0 0"), more='<keyframe><key qpos="0.1" ctrl="4"/></keyframe>'
    )
    pliant.attach(spec, {"push": SEA}, transmission={"push": TRAVEL}, replace=True)
    np.testing.assert_allclose(spec.compile().key_ctrl, [[0.1 / TRAVEL]])


FLOATS = f"""<body><freejoint/><geom size="0.1" mass="3"/><site name="base" euler="0 30 0"/>
<body><joint name="a" axis="0 1 0"/>{LINK}<site name="tip" pos="0 0 -0.3"/></body></body>"""
THRICE = ARM.replace('name="b" axis="0 1 0"', 'name="b" axis="1 0 0"')


def off(spec: mujoco.MjSpec) -> float:
    """How far the moment of the model's own actuator is from differences of its length, in one pose."""
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_integratePos(model, data.qpos, np.linspace(-0.9, 0.7, model.nv), 1.0)
    mujoco.mj_forward(model, data)
    moment, pose, slope = np.zeros((1, model.nv)), data.qpos.copy(), np.zeros(model.nv)
    mujoco.mju_sparse2dense(
        moment, data.actuator_moment, data.moment_rownnz, data.moment_rowadr, data.moment_colind
    )
    for k, way in enumerate(np.eye(model.nv)):
        for h in (-1e-6, 1e-6):
            data.qpos[:] = pose
            mujoco.mj_integratePos(model, data.qpos, way, h)
            mujoco.mj_forward(model, data)
            slope[k] += float(data.actuator_length[0]) / (2.0 * h)
    return float(np.abs(slope - moment[0]).max())


@pytest.mark.parametrize(
    ("bodies", "gear", "site", "frame", "told"),
    [
        (ARM, "1 0 0 0 0 0", "tip", "base", False),
        (ARM, "1 0 0 0 0 0", "tip", "middle", False),  # what turns both changes no length
        (ARM, "1 0 0 0 0 0", "tip", "aside", True),
        (ARM, "1 0 0 0 0 0", "base", "tip", True),  # the site at the world, the frame on the arm
        (ARM, "0 0 0 0 1 0", "tip", "aside", False),
        (THRICE, "0 0 0 0 1 0", "tip", "base", True),
        (FLOATS, "1 0 0 0 0 0", "tip", "base", False),
    ],
)
def test_where_the_force_is_not_that_of_a_spring_it_is_told(
    bodies, gear, site, frame, told
) -> None:
    entry = push(gear, frame=frame).replace('site="tip"', f'site="{site}"', 1)
    assert (off(spec_of(bodies, entry)) > 0.01) == told
    spec = spec_of(bodies, entry)
    if told:
        with pytest.warns(pliant.PliantWarning, match="% off that of a spring along its length"):
            attachment = pliant.attach(
                spec, {"push": SEA}, transmission={"push": 0.2}, replace=True
            )
        assert [one.kind for one in attachment.warnings] == ["sites"]
        return
    assert off(spec_of(bodies, entry)) < 1e-8
    attachment = pliant.attach(spec, {"push": SEA}, transmission={"push": 0.2}, replace=True)
    assert not attachment.warnings


def test_on_a_floating_body_its_force_is_that_of_the_models_own_motor() -> None:
    spec, plain = (spec_of(FLOATS, push("0 0 4 0 0 0")) for _ in range(2))
    attachment = pliant.attach(spec, {"push": SEA}, transmission={"push": TRAVEL}, replace=True)
    model, data = moved(spec, 100, push=1.0)
    own = plain.compile()
    motor = mujoco.MjData(own)
    mujoco.mj_forward(model, data)
    motor.qpos[:] = data.qpos
    motor.ctrl[0] = float(attachment["push"].torque(data)) / 4.0  # [N] by a gear of 4
    mujoco.mj_forward(own, motor)
    assert np.abs(motor.qfrc_actuator).max() > 1.0
    np.testing.assert_allclose(data.qfrc_actuator, motor.qfrc_actuator, rtol=1e-9, atol=1e-12)


def test_a_leg_that_is_straight_in_the_reference_pose_can_be_pushed_along() -> None:
    straight = ARM.replace(' euler="0 30 0"', "")
    spec = spec_of(straight, push("0 0 1 0 0 0"))
    attachment = pliant.attach(spec, {"push": SEA}, transmission={"push": TRAVEL}, replace=True)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qpos[:2] = 0.5, -0.9
    mujoco.mj_forward(model, data)
    jacobian, mass = np.zeros((3, model.nv)), np.zeros((model.nv, model.nv))
    mujoco.mj_jacSite(model, data, jacobian, None, model.site("tip").id)
    mujoco.mj_fullM(model, data, mass)
    bent = float(jacobian[2] @ np.linalg.solve(mass, jacobian[2]))
    assert attachment["push"].steps.any_mobility > bent / TRAVEL**2 > 1.0


def test_two_commands_two_directions_of_a_site_and_its_other_actuators() -> None:
    both = push("1 0 0 0 0 0"), push("0 0 1 0 0 0", name="lift")
    travel = {"push": TRAVEL, "lift": TRAVEL}
    spec = spec_of(ARM, *both)
    with pytest.raises(pliant.PliantError, match="two commands shares its site with 'lift'"):
        pliant.attach(spec, {"push": PAIR, "lift": SEA}, transmission=travel, replace=True)
    pliant.attach(spec, {"push": SEA, "lift": SEA}, transmission=travel, replace=True)
    pliant.attach(spec, {"lift": SEA}, transmission={"lift": TRAVEL}, replace=True)
    alone = spec_of(ARM, *both).copy()
    for actuator in (PAIR, SEA, PAIR):
        pliant.attach(alone, {"push": actuator}, transmission={"push": TRAVEL}, replace=True)
    names = [[m.actuator(k).name for k in range(m.nu)] for m in (spec.compile(), alone.compile())]
    assert names == [["push", "lift"], ["push", "lift", "push.preset"]]


def test_models_with_it_can_be_copied_and_saved_and_robots_leave_it_out(tmp_path) -> None:
    spec = spec_of(ARM, push("1 0 0 0 0 0"))
    attachment = pliant.attach(
        spec, {"push": SEA, "b": SEA}, transmission={"push": TRAVEL}, replace=True
    )
    assert [entry.joint for entry in attachment.joints] == ["b", "push"]
    model, expected = moved(spec, 300, push=1.0)
    assert Robot(model, attachment, target="python").joints == ("b",)
    mujoco.mj_saveModel(model, str(tmp_path / "arm.mjb"))
    loaded, again = pliant.load_binary(tmp_path / "arm.mjb")
    for one in (loaded, pickle.loads(pickle.dumps(model))):
        data = mujoco.MjData(one)
        data.actuator("push").ctrl = 1.0
        mujoco.mj_step(one, data, 300)
        np.testing.assert_array_equal(data.qpos, expected.qpos)
    assert again["push"].torque(expected) == attachment["push"].torque(expected)
    with pytest.raises(pliant.PliantError, match="acts on no joint"):
        attachment.randomise(model, {"push": {"spring.k": [100.0, 200.0]}})
    model.actuator_trnid[0, 1] = -1
    with pytest.raises(mujoco.FatalError, match="'push' acts on no joint, and on no tendon or"):
        mujoco.MjData(model)


ONE, THRUSTER = push("1 0 0 0 0 0"), '<motor name="push" site="tip" gear="1 0 0 0 0 0"/>'
METRES = {"transmission": {"push": TRAVEL}}


def test_sites_have_no_range_of_a_joint_and_that_is_told() -> None:
    spec = spec_of(ARM, ONE)
    with pytest.warns(pliant.PliantWarning, match=r"^push: limits='joint' has no effect"):
        pliant.attach(spec, {"push": SEA}, replace=True, limits="joint", **METRES)
    assert not spec.compile().actuator_ctrllimited[0]


@pytest.mark.parametrize(
    ("actuator", "given", "options", "said"),
    [
        (THRUSTER, SEA, METRES, "actuator push: has no refsite: a thruster has no length"),
        (ONE, "mx106_bam_m4", METRES, "friction of mx106_bam_m4 needs a degree of freedom"),
        (ONE, SEA, {}, "needs a transmission: the actuator is rotary and the sites move along"),
        (ONE, SEA, {"transmission": {"push": -0.1}}, "reverse the gear"),
        (ONE, SEA, {"transmission": {"push": 0.0}}, "transmission: push: moves nothing"),
        (ONE, SEA, {"transmission": {"push": 0.004}}, "of sea_walkman_200 on the actuator push"),
        (ONE, SEA, METRES | {"replace": False}, "site tip: the site has an actuator already"),
        (ONE, SEA, METRES | {"limits": "model"}, "cannot limit sites"),
        (ONE, SEA, METRES | {"engine": "mujoco_warp"}, "on a tendon, or between sites"),
        (push("0 1 0 0 0 0"), SEA, METRES, "actuator push: moves nothing"),
        (push("0 0 0 0 0 0"), SEA, METRES, "gear: moves nothing"),
        (push("1 0 0 0 1 0"), SEA, METRES, "acts along and about a direction at once"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(actuator, given, options, said) -> None:
    spec = spec_of(ARM, actuator)
    before = spec.to_xml()
    with pytest.raises(pliant.PliantError) as refused:
        pliant.attach(spec, {"push": given}, **({"replace": True} | options))
    assert said in str(refused.value)
    assert spec.to_xml() == before


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"tip": SEA}, r"is a site, not a joint: .* acts on it: push$"),
        (
            {"base": SEA},
            r"is a site, not a joint: .* an actuator of the model with site and refsite$",
        ),
        ({"arm": SEA}, r"is a body, not a joint: .* accepted: a$"),
        ({"elbow": SEA}, r"is an actuator, not a joint; .* accepted: b$"),
        ({"pusk": SEA}, r"no such joint .*did you mean 'push'\?; accepted: a, b, c, push$"),
        ([("push", SEA), ("push", PAIR)], r"actuators: push: two actuators for one"),
    ],
)
def test_a_name_of_something_else_is_answered_with_what_can_be_named(wanted, said) -> None:
    spec = spec_of(
        ARM.replace("<body>", '<body name="arm">', 1), ONE, '<motor name="elbow" joint="b"/>'
    )
    with pytest.raises(pliant.PliantError, match=said):
        pliant.attach(spec, wanted, replace=True)


def test_an_actuator_without_a_name_asks_for_one_and_a_wrong_travel_for_the_right_one() -> None:
    with pytest.raises(pliant.PliantError, match="name it, and attach to it"):
        pliant.attach(spec_of(ARM, ONE.replace(' name="push"', "")), {"tip": SEA}, replace=True)
    with pytest.raises(pliant.PliantError, match="found 'pus'; did you mean 'push'"):
        pliant.attach(spec_of(ARM, ONE), {"push": SEA}, transmission={"pus": TRAVEL}, replace=True)
