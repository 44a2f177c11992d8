"""A session: the same motion as without it, and commands that are refused change nothing."""

import threading
import time
from typing import Any

import mujoco
import numpy as np
import pytest

import pliant
from pliant.errors import PliantError
from pliant.view.commands import (
    Load,
    Parameter,
    Pause,
    Push,
    Reference,
    Reset,
    Restore,
    Speed,
    Step,
    Timestep,
)
from pliant.view.session import Session
from pliant.view.simulated import STATE

from .conftest import ARM


def until(session: Session, steps: int) -> None:
    end = time.monotonic() + 60.0
    while session.frame.steps < steps:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_the_motion_is_that_of_a_plain_loop_bit_by_bit(arm: Any) -> None:
    """While somebody reads frames and turns knobs; the loop gets the same commands at its steps."""
    with Session(arm) as session:
        until(session, 100)
        session.send(Reference("shoulder", 1, 0.7))
        until(session, 300)
        session.send(Reference("shoulder", 2, 0.3))
        session.send(Push(2, (0.0, 0.0, 5.0), None, 0.05))
        until(session, 500)
        session.send(Reference("elbow", 1, -0.4))
        until(session, 800)
        session.send(Pause(True))
        frame, journal = session.frame, list(session.journal)

    robot = pliant.load_robot(ARM)
    data, model = robot.data, robot.model
    ends = {}
    for k in range(frame.steps):
        for at, command in journal:
            if at == k and isinstance(command, Reference):
                place = robot.places.control if command.number == 1 else robot.places.preset
                data.ctrl[place[robot.joints.index(command.joint)]] = command.value
            elif at == k and isinstance(command, Push):
                data.xfrc_applied[command.body, :3] = command.force
                ends[k + 50] = command
        if k in ends:
            data.xfrc_applied[:] = 0.0
        mujoco.mj_step(model, data)
    state = np.empty(mujoco.mj_stateSize(model, STATE))
    mujoco.mj_getState(model, data, state, STATE)
    assert len(journal) == 4
    assert state.tobytes() == frame.state


def test_going_on_from_an_earlier_frame_gives_what_came_then(arm: Any) -> None:
    with Session(arm, paused=True) as session:
        session.send(Reference("shoulder", 1, 0.5))
        session.send(Step(200))
        until(session, 200)
        early = session.frame
        session.send(Step(300))
        until(session, 500)
        late = session.frame
        session.send(Restore(early.state))
        assert session.frame.time == early.time
        np.testing.assert_array_equal(session.frame.position, early.position)
        session.send(Step(300))
        until(session, 500)
        assert session.frame.state == late.state


def test_a_parameter_a_load_and_a_step_do_what_they_do_without_a_page(arm: Any) -> None:
    name = "control_1.k_p"
    with Session(arm, paused=True) as session:
        session.send(Parameter("elbow", name, 60.0))
        session.send(Load(0.2))
        knob = {k.name: k.value for k in session.scene.joints[1].parameters}
        assert knob[name] == 60.0
        robot = arm.robot
        column = robot.info.attachment.column("elbow", name)
        assert robot.model.actuator_user[robot.places.ids[1], column] == 60.0
        assert robot.model.body_mass[-1] == pytest.approx(0.03 + 0.2)
        session.send(Timestep(5e-4))
        assert arm.robot.model.opt.timestep == 5e-4
        assert {k.name: k.value for k in session.scene.joints[1].parameters}[name] == 60.0
        assert arm.robot.model.body_mass[-1] == pytest.approx(0.03 + 0.2)


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (Reference("knee", 1, 0.0), "no such joint; found 'knee'"),
        (Reference("shoulder", 2, 7.0), "preset beyond its range"),
        (Reference("shoulder", 1, float("nan")), "out of range"),
        (Reference("shoulder", 3, 0.0), "no such reference"),
        (Parameter("elbow", "control_1.k_q", 1.0), "control_1.k_p"),
        (Parameter("elbow", "own.voltage", -5.0), "own.voltage"),
        (Load(1e3), "load: out of range"),
        (Push(0, (1.0, 0.0, 0.0)), "body: out of range"),
        (Push(1, (float("inf"), 0.0, 0.0)), "force: out of range"),
        (Restore(b"12345678"), "state: is not a state of this model"),
        (Speed(1e9), "speed: out of range"),
        (Timestep(1.0), "timestep: out of range"),
        (Step(-1), "steps: out of range"),
    ],
)
def test_a_command_that_is_refused_changes_nothing(arm: Any, command: Any, words: str) -> None:
    with Session(arm, paused=True) as session:
        before = session.frame.state, [joint.parameters for joint in arm.joints]
        with pytest.raises(PliantError, match=words):
            session.send(command)
        assert (session.frame.state, [joint.parameters for joint in arm.joints]) == before
        assert not session.journal


def test_a_simulation_that_diverges_is_told_and_a_reset_goes_on(arm: Any) -> None:
    with Session(arm, paused=True) as session:
        broken = np.frombuffer(session.frame.state).copy()
        broken[1] = 1e12  # a position, far beyond what MuJoCo takes
        session.send(Restore(broken.tobytes()))
        session.send(Step(20))
        end = time.monotonic() + 30.0
        while session.failure is None and time.monotonic() < end:
            time.sleep(0.01)
        assert "diverges" in str(session.failure)
        session.send(Reset())
        assert session.failure is None


def test_no_thread_is_left(arm: Any) -> None:
    before = threading.active_count()
    for _ in range(5):
        with Session(arm):
            pass
    assert threading.active_count() == before
