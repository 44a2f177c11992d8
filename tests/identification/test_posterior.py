"""The cost of candidates, against SciPy's densities and its own search for each scale."""

from dataclasses import replace

import numpy as np
import pytest
import scipy

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.posterior import (
    FINEST,
    MEMORY,
    NU,
    RANGE,
    WIDTH,
    Posterior,
    Prior,
    Pull,
    expected,
)
from pliant.identification.problem.residuals import LOST, Residuals
from pliant.identification.problem.space import Space, search_space
from pliant.io.log import Log

LENGTHS = (50, 200)
EVERY = 4  # samples are then 21 ms apart, so that all are compared


def cut(log: Log, count: int, every: int = EVERY) -> Log:
    columns = ("time", "goal", "position", "enabled")
    part = {name: getattr(log, name)[::every][:count] for name in columns}
    return replace(log, voltage=None, **part)


@pytest.fixture(scope="module")
def space(servo: Actuator) -> Space:
    return search_space(servo, fix=("plant.arm_mass",))


@pytest.fixture(scope="module")
def misfit(servo: Actuator, logs: list[Log], space: Space) -> Residuals:
    """Two logs, one four times as long as the other."""
    engine = JointEngine(servo)
    cuts = [cut(log, count) for log, count in zip(logs, LENGTHS, strict=False)]
    return Residuals(engine, LogBatch(cuts, engine), space)


@pytest.fixture
def residuals() -> Floats:
    """[rad] With tails as heavy as those of a wrong model."""
    return 0.01 * np.random.default_rng(1).standard_t(3.0, (3, sum(LENGTHS)))


def test_the_likelihood_is_that_of_students_t_at_its_most_likely_scale(
    misfit: Residuals, residuals: Floats
) -> None:
    """Samples count by the time that they stand for: half of the way to each neighbour."""
    news: list[float] = []
    for time in np.split(misfit.samples.time, [LENGTHS[0]]):
        ends = np.concatenate([time[:1], 0.5 * (time[1:] + time[:-1]), time[-1:]])
        news += [*(np.diff(ends) / MEMORY)]

    def cost(log_s: float, r: Floats) -> float:
        density = scipy.stats.t(NU, scale=np.exp(log_s))
        constant = scipy.stats.t.logpdf(0.0, NU)
        return float(-np.dot(news, density.logpdf(r) - constant))

    goal = Posterior(misfit)
    expected = [
        scipy.optimize.minimize_scalar(cost, args=(r,), bounds=(-12.0, 1.0), method="bounded").fun
        for r in residuals
    ]
    np.testing.assert_allclose(goal.cost(residuals), expected, rtol=1e-5)
    # of each log by itself, at the scale of others: what a choice weighs models by
    density = scipy.stats.t(NU, scale=0.02).logpdf(residuals[0]) - scipy.stats.t.logpdf(0.0, NU)
    each = [float(x.sum()) for x in np.split(news * density, [LENGTHS[0]])]
    np.testing.assert_allclose(goal.densities(residuals[0], [0.02]), each, rtol=1e-9)
    (scale,) = goal.scales(residuals[0])
    assert goal.densities(residuals[0], [scale]).sum() == pytest.approx(-goal.cost(residuals)[0])


def test_residuals_finer_than_a_simulation_is_exact_are_not_told_apart(misfit: Residuals) -> None:
    goal, count = Posterior(misfit), sum(LENGTHS)
    small = np.outer([1e-9, 1e-7], np.ones(count))
    assert np.diff(goal.cost(small))[0] == pytest.approx(0.0, abs=1e-3)
    assert goal.cost(np.full((1, count), 10.0 * FINEST))[0] > goal.cost(small)[0] + 1.0


def test_what_was_known_counts_as_normal_densities(misfit: Residuals, space: Space) -> None:
    rng = np.random.default_rng(2)
    d = len(space.names)
    centre, width = rng.uniform(0.2, 0.8, d), rng.uniform(0.05, 0.3, d)
    points = rng.uniform(0.0, 1.0, (4, d))
    known = Posterior(misfit, Pull(centre, width))
    unknown = Posterior(misfit)
    normal = scipy.stats.norm(centre, width)
    densities = -(normal.logpdf(points) - normal.logpdf(centre)).sum(axis=1)
    np.testing.assert_allclose(known(points) - unknown(points), densities, rtol=1e-9)
    assert known.error(known.residuals(points)) == pytest.approx(
        unknown.error(unknown.residuals(points)), rel=1e-12
    )


def test_weighted_residuals_are_the_gradient_of_the_cost(
    misfit: Residuals, residuals: Floats, space: Space
) -> None:
    """By central differences: of samples of both logs, and of deviations from what was known."""
    goal, count = Posterior(misfit, expected(space)), sum(LENGTHS)
    r = np.append(residuals[0], np.linspace(-2.0, 2.0, len(space.names)))
    chosen = [3, 38, 75, 249, count, count + 3]
    step = 1e-6 * np.eye(len(r))[chosen]
    gradient = (goal.cost(r + step) - goal.cost(r - step)) / 2e-6
    np.testing.assert_allclose((goal.weights(r) * r)[chosen], gradient, rtol=2e-3)


def test_denser_samples_say_no_more(servo: Actuator, logs: list[Log], space: Space) -> None:
    """The same recording and candidates, read up to eight times as often."""
    engine = JointEngine(servo, settings=JointSettings(hold=False))
    points = np.random.default_rng(3).uniform(0.2, 0.8, (6, len(space.names)))
    costs = []
    for every in (1, 2, EVERY, 8):
        batch = LogBatch([cut(logs[0], 1000 // every, every)], engine)
        costs.append(Posterior(Residuals(engine, batch, space))(points))
    for one in costs:
        np.testing.assert_allclose(one, costs[0], rtol=0.02, atol=0.5)


def test_numbers_are_expected_where_they_begin_or_where_a_prior_has_them(
    servo: Actuator, space: Space
) -> None:
    """A prior's own deviation, else a fifth of the cube; without a prior as of an even spread."""
    r, k, other = servo.value("motor.R"), space.names.index("motor.R"), "plant.position_offset"
    numbers = {**servo.numbers, "motor.R": replace(servo.numbers["motor.R"], std=0.1 * r)}
    pull = expected(space, Prior(replace(servo, numbers=numbers)))
    np.testing.assert_allclose(pull.centre, space.to_cube(space.start), atol=1e-12)
    for factor in (0.9, 1.1):
        values = space.start.copy()
        values[k] *= factor
        assert abs(pull.deviations(space.to_cube(values)[None])[0, k]) == pytest.approx(1, rel=0.02)
    assert pull.width[space.names.index("motor.k_t")] == WIDTH
    assert pull.width[space.names.index(other)] == pytest.approx(RANGE)
    assert scipy.stats.uniform.std() == pytest.approx(RANGE)
    np.testing.assert_allclose(expected(space).width, RANGE)


def test_the_error_is_that_which_is_reported(
    misfit: Residuals, space: Space, servo: Actuator, logs: list[Log]
) -> None:
    goal = Posterior(misfit, expected(space))
    values = dict(zip(space.names, map(float, space.start), strict=True))
    cuts = [cut(log, count) for log, count in zip(logs, LENGTHS, strict=False)]
    reported = evaluate(servo, cuts, changes=values)
    found = goal.error(goal.residuals(space.to_cube(space.start)[None]))
    assert found == pytest.approx([reported.mae], rel=1e-9)


def test_residuals_are_simulated_less_measured_and_do_not_hang_on_the_company(
    misfit: Residuals, space: Space, servo: Actuator, logs: list[Log]
) -> None:
    points = np.random.default_rng(2).uniform(0.2, 0.8, (5, len(space.names)))
    together = misfit(points)
    assert together.shape == (5, sum(LENGTHS))
    np.testing.assert_array_equal(together, np.concatenate([misfit(one[None]) for one in points]))
    values = dict(zip(space.names, map(float, space.from_cube(points[0])), strict=True))
    cuts = [cut(log, count) for log, count in zip(logs, LENGTHS, strict=False)]
    shown = [entry.residual for entry in evaluate(servo, cuts, changes=values).entries]
    np.testing.assert_allclose(together[0], np.concatenate(shown), atol=1e-12)


def test_motion_that_overflows_counts_as_lost(servo: Actuator, logs: list[Log]) -> None:
    wild = search_space(servo, fit={"motor.k_t": (50.0, 100.0)}, fix=("motor.R",))
    engine = JointEngine(servo)
    goal = Posterior(Residuals(engine, LogBatch([cut(logs[0], 100)], engine), wild))
    residuals = goal.residuals(np.full((1, len(wild.names)), 0.9))
    assert np.isfinite(goal.cost(residuals)).all()
    assert np.abs(residuals).max() == LOST
