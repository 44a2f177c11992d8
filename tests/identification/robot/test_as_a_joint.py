"""A robot has what a joint has: a prior, holding out in turn, a choice of models."""

import dataclasses

import pytest
from arm_recordings import record

import pliant
from pliant.identification.fit import fit
from pliant.identification.problem.hold_out import divided, hold_out
from pliant.identification.problem.posterior import Prior
from pliant.identification.problem.task import FitTask, fit_task
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import candidate_rigs
from pliant.identification.selection.cross_validation import left_out
from pliant.identification.selection.sweep import Sweep, candidate_tasks
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import evaluate_robot, identify_robot, robot_rig

TINY = SearchSettings(starts=1, jacobians=3)
ALL_BUT_TIMING = ["*.friction.*", "*.control.*", "*.own.*", "*.motor.*"]
DELAYS = {"*.timing.delay": (0.0, 0.04)}


@pytest.fixture(scope="module")
def runs(arm, servos) -> list[RobotLog]:
    """Two motions, one of them twice, in which both joints move at once; delays of 10 ms."""
    made = [record(arm, servos, name, seconds=1.0) for name in ("fast", "mixed")]
    again = dataclasses.replace(made[0], name="fast_2")
    return [dataclasses.replace(made[0], name="fast_1"), again, made[1]]


@pytest.fixture(scope="module")
def prompt(servos) -> dict[str, pliant.Actuator]:
    """The same servos without their delays."""
    return {
        joint: a.with_values({"timing.delay": 0.0}, "guess", "assumed")
        for joint, a in servos.items()
    }


def timing_task(arm, actuators, runs, **more) -> FitTask[RobotLog]:
    options = {"fit": DELAYS, "fix": ALL_BUT_TIMING, "search_settings": TINY} | more
    return fit_task(robot_rig(arm, actuators, runs), options)


def test_groups_are_held_out_in_turn_by_motion(arm, prompt, runs) -> None:
    """Repetitions leave together; a fit to the other motion finds the delay that they show."""
    task = timing_task(arm, prompt, runs, hold_out=("motion",))
    turns = divided(runs, task.hold_out).turns
    assert turns == ["motion=fast", "motion=mixed"]
    found, given = fit(task, runs), evaluate_robot(arm, prompt, runs)
    for choice, log in zip(turns, ("fast_1", "mixed"), strict=True):
        fold = left_out(found, hold_out(runs, choice)[1])
        assert fold.held_out[log] < 0.1 * given.by_log()[log]
    assert set(left_out(found, runs[:2]).held_out) == {one.name for one in runs[:2]}


def test_a_sure_prior_holds_its_numbers_and_an_unsure_one_does_not(arm, servos, runs) -> None:
    wrong = servos["R1"].with_values({"motor.R": 3.0}, "old", "identified")
    fix = ["*.friction.*", "*.control.*", "*.own.*", "*.motor.k_t", "R2.*"]

    def found(std: float):
        numbers = {
            **wrong.numbers,
            "motor.R": dataclasses.replace(wrong.numbers["motor.R"], std=std),
        }
        return identify_robot(
            arm,
            servos,
            runs[:1],
            fit={"R1.motor.R": None},
            fix=[*fix, "*.timing.*"],
            prior=Prior({"R1": dataclasses.replace(wrong, numbers=numbers)}),
            search_settings=dataclasses.replace(TINY, jacobians=6),
        )

    sure, unsure = found(1e-5), found(1.0)
    assert sure.values["R1.motor.R"] == pytest.approx(3.0, abs=0.02)
    truth = servos["R1"].value("motor.R")
    assert unsure.values["R1.motor.R"] == pytest.approx(truth, rel=0.05)
    (move,) = unsure.moved
    assert (move.name, move.before) == ("R1.motor.R", 3.0)
    assert FitRecord.of(sure.actuators["R1"]).prior.moved.keys() == {"motor.R"}


def test_a_delay_is_chosen_where_there_is_one(arm, servos, runs) -> None:
    """Without it, 10 ms remain in every log held out; the record says what was compared."""
    none = {joint: pliant.with_law(a, "timing", "immediate") for joint, a in servos.items()}
    task = fit_task(
        robot_rig(arm, none, runs),
        {"fit": ["R1.motor.R"], "fix": ALL_BUT_TIMING[:3], "search_settings": TINY},
    )
    task = dataclasses.replace(task, fix={**task.fix, "*.motor.k_t": None, "R2.motor.R": None})
    rigs = candidate_rigs(
        task.rig, [{"friction": "m4"}, {"friction": "m4", "timing": "command_delay"}]
    )
    sweep = Sweep(candidate_tasks(task, rigs), runs[1:], by="log")
    choice = sweep.choose()
    assert choice.chosen.name == "m4 + command_delay"
    held = {trial.name: trial.of_each_log() for trial in choice.trials}
    for log in ("fast_2", "mixed"):
        assert held["m4 + command_delay"][log] < 0.2 * held["m4"][log]
        assert set(choice.chosen.result.folds[log].held_out) == {log}
    found = sweep.fitted_to_all(choice.chosen)
    record_ = FitRecord.of(found.actuators["R2"])
    assert (record_.chosen_by, record_.chosen_among) == ("log", ["m4", "m4 + command_delay"])
    for joint in servos:  # MuJoCo's step of 2 ms acts half a step early, and the delay makes up
        assert found.actuators[joint].value("timing.delay") == pytest.approx(0.011, abs=5e-4)


def test_a_constant_command_says_nothing_of_the_delay(arm, prompt, runs) -> None:
    """R2 is told to stay where it is in one log, and moved in the other."""
    goal = runs[0].goal.copy()
    goal[:, 1] = goal[0, 1]
    still = dataclasses.replace(runs[0], name="still", goal=goal)
    rig = robot_rig(arm, prompt, runs)
    space = rig.space(DELAYS, {}, runs)
    for logs, silent in (([still], [("R2.timing.delay",)]), ([still, runs[0]], [])):
        doubts = rig.ambiguities(space, logs, sample_age=1e-3)
        assert [d.parameters for d in doubts if d.kind == "constant command"] == silent


def test_values_are_held_by_pattern_and_a_mounting_is_refused(arm, servos, runs) -> None:
    rig = robot_rig(arm, servos, runs).holding({"*.motor.R": 3.3})
    assert [a.value("motor.R") for a in rig.actuators.values()] == [3.3, 3.3]
    with pytest.raises(pliant.PliantError, match="zero_by: is no property of a robot"):
        identify_robot(arm, servos, runs, search_settings=TINY, zero_by="length")


def test_only_joints_that_are_searched_one_by_one_get_the_long_search(arm, prompt, runs) -> None:
    """Together, a candidate costs as much as a hundred of a joint by itself."""
    sizes = {how: robot_rig(arm, prompt, runs, how).search for how in ("together", "both")}
    assert sizes["both"].starts > sizes["together"].starts
