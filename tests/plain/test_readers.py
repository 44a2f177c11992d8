"""Files of plain numbers, opened by the programs that they are for."""

import itertools
import tomllib
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.cli import main
from pliant.errors import PliantError
from pliant.io.robot_logs import read_robot_logs
from pliant.plain.export import Exported
from pliant.plain.servo import numbers_of
from pliant.plain.use import Load, logs_to_judge

SERVO, LOADS = "sts3032_6V_bam_m1", ("0.3@0.07",)
URDF = """<robot name="r"><!-- kept --><link name="a"/><link name="b"/>
  <joint name="left" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
    <limit lower='-1' upper='1' effort="9" velocity="9"/>
  </joint></robot>
"""


def written(folder: Path, to: str, actuator: Any = SERVO, **options: Any) -> tuple[Exported, str]:
    """A file of it, and its text."""
    made = pliant.export(actuator, to, folder / f"out.{to}", **options)
    return made, made.path.read_text()


def test_mujoco_is_as_far_from_the_actuator_as_the_file_says(tmp_path: Path) -> None:
    made, _ = written(tmp_path, "mjcf", loads=LOADS)
    one = made.joints[""]
    model = mujoco.MjModel.from_xml_string(
        f"""<mujoco><option timestep="0.001" integrator="implicitfast"/><include file="{made.path}"/>
        <worldbody><body><joint name="j" class="{SERVO}" axis="0 1 0"/>
          <inertial pos="0 0 -0.07" mass="0.3" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody>
        <actuator><position name="a" class="{SERVO}" joint="j"/></actuator></mujoco>"""
    )
    x = one.numbers
    read = (
        model.actuator_gainprm[0, 0],
        -model.actuator_biasprm[0, 1],
        model.actuator_forcerange[0, 1],
    )
    assert np.allclose(read, (x.kp, x.kp, x.force), rtol=1e-5)
    assert np.allclose(
        (model.dof_armature[0], model.dof_damping[0]), (x.armature, x.damping), rtol=1e-5
    )
    delay = x.delay if x.delay > 0.5e-3 else 0.0  # of less than half a step there is none
    assert np.allclose(
        (model.dof_frictionloss[0], model.actuator_delay[0]), (x.friction, delay), rtol=1e-5
    )
    logs = logs_to_judge(pliant.load_actuator(SERVO), [Load(0.3, 0.07)])
    errors = [np.mean(np.abs(_run(model, log) - log.position)) for log in logs]
    assert np.mean(errors) == pytest.approx(one.price.plain, rel=0.03)
    said = "".join(made.sheet)
    assert f"Price of {SERVO}: {1e3 * one.price.plain:.1f} mrad" in said
    assert one.price.each == pytest.approx(errors, rel=0.03, abs=2e-4)
    assert f" to {1e3 * max(one.price.each):.1f}" in said
    # Its duty goes with the error, and its motor damps with its speed: a spring and a damper.
    assert max(far for text, far in one.lacks if text.startswith("firmware and motor")) < 1e-3


def _run(model: mujoco.MjModel, log: pliant.Log) -> Any:
    """(N,) what MuJoCo's own servo does under a log's commands."""
    data = mujoco.MjData(model)
    data.qpos[0] = data.ctrl[0] = log.position[0]
    gain, bias = model.actuator_gainprm.copy(), model.actuator_biasprm.copy()
    line = [data.qpos[0]]
    for k in range(len(log.time) - 1):
        data.ctrl[0] = log.goal[k]
        model.actuator_gainprm[:], model.actuator_biasprm[:] = (
            log.enabled[k] * gain,
            log.enabled[k] * bias,
        )
        mujoco.mj_step(model, data, nstep=round((log.time[k + 1] - log.time[k]) / 1e-3))
        line.append(data.qpos[0])
    model.actuator_gainprm[:], model.actuator_biasprm[:] = gain, bias
    return np.array(line)


@pytest.fixture
def robot(tmp_path: Path) -> Path:
    """A robot's file whose model has an actuator of its own, a sensor of it, and words of people."""
    model = Path("examples/arm.xml").read_text(encoding="utf-8")
    own = '<actuator>\n    <motor name="m" joint="elbow"/>\n  </actuator>\n  <sensor><actuatorpos actuator="m"/></sensor>'
    (tmp_path / "arm.xml").write_text(
        model.replace("</worldbody>", f"</worldbody>\n  <!-- mine -->\n  {own}")
    )
    path = tmp_path / "robot.toml"
    path.write_text(
        f'model = "arm.xml"\n[joints]\nshoulder = {{actuator = "{SERVO}"}}\nelbow = {{actuator = "{SERVO}"}}\n'
    )
    return path


def test_a_robots_mjcf_has_the_numbers_and_is_otherwise_the_same(
    robot: Path, tmp_path: Path
) -> None:
    made, text = written(tmp_path, "mjcf", robot)
    before = (tmp_path / "arm.xml").read_text().splitlines()
    after = text.partition("-->\n")[2].splitlines()
    kept = [line for line in before if not any(x in line for x in ("shoulder", "elbow"))]
    assert [line for line in after if line in kept] == kept and len(after) == len(before) + 1
    model = mujoco.MjModel.from_xml_path(str(made.path))
    assert model.nu == 2 and model.actuator("m").trnid[0] == model.joint("elbow").id
    for joint, one in made.joints.items():
        dof = model.joint(joint).dofadr[0]
        x = one.numbers
        assert np.allclose(model.dof_armature[dof], x.armature, rtol=1e-5)
        assert np.allclose(
            model.actuator({"elbow": "m"}.get(joint, joint)).gainprm[0], x.kp, rtol=1e-5
        )
    assert model.dof_damping[model.joint("wrist").dofadr[0]] == 0.002


@pytest.mark.parametrize("robot_too", [False, True])
def test_pybullet_and_mujoco_read_the_urdf(robot_too: bool, tmp_path: Path) -> None:
    actuator: Any = SERVO
    if robot_too:
        (tmp_path / "r.urdf").write_text(
            URDF.replace('<link name="a"/>', _link("a")).replace('<link name="b"/>', _link("b"))
        )
        actuator = tmp_path / "robot.toml"
        actuator.write_text(f'model = "r.urdf"\n[joints]\nleft = {{actuator = "{SERVO}"}}\n')
    made, text = written(tmp_path, "urdf", actuator, loads=LOADS)
    assert not robot_too or ("<!-- kept -->" in text and "lower='-1' upper='1'" in text)
    (x,) = (one.numbers for one in made.joints.values())
    model = mujoco.MjModel.from_xml_path(str(made.path))
    assert np.allclose(
        (model.dof_damping[0], model.dof_frictionloss[0]), (x.damping, x.friction), rtol=1e-5
    )
    bullet = pytest.importorskip("pybullet")
    client = bullet.connect(bullet.DIRECT)
    info = bullet.getJointInfo(bullet.loadURDF(str(made.path)), 0)
    bullet.disconnect(client)
    assert np.allclose(info[6:8], (x.damping, x.friction), rtol=1e-5)
    assert np.allclose(info[10:12], (x.force, x.speed), rtol=1e-5)


def _link(name: str) -> str:
    inertia = 'ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"'
    return f'<link name="{name}"><inertial><mass value="1"/><inertia {inertia}/></inertial></link>'


@pytest.mark.long
def test_usd_composes_the_layer_onto_joints(robot: Path, tmp_path: Path) -> None:
    usd = pytest.importorskip("pxr.Usd")
    made = pliant.export(robot, "usd", tmp_path / "numbers.usda", step=0.002)
    stage = usd.Stage.CreateInMemory()
    stage.DefinePrim("/Robot/joints/elbow", "PhysicsRevoluteJoint")
    stage.GetPrimAtPath("/Robot/joints").GetReferences().AddReference(str(made.path))
    joint = stage.GetPrimAtPath("/Robot/joints/elbow")
    motor = stage.GetPrimAtPath("/Robot/joints/elbow_actuator")
    x = made.joints["elbow"].numbers
    assert joint.GetTypeName() == "PhysicsRevoluteJoint" and motor.GetTypeName() == "NewtonActuator"
    assert motor.GetRelationship("newton:targets").GetTargets() == [joint.GetPath()]
    read = [joint.GetAttribute(f"newton:{n}").Get() for n in ("armature", "damping", "friction")]
    assert np.allclose(read, (x.armature, np.radians(x.damping), x.friction), rtol=1e-5)
    read = [motor.GetAttribute(f"newton:{n}").Get() for n in ("kp", "maxEffort")]
    assert np.allclose(read, (x.kp, x.force), rtol=1e-5)
    assert (motor.GetAttribute("newton:delaySteps").Get() or 0) == round(x.delay / 0.002)


@pytest.mark.filterwarnings("ignore")  # Newton's own
def test_newton_reads_the_layer(tmp_path: Path) -> None:
    pytest.importorskip("newton_usd_schemas")
    newton, usd = pytest.importorskip("newton"), pytest.importorskip("pxr.Usd")
    made, _ = written(tmp_path, "usd", loads=LOADS)
    layer = made.path.rename(tmp_path / "numbers.usda")
    body = 'def Xform "{0}" (\n prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"]\n)'
    mass = " {{\n float physics:mass = 1\n float3 physics:diagonalInertia = (1, 1, 1)\n}}"
    bodies = "\n".join((body + mass).format(name) for name in "ab")
    (tmp_path / "robot.usda").write_text(
        f"""#usda 1.0
        (defaultPrim = "Robot"
         metersPerUnit = 1)
        def Xform "Robot" (
          prepend apiSchemas = ["PhysicsArticulationRootAPI"]
        ) {{
          {bodies}
          def Scope "joints" (
            prepend references = @{layer}@
          ) {{
            def PhysicsFixedJoint "root" {{
              rel physics:body1 = </Robot/a>
            }}
            def PhysicsRevoluteJoint "joint" {{
              rel physics:body0 = </Robot/a>
              rel physics:body1 = </Robot/b>
              uniform token physics:axis = "X"
            }}
          }}
        }}"""
    )
    builder = newton.ModelBuilder()
    newton.solvers.SolverMuJoCo.register_custom_attributes(builder)
    builder.add_usd(usd.Stage.Open(str(tmp_path / "robot.usda")))
    model, x = builder.finalize(device="cpu"), made.joints[""].numbers
    read = [
        float(getattr(model, f"joint_{n}").numpy()[-1]) for n in ("armature", "damping", "friction")
    ]
    assert np.allclose(read, (x.armature, x.damping, x.friction), rtol=1e-4)
    assert np.allclose(model.mujoco.solimpfriction.numpy()[-1][:2], 0.9999)
    (motor,) = model.actuators
    assert np.allclose(motor.drive.kp.numpy(), x.kp, rtol=1e-5)
    assert np.allclose(motor.clamping[0].max_effort.numpy(), x.force, rtol=1e-5)


def test_isaac_labs_own_actuator_gives_the_torque_of_the_numbers(tmp_path: Path) -> None:
    pytest.importorskip("isaaclab.actuators")
    import torch
    from isaaclab.utils.types import ArticulationActions

    late = pliant.with_law(pliant.load_actuator(SERVO), "timing", "command_delay")
    late = late.with_values({"timing.delay": 0.02}, "the test", "assumed")
    made, text = written(tmp_path, "isaaclab", late, name="knee", step=0.004, loads=LOADS)
    found: dict[str, Any] = {}
    exec(text, found)
    knee, x = found["ACTUATORS"]["knee"], made.joints["knee"].numbers
    assert (knee.viscous_friction, knee.armature) == pytest.approx((x.damping, x.armature), 1e-5)
    servo = knee.class_type(knee, ["knee"], slice(None), 1, "cpu")
    servo.reset(None)
    steps = round(x.delay / 0.004)
    assert steps > 2
    goals = 0.05 * np.arange(30.0) - 0.1 * (np.arange(30) > 20)
    for k, goal in enumerate(goals):
        rest = torch.zeros(1, 1)
        actions = ArticulationActions(torch.full((1, 1), goal), rest.clone(), rest.clone())
        torque = servo.compute(actions, rest + 0.1, rest + 0.3).joint_efforts.item()
        expected = np.clip(x.kp * (goals[max(k - steps, 0)] - 0.1), -x.force, x.force)
        assert torque == pytest.approx(expected, rel=1e-5)


def test_isaac_lab_genesis_and_other_programs_get_the_same_numbers(tmp_path: Path) -> None:
    made, text = written(tmp_path, "isaaclab", loads=LOADS, name="knee", step=0.004)
    found: dict[str, Any] = {"DelayedPDActuatorCfg": dict}
    exec(text.replace("from isaaclab.actuators import DelayedPDActuatorCfg", ""), found)
    knee, x = found["ACTUATORS"]["knee"], made.joints["knee"].numbers
    assert knee["joint_names_expr"] == ["knee"] and knee["min_delay"] == round(x.delay / 0.004)
    assert np.allclose(
        (knee["stiffness"], knee["actuator_effort_limit"]), (x.kp, x.force), rtol=1e-5
    )
    plain, text = written(tmp_path, "numbers", loads=LOADS)
    table = tomllib.loads(text)[SERVO]
    assert all(np.isclose(table[n], getattr(plain.joints[""].numbers, n), rtol=1e-5) for n in table)
    made, text = written(tmp_path, "genesis", loads=LOADS, name="knee")
    exec(text, found)
    told: dict[str, Any] = {}
    joint = SimpleNamespace(dofs_idx_local=[3])
    setters = {
        f"set_dofs_{n}": lambda *a, n=n: told.update({n: a})
        for n in ("kp", "kv", "damping", "frictionloss", "armature", "force_range")
    }
    assert found["set_numbers"](SimpleNamespace(get_joint=lambda _: joint, **setters)) == [3]
    assert np.allclose(told["kp"][0], made.joints["knee"].numbers.kp, rtol=1e-5) and told["kp"][
        1
    ] == [3]


@pytest.mark.long
def test_numbers_of_recordings_are_judged_without_them(tmp_path: Path) -> None:
    """SO-101: what the file says of recordings is what MuJoCo comes to with it on one that had no part."""
    arm = Path(pliant.__file__).parent / "data" / "so101_arm"
    joints = ("shoulder_pan", "shoulder_lift", "elbow_flex", "wrist_flex", "wrist_roll")
    robot = tmp_path / "robot.toml"
    lines = [f'{joint} = {{actuator = "sts3215_so101"}}' for joint in joints]
    robot.write_text("\n".join([f'model = "{arm / "so101_on_table.xml"}"', "[joints]", *lines]))
    made, _ = written(tmp_path, "mjcf", robot, logs=[arm / "motions"])
    (log,) = read_robot_logs([arm / "held_out"])
    model = mujoco.MjModel.from_xml_path(str(made.path))
    data = mujoco.MjData(model)
    data.qpos[:], line = log.position[0], [log.position[0]]
    for k in range(len(log.time) - 1):
        while data.time < log.time[k + 1] - log.time[0]:
            data.ctrl[[model.actuator(joint).id for joint in joints]] = log.goal[k, :5]
            data.joint("gripper").qpos, data.joint("gripper").qvel = log.position[k, 5], 0.0
            mujoco.mj_step(model, data)
        line.append(data.qpos.copy())
    error = np.abs(np.array(line) - log.position)[:, :5].mean()
    price = made.joints["elbow_flex"].price
    assert price.plain < 6e-3 and len(price.each) == 4 and error < 7e-3
    assert 0.8 < price.plain / error < 1.2, (price.plain, error)


def test_twice_the_gain_is_twice_the_stiffness() -> None:
    made = pliant.load_actuator("xl330_bam_m6")
    from pliant.plain.servo import plain_actuator

    servo = plain_actuator(made)
    assert numbers_of(made, servo, 800.0).kp == pytest.approx(2.0 * numbers_of(made, servo).kp)


def test_a_limit_that_no_motion_reaches_is_the_drives(tmp_path: Path) -> None:
    """The Go2's hip gives 23.7 N m and, at 20 N m/rad within a radian, hardly ever needs them."""
    made, _ = written(tmp_path, "numbers", "unitree_go2_hip_unitree", loads=("1@0.2",))
    assert made.joints[""].numbers.force == pytest.approx(23.7, rel=0.03)


def test_bad_requests_name_what_would_do(
    robot: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for words, message in (
        (
            ["ak80_6_dfki_m1", "--to", "mjcf"],
            "control: takes torques [N m], but plain numbers describe a position servo; found 'direct_torque'",
        ),
        (
            [str(robot), "--to", "urdf"],
            "model: cannot become urdf; found 'arm.xml'; accepted: a model *.urdf; or --to mjcf",
        ),
        (
            [SERVO, "--to", "mjcf", "--load", "3"],
            "--load: is not a load; found '3'; accepted: KG@M, such as 0.5@0.1",
        ),
        (
            ["unitree_go2_hip_unitree", "--to", "mjcf", "--gain", "3"],
            "--gain: its firmware has no P-gain",
        ),
        ([SERVO, "--to", "usd", "--step", "7"], "--step: not a step; found 7"),
        ([str(robot), "--to", "fmu2"], "fmu2 is for one actuator, and this is a robot; found"),
        ([SERVO, "--to", "c", "--load", "0.3@0.1"], "--load: has no effect with c"),
        (
            [SERVO, "--to", "urdf", "--logs", str(tmp_path), "--load", "0.3@0.1"],
            "--load: has no effect together with logs",
        ),
        ([str(robot), "--to", "usd", "--name", "knee"], "--name: has no effect for a robot"),
    ):
        assert main(["export", words[0], str(tmp_path / "x"), *words[1:]]) == 1
        assert message in capsys.readouterr().err
    with pytest.raises(PliantError, match="no such target; found 'mjfc'; did you mean 'mjcf'"):
        pliant.export(SERVO, "mjfc", tmp_path / "x")
    names = itertools.chain(tmp_path.glob("x"), tmp_path.glob(".pliant*"))
    assert not [*names]
    (tmp_path / "arm.xml").write_text('<mujoco><include file="other.xml"/></mujoco>')
    (tmp_path / "other.xml").write_text(
        '<mujoco><worldbody><body><joint name="shoulder"/><geom size=".1"/><body><joint name="elbow"/><geom size=".1"/></body></body></worldbody></mujoco>'
    )
    with pytest.raises(PliantError, match="no such joint in this file; found 'shoulder'"):
        pliant.export(robot, "mjcf", tmp_path / "x", loads=LOADS)
