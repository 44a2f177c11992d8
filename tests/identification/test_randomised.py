"""Draws from an identification in a `Batch`: each simulation is a servo of its own."""

import csv
from pathlib import Path

import mujoco
import numpy as np
import pytest

import pliant
from pliant.engines.mujoco.batch.pools import has_batch
from pliant.identification.fit import Identification, identify
from pliant.identification.search.search import SearchSettings
from pliant.identification.uncertainty.draws import Uncertainty, UncertaintySettings
from pliant.identification.uncertainty.intervals import intervals, write_draws
from pliant.io.log import Log

SHORT = SearchSettings(starts=1, jacobians=8)
FEW = UncertaintySettings(draws=20)
COUNT, GOAL, STEPS = 6, 0.6, 300


@pytest.fixture(scope="module")
def found(servo: pliant.Actuator, logs: list[Log]) -> tuple[Identification, Uncertainty]:
    fit = identify(servo, logs[:2], search_settings=SHORT, fix=["own.armature"])
    return fit, intervals(fit, uncertainty_settings=FEW)


def arm() -> mujoco.MjSpec:
    return mujoco.MjSpec.from_string(
        '<mujoco><worldbody><body><joint name="elbow" axis="0 -1 0"/>'
        '<geom type="capsule" size=".02" fromto="0 0 0 0 0 -.1" mass=".3"/></body></worldbody>'
        "</mujoco>"
    )


def alone(actuator: pliant.Actuator) -> float:
    """Motion of the arm under one servo, in a loop of MuJoCo's own."""
    spec = arm()
    pliant.attach(spec, {"elbow": actuator})
    model = spec.compile()
    data = mujoco.MjData(model)
    for _ in range(STEPS):
        data.ctrl[0] = GOAL
        mujoco.mj_step(model, data)
    return float(data.qpos[0])


@pytest.mark.skipif(not has_batch(), reason="MuJoCo without Batch")
def test_each_simulation_moves_as_the_servo_that_was_drawn(
    found: tuple[Identification, Uncertainty],
) -> None:
    from mujoco.batch import Batch

    fit, sure = found
    spec = arm()
    attachment = pliant.attach(spec, {"elbow": fit.actuator})
    model = spec.compile()
    batch = Batch(model, COUNT)
    parameters = batch.expand("actuator_user")
    drawn = sure.draws(COUNT, seed=3)
    own = [n for n in sure.space.names if not n.startswith("plant.")]
    for name in own:
        column = attachment.column("elbow", name)
        parameters[:, model.actuator("elbow").id, column] = drawn[:, sure.space.names.index(name)]
    batch.ctrl[:] = GOAL
    for _ in range(STEPS):
        batch.step()
    together = np.array(batch.qpos)[:, 0]
    for row, position in zip(drawn, together, strict=True):
        values = {n: row[sure.space.names.index(n)] for n in own}
        servo = fit.actuator.with_values(values, "identification", "identified")
        assert position == pytest.approx(alone(servo), abs=1e-6)
    assert np.ptp(together) > 1e-4


def test_draws_are_written_whole_and_read_again(
    found: tuple[Identification, Uncertainty], tmp_path: Path
) -> None:
    _, sure = found
    path = tmp_path / "draws.csv"
    write_draws(path, sure)
    rows = list(csv.reader(path.read_text().splitlines()))
    assert tuple(rows[0]) == sure.space.names
    np.testing.assert_array_equal(np.array(rows[1:], dtype=float), sure.samples)
