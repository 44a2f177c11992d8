"""Held-out error decides, log by log, and of equals the simplest."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from pliant import Actuator, PliantError, load_actuator
from pliant.assemble import with_laws
from pliant.identification.fit import fit
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.as_good import as_good, fitted, short_of, with_others
from pliant.identification.selection.choice import (
    Choice,
    Trial,
    candidate_rigs,
    candidates,
    finalists,
    going_on,
    names_of,
    set_aside,
    take,
    usual_extensions,
)
from pliant.identification.selection.fit_job import JobResult
from pliant.identification.selection.sweep import Sweep, choose
from pliant.io.log import Log, example_logs, read_log


def known(size: int, *errors: float, cost: float = 0.0, spread: float = 0.0) -> Trial:
    """One fold, errors given instead of found; a second start that fits worse."""
    values = {f"p{k}": 0.0 for k in range(size)}
    logs = {str(k): error for k, error in enumerate(errors)}
    lucky = {log: error - spread for log, error in logs.items()}
    plain = {"evaluations": 1, "steps": 1, "seconds": 1.0, "cpu": 1.0}
    taken = JobResult(values, cost, logs, logs, **plain)
    other = JobResult(values, cost + 1.0, logs, lucky, **plain)
    return Trial(f"{size} parameters", {"gain=1": (taken, other)})


def test_a_clearly_better_model_is_taken_whatever_its_size() -> None:
    small, large = known(4, 0.050, 0.061, 0.052, 0.060), known(18, 0.030, 0.041, 0.032, 0.040)
    choice = take("gain", [small, large])
    assert choice.chosen is large
    assert choice.verdict(small) == "worse than the best by 20.0 +- 0.0 mrad a log"


def test_of_equals_the_simplest_is_taken() -> None:
    small, large = known(4, 0.030, 0.045, 0.032, 0.042), known(18, 0.031, 0.041, 0.033, 0.040)
    choice = take("gain", [large, small])
    assert choice.trials[0] is large
    assert choice.chosen is small
    assert choice.verdict(small) == "taken: as good as the best, and simpler"
    assert choice.verdict(large) == "as good as the best, with more parameters"
    assert choice.as_good() == [large]
    worse, aside = known(9, 0.05, 0.05, 0.05, 0.05), replace(large, name="x", aside="early")
    assert take("gain", [large, small, worse, aside]).as_good() == [large]


def test_one_bad_log_does_not_hide_that_the_others_are_better() -> None:
    """Compared log by log: what all models find hard does not count as noise between them."""
    small = known(4, 0.035, 0.025, 0.305)
    large = known(18, 0.030, 0.020, 0.300)
    assert take("gain", [small, large]).chosen is large


def folds(name: str, size: int, **errors: float) -> Trial:
    """Two logs in each group, with the group's error."""
    made: dict[str, tuple[JobResult, ...]] = {}
    for group, error in errors.items():
        logs = {f"{group}{k}": error for k in range(2)}
        values = {f"p{k}": 0.0 for k in range(size)}
        made[group] = (JobResult(values, 0.0, logs, logs, 1, 1, 1.0, 1.0),)
    return Trial(name, made)


def test_a_choice_is_worth_what_the_other_groups_choose() -> None:
    """Without a, B is the best; without b or c, A is: 40, 10 and 10."""
    A, B = folds("A", 3, a=0.010, b=0.010, c=0.010), folds("B", 3, a=0.040, b=0.009, c=0.009)
    choice = take("group", [A, B])
    assert choice.chosen is A
    assert choice.chosen.held_out == pytest.approx(0.010)
    assert choice.held_out == pytest.approx((0.040 + 0.010 + 0.010) / 3)


def test_what_is_clearly_worse_after_a_short_fit_is_set_aside() -> None:
    """At least a third goes on, and at most half, however close the others are."""
    far = [folds(f"far{k}", 3, a=0.1 + 0.01 * k, b=0.1) for k in range(5)]
    near = folds("near", 3, a=0.01, b=0.01)
    assert going_on([*far, near]) == ["near", "far0"]
    close = [folds(f"close{k}", 3, a=0.01 + 0.001 * k, b=0.01 - 0.001 * k) for k in range(6)]
    assert len(going_on(close)) == 3


def test_the_last_round_is_of_the_best_and_those_close_to_it() -> None:
    """Excesses over A of 1 +- 4, 20 +- 0 and 2 +- 4 mrad a log; of many that are close, two."""
    A, B = folds("A", 3, a=0.010, b=0.020), folds("B", 3, a=0.018, b=0.014)
    far, C = folds("far", 3, a=0.030, b=0.040), folds("C", 3, a=0.020, b=0.014)
    assert finalists([far, C, A]) == ["A", "C"]
    assert finalists([far, C, B, A]) == ["A", "B"]
    assert finalists([far, A]) == ["A"]
    many = [folds(f"{k}", 3, a=0.010 + 1e-4 * k, b=0.020 - 1e-4 * k) for k in range(5)]
    assert len(finalists(many)) == 2
    aside = set_aside([far, C, B, A], ["A", "B", "C"], "before the last round")
    assert [trial.name for trial in aside] == ["far"]
    choice = take("group", [A, B, C, *aside])
    assert choice.trials[-1] is aside[0]
    assert choice.verdict(aside[0]) == "set aside before the last round: 20.0 mrad worse"


def test_candidates_are_every_model_with_every_extension() -> None:
    made = candidates(
        load_actuator("xl330_bam_m6"), ("m1", "m4"), ({}, {"driver": "supply_resistance"})
    )
    assert [(a.laws["friction"].name, a.laws["driver"].name) for a in made] == [
        ("m1", "ideal_supply"),
        ("m1", "supply_resistance"),
        ("m4", "ideal_supply"),
        ("m4", "supply_resistance"),
    ]


def test_of_the_starts_the_one_that_fits_best_is_taken_not_the_one_that_predicts_best() -> None:
    trial = known(4, 0.050, 0.060, spread=0.02)
    assert trial.held_out == pytest.approx(0.055)
    assert trial.held_out_spread == pytest.approx(0.02 / 2**0.5)


def test_candidates_are_named_by_what_tells_them_apart() -> None:
    base = load_actuator("xl330_bam_m6")
    rigs = candidate_rigs(JointRig(base), ("m1", "m4"), ({}, {"timing": "command_delay"}))
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
        ({"starts": 0}, "starts: out of range; found 0; accepted: ≥ 1"),
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
        FitTask(rig=JointRig(one)) for one in candidates(servo, ("m1", "m5", "m4_sided"), [{}])
    ]
    sweep = Sweep(tasks, logs, by="trajectory")
    each = zip(sweep.names, (2, 3, 4), strict=True)
    m1, m5, sided = (replace(known(size, 0.03, 0.04), name=name) for name, size in each)
    kept, left_out = as_good(sweep, Choice("trajectory", (m5, sided, m1), m1, 0.03))
    assert [[trial.name for trial in part] for part in (kept, left_out)] == [["m5"], ["m4_sided"]]


def test_one_that_is_as_good_begins_where_the_one_taken_ended(
    servo: Actuator, logs: list[Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A search too short to find anything ends no higher than the model that it contains."""
    monkeypatch.setattr("pliant.identification.pipeline.POLISH", 0)
    least = SearchSettings(starts=1, jacobians=1)
    tasks = [
        FitTask(rig=JointRig(one), search_settings=least, zero_by=None, recorder_by=None)
        for one in candidates(servo, ("m1", "m4"), [{}])
    ]
    sweep = Sweep(tasks, logs, by="trajectory", final=least)
    long = replace(tasks[0], search_settings=replace(least, jacobians=20))
    taken = fit(long, logs)
    m4 = replace(known(4, 0.03), name="m4")
    (found,) = fitted(sweep, [m4], taken).values()
    alone = sweep.fitted_to_all(m4)
    assert found.fitted.mae <= 1.02 * taken.fitted.mae < alone.fitted.mae
    assert not short_of(found, taken)
    assert short_of(alone, taken)
    assert not short_of(replace(taken, fitted=alone.fitted), found), "M1 does not contain M4"
    whole = with_others(taken, "m1", {"m4": found})
    assert FitRecord.of(whole.carrying).models == {"m1": 1, "m4": 1}


def test_a_race_fits_whole_only_what_goes_on(servo: Actuator, logs: list[Log]) -> None:
    """The logs are of a servo with m1; without delay and supply law it is known to the digit."""
    search = SearchSettings(starts=1, jacobians=4)
    long = replace(search, jacobians=6)
    made = candidates(servo, ("m1", "m2", "m3"), ({}, {"timing": "command_delay"}))
    sweep = Sweep(
        [FitTask(rig=JointRig(one), search_settings=search) for one in made],
        logs,
        by="trajectory",
        starts=2,
        race=True,
        final=long,
    )
    choice = sweep.choose()
    last = [trial for trial in choice.trials if not trial.aside]
    aside = {trial.name: trial for trial in choice.trials if trial.aside}
    assert 1 <= len(last) <= 3
    assert len(last) + len(aside) == 6
    assert {len(fold) for t in last for fold in t.folds.values()} == {1}
    briefly = [t for t in aside.values() if t.aside.startswith("after a short fit")]
    assert 3 <= len(briefly) <= 4
    assert {len(fold) for t in briefly for fold in t.folds.values()} == {1}
    once = [t for t in aside.values() if t.aside.startswith("after one whole fit")]
    assert {len(fold) for t in once for fold in t.folds.values()} <= {1}
    rest = [t for t in aside.values() if t not in [*briefly, *once]]
    assert {len(fold) for t in rest for fold in t.folds.values()} <= {2}
    assert not choice.chosen.aside
    assert "set aside after a short fit" in choice.verdict(briefly[0])
    jobs = {job.name: job for job in sweep.jobs}
    held = f"{last[0].name}, trajectory {sweep.groups[0]} held out"
    assert f"{held}, short" in jobs[f"{held}, start 1"].after
    assert jobs[f"{held}, long"].after == (f"{held}, start 1", f"{held}, start 2")
    assert jobs[f"{held}, long"].task.search == long
    assert jobs[f"{held}, start 2"].task.search == replace(search, seed=2)


def test_what_is_clearly_worse_by_its_first_whole_fit_gets_no_other(
    servo: Actuator, logs: list[Log], monkeypatch: pytest.MonkeyPatch
) -> None:
    search = SearchSettings(starts=1, jacobians=1)
    made = candidates(servo, ("m1", "m2", "m3"), ({}, {"timing": "command_delay"}))
    tasks = [
        FitTask(rig=JointRig(one), search_settings=search, zero_by=None, recorder_by=None)
        for one in made
    ]
    judged: list[list[Trial]] = []

    def best_alone(trials: list[Trial]) -> list[str]:
        judged.append(trials)
        return [min(trials, key=lambda trial: trial.held_out).name]

    monkeypatch.setattr("pliant.identification.selection.sweep.close", best_alone)
    sweep = Sweep(tasks, logs, by="trajectory", starts=2, race=True, final=search)
    choice = sweep.choose()
    (once,) = judged
    assert {len(fold) for trial in once for fold in trial.folds.values()} == {1}
    again = {job.name.partition(",")[0] for job in sweep.jobs if job.name.endswith("start 2")}
    assert again == {choice.chosen.name}
    assert sum(t.aside.startswith("after one whole fit") for t in choice.trials) == len(once) - 1


@pytest.fixture
def remounted(logs: list[Log]) -> list[Log]:
    """The same bench, its zero 0.08 rad off where the longer arm is on it."""
    return [
        replace(log, position=log.position + 0.08, goal=log.goal + 0.08)
        if log.length > 0.12
        else log
        for log in logs
    ]


def test_each_fit_of_a_choice_finds_the_zeros_of_its_own_logs(
    servo: Actuator, remounted: list[Log]
) -> None:
    search = SearchSettings(starts=1, jacobians=12)
    given: dict[str, Any] = {"by": "trajectory", "starts": 1, "search_settings": search}
    one = choose([servo], remounted, **given, zero_by=None)
    each = choose([servo], remounted, **given)  # the logs differ in length
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
    assert len(candidate_rigs(JointRig(base), ("m1",), usual_extensions(base))) == count
