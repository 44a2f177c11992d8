"""The open-loop error: mean over the samples of each log, then over the logs."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identification.problem.evaluation import evaluate
from pliant.io.log import Log


def test_the_error_is_the_mean_distance_of_each_log_then_over_the_logs(
    servo: Actuator, logs: list[Log]
) -> None:
    """Logs of 20 and 200 samples weigh the same."""
    engine = JointEngine(servo)
    runs = [cut(logs[0], 20), cut(logs[1], 200)]
    exact = [replace(log, position=engine.rollout(log).position) for log in runs]
    assert evaluate(servo, exact).mae == 0.0
    late = exact[1].position - 0.3 * (np.arange(200) >= 100)
    result = evaluate(servo, [exact[0], replace(exact[1], position=late)])
    assert [entry.mae for entry in result.entries] == pytest.approx([0.0, 0.15])
    assert result.mae == pytest.approx(0.075)
    np.testing.assert_allclose(result.entries[1].residual[100:], 0.3)


def cut(log: Log, samples: int) -> Log:
    channels = ("time", "position", "goal", "enabled", "velocity", "voltage")
    return replace(log, **{name: getattr(log, name)[:samples] for name in channels})


def test_errors_are_grouped_by_what_logs_share(servo: Actuator, logs: list[Log]) -> None:
    result = evaluate(servo, logs)
    groups = result.by(lambda log: f"{log.gain:g}")
    assert set(groups) == {"200", "800"}
    assert groups["200"] == pytest.approx(np.mean([entry.mae for entry in result.entries[:2]]))
    assert np.mean(list(groups.values())) == pytest.approx(result.mae)


def test_changes_are_the_same_as_an_actuator_with_other_numbers(
    servo: Actuator, logs: list[Log]
) -> None:
    changed = evaluate(servo, logs, changes={"motor.R": 5.0}).mae
    other = servo.with_values({"motor.R": 5.0}, "test", "assumed")
    assert changed == evaluate(other, logs).mae
    assert changed != evaluate(servo, logs).mae


def test_the_settings_reach_the_engine(servo: Actuator, logs: list[Log]) -> None:
    errors = {
        evaluate(servo, logs, settings=settings).mae
        for settings in (
            JointSettings(),
            JointSettings(max_step=5e-3),
            JointSettings(hold=False),
            JointSettings(supply="measured"),
            JointSettings(reference=True),
        )
    }
    assert len(errors) == 5


def test_motion_that_overflows_has_no_error_that_could_be_taken_for_one(
    servo: Actuator, logs: list[Log]
) -> None:
    result = evaluate(servo, logs[:1], changes={"motor.k_t": 100.0, "motor.R": 1e-3})
    assert not np.isfinite(result.mae)
