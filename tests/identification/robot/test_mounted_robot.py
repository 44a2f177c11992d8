"""A robot that was calibrated anew: a zero of each joint for each day, put into the recordings."""

import dataclasses

import numpy as np
import pytest
from arm_recordings import record

from pliant.cli.entry import run
from pliant.errors import PliantError
from pliant.identification.problem.nuisances import confirmed
from pliant.identification.problem.space import Space
from pliant.identification.result.known import judged
from pliant.identification.search.search import SearchSettings
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log
from pliant.robots.identify import identify_robot, robot_rig

FIRST, SECOND = "2026-01-01_a", "2026-01-02_b"
MOVED = 0.06
"""[rad] by which the first joint's encoder reads less on the second day."""
TINY = SearchSettings(starts=1, jacobians=6)


@pytest.fixture(scope="module")
def two_days(arm, servos) -> list[RobotLog]:
    runs = [
        record(arm, servos, name, seconds=4.0, seed=k) for k, name in enumerate(("fast", "mixed"))
    ]
    first, second = (
        dataclasses.replace(log, name=name) for log, name in zip(runs, (FIRST, SECOND), strict=True)
    )
    by = np.array([-MOVED if joint == "R1" else 0.0 for joint in second.joints])
    return [
        first,
        dataclasses.replace(second, position=second.position + by, goal=second.goal + by),
    ]


@pytest.mark.parametrize("own", [0.0, 0.03])
def test_a_zero_in_the_recordings_is_one_of_the_candidates(arm, servos, two_days, own) -> None:
    """Searched or put into the logs, the residuals are the same, whatever zero the robot's file has."""
    rig = robot_rig(arm, servos, two_days).holding({"R1.position_offset": own}).mounted("day")
    none = np.empty(0)
    space = rig.mounted_space(Space((), none, none, none), two_days)
    zeros = {"R1.2026-01-01": 0.0, "R1.2026-01-02": MOVED}
    at = space.starting_at({name.replace(".", ".zero of "): x for name, x in zeros.items()})
    residuals = rig.residuals(two_days, at)
    searched = residuals(at.to_cube(at.start)[None])[0]
    put = [entry.residual for entry in rig.evaluate(rig.zeroed(two_days, zeros)).entries]
    np.testing.assert_allclose(searched, np.concatenate(put), atol=1e-9)
    nothing = residuals(space.to_cube(space.start)[None])[0]
    assert np.abs(searched).mean() < 0.9 * np.abs(nothing).mean()


def test_a_zero_that_all_joints_together_do_not_confirm_stays(arm, servos, two_days) -> None:
    rig = robot_rig(arm, servos, two_days).mounted("day")
    names = [f"{joint}.zero of {log.name[:10]}" for joint in ("R1", "R2") for log in two_days]
    before = dict.fromkeys(names, 0.0)
    found = before | {"R1.zero of 2026-01-02": MOVED, "R2.zero of 2026-01-01": 0.1}
    taken = confirmed(rig, two_days, "day", found, before)
    assert taken == before | {"R1.zero of 2026-01-02": MOVED}


def test_zeros_of_each_day_are_found(arm, servos, two_days) -> None:
    fix = [
        f"{joint}.{name}"
        for joint, servo in servos.items()
        for name in servo.fields
        if name != "motor.R"
    ]
    found = identify_robot(
        arm, servos, two_days, fit=["R1.motor.R"], fix=fix, zero_by="day", search_settings=TINY
    )
    apart = found.zeros["R1.2026-01-02"] - found.zeros["R1.2026-01-01"]
    # An arm this light sags by little, and a step of 2 ms is worth a part of it.
    assert apart == pytest.approx(MOVED, rel=0.3)
    record_of = found.actuators["R1"].identification
    assert set(record_of["zeros"]) == {"2026-01-01", "2026-01-02"}
    assert record_of["zero_by"] == "day"
    assert not any("zero of" in name for name in found.values)
    assert found.fitted.mae < 3e-3


def test_zeros_of_a_fit_act_on_its_recordings_and_those_of_new_ones_are_found(
    arm, servos, two_days
) -> None:
    """In the record the first joint has 0.02 rad on a day; on another it was moved by 0.06."""
    first, second = (
        dataclasses.replace(log, digest=name) for name, log in zip("ab", two_days, strict=True)
    )
    record_of = {
        "R1": {"zero_by": "day", "zeros": {FIRST[:10]: 0.02}, "logs": {FIRST: "a"}},
        "R2": {"zero_by": "day", "zeros": {FIRST[:10]: 0.0}, "logs": {FIRST: "a"}},
    }
    fitted = {j: dataclasses.replace(a, identification=record_of[j]) for j, a in servos.items()}
    rig = robot_rig(arm, fitted, two_days)
    shown = judged(rig, [first, second], recorder_by=None)
    assert shown.logs[0].position[0, 0] - first.position[0, 0] == pytest.approx(0.02)
    by = {one.of: one for one in shown.found}
    assert set(by) == {"R1.2026-01-02", "R2.2026-01-02"}
    assert by["R1.2026-01-02"].value == pytest.approx(MOVED, rel=0.3)
    other = by["R2.2026-01-02"]  # which a link as light as this hardly shows
    assert abs(other.value) < 3.0 * other.std
    moved = shown.logs[1].position - second.position
    np.testing.assert_allclose(
        moved, [[by[f"{j}.2026-01-02"].value for j in ("R1", "R2")]] * len(moved)
    )
    assert rig.evaluate(shown.logs[1:]).mae < 0.7 * rig.evaluate([second]).mae
    as_recorded = {"zero_by": None, "recorder_by": None}
    assert judged(rig, [first, second], **as_recorded).logs == [first, second]
    assert judged(robot_rig(arm, servos, two_days), two_days).logs == two_days
    with pytest.raises(PliantError, match="zero_by: is no property of a robot"):
        judged(rig, two_days, zero_by="length")


def test_zeros_of_a_day_that_is_held_out_whole_are_found_and_kept(arm, servos, two_days) -> None:
    """As `evaluate` finds them: nothing of the actuators moves, and it is said."""
    first, second = (
        dataclasses.replace(log, digest=name) for name, log in zip("ab", two_days, strict=True)
    )
    fix = [f"{joint}.{name}" for joint, servo in servos.items() for name in servo.fields]
    fix.remove("R1.motor.R")
    told: list[str] = []

    def held(zero_by: str | None):
        return identify_robot(
            arm,
            servos,
            [first],
            held_out=[second],
            fit=["R1.motor.R"],
            fix=fix,
            zero_by=zero_by,
            search_settings=TINY,
            note=told.append,
        )

    found, plain = held("auto"), held(None)
    by = {one.of: one for one in found.zeros_judged}
    assert by["R1.2026-01-02"].value == pytest.approx(MOVED, rel=0.3)
    assert any("held out whole: R1.zero of 2026-01-02" in text for text in told)
    assert found.held_out.mae < 0.7 * plain.held_out.mae
    assert not plain.zeros_judged
    first_joint, other = (found.actuators[j].identification for j in ("R1", "R2"))
    assert first_joint["zeros_held_out"] == {"2026-01-02": pytest.approx(by["R1.2026-01-02"].value)}
    assert first_joint["zero_by"] == "day"
    assert other["zeros_held_out"] == {"2026-01-02": by["R2.2026-01-02"].value}
    rig = robot_rig(arm, found.actuators, [first, second])
    again = judged(rig, [second])
    assert not again.found  # the fit has found it
    assert again.logs[0].position[0, 0] - second.position[0, 0] == pytest.approx(MOVED, rel=0.3)


@pytest.mark.parametrize("option", ["zero_by", "recorder_by"])
def test_properties_that_a_robots_recordings_do_not_have_are_refused_before_the_search(
    arm, servos, two_days, tmp_path, capsys, option
) -> None:
    write_robot_log(two_days[0], tmp_path / "run.csv")
    words = ["identify-robot", arm, tmp_path, "--attach", "R1=mx106_bam_m4,R2=mx64_bam_m4"]
    flag, said = f"--{option.replace('_', '-')}", "is no property of a robot's recordings"
    assert run([*map(str, words), flag, "length"]) != 0
    accepted = "accepted: auto, day, folder, log, none"
    assert f"{flag}: {said}; found 'length'; {accepted}" in capsys.readouterr().err
    with pytest.raises(PliantError, match=f"{option}: {said}"):
        identify_robot(arm, servos, two_days, **{option: "length"})
