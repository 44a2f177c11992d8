"""What `attach` warns of: as data, as Python's warnings, and whether it is so."""

import mujoco
import numpy as np
import pytest
from rigs import spec_of, wheel

import pliant

NAME = "xl330_bam_m6"
BASE = """
<body name="base">
  <geom type="sphere" size="0.1"/>
  <body name="link" pos="0 0 0.05">
    <joint name="a" axis="0 1 0"/>
    <geom type="capsule" size="0.05" fromto="0 0 0 0.2 0 0.1"/>
    <body name="far" pos="0.4 0 0.2"><joint name="b" axis="0 1 0"/><geom size="0.05"/></body>
  </body>
</body>
"""


def kinds(attachment) -> list[tuple[str, str | None]]:
    return [(warning.kind, warning.joint) for warning in attachment.warnings]


def test_each_is_said_as_a_warning_of_pliants_own():
    with pytest.warns(pliant.PliantWarning, match="iterations=5 may end") as said:
        attachment = pliant.attach(spec_of(wheel("a"), 'iterations="5"'), {"a": NAME})
    assert [str(one.message) for one in said] == [str(one) for one in attachment.warnings]
    assert said[0].filename == __file__


def test_what_holds_alike_of_several_joints_is_said_once_and_kept_of_each():
    rest = (
        "<actuator>"
        + "".join(f'<motor joint="j{k}" ctrlrange="-1 1"/>' for k in range(9))
        + "</actuator>"
    )
    names = [f"j{k}" for k in range(9)]
    with pytest.warns(pliant.PliantWarning) as said:
        attachment = pliant.attach(
            spec_of("".join(map(wheel, names)), rest=rest), dict.fromkeys(names, NAME), replace=True
        )
    assert kinds(attachment) == [("command_range", name) for name in names]
    [one] = said
    assert str(one.message).startswith("j0, j1, j2, j3, j4, j5 and 3 more: commands had the range")
    assert str(attachment).count("commands had the range") == 1


def test_two_actuators_on_joints_that_an_equality_makes_one_are_told():
    rest = '<equality><joint joint1="b" joint2="a" polycoef="0 -1 0 0 0"/></equality>'
    spec = spec_of(wheel("a") + wheel("b"), rest=rest)
    attachment = pliant.attach(spec.copy(), {"a": NAME, "b": NAME})
    assert kinds(attachment) == [("coupled", "b")]
    assert "couples it to 'a', which also has an actuator" in str(attachment.warnings[0])
    assert kinds(pliant.attach(spec, {"a": NAME})) == []


def test_a_joint_between_two_horns_is_told_not_to_rest_where_it_is_commanded():
    said = {
        name: kinds(pliant.attach(spec_of(wheel("a"), 'timestep="0.001"'), {"a": name}))
        for name in ("edinburgh_vsa", "awas_ii", "maccepa_vd", "qbmove_maker_pro", NAME)
    }
    assert said.pop("edinburgh_vsa") == [("elsewhere", "a")]
    assert set(map(tuple, said.values())) == {()}
    assert pliant.robots.equilibrium(
        pliant.load_actuator("edinburgh_vsa"), (1.2, 0.0)
    ) == pytest.approx(rest_between_horns(1.2, 0.0), abs=1e-6)


def rest_between_horns(u_1: float, u_2: float) -> float:
    """Least energy of two springs of the Edinburgh VSA's published numbers, by scan."""
    q = np.linspace(-1, 1, 2_000_001)
    energy = 0.0
    for angle, u in ((q, u_1), (-q, u_2)):
        x = 0.026 * np.cos(angle) - 0.027 - 0.026 * np.sin(u)
        y = 0.026 * np.sin(angle) - 0.081 + 0.026 * np.cos(u)
        energy = energy + (np.hypot(x, y) - 0.02737) ** 2
    return float(q[np.argmin(energy)])


@pytest.mark.parametrize("damping", [3.9, 4.1])
def test_damping_that_diverges_by_itself_is_told(damping: float):
    """Explicit Euler of J dv/dt = -d v, without and with the flag: |1 - h d / J| against 1."""
    option = 'timestep="0.005" gravity="0 0 0"'
    spec = spec_of(wheel("a", 0.01, f'damping="{damping}"'), option)
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    attachment = pliant.attach(spec.copy(), {"a": "qbmove_maker_pro"})
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[0] = 1e-3
    mujoco.mj_step(model, data, 400)
    diverges = abs(1.0 - 0.005 * damping / 0.01) > 1.0
    assert diverges == (abs(data.qvel[0]) > 1e-3)
    assert diverges == any("diverges at a timestep" in str(one) for one in attachment.warnings)
    spec.option.disableflags = 0
    assert kinds(pliant.attach(spec, {"a": "qbmove_maker_pro"})) == []


def test_a_model_that_runs_no_actuator_is_told():
    spec = spec_of(wheel("a"))
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_ACTUATION)
    attachment = pliant.attach(spec, {"a": NAME})
    assert kinds(attachment) == [("flag", None)]
    assert "actuation is disabled" in str(attachment)


def test_a_base_within_its_child_is_named_and_let_pass_where_asked():
    spec = spec_of(BASE, 'gravity="0 0 0"')
    attachment = pliant.attach(spec, {"a": NAME, "b": NAME})
    [warning] = attachment.warnings
    assert (warning.kind, warning.joint, warning.bodies) == (
        "base_collision",
        "a",
        ("base", "link"),
    )
    # The capsule begins 0.05 m from the centre of the sphere.
    assert warning.numbers["depth"] == pytest.approx(0.1 + 0.05 - 0.05, abs=1e-6)
    assert "body 'link' is 100 mm inside 'base'" in str(warning)
    moved = {}
    for passes in (False, True):
        spec = spec_of(BASE, 'gravity="0 0 0"')
        attachment = pliant.attach(spec, {"a": NAME, "b": NAME}, exclude_base_collision=passes)
        model = spec.compile()
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data)
        moved[passes] = data.ncon
    assert moved == {False: moved[False], True: 0}
    assert moved[False] > 0
    assert attachment.warnings == ()
    assert attachment.notes == ("contacts between base and link are ignored",)


def test_a_floor_and_a_free_base_are_no_base_collisions():
    floor = '<geom type="plane" size="1 1 .1" pos="0 0 0.05"/>'
    free = BASE.replace('<body name="base">', '<body name="base"><freejoint/>')
    for body in (floor + wheel("a"), free):
        joints = {"a": NAME}
        assert kinds(pliant.attach(spec_of(body), joints)) == []


def test_a_joints_limit_of_torque_is_said_where_it_bites():
    for limit, said in ((0.1, [("torque_range", "a")]), (100.0, [])):
        spec = spec_of(wheel(joint=f'actuatorfrcrange="-{limit} {limit}"'))
        attachment = pliant.attach(spec, {"a": NAME})
        assert kinds(attachment) == said
    # The goal of the second has a limited acceleration, and a delay: one step later it asks for nothing yet.
    for name in (NAME, "sts3215_so101"):
        servo = pliant.load_actuator(name)
        spec = spec_of(wheel(joint='actuatorfrcrange="-0.1 0.1"'))
        [warning] = pliant.attach(spec, {"a": name}).warnings
        stall = servo.value("own.voltage") * servo.value("motor.k_t") / servo.value("motor.R")
        assert 0.5 * stall < warning.numbers["strongest"] <= stall * 1.0001


def test_torque_off_lost_ranges_and_tendons_are_said():
    rest = (
        '<tendon><fixed name="t"><joint joint="b" coef="2"/></fixed></tendon>'
        '<actuator><motor name="m" joint="a" ctrlrange="-1 1" group="3"/>'
        '<motor name="pull" tendon="t"/></actuator>'
    )
    spec = spec_of(wheel("a") + wheel("b"), 'actuatorgroupdisable="3"', rest)
    attachment = pliant.attach(spec, {"a": NAME, "b": NAME}, replace=True)
    assert kinds(attachment) == [("group", "a"), ("command_range", "a"), ("tendon", "b")]
    assert dict(attachment.warnings[1].numbers) == {"low": -1.0, "high": 1.0}
    assert "actuator 'pull' also acts on it, through tendon 't'" in str(attachment.warnings[2])


FIXED = '<fixed name="t"><joint joint="b" coef="2"/></fixed>'
BOTH = '<fixed name="t"><joint joint="b" coef="-0.1"/><joint joint="a" coef="1"/></fixed>'
SPATIAL = '<spatial name="t"><site site="still"/><site site="turns"/></spatial>'


@pytest.mark.parametrize(
    ("tendon", "driven"),
    [
        (FIXED, 'motor name="pull" tendon="t"'),
        (FIXED, 'position name="pull" kp="9" tendon="t"'),
        (BOTH, 'motor tendon="t"'),
        (SPATIAL, 'motor name="pull" tendon="t"'),
        (SPATIAL, 'muscle name="pull" lengthrange="0.1 1" tendon="t"'),
        ("", 'motor name="pull" site="turns" refsite="still" gear="0 1 0 0 0 0"'),
        ("", 'motor name="thruster" site="turns" gear="0 1 0 0 0 0"'),
        ("", 'motor name="crank" slidersite="still" cranksite="turns" cranklength="0.5"'),
    ],
)
def test_a_joint_that_something_else_drives_already_is_told_with_the_way_out(tendon, driven):
    site = '<site name="turns" pos="0.1 0 0"/>'
    turning = wheel("b").replace("</body>", f"{site}</body>")
    body = f'<site name="still" pos="0.2 0.3 0"/>{wheel("a")}{turning}'
    rest = f"<tendon>{tendon}</tendon><actuator><{driven}/></actuator>"
    spec = spec_of(body, rest=rest)
    [told] = pliant.attach(spec, {"b": NAME}).warnings
    assert (told.kind, told.joint) == ("tendon" if tendon else "site", "b")
    assert "so it will miss its goals" in str(told)
    way = str(told).rpartition("delete that one first: ")[2]
    eval(way, {"spec": spec})  # as it is pasted
    assert [entry.name for entry in spec.actuators] == ["b"]


def test_a_slide_in_a_model_file_needs_a_gear_that_was_said(tmp_path):
    slide = wheel("a", joint='type="slide"')
    text = (
        f'<mujoco><extension><plugin plugin="pliant.{NAME}"/></extension><worldbody>'
        f"{slide}</worldbody><actuator>"
        f'<plugin name="a" joint="a" plugin="pliant.{NAME}" GEAR/></actuator></mujoco>'
    )
    path = tmp_path / "lift.xml"
    path.write_text(text.replace("GEAR", ""))
    with pytest.raises(
        pliant.PliantError, match="actuator is rotary and the joint slides; accepted: "
    ):
        pliant.load_model(path)
    path.write_text(text.replace("GEAR", 'gear="100"'))
    spec, _ = pliant.load_model(path)
    assert spec.compile().actuator_gear[0, 0] == 100.0


def test_a_place_of_an_adjuster_stays_within_its_ends():
    """Beyond 0.04 m the lever of AwAS-II has no spring: 0.3 m gave NaN on two light links."""
    body = wheel("a", 1e-3) + wheel("b", 1e-3)
    spec = spec_of(body, 'timestep="0.001" gravity="0 0 0"')
    pliant.attach(spec, {"a": "awas_ii", "b": "awas_ii"})
    model = spec.compile()
    assert model.actuator("a.preset").ctrlrange.tolist() == [0.005, 0.04]
    ends = {}
    for told in (0.3, 0.04):
        data = mujoco.MjData(model)
        data.ctrl[[0, 1]] = 0.5, -0.5
        data.ctrl[[2, 3]] = told
        for _ in range(2000):
            mujoco.mj_step(model, data)
        assert np.isfinite(data.qpos).all()
        ends[told] = data.qpos.copy()
    np.testing.assert_array_equal(ends[0.3], ends[0.04])
