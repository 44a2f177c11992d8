"""The experiments of the stiffness estimator, on few short development draws."""

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.experiments.trumic2022 import (
    estimator_1dof,
    estimator_arms,
    estimator_hardware_like,
    estimator_uncertainty,
)
from pliant.experiments.trumic2022.two_link_truth import TwoLinkMotion, motor_motion


def of(outcome, text):
    return next(row for row in outcome.rows if text in row.what)


def test_one_joint_reaches_the_goals_on_a_development_draw(tmp_path):
    settings = estimator_1dof.Settings(draws=1, seed="development", duration=40.0)
    outcome = estimator_1dof.run(settings, tmp_path)
    median = {row.what: float(row.here.split(" %")[0]) for row in outcome.rows}
    for kind, goal in (("SEA", 1e-4), ("AwAS:", 1e-3), ("qbmove:", 2e-3)):
        name = next(n for n in median if n.startswith(kind) and "torque mode, 12 bit" in n)
        assert median[name] < goal
        rough = next(n for n in median if n.startswith(kind) and "paper's mode, 2e-4" in n)
        assert median[rough] > 10.0
    covered = {
        row.what: float(row.note.split("deviations in ")[1].split(" %")[0]) for row in outcome.rows
    }
    assert min(covered.values()) >= estimator_1dof.ENOUGH
    assert all(path.stat().st_size > 1000 for path in outcome.figures)
    assert any(row.paper == "2.1e-6 %" for row in outcome.rows)


def test_held_out_and_development_draws_differ_and_are_repeatable():
    def first(seed, number=0):
        settings = estimator_1dof.Settings(seed=seed)
        return estimator_1dof.draw("sea", settings, number).amplitude

    assert (first("held-out") == first("held-out")).all()
    assert not np.allclose(first("held-out"), first("development"))
    assert not np.allclose(first("held-out"), first("held-out", 1))
    motion = TwoLinkMotion(moving=1.0, duration=2.0)
    one, other = (motor_motion(motion, seed, 0) for seed in ("held-out", "development"))
    assert not np.allclose(one, other)


def test_coarse_encoders_friction_and_co_contraction(tmp_path):
    settings = estimator_hardware_like.Settings(
        draws=1, seed="development", motion=TwoLinkMotion(moving=35.0, duration=50.0)
    )
    outcome = estimator_hardware_like.run(settings, tmp_path)
    after = of(outcome, "all the time after learning").here
    assert float(after.split(" %")[0]) >= 95.0
    assert float(after.split("median ")[1].split(" %")[0]) < 5.0
    assert of(outcome, "numbers given by joints that stand").here == "0"
    assert of(outcome, "warned of extrapolation").here == "1 of 1"


def test_errors_of_scale_pass_straight_through(tmp_path, monkeypatch):
    wanted = (
        "exact",
        "mass +20 %, both links",
        "length +20 %, last link",
        "length +20 %, first link",
        "centre of mass +20 %, both links",
    )
    every = estimator_uncertainty.models
    monkeypatch.setattr(
        estimator_uncertainty, "models", lambda wrong: {k: every(wrong)[k] for k in wanted}
    )
    settings = estimator_uncertainty.Settings(
        courses=("random",),
        draws=1,
        seed="development",
        motion=TwoLinkMotion(moving=1e3, duration=30.0),
        scored_from=20.0,
    )
    outcome = estimator_uncertainty.run(settings, tmp_path)

    def errors(name):
        words = of(outcome, name).here.split()
        return float(words[2]), float(words[5])

    assert errors("exact") == pytest.approx((0.0, 0.0), abs=2.0)
    assert errors("mass +20 %, both") == pytest.approx((20.0, 20.0), abs=2.0)
    assert errors("length +20 %, last link") == errors("exact")
    assert errors("length +20 %, first link") == pytest.approx((5.5, 0.0), abs=2.0)
    assert errors("centre of mass +20 %, both links") == pytest.approx((14.0, 20.0), abs=2.0)


def test_settings_that_are_no_experiment_are_refused():
    with pytest.raises(PliantError, match="not an experiment; found 'draws 0, scored from 20"):
        estimator_1dof.Settings(draws=0)


def test_a_joint_and_an_arm_in_space_seen_through_noise(tmp_path):
    settings = estimator_arms.Settings(moving=30.0, duration=45.0)
    outcome = estimator_arms.run(settings, tmp_path)
    assert [row.paper for row in outcome.rows] == ["0.71 %", "0.26 %", "3.6 %", "7.1 %"]
    for row in outcome.rows:
        assert float(row.here.split(" %")[0]) < float(row.paper.split(" %")[0])
        assert float(row.note.split(" for ")[1].split(" %")[0]) > 95.0


def test_the_true_stiffness_of_a_simulated_joint_is_that_of_its_springs():
    """And link and motors are of one time: the springs explain the link's acceleration."""
    settings = estimator_arms.Settings(moving=8.0, duration=8.5, dt=1e-3)
    truth = estimator_arms.recorded("one joint", settings)
    phi = truth.q - truth.theta
    expected = 0.022 * 6.85 * np.cosh(6.85 * phi).sum(axis=1)
    np.testing.assert_allclose(truth.sigma[:, 0], expected, rtol=1e-9)
    q, h = truth.q[:, 0], 1e-3
    pull = -0.022 * np.sinh(6.85 * phi).sum(axis=1)[1:-1]
    speed = (q[2:] - q[:-2]) / (2.0 * h)
    needed = 2.107e-3 * np.diff(q, 2) / h**2 + 0.26 * 9.81 * 0.09 * np.sin(q[1:-1]) + 0.01 * speed
    moving = np.abs(speed) > 0.05
    off = needed - pull + 0.02 * np.sign(speed)
    assert np.sqrt(np.mean(off[moving] ** 2)) < 0.02 * np.sqrt(np.mean(needed[moving] ** 2))
