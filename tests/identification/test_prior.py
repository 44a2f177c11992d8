"""A prior: what it does to a fit, and what stays by what was known where the logs do not ask."""

from dataclasses import replace
from typing import Any, cast

import pytest

from pliant.assemble import Actuator, with_law
from pliant.identification.fit import Identification, identify
from pliant.identification.problem.device_match import kinship, mismatches
from pliant.identification.problem.posterior import Prior
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import actuator_text
from pliant.io.log import Log

from .conftest import TRUTH

FIX = ("control.derivative_gain", "control.dead_band")
SHORT = SearchSettings(starts=2, jacobians=11)


def known(servo: Actuator, name: str, **changes: Any) -> Actuator:
    """`servo` with one number known otherwise."""
    return replace(servo, numbers={**servo.numbers, name: replace(servo.numbers[name], **changes)})


def fitted(servo: Actuator, logs: list[Log], prior: Prior | None) -> Identification:
    return identify(servo, logs, fix=FIX, search_settings=SHORT, prior=prior)


@pytest.fixture(scope="module")
def near(servo: Actuator) -> Actuator:
    """Another unit of the servo that was recorded: 8 % off."""
    return servo.with_values(
        {
            "own.armature": 0.0028,
            "motor.k_t": 0.58,
            "motor.R": 4.6,
            "friction.K_c": 0.028,
            "friction.K_v": 0.008,
        },
        "another unit",
        "identified",
    )


def test_the_deviation_of_a_prior_decides_how_far_a_number_moves(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    """An inertia that is three times what it should be: sure of it, unsure, and not sure at all."""
    truth, wrong = TRUTH["own.armature"], 3.0 * TRUTH["own.armature"]
    ends: list[float] = []
    for std in (1e-6, 2e-4, 2e-3):
        prior = known(near, "own.armature", value=wrong, std=std)
        found = fitted(servo, logs[:2], Prior(prior))
        ends.append(found.values["own.armature"])
        (move,) = [move for move in found.moved if move.name == "own.armature"]
        assert (move.before, move.after) == (wrong, ends[-1])
    assert ends[0] == pytest.approx(wrong, rel=0.01)
    assert ends[2] == pytest.approx(truth, rel=0.2)
    assert ends[2] < ends[1] < ends[0]


def test_one_log_says_little_of_k_t_and_the_prior_the_rest(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    """The motion depends on k_t / R and k_t^2 / R + K_v; the prior splits them up."""
    pulled = fitted(servo, logs[:1], Prior(near))
    assert pulled.actuator.value("motor.k_t") == pytest.approx(0.55, rel=0.08)
    assert 1e3 * pulled.fitted.mae < 3.0


def test_a_prior_that_the_logs_contradict_is_let_go(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    far = near.with_values({"motor.k_t": 0.9, "motor.R": 2.0, "friction.K_c": 0.1}, "x", "assumed")
    far = replace(far, numbers={n: replace(x, how="identified") for n, x in far.numbers.items()})
    assert 1e3 * fitted(servo, logs, Prior(far)).fitted.mae < 5.0


def test_what_the_logs_do_not_ask_for_stays_where_it_begins(
    servo: Actuator, logs: list[Log]
) -> None:
    """The servo that was simulated has no dead band, and a supply without resistance."""
    rich = with_law(servo, "driver", "supply_resistance")
    begun = rich.value("driver.R_s")
    found = identify(
        rich, logs, fit={"control.dead_band": (0.0, 0.05)}, fix=FIX[:1], search_settings=SHORT
    )
    assert found.values["control.dead_band"] < 2e-3
    low, high = found.space.bounds()["driver.R_s"]
    assert abs(found.values["driver.R_s"] - begun) < 0.25 * (high - low)
    assert 1e3 * found.fitted.mae < 2.5


def test_how_far_each_number_moved_is_said_and_written(
    servo: Actuator, near: Actuator, logs: list[Log]
) -> None:
    found = fitted(servo, logs, Prior(near))
    record = cast("dict[str, Any]", found.actuator.identification["prior"])
    assert record["actuator"] == near.name
    assert set(record["moved"]) == {move.name for move in found.moved}
    for move in found.moved:
        assert record["moved"][move.name] == [near.value(move.name), move.after]
        assert move.after == found.actuator.value(move.name)
    far = [abs(move.widths) for move in found.moved]
    assert far == sorted(far, reverse=True)
    assert "[identification.prior.moved]" in actuator_text(found.actuator)


def test_a_log_of_another_device_or_voltage_is_said(servo: Actuator, logs: list[Log]) -> None:
    assert mismatches({"": servo}, logs) == []
    assert mismatches({"": servo}, [replace(log, device="XL330-M288-T") for log in logs]) == []
    assert mismatches({"": servo}, [replace(log, device="unknown") for log in logs]) == []
    other = [replace(logs[0], device="sts3032", supply=6.0), *logs[1:]]
    assert [doubt.text for doubt in mismatches({"": servo}, other)] == [
        "the logs are of another device: 1 of 4 say 'sts3032', xl330_bam_m1 is of 'xl330'",
        "another voltage: the logs say 6 V, xl330_bam_m1 is for 7.4 V",
    ]


def test_another_firmware_is_said(servo: Actuator) -> None:
    assert kinship(Prior(servo), {"": servo}, [])[1] == []
    other = known(servo, "control.gain", value=0.003)
    (doubt,) = kinship(Prior(servo), {"": other}, [])[1]
    assert (doubt.kind, doubt.parameters) == ("another firmware", ("control.gain",))
    assert str(doubt) == "another firmware: control.gain is 0.002877 in the prior, 0.003 here"


def test_it_is_said_whether_prior_and_logs_are_of_one_kind(
    servo: Actuator, logs: list[Log]
) -> None:
    named = [replace(log, device="XL-330", supply=7.4) for log in logs]
    assert kinship(Prior(servo), {"": servo}, named)[0] == [
        "the same device (xl330)",
        "the same voltage",
        "the same firmware numbers, by the actuators' files",
    ]
    other = known(servo, "control.gain", value=2.0 * servo.value("control.gain"))
    foreign = [replace(log, device="sts3215", supply=12.0) for log in logs]
    assert [word.split(" (")[0] for word in kinship(Prior(other), {"": servo}, foreign)[0]] == [
        "another device",
        "another voltage",
        "another firmware, by the actuators' files",
    ]
    silent = [replace(log, device="unknown", supply=None) for log in logs]
    assert kinship(Prior(servo), {"": servo}, silent)[0][:2] == [
        "the logs do not name their device (xl330)",
        "the logs do not state a voltage",
    ]
