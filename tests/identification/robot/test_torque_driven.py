"""Drives that are told a torque: their logs, cut into pieces, against an integrator of tight
tolerance, and the recorded AK80-6."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import pliant
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification import evaluate
from pliant.io.log import Log, read_log, windows

DATA = Path(__file__).parents[2] / "data" / "ak80_pendulum"
MASS, LENGTH, ROD = 0.546, 0.5, 0.13


@pytest.fixture(scope="module")
def drive() -> pliant.Actuator:
    return pliant.load_actuator("ak80_6_dfki_m1")


@pytest.fixture(scope="module")
def run() -> Log:
    path = DATA / "direct_collocation_data_measured.csv"
    return read_log(path, mass=MASS, length=LENGTH, arm_mass=ROD)


def without_friction(drive: pliant.Actuator) -> pliant.Actuator:
    none = {"friction.K_c": 0.0, "friction.K_v": 0.0}
    return dataclasses.replace(drive.with_values(none, "test", "assumed"), bench={})


def test_torque_moves_a_pendulum_as_its_equation_says(drive, run) -> None:
    """J q'' = scale tau(t) - m g l sin q, from the speed that there is."""
    time = 0.01 * np.arange(101)
    torque = np.where(time < 0.5, 1.3, -0.7)
    log = dataclasses.replace(
        run,
        time=time,
        position=np.full(101, 0.4),
        velocity=np.full(101, -2.0),
        torque=torque,
        goal=0.0 * time,
        enabled=np.ones(101, bool),
    )
    ideal = without_friction(drive)
    scale, armature = ideal.value("motor.scale"), ideal.value("own.armature")
    inertia = MASS * LENGTH**2 + ROD * LENGTH**2 / 3.0 + armature
    gravity = (MASS + 0.5 * ROD) * 9.81 * LENGTH

    def motion(t, y):
        tau = scale * (1.3 if t < 0.5 else -0.7)
        return [y[1], (tau - gravity * np.sin(y[0])) / inertia]

    first = solve_ivp(motion, (0, 0.5), [0.4, -2.0], rtol=1e-10, t_eval=time[:51])
    rest = solve_ivp(motion, (0.5, 1), first.y[:, -1], rtol=1e-10, t_eval=time[51:])
    exact = np.concatenate([first.y[0], rest.y[0]])
    errors = [
        np.abs(JointEngine(ideal, settings=JointSettings(max_step=h)).rollout(log).position - exact)
        for h in (1e-3, 1e-4)
    ]
    assert errors[0].max() < 5e-3
    assert errors[1].max() < 0.11 * errors[0].max()


def test_a_servo_cannot_follow_a_log_of_torques(run) -> None:
    engine = JointEngine(pliant.load_actuator("xl330_bam_m1"))
    with pytest.raises(pliant.PliantError, match="driven: records no goal to follow; found 'tor"):
        LogBatch([run], engine)


def test_pieces_are_the_log_again(run) -> None:
    pieces = windows(run, 0.5)
    assert [piece.name for piece in pieces][:3] == [f"{run.name}@{k}" for k in ("0", "0.5", "1")]
    assert (len(pieces), len(windows(run, 2.0))) == (7, 1)
    count = sum(len(piece.time) for piece in pieces)
    assert (np.concatenate([p.position for p in pieces]) == run.position[:count]).all()
    assert (np.concatenate([p.torque for p in pieces]) == run.torque[:count]).all()
    assert all(p.time[0] == 0.0 and 0.49 < p.time[-1] < 0.51 for p in pieces)
    for piece in pieces:  # the speed is that of the positions
        slope = np.polyfit(piece.time[:12], piece.position[:12], 2)[1]
        assert piece.velocity[0] == pytest.approx(slope, abs=0.25)


@pytest.mark.parametrize("seconds", [0.0, -1.0, 0.01, 4.0, float("nan")])
def test_pieces_that_cannot_be_cut_are_refused(run, seconds) -> None:
    with pytest.raises(
        pliant.PliantError, match=r"seconds: pieces of this length do not fit the log; found "
    ):
        windows(run, seconds)


def test_the_recorded_ak80_moves_as_the_identified_one(drive, run) -> None:
    """Half a second from where the recording was; with ideal torque three times as far off."""
    pieces = windows(run, 0.5)
    ideal = without_friction(drive).with_values(
        {"motor.scale": 1.0, "own.armature": 0.0}, "test", "assumed"
    )
    assert 1e3 * evaluate(drive, pieces).mae == pytest.approx(22.3, abs=0.3)
    assert 1e3 * evaluate(ideal, pieces).mae == pytest.approx(76.7, abs=0.5)
