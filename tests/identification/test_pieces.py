"""Pieces of recordings, from which descents begin: each goes on as the whole recording did."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.engines.mujoco.batch.surroundings import Surroundings
from pliant.io.log import Log, example_logs, pieces, read_log
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log import pieces as robot_pieces
from pliant.robots.led_joints import Along

PERIOD, SIZE = 2.0, 0.4


@pytest.fixture
def log() -> Log:
    """4 s of a sine, 200 Hz."""
    time = np.arange(0.0, 4.0, 5e-3)
    swing = SIZE * np.sin(2.0 * np.pi * time / PERIOD)
    return replace(
        read_log(example_logs()[0]),
        time=time,
        position=swing,
        goal=np.arange(len(time)) * 1e-3,
        enabled=np.zeros(len(time), bool),
        velocity=None,
        voltage=None,
        temperature=None,
        torque=None,
    )


def test_pieces_are_all_of_the_log_and_as_fast(log: Log) -> None:
    made = pieces(log, 0.5)
    assert len(made) == 8 and {one.name for one in made} == {log.name}
    for name in ("position", "goal", "enabled"):
        assert (np.concatenate([getattr(one, name) for one in made]) == getattr(log, name)).all()
    begins = np.cumsum([0, *(len(one.time) for one in made)])[:-1]
    for first, one in zip(begins, made, strict=True):
        assert one.time[0] == 0.0 and 0.45 < one.time[-1] < 0.6
        expected = SIZE * 2.0 * np.pi / PERIOD * np.cos(2.0 * np.pi * log.time[first] / PERIOD)
        assert one.first_speed == pytest.approx(expected, abs=0.03)


def test_a_log_that_is_short_or_has_few_samples_is_one_piece(log: Log) -> None:
    assert pieces(log, 2.8) == [log]
    names = ("time", "position", "goal", "enabled")
    few = replace(log, **{name: getattr(log, name)[::100] for name in names})
    assert pieces(few, 0.5) == [few]


def test_pieces_of_a_robot_have_its_speeds_and_share_its_surroundings() -> None:
    time = np.arange(0.0, 3.0, 0.01)
    position = np.column_stack([np.sin(time), np.cos(2.0 * time)])
    nothing = np.full_like(position, np.nan)
    whole = RobotLog("swing", ("a", "b"), time, position, position, nothing, position < 9.0)
    asked = list[RobotLog]()

    def along(log: RobotLog) -> Surroundings:
        asked.append(log)
        return Surroundings({"a": log.time[:, None] * [1.0, 2.0, 3.0]}, log.time > 1.0)

    made, known = robot_pieces(whole, 0.5), Along()
    assert len(made) == 6
    begin = 0
    for one in made:
        place = slice(begin, begin + len(one.time))
        begin = place.stop
        assert (one.position == position[place]).all() and one.time[0] == 0.0
        at = time[place.start]
        expected = [np.cos(at), -2.0 * np.sin(2.0 * at)]
        np.testing.assert_allclose(
            one.speed[0], expected, atol=0.06
        )  # the first is smoothed from one side
        found = known.of(one, "", along)
        np.testing.assert_allclose(found.around["a"][:, 1], 2.0 * time[place])
        assert (found.touching == (time[place] > 1.0)).all()
    assert begin == len(time) and asked == [whole]


def test_a_piece_is_simulated_from_its_speed_on(log: Log) -> None:
    """A pendulum that nothing brakes, against scipy's solution from the speed of the sine."""
    servo = pliant.load_actuator("xl330_bam_m1")
    names = {n: 0.0 for n in servo.numbers if n.startswith(("friction", "unpowered"))}
    free = servo.with_values(names, "test", "assumed").with_values(
        {"own.armature": 1e-9}, "test", "assumed"
    )
    one = replace(pieces(log, 0.5)[4], mass=0.3, length=0.2, arm_mass=0.0, zero=0.0)
    engine = JointEngine(free, settings=JointSettings(max_step=1e-4))
    position, _ = engine.batch(engine.values()[None], LogBatch([one], engine))
    exact = solve_ivp(
        lambda _, y: (y[1], -9.81 / 0.2 * np.sin(y[0])),
        (0.0, one.time[-1]),
        (one.position[0], one.first_speed),
        t_eval=one.time,
        rtol=1e-10,
    )
    assert abs(one.first_speed) > 0.2
    np.testing.assert_allclose(position[0], exact.y[0], atol=5e-3)
