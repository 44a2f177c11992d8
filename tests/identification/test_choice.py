"""The error on logs not seen decides."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pliant import Actuator, PliantError, load_actuator
from pliant.assemble import with_laws
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import (
    Choice,
    Trial,
    candidate_rigs,
    combined,
    names_of,
    stacked,
    take,
    usual_extensions,
)
from pliant.identification.selection.fit_job import Fold, JobResult
from pliant.identification.selection.sweep import Sweep, as_good, choose, with_others
from pliant.io.log import Log, example_logs, read_log


def known(name: str, size: int = 3, **errors: float) -> Trial:
    """Two logs in each group, with the group's error; a log is less likely by a nat for each 10 mrad."""
    folds = {
        group: Fold(
            0.01, {f"{group}{k}": error for k in "ab"}, {f"{group}{k}": -100 * error for k in "ab"}
        )
        for group, error in errors.items()
    }
    values = {f"p{k}": 0.0 for k in range(size)}
    plain = {"evaluations": 1, "steps": 1, "seconds": 1.0, "cpu": 1.0}
    return Trial(name, "gain", JobResult(values, 0.0, {"x": 0.01}, folds, **plain))


def test_the_model_that_errs_least_on_what_it_has_not_seen_is_taken_whatever_its_size() -> None:
    small, large = known("small", 4, a=0.050, b=0.061), known("large", 18, a=0.030, b=0.041)
    choice = take("gain", [small, large])
    assert choice.chosen is large
    assert choice.verdict(large) == "taken: the best"
    assert choice.verdict(small) == "worse by 20.0 +- 0.0 mrad a log"
    assert choice.chosen.of_each_fold() == {"gain=a": (0.01, 0.030), "gain=b": (0.01, 0.041)}


def test_a_choice_is_worth_what_the_other_groups_choose() -> None:
    """Without a, B is the best; without b or c, A is: 40, 10 and 10."""
    A, B = known("A", a=0.010, b=0.010, c=0.010), known("B", a=0.040, b=0.009, c=0.009)
    choice = take("gain", [A, B])
    assert choice.chosen is A
    assert choice.chosen.held_out == pytest.approx(0.010)
    assert choice.held_out == pytest.approx((0.040 + 0.010 + 0.010) / 3)


def test_weights_are_those_of_the_most_likely_mixture() -> None:
    """Two models, each sure of three logs of ten or seven: the mixture has just these shares."""
    densities = [
        {str(k): 0.0 if k < 3 else -50.0 for k in range(10)},
        {str(k): -50.0 if k < 3 else 0.0 for k in range(10)},
        {str(k): -60.0 for k in range(10)},
    ]
    assert stacked(densities) == pytest.approx([0.3, 0.7, 0.0], abs=1e-6)


def test_a_model_that_adds_to_the_mixture_is_named() -> None:
    best, other = known("best", a=0.010, b=0.010), known("other", a=0.009, b=0.020)
    for trial, shift in ((best, -30.0), (other, 30.0)):
        trial.result.folds["a"].density.update({"aa": shift, "ab": shift})
    choice = take("gain", [best, other, known("worse", a=0.5, b=0.6)])
    assert min(choice.weights[:2]) > 0.1 and choice.weights[2] < 1e-6
    assert [trial.name for trial in choice.as_good()] == ["other"]
    assert choice.verdict(other) == "adds to the mixture"
    assert choice.verdict(choice.trials[-1]).startswith("worse by 540.0 +- ")


def test_candidates_are_every_model_with_every_extension() -> None:
    laws = combined(("m1", "m4"), ({}, {"driver": "supply_resistance"}))
    rigs = candidate_rigs(JointRig(load_actuator("xl330_bam_m6")), laws)
    made = [rig.actuators[""] for rig in rigs]
    assert [(a.laws["friction"].name, a.laws["driver"].name) for a in made] == [
        ("m1", "ideal_supply"),
        ("m1", "supply_resistance"),
        ("m4", "ideal_supply"),
        ("m4", "supply_resistance"),
    ]


def test_candidates_are_named_by_what_tells_them_apart() -> None:
    base = load_actuator("xl330_bam_m6")
    rigs = candidate_rigs(JointRig(base), combined(("m1", "m4"), ({}, {"timing": "command_delay"})))
    assert names_of(rigs) == [
        "m1",
        "m1 + command_delay",
        "m4",
        "m4 + command_delay",
    ]
    with pytest.raises(PliantError, match="two candidates are the same; found 'm6'"):
        names_of([JointRig(base), JointRig(load_actuator("xl330_bam_m6"))])


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"by": "gian"}, "by: cannot be held out; found 'gian'; did you mean 'gain'"),
        ({"zero_by": "lenght"}, "zero_by: is not a mounting; found 'lenght'; did you mean"),
        (
            {"by": "load"},
            "by: nothing to compare; found 'load'; accepted: candidates, "
            "and logs of at least two groups",
        ),
        ({"fix": ("motor.r",)}, "fit or fix: no such parameter; found 'motor.r'"),
    ],
)
def test_a_sweep_that_makes_no_sense_is_refused_before_any_fit(
    settings: dict[str, Any], said: str
) -> None:
    def nowhere(*_: object) -> Iterator[tuple[str, JobResult]]:
        raise AssertionError("a fit was begun")

    recorded = [read_log(path) for path in example_logs()]
    with pytest.raises(PliantError) as caught:
        choose([load_actuator("xl330_bam_m1")], recorded, **settings, place=nowhere)
    assert str(caught.value).startswith(said)


def test_as_good_are_kept_as_far_as_one_file_can_hold_them(
    servo: Actuator, logs: list[Log]
) -> None:
    """No law contains M5 and M4 by sides; the first of them has the place."""
    tasks = [
        FitTask(rig=rig)
        for rig in candidate_rigs(JointRig(servo), combined(("m1", "m5", "m4_sided"), [{}]))
    ]
    sweep = Sweep(tasks, logs, by="trajectory")
    m1, m5, sided = (known(name, a=0.03) for name in sweep.names)
    choice = Choice("trajectory", (m5, sided, m1), m1, 0.03, (0.4, 0.3, 0.3))
    kept, left_out = as_good(sweep, choice)
    assert [[trial.name for trial in part] for part in (kept, left_out)] == [["m5"], ["m4_sided"]]


def test_the_whole_search_of_a_model_repeats_the_one_that_was_compared(
    servo: Actuator, logs: list[Log]
) -> None:
    """With more descents it ends as low or lower, and one file takes it beside the model taken."""
    few = SearchSettings(starts=2, jacobians=6)
    tasks = [
        FitTask(rig=rig, search_settings=few, zero_by=None, recorder_by=None)
        for rig in candidate_rigs(JointRig(servo), combined(("m1", "m4"), [{}]))
    ]
    sweep = Sweep(tasks, logs, by="trajectory")
    trials = {trial.name: trial for trial in sweep.choose().trials}
    search = replace(few, starts=3)
    found = {name: sweep.fitted_to_all(one, search=search) for name, one in trials.items()}
    for name, one in found.items():
        assert one.search.cost <= trials[name].result.cost + 1e-9
    whole = with_others(found["m1"], "m1", {"m4": found["m4"]})
    assert set(FitRecord.of(whole.carrying).models) == {"m1", "m4"}


@pytest.fixture
def two_mountings(logs: list[Log]) -> list[Log]:
    """The same bench, its zero 0.08 rad off where the longer arm is on it."""
    return [
        replace(log, position=log.position + 0.08, goal=log.goal + 0.08)
        if log.length > 0.12
        else log
        for log in logs
    ]


def test_each_fit_of_a_choice_finds_the_zeros_of_its_own_logs(
    servo: Actuator, two_mountings: list[Log]
) -> None:
    search = SearchSettings(starts=1, jacobians=12)
    given: dict[str, Any] = {"by": "trajectory", "search_settings": search}
    one = choose([servo], two_mountings, **given, zero_by=None)
    each = choose([servo], two_mountings, **given)  # the logs differ in length
    assert each.chosen.held_out < 0.3 * one.chosen.held_out


@pytest.mark.parametrize(
    ("name", "laws", "count"),
    [
        ("xl330_bam_m4", {}, 4),
        ("hls3606_m3", {}, 2),
        ("ak80_6_dfki_m1", {"control": "pd_torque"}, 2),
        ("robstride_02_ksim", {}, 2),
    ],
)
def test_no_supply_is_tried_of_an_actuator_that_is_given_torque_or_current(
    name: str, laws: dict[str, str], count: int
) -> None:
    base = with_laws(load_actuator(name), laws)
    assert len(candidate_rigs(JointRig(base), combined(("m1",), usual_extensions(base)))) == count
