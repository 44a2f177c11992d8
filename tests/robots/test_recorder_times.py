"""Times of a recorder, against those that a simulation was given."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.robots import RobotLog, evaluate_robot, frame_times, without_recorder
from pliant.robots.identify import robot_rig
from pliant.robots.recorder_times import _frames, frames_of, uneven

ARM = Path(__file__).parents[2] / "examples" / "arm.xml"
SETTINGS = ManySettings(timestep=1e-3)


def log_of(time: np.ndarray, position: np.ndarray, goal: np.ndarray) -> RobotLog:
    nothing, on = np.full_like(position, np.nan), np.ones(position.shape, bool)
    return RobotLog("run", ("shoulder", "elbow"), time, position, goal, nothing, on)


def servos(delay: float) -> dict[str, pliant.Actuator]:
    made: dict[str, pliant.Actuator] = {}
    for joint, name, own in (("shoulder", "mx106_bam_m1", 0.01), ("elbow", "xl330_bam_m1", 0.02)):
        servo = pliant.with_law(pliant.load_actuator(name), "timing", "command_delay")
        made[joint] = servo.with_values({"timing.delay": own + delay}, "here", "assumed")
    return made


def of_a_fit(log: RobotLog, torque: float = 1.0) -> Any:
    """A fit to a log that has ended at the numbers of `servos`, their torque constant off by a factor."""
    ends = {
        joint: one.with_values({"motor.k_t": torque * one.value("motor.k_t")}, "here", "assumed")
        for joint, one in servos(0.0).items()
    }
    rig = robot_rig(ARM, ends, [log], settings=SETTINGS)
    space = rig.space({"*.timing.delay": None}, {"*.friction.*": None, "*.own.*": None}, [log])
    return SimpleNamespace(
        rig=rig, space=space, fitted=rig.evaluate([log]), actuators=rig.actuators
    )


def late_frames(noise: float) -> tuple[RobotLog, np.ndarray]:
    """A simulation with goals that hold from uneven times on, read at these with noise [rad]; the times are then lost."""
    rng = np.random.default_rng(3)
    nominal = np.arange(90) / 30.0
    late = rng.normal(0.0, 2e-3, len(nominal))
    true = nominal + late - late[0]
    goal = np.column_stack([0.6 * np.sin(4.0 * nominal), 0.8 * np.cos(5.0 * nominal)])
    run = evaluate_robot(ARM, servos(0.0), [log_of(true, goal, goal)], settings=SETTINGS)
    position = np.column_stack([entry.simulated for entry in run.entries])
    position = position + rng.normal(0.0, noise, position.shape)
    return log_of(nominal, position, goal), true


def test_frames_that_came_late_are_put_where_they_came() -> None:
    log, true = late_frames(3e-4)
    (made,) = frame_times(of_a_fit(log))
    assert (np.diff(made.time) > 0.0).all()
    assert np.std(made.time - true) < 0.25 * np.std(true - log.time)


@pytest.mark.long
def test_times_of_a_worse_fit_are_put_right_by_a_better_one() -> None:
    log, true = late_frames(3e-4)
    (worse,) = frame_times(of_a_fit(log, torque=0.8))
    (again,) = frame_times(of_a_fit(worse), [log])
    at_once, first, then = (
        np.std(one.time - true) for one in (*frame_times(of_a_fit(log)), worse, again)
    )
    assert first > 1.5 * at_once
    assert then < 1.1 * at_once


def test_uneven_frames_are_told_from_even_ones() -> None:
    rng = np.random.default_rng(3)
    nominal = np.arange(300) / 30.0
    late = rng.normal(0.0, 2e-3, len(nominal))

    def line(t: np.ndarray) -> np.ndarray:
        return np.column_stack([np.sin(2.0 * t), 0.7 * np.cos(3.1 * t)])

    noise = rng.normal(0.0, 5e-4, (len(nominal), 2))
    log = log_of(nominal, line(nominal + late) + noise, line(nominal))
    found: Any = SimpleNamespace(
        fitted=SimpleNamespace(
            logs=[log],
            entries=[
                SimpleNamespace(log=log, measured=log.position[:, k], simulated=line(nominal)[:, k])
                for k in range(2)
            ],
        )
    )
    assert uneven(frames_of(found)) == pytest.approx(2e-3, rel=0.2)
    for entry in found.fitted.entries:  # as recorded by a robot whose frames came evenly
        entry.measured = entry.simulated + rng.normal(0.0, 5e-4, len(nominal))
    assert uneven(frames_of(found)) is None


def test_the_delay_that_all_joints_share_is_the_recorder_s() -> None:
    time = np.arange(0.0, 3.0, 5e-3)
    goal = np.column_stack([0.5 * np.sin(3.0 * time), 0.5 * np.sin(4.0 * time + 0.3)])
    log = log_of(time, goal.copy(), goal)
    entries = evaluate_robot(ARM, servos(0.0), [log], settings=SETTINGS).entries
    exact = replace(log, position=np.column_stack([entry.simulated for entry in entries]))
    delay, alone = without_recorder(ARM, servos(0.007), [exact], settings=SETTINGS)
    assert delay == pytest.approx(0.007, abs=6e-4)
    assert alone["shoulder"].value("timing.delay") == pytest.approx(0.01, abs=6e-4)
    assert alone["elbow"].value("timing.delay") == pytest.approx(0.02, abs=6e-4)
    undelayed = servos(-0.01)  # the shoulder's is 0
    assert without_recorder(ARM, undelayed, [exact], settings=SETTINGS)[0] == pytest.approx(0.0)
    plain = {"shoulder": pliant.load_actuator("mx106_bam_m1")}
    with pytest.raises(PliantError, match="shoulder: has no command delay"):
        without_recorder(ARM, plain, [exact])


@pytest.mark.filterwarnings("error")
def test_a_joint_that_never_moves_says_nothing_of_the_times() -> None:
    """Frames late by 3 ms, of two joints that swing with 1 mrad of noise, and one that rests without any."""
    rng, clock = np.random.default_rng(0), np.arange(400)
    speed = np.column_stack([np.sin(clock / 9.0), np.cos(clock / 7.0), np.zeros(400)])
    off = rng.normal(0.0, 3e-3, (400, 1)) * speed + rng.normal(0.0, 1e-3, (400, 3)) * [1, 1, 0]
    log = log_of(clock / 50.0, off, off)
    found = _frames(log, off, speed)
    assert found.jitter == pytest.approx(3e-3, rel=0.1)
    assert found.evidence == pytest.approx(
        _frames(log, off[:, :2], speed[:, :2]).evidence, rel=1e-3
    )
