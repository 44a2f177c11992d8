"""Joints at their stops: a lever simulated by MuJoCo, driven beyond its range or moved by hand."""

import dataclasses
import json
from pathlib import Path

import mujoco
import numpy as np
import pytest

from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.examine import check
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log
from pliant.robots.open_zeros import doubtful_open_zeros, zeros_and_stops
from pliant.robots.pressed import Clearance, presses

LEVER = """<mujoco><option gravity="0 0 0"/><worldbody><body>
<joint name="lift" axis="0 1 0" range="-68.75 51.57" limited="true" damping="0.3" armature="0.01"/>
<geom type="capsule" size="0.01" fromto="0 0 0 0.2 0 0" mass="0.1"/></body></worldbody>
<actuator><position joint="lift" kp="5"/></actuator></mujoco>"""
LOW, HIGH = -1.2, 0.9
"""[rad] The ends of its range."""
TIME = np.arange(0.0, 20.0, 0.02)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "lever.xml"
    path.write_text(LEVER)
    return path


def recorded(model: Path, goals: np.ndarray, shift: float = 0.0) -> RobotLog:
    """What the servo does with goals; positions and goals are then moved by another zero."""
    arm = mujoco.MjModel.from_xml_path(str(model))
    data = mujoco.MjData(arm)
    line = []
    for goal in goals:
        data.ctrl[:] = goal
        line.append(float(data.qpos[0]))
        mujoco.mj_step(arm, data, round(0.02 / arm.opt.timestep))
    columns = [np.array(x)[:, None] + shift for x in (line, goals)]
    nothing = np.full_like(columns[0], np.nan)
    return RobotLog("run", ("lift",), TIME, *columns, nothing, nothing != 0.0)


def swing(low: float, high: float) -> np.ndarray:
    return 0.5 * (low + high) + 0.5 * (high - low) * np.sin(0.3 * np.pi * TIME)


def asked(model: Path, log: RobotLog) -> tuple[tuple[float, float] | None, list[str]]:
    clearance = Clearance(plain_model(model, log.joints), log.joints)
    pressed = presses(clearance, [log], log.joints, log.joints)
    zeros, stopped = zeros_and_stops(clearance, pressed, [log], log.joints, log.joints)
    return zeros.get("lift"), [str(one) for one in stopped]


def test_motion_within_the_range_leaves_as_much_open_as_the_range_does(model: Path) -> None:
    """Ranges are taken to be known to 0.05 rad."""
    log = recorded(model, swing(-0.5, 0.4))
    (low, high), told = asked(model, log)
    assert told == []
    assert low == pytest.approx(LOW - log.position.min() - 0.05, abs=0.02)
    assert high == pytest.approx(HIGH - log.position.max() + 0.05, abs=0.02)
    (doubt,) = doubtful_open_zeros({"lift": (low, high)})
    assert f"lift {low:+.2f} to {high:+.2f}" in doubt.text
    assert not [*doubtful_open_zeros({"lift": (-0.05, 0.2)})]


def test_a_stop_where_the_model_has_it_leaves_little_open(model: Path) -> None:
    (low, high), told = asked(model, recorded(model, swing(-0.5, 1.3)))
    assert told == []
    assert -0.13 < low < 0.0 < high < 0.13


@pytest.mark.parametrize("shift", [-0.3, -0.15])
def test_a_stop_elsewhere_tells_the_zero(model: Path, shift: float) -> None:
    _, (text,) = asked(model, recorded(model, swing(-0.5, 1.3), shift))
    assert float(text.split("(add ")[1].split(" ")[0]) == pytest.approx(-shift, abs=0.03)


def test_a_goal_that_stands_beyond_where_a_loaded_servo_rests_is_no_stop(model: Path) -> None:
    still = np.full_like(TIME, 0.3)
    log = recorded(model, still)
    pressed = dataclasses.replace(log, goal=log.goal + 0.15)
    assert asked(model, pressed)[1] == []


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_a_joint_moved_by_hand_to_both_stops_tells_its_zero(
    model: Path, tmp_path: Path, shift: float
) -> None:
    """Its motor is off, so its goals are not recorded: its range and its motion are equally wide."""
    line = np.interp(TIME, [0.0, 8.0, 10.0, 18.0], [LOW, LOW, HIGH, HIGH])[:, None] + shift
    nothing = np.full_like(line, np.nan)
    log = RobotLog("hand", ("lift",), TIME, line, nothing, nothing, np.zeros(line.shape, bool))
    write_robot_log(log, tmp_path / "hand.csv")
    (found,) = check(tmp_path / "hand.csv", robot=model)
    told = {remark.field: remark for remark in found.remarks}
    if shift:
        assert "(add -0.2 to" in told["position_lift"].message
        assert "zeros" not in told
        return
    values = told["zeros"].values
    assert values is not None
    assert values["lift"] == pytest.approx((-0.05, 0.05), abs=0.01)
    assert json.loads(json.dumps(dataclasses.asdict(told["zeros"])))["values"]["lift"]
