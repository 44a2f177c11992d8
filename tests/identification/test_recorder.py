"""The recorder's delay is the recording's: found for an actuator that stays as it is."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.nuisances import nuisances
from pliant.io.log import Log

from .conftest import OFFSET, TRUTH


@pytest.fixture
def exact(servo: Actuator) -> Actuator:
    return servo.with_values(TRUTH, "test", "assumed")


def late(exact: Actuator, log: Log, age: float) -> Log:
    """The log as a recorder reads it whose positions are so old, simulated on a grid of 0.2 ms."""
    time = np.arange(0.0, log.time[-1], 2e-4)
    goal = log.goal[np.searchsorted(log.time, time + 1e-12, side="right") - 1]
    fine = replace(log, time=time, goal=goal, enabled=np.ones(len(time), bool))
    fine = replace(fine, position=np.full(len(time), log.position[0]), velocity=None, voltage=None)
    engine = JointEngine(exact)
    motion = engine.rollout(fine, engine.values({"plant.position_offset": OFFSET})).position
    at = np.clip(log.time - age, 0.0, time[-1])
    return replace(log, position=np.interp(at, time, motion), zero=OFFSET)


@pytest.mark.parametrize("age", [0.013, -0.007])
def test_the_age_of_positions_is_found(exact: Actuator, logs: list[Log], age: float) -> None:
    steady = [replace(log, enabled=np.ones(len(log.time), bool)) for log in logs]
    old = [late(exact, log, age) for log in steady]
    made, (found,) = nuisances(JointRig(exact), old, None, "auto")
    assert found.name == "age of these logs"
    assert found.value == pytest.approx(age, abs=0.0015)
    assert abs(found.value) > 3.0 * found.std
    assert evaluate(exact, made).mae < 0.4 * evaluate(exact, old).mae
    assert str(found).startswith(f"age of these logs: {1e3 * found.value:.1f} ± ")


def test_positions_of_their_time_have_no_age(exact: Actuator, logs: list[Log]) -> None:
    given = [replace(log, zero=OFFSET) for log in logs]
    (found,) = nuisances(JointRig(exact), given, None, "auto")[1]
    assert found.value == pytest.approx(0.0, abs=2e-4)
