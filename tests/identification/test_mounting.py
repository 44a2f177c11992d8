"""The zero is the recording's: found for each mounting, kept out of the actuator."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pliant import PliantError
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.identification import SearchSettings, identify
from pliant.identification.problem.evaluation import evaluate
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.mounting_offsets import MOUNTINGS
from pliant.identification.problem.nuisances import nuisances
from pliant.identification.result.known import Judged, judged_logs
from pliant.identification.result.record import FitRecord
from pliant.io.log import Log

from .conftest import OFFSET, TRUTH

SEARCH = SearchSettings(starts=1, jacobians=12)
MOVED = 0.08
"""[rad] by which the encoder reads more where the longer arm is on the bench."""


@pytest.fixture
def two_mountings(logs: list[Log]) -> list[Log]:
    return [
        replace(log, position=log.position + MOVED, goal=log.goal + MOVED)
        if log.length > 0.12
        else log
        for log in logs
    ]


@pytest.fixture
def exact(servo: Actuator) -> Actuator:
    return servo.with_values(TRUTH, "test", "assumed")


def judge(actuator: Actuator, logs: list[Log], zero_by: str | None = "auto") -> Judged[Log]:
    return judged_logs(actuator, logs, zero_by=zero_by, recorder_by=None)


def test_the_zero_of_a_log_is_that_of_its_pendulum(servo: Actuator, logs: list[Log]) -> None:
    """The same motion as with the number of the bench."""
    engine = JointEngine(servo)
    by_bench = engine.rollout(logs[0], engine.values({"plant.position_offset": 0.05}))
    by_log = engine.rollout(replace(logs[0], zero=0.05))
    np.testing.assert_array_equal(by_log.position, by_bench.position)


def test_each_mounting_has_its_zero_and_two_that_are_alike_have_the_same(
    servo: Actuator, logs: list[Log], two_mountings: list[Log]
) -> None:
    told: list[str] = []
    found = identify(servo, two_mountings, search_settings=SEARCH, note=told.append)
    assert found.zeros["0.1m"] == pytest.approx(OFFSET, abs=0.004)
    assert found.zeros["0.15m"] == pytest.approx(OFFSET - MOVED, abs=0.004)
    for mounting, zero in found.zeros.items():
        assert f"zero of {mounting}: {1e3 * zero:.1f} mrad" in told
    assert "plant.position_offset" not in found.values
    assert "position_offset" not in found.actuator.bench
    assert FitRecord.of(found.actuator).zeros == found.zeros
    as_they_were = identify(servo, logs, search_settings=SEARCH)
    assert as_they_were.zeros == dict.fromkeys(found.zeros, pytest.approx(OFFSET, abs=0.004))
    one = identify(servo, logs, search_settings=SEARCH, zero_by=None)
    assert one.zeros == {}
    assert one.values["plant.position_offset"] == pytest.approx(OFFSET, abs=0.004)


def test_logs_of_the_fit_keep_its_zeros_and_others_show_theirs(
    servo: Actuator, two_mountings: list[Log]
) -> None:
    fitted, new = two_mountings[:2], two_mountings[2:]
    found = identify(servo, fitted, held_out=new, search_settings=SEARCH, zero_by="length")
    known = judge(found.actuator, fitted)
    assert known.found == []
    assert evaluate(found.actuator, known.logs).mae == pytest.approx(found.fitted.mae, abs=1e-9)
    another = [
        replace(log, digest="new", position=log.position + 0.05, goal=log.goal + 0.05)
        for log in new
    ]
    shown = judge(found.actuator, another)
    assert len(shown.found) == len({log.length for log in another})
    for one in shown.found:
        assert one.expected == pytest.approx(found.zeros[one.of])
        assert one.value == pytest.approx(found.zeros[one.of] - 0.05, abs=0.004)
        assert abs(one.value - one.expected) > 3.0 * one.std
    plain = [replace(log, zero=found.zeros[MOUNTINGS["length"](log)]) for log in another]
    assert evaluate(found.actuator, shown.logs).mae < 0.2 * evaluate(found.actuator, plain).mae


@pytest.mark.parametrize("zero_by", ["auto", "length"])
def test_the_zero_of_an_arm_held_out_whole_is_found_as_evaluate_finds_it(
    servo: Actuator, two_mountings: list[Log], zero_by: str
) -> None:
    """One arm was fitted, so that the fit has one zero; the other arm's is another."""
    named = [replace(log, digest=log.name) for log in two_mountings]
    short, long = ([x for x in named if (x.length > 0.12) == one] for one in (False, True))
    told: list[str] = []
    found = identify(
        servo, short, held_out=long, search_settings=SEARCH, zero_by=zero_by, note=told.append
    )
    assert found.zeros == {}
    (one,) = found.zeros_judged
    assert one.name == "zero of 0.15m"
    assert one.value == pytest.approx(OFFSET - MOVED, abs=0.004)
    assert any(text.startswith("held out whole: zero of 0.15m: ") for text in told)
    assert found.held_out is not None
    kept = judge(found.actuator, long).logs
    assert evaluate(found.actuator, kept).mae == pytest.approx(found.held_out.mae, rel=1e-6)
    as_new = judge(found.actuator, [replace(log, digest="new") for log in long]).logs
    assert evaluate(found.actuator, as_new).mae == pytest.approx(found.held_out.mae, rel=1e-2)
    fitted = judge(found.actuator, short).logs
    assert evaluate(found.actuator, fitted).mae == pytest.approx(found.fitted.mae, rel=1e-6)


def test_no_zero_is_found_in_logs_held_out_where_none_is_asked_for_or_it_is_known(
    servo: Actuator, two_mountings: list[Log]
) -> None:
    short, long = ([x for x in two_mountings if (x.length > 0.12) == one] for one in (False, True))
    least = replace(SEARCH, jacobians=1)
    none = identify(servo, short, held_out=long, search_settings=least, zero_by=None)
    known = identify(
        servo, short, held_out=long, search_settings=least, fix={"plant.position_offset": OFFSET}
    )
    assert none.zeros_judged == known.zeros_judged == ()


def test_logs_held_out_from_a_mounting_that_was_fitted_keep_its_zero(
    servo: Actuator, logs: list[Log]
) -> None:
    """So that evaluate comes to the error of the fit, although these logs by themselves show another."""
    fitted = [replace(log, digest=log.name) for log in logs[:2]]
    moved = [replace(x, digest=x.name, position=x.position + MOVED) for x in logs[2:]]
    found = identify(servo, fitted, held_out=moved, search_settings=SEARCH)
    assert found.zeros_judged == ()
    assert found.held_out is not None
    known = judge(found.actuator, moved)
    assert known.found == []
    assert evaluate(found.actuator, known.logs).mae == pytest.approx(found.held_out.mae, rel=1e-6)


def test_a_zero_that_is_right_already_is_found_again(exact: Actuator, logs: list[Log]) -> None:
    known = [replace(log, zero=OFFSET) for log in logs]
    assert judge(exact, known).found == []
    zeros = {"0.1m": OFFSET, "0.15m": OFFSET}
    found = nuisances(JointRig(exact), logs, "length", None, zeros)[1]
    assert [one.of for one in found] == [*zeros]
    for one in found:
        assert one.value == pytest.approx(OFFSET, abs=min(5e-4, one.std))


def test_a_log_whose_zero_is_known_keeps_it_beside_others(exact: Actuator, logs: list[Log]) -> None:
    one_arm = [replace(log, zero=None) for log in logs if log.length == logs[0].length][:2]
    known = replace(logs[0], zero=OFFSET)
    moved = [replace(log, position=log.position + MOVED) for log in one_arm]
    shown = judge(exact, [known, *moved])
    (one,) = shown.found
    assert one.name == "zero of these logs"
    assert [log.zero for log in shown.logs] == [OFFSET, one.value, one.value]


def test_a_zero_that_fits_one_half_of_a_log_only_is_uncertain(
    exact: Actuator, logs: list[Log]
) -> None:
    """The encoder slips in the middle: no single zero is the log's."""
    log = replace(logs[0], zero=None)
    slip = np.where(np.arange(len(log.time)) < len(log.time) // 2, 0.0, 0.1)
    slipped = replace(log, position=log.position + slip)
    (still,), (one,) = (nuisances(JointRig(exact), [x], "all", None)[1] for x in (log, slipped))
    assert one.std > 10.0 * still.std


def test_a_mounting_that_there_is_not_is_refused(exact: Actuator, logs: list[Log]) -> None:
    with pytest.raises(PliantError, match="zero_by: is not a mounting; found 'lenght'"):
        judge(exact, logs, "lenght")


def test_days_stand_in_the_names_of_logs(logs: list[Log]) -> None:
    log = replace(logs[0], name=Path("2026-08-12_09h26m50").stem)
    assert MOUNTINGS["day"](log) == "2026-08-12"
    assert MOUNTINGS["day"](replace(log, name="run 7")) == ""
