"""What a robot does with the messages it gets, and what it says."""

import math
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.ros.messages import message

from .conftest import ARM, ROOT, STATE, Bridged

MANAGER = """namespace: "robot"
T_sample: 0.01
joints_number: 2
joints_name: ["elbow", "shoulder"]
ref1_topic_name: ["/equilibrium_position", "/equilibrium_position"]
ref2_topic_name: ["/stiffness_preset", "/stiffness_preset"]
"""


def states(**values: Any) -> Any:
    return message(STATE, **values)


def test_the_motion_is_that_of_the_robot_without_messages(robot: Any) -> None:
    here = Bridged(robot, rate=500.0)
    here.tell(
        "joint_commands", states(name=["elbow", "shoulder"], position=[0.3, 0.6], effort=[0.1, 0.2])
    )
    here.turns(250)
    alone = pliant.load_robot(ARM)
    alone.reference_1, alone.reference_2 = [0.6, 0.3], [0.2, 0.1]
    alone.step(500)
    np.testing.assert_array_equal(robot.data.qpos, alone.data.qpos)
    said = here.last("joint_states")
    assert said.name == ["shoulder", "elbow"]
    assert said.position == list(alone.link.position)
    assert said.header.stamp.nanosec == 500_000_000
    assert here.last("/clock").clock.nanosec == 500_000_000


def test_a_trajectory_is_followed_from_where_the_goals_are(robot: Any) -> None:
    here = Bridged(robot, rate=1000.0)
    point = "trajectory_msgs/msg/JointTrajectoryPoint"
    after = message("builtin_interfaces/msg/Duration", nanosec=500_000_000)
    points = [message(point, positions=[1.0], time_from_start=after)]
    here.tell(
        "joint_trajectory",
        message("trajectory_msgs/msg/JointTrajectory", joint_names=["elbow"], points=points),
    )
    here.turns(251)
    assert robot.reference_1[1] == pytest.approx(0.5, abs=1e-9)
    here.turns(500)
    assert robot.reference_1.tolist() == [0.0, 1.0]


def test_a_stiffness_that_is_asked_for_is_there_at_rest(robot: Any) -> None:
    here = Bridged(robot, rate=500.0)
    kind = "pliant_msgs/msg/StiffnessCommand"
    wanted = message(kind, name=["shoulder"], equilibrium=[0.4], stiffness=[2.0])
    here.tell("stiffness_command", wanted)
    here.turns(1)
    q_eq = robot.equilibrium(
        robot.reference_1 + robot.reference_2, robot.reference_1 - robot.reference_2
    )
    assert q_eq[0] == pytest.approx(0.4, abs=1e-6)
    assert here.last("joint_stiffness").name == ["shoulder", "elbow"]
    assert (
        here.last("joint_stiffness_states").position[0] == here.last("joint_stiffness").stiffness[0]
    )


@pytest.mark.parametrize(
    ("topic", "sample", "words"),
    [
        ("joint_commands", {"name": ["knee"], "position": [0.0]}, "no such joint"),
        ("joint_commands", {"name": ["elbow"], "position": [math.nan]}, "is not finite"),
        ("joint_commands", {"name": ["elbow"], "position": [1e308]}, "beyond all numbers"),
        ("joint_commands", {"name": ["elbow"], "position": []}, "wrong number of values"),
        ("joint_commands", {"name": ["elbow", "elbow"], "position": [0.0, 0.0]}, "twice"),
        (
            "joint_commands",
            {"name": ["elbow"], "position": [0.0], "effort": [9.0]},
            "preset beyond",
        ),
        ("joint_commands", {}, "no joints"),
    ],
)
def test_a_message_that_makes_no_sense_is_dropped_and_counted(
    robot: Any, topic: str, sample: dict[str, Any], words: str
) -> None:
    here = Bridged(robot, rate=500.0)
    here.tell(topic, states(**sample))
    here.turns(1)
    assert sum(here.commands.dropped.values()) == 1
    assert words in next(iter(here.commands.dropped))
    assert robot.reference_1.tolist() == [0.0, 0.0]


@pytest.mark.parametrize("on_loss", ["hold", "stay", "off"])
def test_what_happens_when_commands_stop_is_a_setting_and_told(robot: Any, on_loss: str) -> None:
    here = Bridged(robot, rate=500.0, on_loss=on_loss, timeout=0.1)
    here.turns(100)
    assert here.said == []  # nothing came yet, so nothing is lost
    here.tell("joint_commands", states(name=["shoulder", "elbow"], position=[0.8, 0.0]))
    here.turns(52)
    assert here.bridge.spent.losses == 1
    assert "no command for 0.1 s" in here.said[0]
    off = bool(robot.model.opt.disableactuator)
    assert off == (on_loss == "off")
    assert (robot.reference_1[0] == 0.8) == (on_loss != "stay")
    here.tell("joint_commands", states(name=["shoulder", "elbow"], position=[0.8, 0.0]))
    here.turns(1)
    assert robot.model.opt.disableactuator == 0
    assert "resumed" in here.said[1]


def test_the_toolbox_s_manager_is_heard_and_answered_under_its_names(
    robot: Any, tmp_path: Path
) -> None:
    from pliant.robots import read_manager

    path = tmp_path / "manager.yaml"
    path.write_text(MANAGER)
    here = Bridged(robot, rate=1000.0, manager=read_manager(path))
    here.tell("/robot/reference_1", message("std_msgs/msg/Float64MultiArray", data=[0.1, 0.2]))
    here.tell("/robot/shoulder/stiffness_preset", message("std_msgs/msg/Float64", data=0.3))
    here.turns(1)
    assert robot.reference_1.tolist() == [0.2, 0.1]  # the file's order is not the robot's
    assert robot.reference_2.tolist() == [0.3, 0.0]
    assert here.last("/robot/robot_state").name == ["elbow", "shoulder"]
    link = here.last("/robot/shoulder/link_state")
    assert link.ref_2 == pytest.approx(0.3)
    assert link.stiff == pytest.approx(robot.stiffness[0])
    assert here.last("/robot/elbow/motor_2_state").name == ["elbow"]
    here.tell("/robot/reference_1", message("std_msgs/msg/Float64MultiArray", data=[0.1]))
    here.turns(1)
    assert sum(here.commands.dropped.values()) == 1


def test_frames_chain_up_to_where_the_bodies_are(robot: Any) -> None:
    from scipy.spatial.transform import Rotation

    here = Bridged(robot, rate=1000.0)
    robot.data.qpos[:2] = [0.5, -0.3]
    here.turns(1)
    place = {"world": (np.zeros(3), Rotation.identity())}
    for moved in here.last("/tf").transforms:
        origin, turn = place[moved.header.frame_id]
        t, r = moved.transform.translation, moved.transform.rotation
        step = turn.apply([t.x, t.y, t.z])
        place[moved.child_frame_id] = (
            origin + step,
            turn * Rotation.from_quat([r.x, r.y, r.z, r.w]),
        )
    hand = robot.model.body("hand").id
    np.testing.assert_allclose(place["hand"][0], robot.data.xpos[hand], atol=1e-12)
    np.testing.assert_allclose(
        place["hand"][1].as_matrix(), robot.data.xmat[hand].reshape(3, 3), atol=1e-12
    )


def test_the_description_is_a_urdf_with_the_same_geometry(robot: Any) -> None:
    import mujoco

    from pliant.ros.channels import urdf_of

    text = urdf_of(robot.model, "arm")
    again = mujoco.MjModel.from_xml_string(
        text.replace(
            "</robot>",
            '<mujoco><compiler fusestatic="false"/></mujoco></robot>',
        )
    )
    for model in (robot.model, again):
        data = mujoco.MjData(model)
        for joint, q in (("shoulder", 0.4), ("elbow", -0.9), ("wrist", 0.2)):
            data.qpos[model.joint(joint).qposadr[0]] = q
        mujoco.mj_kinematics(model, data)
        tip = data.xpos[model.body("hand").id]
        if model is robot.model:
            expected = np.array(tip)
    np.testing.assert_allclose(tip, expected, atol=1e-7)


def test_a_gain_is_changed_while_it_runs(robot: Any) -> None:
    here = Bridged(robot, rate=1000.0)
    nan = math.nan
    gains = message(
        "pliant_msgs/msg/SetGains", joint="elbow", k_p=60.0, k_i=nan, k_d=nan, limit=nan
    )
    here.tell("set_gains", gains)
    here.turns(1)
    column = robot.info.attachment.column("elbow", "control_1.k_p")
    assert robot.model.actuator_user[robot.places.ids[1], column] == 60.0
    bad = message("pliant_msgs/msg/SetGains", joint="elbow", k_p=-1e9, k_i=nan, k_d=nan, limit=nan)
    here.tell("set_gains", bad)
    here.turns(1)
    assert robot.model.actuator_user[robot.places.ids[1], column] == 60.0
    assert sum(here.commands.dropped.values()) == 1


def test_one_controller_leads_series_elastic_joints_on_two_topics() -> None:
    import mujoco

    from pliant.robots import JointCommand, JointController, Robot, with_rate

    def made() -> Robot:
        spec = mujoco.MjSpec.from_file(str(ARM.with_name("arm.xml")))
        unit = with_rate(pliant.load_actuator("sea_walkman_200"), 500.0)
        attached = pliant.attach(spec, {"shoulder": unit, "elbow": unit})
        return Robot(spec.compile(), attached)

    one, other = made(), made()
    here = Bridged(one, rate=500.0, controller=JointController(one))
    kind = "pliant_msgs/msg/JointCommand"
    here.tell("command", message(kind, name=["elbow", "shoulder"], position=[0.2, 0.1]))
    here.turns(50)
    alone = JointController(other)
    alone.command(JointCommand(["elbow", "shoulder"], [0.2, 0.1]))
    other.step(50)
    np.testing.assert_array_equal(one.data.qpos, other.data.qpos)
    assert here.last("state").transmission_torque == list(alone.state().transmission_torque)
    here.tell("command", message(kind, name=["elbow"], position=[]))
    here.turns(1)
    assert sum(here.commands.dropped.values()) == 1


def test_a_compensated_joint_settles_where_the_message_says() -> None:
    servos = {"shoulder": "mx106_bam_m4", "elbow": "xl330_bam_m6"}
    off: list[float] = []
    for compensated in (False, True):
        spec = mujoco.MjSpec.from_file(str(ROOT / "examples" / "arm.xml"))
        attached = pliant.attach(spec, servos)
        robot = pliant.Robot(spec.compile(), attached)
        plain = mujoco.MjSpec.from_file(str(ROOT / "examples" / "arm.xml"))
        known = pliant.Compensator(plain, servos, cycle=0.02) if compensated else None
        here = Bridged(robot, rate=50.0, compensator=known)
        here.tell("joint_commands", states(name=[*servos], position=[0.6, 0.4]))
        here.turns(200)
        off.append(float(np.abs(robot.link.position - [0.6, 0.4]).max()))
    assert off[1] < 0.003 < off[0]
