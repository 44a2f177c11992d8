"""Zeros, age and supply of a robot's days: found where the recordings show them, told, kept out of the actuators."""

import dataclasses
import re

import numpy as np
import pytest
from arm_recordings import record

from pliant.assemble import with_law
from pliant.identification.problem.recorder_parameters import in_words, winding_start_message
from pliant.identification.problem.repeatability import same_motion
from pliant.identification.problem.sampling import younger
from pliant.identification.problem.space import Space
from pliant.identification.result.known import judged
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import evaluate_robot, identify_robot, robot_rig
from pliant.robots.led_joints import LedBuild

FIRST, SECOND, THIRD = "2026-01-01", "2026-01-02", "2026-01-03"
OLDER, MOVED, WEAKER = 0.012, 0.08, 0.9
TINY = SearchSettings(starts=1, jacobians=8)
FREE = ("motor.R", "timing.delay")


@pytest.fixture(scope="module")
def runs(arm, servos) -> list[RobotLog]:
    """Two motions, recorded twice, with other noise."""
    return [
        record(arm, servos, name, seconds=2.0, seed=10 * day + k)
        for day in range(2)
        for k, name in enumerate(("fast", "mixed"))
    ]


def of_days(runs: list[RobotLog]) -> list[RobotLog]:
    return [
        dataclasses.replace(log, name=f"{day}_{log.name}", digest=f"{day} {k}")
        for k, (log, day) in enumerate(zip(runs, (FIRST, FIRST, SECOND, SECOND), strict=True))
    ]


def late(log: RobotLog, age: float) -> RobotLog:
    """Positions that were true `age` seconds before the time that they are written down with."""
    columns = [np.interp(log.time - age, log.time, column) for column in log.position.T]
    return dataclasses.replace(log, position=np.column_stack(columns))


def moved(log: RobotLog, by: float) -> RobotLog:
    """The first joint's encoder reads less by so much, and is told less."""
    shift = np.array([by, 0.0])
    return dataclasses.replace(log, position=log.position - shift, goal=log.goal - shift)


def fitted(arm, servos, logs, **options):
    """A fit of resistance and delay, all else as it was recorded; and what it told."""
    told: list[str] = []
    fix = [f"{j}.{name}" for j, a in servos.items() for name in a.fields if name not in FREE]
    begun = {j: a.with_values({"motor.R": 3.0}, "test", "assumed") for j, a in servos.items()}
    found = identify_robot(
        arm,
        begun,
        logs,
        fit=[f"*.{name}" for name in FREE],
        fix=fix,
        search_settings=TINY,
        note=told.append,
        **options,
    )
    return found, told


@pytest.fixture(scope="module")
def apart(arm, servos, runs):
    """A fit of two days, the second with a zero and an age of its own."""
    logs = of_days([*runs[:2], *(late(moved(log, MOVED), OLDER) for log in runs[2:])])
    return fitted(arm, servos, logs)


def difference(zeros, joint: str) -> float:
    return zeros.get(f"{joint}.{SECOND}", 0.0) - zeros.get(f"{joint}.{FIRST}", 0.0)


def test_zeros_that_days_show_are_taken_though_the_days_recorders_hide_them(apart) -> None:
    """They are looked for once more without what differs between the recorders."""
    found, told = apart
    assert difference(found.zeros, "R1") == pytest.approx(MOVED, rel=0.2)
    assert difference(found.zeros, "R2") == pytest.approx(0.0, abs=0.2 * MOVED)
    assert FitRecord.of(found.actuators["R1"]).zero_by == "day"
    assert sum(text.startswith("zero of ") for text in told) == 4


def test_the_age_of_a_day_is_found_and_kept_out_of_the_actuators(apart) -> None:
    found, told = apart
    ages = {one.part: one.values for one in found.recorders}["age"]
    assert ages == {FIRST: 0.0, SECOND: pytest.approx(OLDER, abs=3e-3)}
    for joint in ("R1", "R2"):
        record_ = FitRecord.of(found.actuators[joint])
        assert record_.recorder_by == "day"
        assert record_.recorders is not None
        assert record_.recorders["age"] == ages
        # what the servo itself takes, and half a step of 2 ms
        assert found.values[f"{joint}.timing.delay"] == pytest.approx(0.011, abs=2.5e-3)
    assert any(text.startswith("recordings differ by day: positions 1") for text in told)
    assert found.fitted.mae < 4e-3


def test_other_recordings_have_the_age_of_the_fits_day_or_one_that_is_found(
    apart, arm, servos
) -> None:
    found, _ = apart
    run = record(arm, servos, "rising", seconds=2.0, seed=5)
    known = dataclasses.replace(late(moved(run, MOVED), OLDER), name=f"{SECOND}_rising", digest="x")
    new = dataclasses.replace(late(run, 0.02), name=f"{THIRD}_rising", digest="y")
    rig = robot_rig(arm, found.actuators, [known, new])
    said = judged(rig, [known, new], zero_by=None)
    assert {one.part for one in said.known} == {"age", "supply"}
    ages = FitRecord.of(found.actuators["R1"]).recorders["age"]
    np.testing.assert_allclose(said.logs[0].position, younger(known, ages[SECOND]).position)
    (one,) = said.found
    assert one.name == f"age of {THIRD}"
    assert one.value == pytest.approx(0.02, abs=4e-3)
    assert judged(rig, [known, new], zero_by=None, recorder_by=None).logs == [known, new]
    plain = evaluate_robot(arm, found.actuators, [known, new], zero_by=None, recorder_by=None)
    assert evaluate_robot(arm, found.actuators, [known, new]).mae < 0.7 * plain.mae


def test_days_that_are_alike_come_out_alike(arm, servos, runs) -> None:
    found, _ = fitted(arm, servos, of_days(runs))
    for joint in ("R1", "R2"):
        assert difference(found.zeros, joint) == pytest.approx(0.0, abs=0.1 * MOVED)
    values = {one.part: one.values[SECOND] for one in found.recorders}
    assert values["age"] == pytest.approx(0.0, abs=2e-3)
    assert values["supply"] == pytest.approx(1.0, abs=0.03)


def test_one_day_has_no_recorders_to_tell_apart(arm, servos, runs) -> None:
    for logs, options in ((runs[:2], {}), (of_days(runs), {"zero_by": None, "recorder_by": None})):
        found, told = fitted(arm, servos, logs, **options)
        assert not any("by day" in text or "by folder" in text for text in told)
        assert found.zeros == {} and found.recorders == ()


def test_folders_are_told_apart_where_days_are_not_known(arm, servos, runs, tmp_path) -> None:
    logs = [
        dataclasses.replace(log, path=tmp_path / folder / "run.csv")
        for log, folder in zip(runs, "aabb", strict=True)
    ]
    rig = robot_rig(arm, servos, logs[:1])
    for kind, alone in ((rig.mounting_kind, "folder"), (rig.recorder_kind, None)):
        assert kind(logs, "auto") == alone
        assert kind(logs, "folder") == "folder"
        assert kind(of_days(logs), "auto") == "day"
        assert kind(logs[:2], "auto") is None
        assert kind(logs, None) is None


@pytest.mark.parametrize("alone", [True, False])
def test_a_weaker_supply_is_that_of_an_actuator_of_a_lower_voltage(
    arm, servos, runs, alone
) -> None:
    """In MuJoCo, and joint by joint."""
    log = runs[0]
    weak = {
        joint: a.with_values({"own.voltage": WEAKER * a.value("own.voltage")}, "test", "assumed")
        for joint, a in servos.items()
    }

    def motion(actuators, one: RobotLog) -> np.ndarray:
        rig = robot_rig(arm, actuators, [one])
        rig = rig.coarse() if alone else rig
        return np.concatenate([entry.simulated for entry in rig.evaluate([one]).entries])

    told = motion(servos, dataclasses.replace(log, supply_ratio=WEAKER))
    np.testing.assert_allclose(told, motion(weak, log), atol=1e-9)
    assert np.abs(told - motion(servos, log)).max() > 1e-3


def test_the_supply_of_a_day_is_found(arm, servos, runs) -> None:
    weak = {
        joint: a.with_values({"own.voltage": WEAKER * a.value("own.voltage")}, "test", "assumed")
        for joint, a in servos.items()
    }
    second = [
        record(arm, weak, name, seconds=2.0, seed=20 + k)
        for k, name in enumerate(("fast", "mixed"))
    ]
    found, told = fitted(arm, servos, of_days([*runs[:2], *second]), zero_by=None)
    supply = {one.part: one.values for one in found.recorders}["supply"]
    assert supply[SECOND] / supply[FIRST] == pytest.approx(WEAKER, abs=0.03)
    assert any(re.search(r"recordings differ by day: supply -\d", text) for text in told)
    assert "supply" in in_words(found.recorders[-1])


def test_a_motion_told_from_another_zero_is_the_same_and_another_is_not(runs) -> None:
    again = moved(runs[2], MOVED)
    assert same_motion(runs[0], again)
    assert same_motion(again, runs[0])
    assert not same_motion(runs[0], runs[1])
    assert not same_motion(runs[0], moved(runs[2], 0.5))
    other = dataclasses.replace(again, goal=again.goal * [1.0, 0.9])
    assert not same_motion(runs[0], other)


def test_what_was_laid_out_along_a_motion_serves_no_other(arm, servos, runs) -> None:
    """Nor another robot: a mass, a zero and the joints that are led each make another."""
    rig = robot_rig(arm, servos, runs[:2]).coarse()
    first = rig.evaluate(runs[:1]).mae
    for other in (rig.of_joint("R1"), rig.holding({"R1.position_offset": 0.1})):
        assert other.evaluate(runs[:1]).mae != pytest.approx(first, rel=1e-3)
        fresh = dataclasses.replace(other, build=LedBuild(rig.build.path, rig.build.settings))
        assert other.evaluate(runs[:1]).mae == fresh.evaluate(runs[:1]).mae
    assert rig.evaluate(runs[:1]).mae == first
    assert rig.evaluate(runs[1:2]).mae != first


def test_a_joints_winding_starts_at_what_its_servo_reads(arm, servos, runs) -> None:
    """In MuJoCo and joint by joint; a joint whose temperature is not read stays as its actuator has it."""
    none = np.empty(0)

    def motions(actuators, log):
        rig = robot_rig(arm, actuators, [log], how="separately")
        coarse = rig.coarse().residuals([log], Space((), none, none, none))
        entries = rig.evaluate([log]).entries
        return np.concatenate([entry.simulated for entry in entries]), coarse(np.empty((1, 0)))[0]

    unheated = {"thermal.R_th": 1e-3, "thermal.tau_th": 30.0, "thermal.alpha_k": 0.0}
    warm = {
        joint: with_law(servo, "thermal", "one_body").with_values(unheated, "test", "assumed")
        for joint, servo in servos.items()
    }
    log = dataclasses.replace(runs[0], others={})
    read = np.tile([75.0, 0.0], (len(log.time), 1))
    hot = dataclasses.replace(log, others={"temperature": read})
    resistance = (1.0 + 0.0039 * 50.0) * servos["R1"].value("motor.R")
    weaker = servos["R1"].with_values({"motor.R": resistance}, "test", "assumed")
    expected = motions({**servos, "R1": weaker}, log)
    for found, right, cold in zip(motions(warm, hot), expected, motions(servos, log), strict=True):
        np.testing.assert_allclose(found, right, atol=2e-5)
        assert np.max(np.abs(right - cold)) > 1e-3
    assert (hot.warmth("R1"), hot.warmth("R2"), log.warmth("R1")) == (348.15, None, None)
    kelvin = dataclasses.replace(log, others={"temperature": read + 273.15})
    assert kelvin.warmth("R1") is None
    said = winding_start_message(warm, [hot, log])
    assert said == "windings start at the servo's own reading in 1 of 2 logs, 75 to 75 degC"
    assert winding_start_message(servos, [hot]) == ""
