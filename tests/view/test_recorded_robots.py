"""A recording of a whole robot as a scene: what was measured beside what is simulated."""

import importlib.resources
from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

import pliant
from pliant.cli import main
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import evaluate_robot
from pliant.robots.robot_file import RecordedRobot
from pliant.view.commands import Parameter, Reference, Seek
from pliant.view.replayed_robot import ReplayedRobot

MODEL = Path(str(importlib.resources.files("pliant") / "data" / "two_link_arms" / "2r_mx.xml"))
NAMES = ("R1", "R2")
SERVOS = {name: pliant.load_actuator("mx64_bam_m4") for name in NAMES}
ROBOT = RecordedRobot(model=MODEL, actuators=SERVOS, wishes=Wishes(replace=True))


@pytest.fixture(scope="module")
def log() -> RobotLog:
    """A motion that no simulation made: sines, and goals a little ahead of them and beyond."""
    time = np.arange(0.0, 1.0, 0.01)
    position = np.column_stack([0.4 * np.sin(3.0 * time), 0.3 * np.sin(5.0 * time)])
    goal = np.column_stack([0.41 * np.sin(3.0 * time + 0.1), 0.32 * np.sin(5.0 * time + 0.1)])
    enabled = np.ones(goal.shape, bool)
    return RobotLog(
        "sines", NAMES, time, position, goal, np.gradient(position, time, axis=0), enabled
    )


@pytest.fixture(scope="module")
def scene(log: RobotLog) -> ReplayedRobot:
    return ReplayedRobot(ROBOT, log)


def test_it_shows_what_evaluate_judges(scene: ReplayedRobot, log: RobotLog) -> None:
    judged = evaluate_robot(MODEL, SERVOS, [log], replace=True)
    assert dict(scene.errors) == pytest.approx(judged.by_joint(), rel=1e-12)
    for column, entry in enumerate(judged.entries):
        assert entry.joint == NAMES[column]
        shown = np.array([frame.readings["position"][column] for frame in scene.whole])
        np.testing.assert_array_equal(shown, entry.simulated)
        measured = np.array([frame.readings["measured"][column] for frame in scene.whole])
        np.testing.assert_array_equal(measured, log.position[:, column])
        error = np.array([frame.readings["error"][column] for frame in scene.whole])
        np.testing.assert_array_equal(error, shown - measured)


def test_both_robots_stand_as_their_joints_say(scene: ReplayedRobot, log: RobotLog) -> None:
    """By MuJoCo, of the model alone."""
    frame = scene.whole[60]
    model = mujoco.MjModel.from_xml_path(str(MODEL))
    data = mujoco.MjData(model)
    for prefix, values in (
        ("", frame.readings["position"]),
        ("measured/", frame.readings["measured"]),
    ):
        for name, value in zip(NAMES, values, strict=True):
            data.joint(name).qpos[0] = value
        mujoco.mj_kinematics(model, data)
        for k in range(1, model.nbody):
            shown = frame.position[scene.model.body(prefix + model.body(k).name).id]
            np.testing.assert_allclose(shown, data.xpos[k], atol=1e-12)


def test_turning_a_parameter_simulates_all_of_it_again(log: RobotLog) -> None:
    scene = ReplayedRobot(ROBOT, log)
    scene.apply(Parameter("R2", "motor.R", 8.0))
    turned = {**SERVOS, "R2": SERVOS["R2"].with_values({"motor.R": 8.0}, "", "assumed")}
    again = evaluate_robot(MODEL, turned, [log], replace=True).by_joint()
    assert dict(scene.errors) == pytest.approx(again, rel=1e-12)
    knob = {k.name: k.value for k in scene.joints[1].parameters}
    assert knob["motor.R"] == 8.0
    refused: list[Any] = [Parameter("R2", "motor.R", -1.0), Parameter("R3", "motor.R", 1.0)]
    for command in [*refused, Reference("R1", 1, 0.0), Seek(9.0)]:
        with pytest.raises(PliantError):
            scene.apply(command)
    assert dict(scene.errors) == pytest.approx(again, rel=1e-12)


def test_the_command_plays_a_recording_of_a_robot(
    log: RobotLog, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "time,position_R1,position_R2,goal_R1,goal_R2"
    table = np.column_stack([log.time, log.position, log.goal])
    path = tmp_path / "sines.csv"
    np.savetxt(path, table, delimiter=",", header=head, comments="")
    robot = tmp_path / "robot.toml"
    joints = "".join(f'{name} = {{ actuator = "mx64_bam_m4" }}\n' for name in NAMES)
    robot.write_text(f'model = "{MODEL}"\nreplace = true\n[joints]\n{joints}')
    brief = ["--no-browser", "--port", "0", "--duration", "0.3"]
    assert main(["view", str(robot), "--log", str(path), *brief]) == 0
    attach = ["--attach", "R1=mx64_bam_m4,R2=mx64_bam_m4", "--replace"]
    assert main(["view", str(MODEL), "--log", str(path), *attach, *brief]) == 0
    words = ["replay", str(path), "--robot", str(MODEL), "--attach", "*=mx64_bam_m4", "--replace"]
    assert main([*words, *brief]) == 0
    assert "plays sines" in capsys.readouterr().out
    (tmp_path / "again.csv").write_text(path.read_text())
    assert main(["view", str(robot), "--log", str(tmp_path), *brief]) == 1
    assert "--log: several logs; found" in capsys.readouterr().err
    assert main(["view", str(MODEL), "--log", str(path), *brief]) == 1
    assert "--attach: is missing" in capsys.readouterr().err
