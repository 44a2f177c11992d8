"""Joint engine and MuJoCo move alike: an identified actuator is the one that runs."""

import dataclasses
from functools import cache

import numpy as np
import pytest

import pliant
from pliant.engines.joint.engine import JointEngine
from pliant.engines.mujoco.batch.trials import replay
from pliant.io.log import Log, example_logs

SERVOS = ["xl330_bam_m6", "mx106_bam_m4", "erob80_100_bam_m1"]
"""Of each kind of control one, and of friction that takes the load of both sides, of their difference, of none."""


@cache
def recorded() -> list[Log]:
    return pliant.read_logs(example_logs())


def difference(name: str, logs: list[Log]) -> float:
    """Mean distance [rad] over all samples."""
    actuator = pliant.load_actuator(name)
    engine = JointEngine(actuator)
    if not name.startswith("xl330"):  # the recorded gain is a number of that device's firmware
        own = {"gain": actuator.value("control.kp"), "supply": actuator.value("own.voltage")}
        logs = [dataclasses.replace(log, **own) for log in logs]
    return float(
        np.mean([np.abs(engine.rollout(x).position - replay(actuator, x)).mean() for x in logs])
    )


@pytest.mark.parametrize("name", SERVOS)
def test_joint_engine_and_mujoco_move_the_same_under_recorded_commands(name):
    assert difference(name, recorded()) < 0.02e-3


def test_they_do_while_the_torque_is_off_too():
    log = recorded()[2]
    off = dataclasses.replace(log, enabled=(log.time % 2.0) < 1.0)
    assert difference("xl330_bam_m6", [off]) < 0.02e-3
    engine = JointEngine(pliant.load_actuator("xl330_bam_m6"))
    assert np.abs(engine.rollout(off).position - engine.rollout(log).position).max() > 0.05
