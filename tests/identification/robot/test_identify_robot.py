"""Servos of an arm are found again from its motion: simulated finer, late, noisy and quantised."""

import dataclasses
from functools import cache

import numpy as np
import pytest
from arm_recordings import record

import pliant
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.identification.robot.space import robot_space
from pliant.identification.search.search import SearchSettings
from pliant.identification.uncertainty.draws import UncertaintySettings
from pliant.identification.uncertainty.intervals import intervals
from pliant.robots.identify import evaluate_robot, identify_robot

BODY = "sw_segment_64"
FIT = {
    "R1.motor.R": None,
    "R2.motor.R": None,
    "*.timing.delay": (0.0, 0.04),
    "R2.friction.K_ls": None,
}
QUICK = SearchSettings(starts=1, jacobians=8)


@pytest.fixture(scope="module")
def recorded(arm, servos):
    """Two runs to fit and one to judge by, of an arm whose second link is as heavy as said."""

    @cache
    def made(mass: float):
        runs = [("fast", 1), ("steps", 2), ("mixed", 3)]
        logs = [
            record(arm, servos, name, seconds=2.5, mass={BODY: mass}, seed=k) for name, k in runs
        ]
        return logs[:2], logs[2:]

    return made


@pytest.fixture(scope="module")
def begin(servos):
    """Winding resistances and delays are not known."""
    wrong = {"motor.R": 4.0, "timing.delay": 0.0}
    return {joint: a.with_values(wrong, "guess", "assumed") for joint, a in servos.items()}


def only(begin) -> list[str]:
    """To fix: all that is not in FIT."""
    names = robot_space(begin, fit=FIT).names
    kept = {"R1.motor.R", "R2.motor.R", "R1.timing.delay", "R2.timing.delay", "R2.friction.K_ls"}
    return [name for name in names if name not in kept]


@pytest.fixture(scope="module")
def found(arm, begin, recorded):
    logs, other = recorded(1.0)
    return identify_robot(
        arm, begin, logs, held_out=other, fit=FIT, fix=only(begin), search_settings=QUICK
    )


def test_resistances_friction_and_delays_are_found(found, servos) -> None:
    values = found.values
    for joint, servo in servos.items():
        assert values[f"{joint}.motor.R"] == pytest.approx(servo.value("motor.R"), rel=0.03)
        # A step of 2 ms integrates as if commands came up to half of it earlier.
        assert values[f"{joint}.timing.delay"] == pytest.approx(0.01, abs=1.5e-3)
    truth = servos["R2"].value("friction.K_ls")
    assert values["R2.friction.K_ls"] == pytest.approx(truth, rel=0.15)


def test_unseen_motion_is_predicted_about_as_well_as_it_was_measured(found, arm, begin, recorded):
    _, other = recorded(1.0)
    assert evaluate_robot(arm, begin, other).mae > 10e-3
    assert found.held_out.mae < 1.5e-3
    again = evaluate_robot(arm, found.actuators, other)
    assert again.mae == pytest.approx(found.held_out.mae, abs=1e-9)


def test_the_actuators_say_where_their_numbers_come_from(found, tmp_path) -> None:
    servo = found.actuators["R2"]
    pliant.write_actuator(servo, tmp_path / "R2.toml")
    again = pliant.load_actuator(tmp_path / "R2.toml")
    assert again.numbers["motor.R"].how == "identified"
    assert again.numbers["motor.k_t"].source == "published"
    record = again.identification
    assert record["joint"] == "R2" and record["model"] == "2r_mx.xml"
    assert set(record["logs"]) == {"fast", "steps"}
    assert len(record["model_sha256"]) == 64 and record["step"] == 0.002


def test_intervals_hold_the_truth(found, arm, servos) -> None:
    few = UncertaintySettings(draws=30)
    sure = intervals(found, uncertainty_settings=few)
    for joint, servo in servos.items():
        low, high = sure.interval(f"{joint}.motor.R")
        truth = servo.value("motor.R")  # and the step of 2 ms is worth a percent or two
        assert low < 1.02 * truth and 0.98 * truth < high
        assert 0.0 < high - low < 1.0
    assert len(sure.draws(5, 1)) == 5


def test_a_wrong_mass_is_in_the_torque_and_no_residual_tells(arm, begin, recorded, servos) -> None:
    """All that the arm moves is 5 % heavier, for the servo at its end."""
    logs, other = recorded(1.05)
    heavy = identify_robot(
        arm, begin, logs, held_out=other, fit=FIT, fix=only(begin), search_settings=QUICK
    )
    values = heavy.values
    truth = servos["R2"].value("motor.R")
    assert values["R2.motor.R"] == pytest.approx(1.05 * truth, rel=0.03)
    assert heavy.held_out.mae < 2e-3
    assert any("no motion shows it" in word for word in heavy.warnings)


@pytest.mark.parametrize("how", ["together", "separately"])
def test_a_seed_gives_one_result(arm, begin, recorded, how) -> None:
    logs, _ = recorded(1.0)
    tiny = SearchSettings(starts=1, jacobians=2, seed=4)
    runs = [
        identify_robot(
            arm,
            begin,
            logs,
            fit=FIT,
            fix=only(begin),
            how=how,
            search_settings=tiny,
            settings=ManySettings(timestep=4e-3, threads=threads),
        )
        for threads in (1, 2)
    ]
    assert runs[0].values == runs[1].values
    assert runs[0].fitted.mae == runs[1].fitted.mae
    assert set(runs[0].searches) == ({"together"} if how == "together" else {"R1", "R2"})


def test_joints_by_themselves_come_to_the_same(arm, begin, recorded, found) -> None:
    logs, other = recorded(1.0)
    apart = identify_robot(
        arm,
        begin,
        logs,
        held_out=other,
        fit=FIT,
        fix=only(begin),
        how="separately",
        search_settings=QUICK,
    )
    assert apart.values == pytest.approx(found.values, rel=0.3)  # a neighbour is led smoothly
    assert apart.held_out.mae < 2e-3


@pytest.mark.parametrize(
    ("fit", "fix", "said"),
    [
        ({"R1.motor.k_T": None}, [], "fit or fix: no such parameter; found 'R1.motor.k_T'; did y"),
        ({}, ["R9.*"], "fit or fix: no such parameter; found 'R9.*'; accepted: "),
        (
            {"mass.sw_segment_64": (1.2, 0.8)},
            [],
            "mass.sw_segment_64: bounds out of order; found (1.2, 0.8); accepted: finite, 0 < low",
        ),
        ({"mass.elbow": None}, [], "mass: no such body with mass; found 'elbow'"),
        ({}, ["*"], "nothing to identify; accepted: at least one parameter with bounds"),
    ],
)
def test_what_cannot_be_searched_is_said(arm, begin, recorded, fit, fix, said) -> None:
    logs, _ = recorded(1.0)
    with pytest.raises(pliant.PliantError) as error:
        identify_robot(arm, begin, logs, fit=fit, fix=fix, search_settings=QUICK)
    assert str(error.value).removeprefix(f"{arm}: ").startswith(said), str(error.value)


def test_a_joint_that_is_not_in_the_log_or_not_commanded_is_said(arm, begin, recorded) -> None:
    logs, _ = recorded(1.0)
    with pytest.raises(pliant.PliantError, match="this joint is not recorded; found 'R3'"):
        identify_robot(arm, {"R3": begin["R1"]}, logs)
    silent = [dataclasses.replace(logs[0], goal=logs[0].goal * np.nan)]
    with pytest.raises(pliant.PliantError, match="goal_R1: lacks the commands of a joint with an"):
        identify_robot(arm, begin, silent)
    with pytest.raises(pliant.PliantError, match="no such model"):
        identify_robot(arm.with_name("none.xml"), begin, logs)
