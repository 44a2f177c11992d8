"""Runs of one command against each other."""

from dataclasses import replace

import numpy as np
import pytest

from pliant.assemble import Actuator
from pliant.identification import SearchSettings, identify
from pliant.identification.problem.repeatability import each_joint, floor, in_words, repeatability
from pliant.identification.result.record import FitRecord
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.report.page import own_verdict, report_text


def test_runs_of_one_command_are_compared_pair_by_pair(logs: list[Log]) -> None:
    """Three runs 0, 3 and 9 mrad off are 3, 6 and 9 mrad from each other: 6 on average."""
    first = logs[0]
    again = [replace(first, position=first.position + off) for off in (0.003, 0.009)]
    found = repeatability([first, *again, *logs[1:]])
    assert found == {first.name: pytest.approx(0.006)}
    assert in_words({"": found}).startswith(
        "repetitions of 1 command differ from each other by 6.0 mrad on average"
    )


def test_other_samples_of_one_motion_are_the_same_motion(logs: list[Log]) -> None:
    first = logs[0]
    half = {name: getattr(first, name)[::2] for name in ("time", "position", "goal", "enabled")}
    (found,) = repeatability([first, replace(first, **half)]).values()
    assert found < 0.001


def test_another_gain_load_or_command_is_no_repetition(logs: list[Log]) -> None:
    first = logs[0]
    others = [
        replace(first, gain=first.gain + 1.0),
        replace(first, mass=0.2),
        replace(first, goal=first.goal + 0.05 * np.sin(first.time)),
        replace(first, enabled=first.enabled & (first.time < 3.0)),
    ]
    assert repeatability([first, *others]) == {}


def test_the_zero_of_each_mounting_is_taken_off_first(logs: list[Log]) -> None:
    first = logs[0]
    moved = replace(first, position=first.position - 0.1, goal=first.goal, zero=0.1)
    (found,) = repeatability([replace(first, zero=0.0), moved]).values()
    assert found == pytest.approx(0.0, abs=1e-12)


def _of_robot(logs: list[Log], *moved: tuple[float, float], elbow: float = 0.0) -> list[RobotLog]:
    """Runs of two joints by one command, each moved; the elbow's command of the last is another."""
    first = logs[0]
    goal = np.column_stack([first.goal, first.goal])
    last = np.array([0.0, elbow])
    nothing = np.full(goal.shape, np.nan)
    on = np.ones(goal.shape, dtype=bool)
    return [
        RobotLog(
            f"run_{k}", ("shoulder", "elbow"), first.time,
            position=goal + np.array(by), goal=goal + last * (k == len(moved) - 1),
            speed=nothing, enabled=on,
        )
        for k, by in enumerate(moved)
    ]  # fmt: skip


def test_runs_of_a_robot_are_compared_joint_by_joint(logs: list[Log]) -> None:
    runs = _of_robot(logs, (0.0, 0.0), (0.004, 0.002))
    found = each_joint(runs)
    assert found == {
        "shoulder": {"run_0": pytest.approx(0.004)},
        "elbow": {"run_0": pytest.approx(0.002)},
    }
    assert floor(found) == pytest.approx(0.003)
    assert (
        "1 command differ from each other by 3.0 mrad on average (shoulder 4.0, elbow 2.0)"
        in in_words(found)
    )


def test_a_robot_repeats_a_command_in_all_its_joints(logs: list[Log]) -> None:
    """What one joint does moves the others."""
    found = each_joint(_of_robot(logs, (0.0, 0.0), (0.004, 0.001), elbow=0.1))
    assert found == {"shoulder": {}, "elbow": {}}
    assert floor(found) is None and in_words(found) == ""


def test_repetitions_stand_in_the_record_and_beside_the_errors(
    servo: Actuator, logs: list[Log]
) -> None:
    again = replace(logs[0], position=logs[0].position + 0.006, name="again")
    tiny = SearchSettings(starts=1, jacobians=1)
    found = identify(servo, [logs[0], again], search_settings=tiny)
    assert FitRecord.of(found.actuator).repeatability_mrad == {logs[0].name: 6.0}
    (bar,) = [one for one in own_verdict(found).bars if one.name == "distance between repetitions"]
    assert bar.error == "6.0 mrad"
    assert "Errors below the distance between repetitions" in report_text(found)
    alone = identify(servo, logs[:1], search_settings=tiny)
    assert "repeatability_mrad" not in alone.actuator.identification
    assert "repetitions" not in report_text(alone)
