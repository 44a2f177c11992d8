"""Kinds of Dynamixels, whose current has counts of another size, or none; and what a recording stops at."""

import csv
import json
import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.cli import main
from pliant.errors import PliantError
from pliant.io.log import read_log
from pliant.io.robot_logs import read_robot_log
from pliant.record.design import Motion
from pliant.record.emulated_bus import Emulated, EmulatedBus, Faults
from pliant.record.guard import release
from pliant.record.journal import JointJournal, RobotJournal
from pliant.record.line import SerialLine, VirtualLine
from pliant.record.recorder import Limits, Session, connected, record, robot_columns
from pliant.record.sdk_bus import ServoBus
from pliant.record.tables import model_of


def words(kind: str, folder: Path, *more: str) -> list[str]:
    load = ["--mass", "0.2", "--length", "0.1", "--motion", "fast", "--duration", "0.3"]
    emulated = ["--emulated", "xl330_bam_m6", "--virtual-time", "--rate", "100"]
    return ["record", "--servo", kind, *emulated, *load, *more, "--output", str(folder)]


def recorded(kind: str, folder: Path, *more: str) -> dict[str, Any]:
    assert main(words(kind, folder, "--max-current", "20", *more)) == 0
    return json.loads((folder / "fast.json").read_text())


@pytest.mark.parametrize(
    ("kind", "numbers", "count"),
    [("xm430", (1020, 1030), 2.69e-3), ("mx64", (311,), 3.36e-3), ("mx106", (321,), 3.36e-3)],
)
def test_a_count_of_current_is_of_the_kind_s_size(
    tmp_path: Path, kind: str, numbers: tuple[int, ...], count: float
) -> None:
    by_kind = {kind: recorded(kind, tmp_path / kind) for kind in ("xl330", kind)}
    assert by_kind["xl330"]["registers"]["model_number"] in (1190, 1200)
    assert by_kind[kind]["registers"]["model_number"] in numbers
    one, other = ([entry["current"] for entry in run["entries"]] for run in by_kind.values())
    assert max(map(abs, one)) > 0.1
    assert other == pytest.approx(one, abs=0.5 * (1e-3 + count) + 1e-9)
    for value in other:
        assert value / count == pytest.approx(round(value / count), abs=1e-6)


def test_a_servo_without_a_measurement_of_current_is_recorded_without(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = recorded("xl430", tmp_path)
    assert {"position", "speed", "load", "input_volts"} < set(run["entries"][3])
    assert "current" not in run["entries"][3]
    assert "stops beyond 1.8 rad, 60 °C" in capsys.readouterr().err
    assert main(words("xl430", tmp_path / "again", "--channels", "current")) == 1
    text = capsys.readouterr().err
    assert "--channels: an xl430 has none; found 'current'; accepted: duty, position" in text


def test_the_limit_of_current_holds_whatever_is_recorded(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = words("xl330", tmp_path, "--channels", "velocity", "--max-current", "0.1")
    assert main(told) == 1
    assert "current is beyond its limit: stopped" in capsys.readouterr().err


def test_a_sample_is_of_the_middle_of_its_reading(tmp_path: Path) -> None:
    for entry in recorded("xl330", tmp_path)["entries"]:
        middle = 0.5 * (entry["read_begin"] + entry["read_end"])
        assert entry["timestamp"] == pytest.approx(middle, abs=1e-9)
        assert entry["read_end"] > entry["read_begin"] >= entry["write_end"]


def test_the_limit_of_temperature_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("xl330", tmp_path, "--max-temperature", "20")) == 1
    assert "temperature is beyond its limit: stopped; found 25" in capsys.readouterr().err


def away(course: Callable[[float, float], float]) -> Motion:
    return Motion("away", "to one side", course, 1.0)


def session(**changes: Any) -> Session:
    line = VirtualLine([Emulated("xl330_bam_m6", "xl330", 1, 0.2, 0.1)])
    limits = Limits(current=99.0)
    known = {"model": model_of("xl330"), "servos": {1: "joint"}, "line": line, "limits": limits}
    return Session(**(known | changes))


def stopped(one: Session, motion: Motion, path: Path) -> list[dict[str, Any]]:
    """Entries of a recording, however it ended."""
    header = {"mass": 0.2, "length": 0.1}
    with suppress(PliantError), connected(one) as bus, JointJournal(path, header) as journal:
        record(bus, one, motion, journal)
    return json.loads(path.read_text(encoding="utf-8"))["entries"]


@pytest.mark.parametrize("side", [-1.0, 1.0])
def test_the_limit_of_position_holds_on_either_side(tmp_path: Path, side: float) -> None:
    narrow = session(limits=Limits(reach=1.0, beyond=-0.8, current=99.0))
    entries = stopped(narrow, away(lambda t, whole: side * t / whole), tmp_path / "run.json")
    assert 0.1 < max(side * entry["position"] for entry in entries) < 0.25


def arm(tmp_path: Path, *reach: str) -> list[str]:
    """Words that record three joints of an arm."""
    told = "record --emulated feetech_sts3215_7_4V_bam_m1 --id 1=pan,2=lift,6=jaw --virtual-time"
    motion = ["--motion", "fast", "--duration", "1", "--output", str(tmp_path / "logs")]
    return [*told.split(), *motion, *(["--reach", *reach] if reach else [])]


def test_each_joint_of_an_arm_has_its_own_reach(tmp_path: Path) -> None:
    assert main(arm(tmp_path, "0.9,jaw=0.2,pan=0")) == 0
    text = (tmp_path / "logs" / "fast.csv").read_text()
    rows = list(csv.DictReader(text.splitlines()))
    goals = {j: [float(row[f"goal_{j}"]) for row in rows] for j in ("pan", "lift", "jaw")}
    assert set(goals["pan"]) == {0.0}
    assert 0.6 < max(goals["lift"]) <= 0.9
    np.testing.assert_allclose(goals["jaw"], np.array(goals["lift"]) * 0.2 / 0.9, atol=0.0016)
    # The servos were sent what the file says.
    far = {j: max(abs(float(row[f"position_{j}"])) for row in rows) for j in goals}
    assert far["pan"] < 0.02 and 0.1 < far["jaw"] < 0.25 and 0.5 < far["lift"] < 1.0


def test_a_joint_is_stopped_beyond_its_own_reach(tmp_path: Path) -> None:
    limits = Limits(reach=1.0, reaches={"joint": 0.5}, beyond=-0.3, current=99.0)
    entries = stopped(session(limits=limits), away(lambda t, w: t / w), tmp_path / "run.json")
    assert 0.15 < max(entry["position"] for entry in entries) < 0.25


@pytest.mark.parametrize(
    ("reach", "message"),
    [
        ("jwa=0.2", "no such joint; found 'jwa'; did you mean 'jaw'?"),
        ("0.9,1.0", "is given twice"),
        ("jaw=9", "out of range; found 9"),
        ("0", "out of range; found 0"),
        ("jaw=x", "is not a number"),
    ],
)
def test_a_wrong_reach_is_refused_before_anything_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], reach: str, message: str
) -> None:
    assert main(arm(tmp_path, reach)) == 1
    assert message in capsys.readouterr().err
    assert not (tmp_path / "logs").exists()


def test_servos_that_fall_silent_end_it(tmp_path: Path) -> None:
    one = session()

    def course(t: float, whole: float) -> float:
        if t > 0.3:
            one.line.wire.faults = Faults(silence=1.0)
        return 0.5 * t / whole

    long = replace(away(course), seconds=20.0)
    path = tmp_path / "run.json"
    with (
        connected(one) as bus,
        JointJournal(path, {"mass": 0.2, "length": 0.1}) as journal,
        pytest.raises(PliantError, match="the servos no longer answer"),
    ):
        record(bus, one, long, journal)
    assert 40 < len(json.loads(path.read_text())["entries"]) < 80


KINDS = {"xl330": "xl330_bam_m6", "sts3215": "feetech_sts3215_7_4V_bam_m1"}


def resetting(kind: str, path: Path, servos: dict[int, str], victim: int) -> tuple[str, float]:
    """The message of a recording in which a servo loses its power for a moment, and when it did [s]."""
    line = VirtualLine([Emulated(KINDS[kind], kind, k, 0.2, 0.1) for k in servos])
    one = session(model=model_of(kind), servos=servos, line=line)
    happened: list[float] = []

    def course(t: float, whole: float) -> float:
        if t > 0.6 and not happened:
            happened.append(t)
            line.wire.asked("reset", victim, line.now())
        return 0.3 * math.sin(6.0 * t)

    journal: JointJournal | RobotJournal = (
        JointJournal(path, {"mass": 0.2, "length": 0.1, "kp": 400})
        if len(servos) == 1
        else RobotJournal(path, robot_columns(one))
    )
    with (
        connected(one) as bus,
        journal,
        pytest.raises(PliantError) as caught,
    ):
        record(bus, one, replace(away(course), seconds=5.0), journal)
    return str(caught.value), happened[0]


@pytest.mark.parametrize("kind", KINDS)
def test_a_servo_that_was_reset_ends_it_and_no_sample_without_torque_stays(
    tmp_path: Path, kind: str
) -> None:
    path = tmp_path / "run.json"
    message, at = resetting(kind, path, {1: "joint"}, 1)
    assert message.startswith("servo 1, torque_enable: its torque switched off by itself")
    entries = json.loads(path.read_text())["entries"]
    assert at - 0.3 < entries[-1]["timestamp"] < at
    assert read_log(path).position.size == len(entries)


def test_of_an_arm_s_servos_the_one_that_was_reset_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    message, at = resetting("sts3215", path, {1: "pan", 2: "lift", 3: "jaw"}, 2)
    assert message.startswith("servo 2, torque_enable: its torque switched off by itself")
    log = read_robot_log(path)
    assert at - 0.8 < log.time[-1] + 0.01 < at + 0.01


def test_torque_that_the_motion_takes_off_is_no_reset(tmp_path: Path) -> None:
    recorded("xl330", tmp_path, "--motion", "drop", "--duration", "2")
    entries = json.loads((tmp_path / "drop.json").read_text())["entries"]
    assert [entry["torque_enable"] for entry in entries] == [True] * 100 + [False] * 100


def test_a_servo_that_is_too_hot_ends_it_before_it_lets_go(tmp_path: Path) -> None:
    """Feetech's answers then say so too, and must not be taken for broken ones."""
    one = session(
        model=model_of("sts3215"),
        line=VirtualLine([Emulated(KINDS["sts3215"], "sts3215", 1, 0.2, 0.1)]),
    )

    def course(t: float, whole: float) -> float:
        if t > 0.3:
            one.line.wire.asked("hot", 1, one.line.now())
        return 0.3 * t

    header = {"mass": 0.2, "length": 0.1}
    with (
        connected(one) as bus,
        JointJournal(tmp_path / "run.json", header) as journal,
        pytest.raises(PliantError, match="temperature is beyond its limit: stopped; found 90"),
    ):
        record(bus, one, away(course), journal)


def test_what_is_held_is_held_where_it_is(tmp_path: Path) -> None:
    one = session(safe="hold")
    last = stopped(one, away(lambda t, whole: 0.5 * t / whole), tmp_path / "run.json")[-1]
    assert last["position"] > 0.3
    with connected(one) as bus:
        goal = (bus.get(1, "goal_position") - 2048) * 2.0 * math.pi / 4096
    assert goal == pytest.approx(last["position"], abs=0.05)


def test_the_guard_takes_torque_off_all_servos() -> None:
    servos = [Emulated("xl330_bam_m6", "xl330", number, 0.2, 0.1) for number in (1, 2)]
    model = model_of("xl330")
    with EmulatedBus(servos) as emulated:
        line = SerialLine(emulated.port)
        bus = ServoBus(line, 1_000_000, model, [1, 2], ["present_position"])
        for number in (1, 2):
            bus.put(number, "torque_enable", 1)
        bus.close()
        release(emulated.port, 1_000_000, model, [1, 2])
        assert [emulated.state(number)["torque_enable"] for number in (1, 2)] == [0, 0]
