"""The cost of candidates, against sums done by hand."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.errors import PliantError
from pliant.identify.problem.evaluation import evaluate
from pliant.identify.problem.objective import KINDS, KNEE, Kind, Objective
from pliant.identify.problem.residuals import LOST, Residuals
from pliant.identify.problem.space import Space, search_space
from pliant.io.log import Log


def cut(log: Log, count: int) -> Log:
    part = {name: getattr(log, name)[:count] for name in ("time", "goal", "position", "enabled")}
    return replace(log, voltage=None, **part)


@pytest.fixture
def space(servo: Actuator) -> Space:
    return search_space(servo, fix=("plant.arm_mass",))


@pytest.fixture
def batch(servo: Actuator, logs: list[Log]) -> LogBatch:
    """Two logs, one four times as long as the other."""
    return LogBatch([cut(logs[0], 100), cut(logs[1], 400)], JointEngine(servo))


def objective(batch: LogBatch, space: Space, servo: Actuator, kind: Kind = "absolute") -> Objective:
    return Objective(Residuals(JointEngine(servo), batch, space), kind)


@pytest.fixture
def residuals() -> Floats:
    return np.random.default_rng(1).normal(0.0, 2.0 * KNEE, (3, 500))


def by_hand(kind: str, r: Floats) -> float:
    """Each log's mean, then the mean of the two."""

    def one(x: float) -> float:
        size = abs(float(x))
        if kind in ("squared", "both"):
            return size**2
        if kind == "huber":
            return size**2 / (2 * KNEE) if size < KNEE else size - KNEE / 2
        return size

    means = [sum(map(one, part)) / len(part) for part in (r[:100], r[100:])]
    mean = sum(means) / 2
    return mean**0.5 if kind in ("squared", "both") else mean


@pytest.mark.parametrize("kind", KINDS)
def test_every_log_counts_the_same(
    kind: Kind, batch: LogBatch, space: Space, servo: Actuator, residuals: Floats
) -> None:
    goal = objective(batch, space, servo, kind)
    assert goal.cost(residuals) == pytest.approx([by_hand(kind, r) for r in residuals], rel=1e-12)
    errors = [by_hand("absolute", r) for r in residuals]
    assert goal.error(residuals) == pytest.approx(errors, rel=1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_weighted_squares_fall_where_the_cost_falls(
    kind: Kind, batch: LogBatch, space: Space, servo: Actuator, residuals: Floats
) -> None:
    """weights(r) r is, but for one factor, the gradient of the cost; rounded off below KNEE for the
    absolute value, which has none at 0."""
    goal = objective(batch, space, servo, kind)
    r = residuals[0]
    chosen = [3, 77, 150, 499] if kind != "absolute" else np.argsort(-np.abs(r))[:4]
    tiny = 1e-7
    moved = r + tiny * np.eye(len(r))[chosen]
    gradient = (goal.cost(moved) - goal.cost(r[None])) / tiny
    model = (goal.weights(r) * r)[chosen]
    factors = gradient / model
    assert factors == pytest.approx(
        np.full(4, factors[0]), rel=0.02 if kind == "absolute" else 1e-3
    )


def test_its_cost_is_the_error_that_is_reported(
    batch: LogBatch, space: Space, servo: Actuator
) -> None:
    goal = objective(batch, space, servo)
    values = dict(zip(space.names, map(float, space.start), strict=True))
    reported = evaluate(servo, batch.logs, changes=values)
    assert goal(space.to_cube(space.start)[None]) == pytest.approx([reported.mae], rel=1e-9)


def test_residuals_are_simulated_less_measured_and_do_not_hang_on_the_company(
    batch: LogBatch, space: Space, servo: Actuator
) -> None:
    goal = objective(batch, space, servo)
    points = np.random.default_rng(2).uniform(0.2, 0.8, (5, len(space.names)))
    together = goal.residuals(points)
    assert together.shape == (5, 500)
    alone = np.concatenate([goal.residuals(point[None]) for point in points])
    np.testing.assert_array_equal(together, alone)
    values = dict(zip(space.names, map(float, space.from_cube(points[0])), strict=True))
    shown = [entry.residual for entry in evaluate(servo, batch.logs, changes=values).entries]
    np.testing.assert_allclose(together[0], np.concatenate(shown), atol=1e-12)
    assert (
        goal.steps
        == 2 * JointEngine(servo).batch(np.tile(JointEngine(servo).values(), (5, 1)), batch)[1]
    )


def test_motion_that_overflows_counts_as_lost(servo: Actuator, batch: LogBatch) -> None:
    wild = search_space(servo, fit={"motor.k_t": (50.0, 100.0)}, fix=("motor.R",))
    goal = objective(batch, wild, servo)
    residuals = goal.residuals(np.full((1, len(wild.names)), 0.9))
    assert np.isfinite(residuals).all()
    assert np.abs(residuals).max() == LOST


def test_an_objective_that_there_is_not(batch: LogBatch, space: Space, servo: Actuator) -> None:
    with pytest.raises(PliantError) as caught:
        objective(batch, space, servo, "square")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "objective: no such objective; found 'square'; did you mean 'squared'?; "
        "accepted: absolute, both, huber, squared"
    )
