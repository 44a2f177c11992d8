"""The verdict: figures worked out by hand, and what the words say of them."""

import hashlib
from pathlib import Path

import numpy as np
import pytest

from pliant.catalogue import actuator_files
from pliant.identification.problem.doubt import Doubt
from pliant.io.actuator_file import load_actuator
from pliant.io.encoder_steps import resolution
from pliant.io.log import example_logs
from pliant.report.unknown import questions
from pliant.report.verdict import (
    Verdict,
    all_reached,
    beside_others,
    motion_range,
    reached,
)


def verdict(**changes: object) -> Verdict:
    values: dict[str, object] = {
        "fitted": 0.010,
        "motion": 2.0,
        "held_out": 0.020,
        "unseen": "gain 800",
        "begun": 0.070,
        "begun_unseen": 0.100,
        "begun_name": "published servo",
    }
    return Verdict(**{**values, **changes})  # pyright: ignore[reportArgumentType]


def test_the_sentence_compares_what_was_not_seen() -> None:
    assert verdict().sentence == (
        "Predicts gain 800, not seen by the fit, to 20.0 mrad (1.0 % of the motion), 5.0 times "
        "closer than published servo; 10.0 mrad on the logs it was fitted to."
    )


def test_a_fit_that_predicts_no_better_is_not_praised() -> None:
    assert "no closer than published servo (100.0 mrad)" in verdict(held_out=0.099).sentence
    assert "times closer" not in verdict(held_out=0.2).sentence


def test_what_diverges_is_not_usable() -> None:
    assert "Not usable" in verdict(fitted=float("inf")).sentence
    assert "diverges on gain 800" in verdict(held_out=float("nan")).sentence
    assert "published servo diverges" in verdict(begun_unseen=float("inf")).sentence


def test_a_fit_without_held_out_logs_says_so() -> None:
    alone = verdict(held_out=None, begun_unseen=None)
    assert "no other log has tested it" in alone.sentence
    assert [bar.error for bar in alone.bars] == ["10.0 mrad", "70.0 mrad"]


def test_bars_are_as_long_as_the_errors() -> None:
    widths = {bar.name: bar.width for bar in verdict(step=0.001).bars}
    assert widths["encoder's step"] == 1.0
    assert widths["published servo, gain 800"] == 100.0
    assert widths["this fit, logs fitted"] == 10.0


@pytest.mark.parametrize("counts", [1024, 4096])
def test_the_encoders_step_is_found_in_what_it_recorded(counts: int) -> None:
    step = 2.0 * np.pi / counts
    motion = np.sin(np.linspace(0.0, 20.0, 3000))
    assert resolution(np.round(motion / step) * step + 0.3) == pytest.approx(step, rel=1e-6)


def test_a_recording_without_steps_has_none() -> None:
    motion = np.sin(np.linspace(0.0, 20.0, 3000))
    noise = 1e-4 * np.random.default_rng(1).standard_normal(3000)
    assert resolution(motion + noise) is None
    assert resolution(np.zeros(100)) is None


def test_motion_is_the_mean_range() -> None:
    assert motion_range([np.array([-1.0, 1.0]), np.array([0.0, 0.5])]) == 1.25


def test_the_most_consequential_question_comes_first_and_says_what_settles_it() -> None:
    doubts = [
        Doubt("lower bound", ("k",), "k went to 0"),
        Doubt("not seen", ("a",), "a is not seen"),
        Doubt("one load", ("motor.k_t",), "one mass only"),
        Doubt("not seen", ("b",), "b is not seen"),
    ]
    first, second, third = questions(doubts)
    assert (first.text, first.settle) == (
        "One mass only",
        "record a second mass, or another length",
    )
    assert second.text == "These logs do not determine a, b"
    assert third.text == "K went to 0"


def test_a_joint_keeps_its_name_at_the_beginning_of_a_sentence() -> None:
    (asked,) = questions([Doubt("one load", ("elbow",), "elbow: the torque was never off")])
    assert asked.text == "elbow: the torque was never off"


def test_the_same_of_several_joints_is_asked_once() -> None:
    off = [
        Doubt("brake alike", (f"{joint}.motor.R",), f"{joint}: never off")
        for joint in ("arm", "hand")
    ]
    asked = questions([*off, Doubt("brake alike", ("motor.R",), "never off: R")])
    assert [one.text for one in asked] == ["arm, hand: never off", "Never off: R"]


def test_others_fit_to_the_same_logs_stands_beside_this_one() -> None:
    """35.8 mrad with M6, as the recordings' own notes say; only beside a fit to the same 12."""
    digests = [hashlib.sha256(path.read_bytes()).hexdigest() for path in example_logs()]
    known = beside_others(verdict(), ["xl330"], digests)
    assert known.others == pytest.approx(0.0358)
    assert known.sentence.endswith(
        "the logs it was fitted to, where another program's fit reaches 35.8 mrad."
    )
    assert ("another program's M6, logs fitted", "35.8 mrad", "1.8 %") in [
        (bar.name, bar.error, bar.share) for bar in known.bars
    ]
    assert "Duclusaud" in known.about_others[0]
    part = beside_others(verdict(), ["xl330"], digests[1:])
    assert part.others is None and "35.8 mrad (M6)" in part.about_others[0]
    assert not beside_others(verdict(), ["qbmove_advanced"], digests).about_others


def test_every_figure_of_others_is_of_a_device_of_the_catalogue_and_says_its_source() -> None:
    devices = {load_actuator(name).device for name in actuator_files()}
    for one in all_reached():
        assert one.device in devices
        assert one.source and one.how and one.on
        assert (one.best is None) != (one.closer_than_m1 is None)


def test_the_readme_names_the_same_figure() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert "(another program, M6: 35.8 mrad)" in readme
    assert reached("xl330")[0].best == ("M6", pytest.approx(0.0358))


def test_parameters_that_go_together_are_one_line_and_not_one_for_each_pair() -> None:
    """Two groups of pairs, of which the second hangs together by its last pair alone."""
    pairs = [
        ("arm.motor.k_t", "arm.motor.R"),
        ("lift.motor.k_t", "lift.friction.K_c"),
        ("lift.motor.R", "hand.motor.R"),
        ("lift.motor.R", "lift.motor.k_t"),
    ]
    said = questions([Doubt("correlated", pair, f"{pair[0]} and {pair[1]}") for pair in pairs])
    assert [one.text for one in said] == [
        "arm.motor.k_t and arm.motor.R",
        "4 parameters can hardly be separated from one another: "
        "lift: motor.k_t, friction.K_c, motor.R; hand: motor.R",
    ]
    assert len({one.settle for one in said}) == 1
    bench = [("motor.k_t", "motor.R"), ("motor.R", "plant.arm_mass")]
    (one,) = questions([Doubt("correlated", pair, "") for pair in bench])
    assert one.text.endswith("another: motor.k_t, motor.R, plant.arm_mass")


def test_bounds_of_a_robots_parameters_are_one_line() -> None:
    ended = [
        Doubt("lower bound", (name,), f"{name} at its lower bound") for name in ("a.b.c", "d.e.f")
    ]
    (one,) = questions(ended)
    assert one.text == "a.b.c, d.e.f are at their lower bounds"
