"""What is said of recordings changes how they are read, or is refused: never ignored."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pliant
from pliant.cli import main
from pliant.errors import PliantError
from pliant.io.formats.messages import write_bag
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import write_parquet
from pliant.io.log import read_log
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log
from pliant.io.robot_logs import read_robot_log

TIME = np.arange(0.0, 8.0, 0.02)
GOAL = np.column_stack([0.5 * np.sin(3.0 * TIME), 0.4 * np.cos(2.0 * TIME)])
LINE = np.column_stack([0.47 * np.sin(3.0 * TIME - 0.2), 0.37 * np.cos(2.0 * TIME - 0.2)])
LOAD = {"mass": 0.3, "length": 0.1, "gain": 32.0}
LOG = RobotLog(
    "run", ("pan", "lift"), TIME, LINE, GOAL, np.full_like(LINE, np.nan), np.ones(LINE.shape, bool)
)


def bench_csv(path: Path, unit: str = "") -> Path:
    table = np.column_stack([TIME, LINE[:, 0], GOAL[:, 0]])
    head = f"time,position{unit},goal{unit}"
    np.savetxt(path, table, delimiter=",", header=head, comments="", fmt="%.12g")
    return path


def bench_json(path: Path) -> Path:
    rows = [
        {"timestamp": t, "position": p, "goal_position": g, "torque_enable": True}
        for t, p, g in zip(TIME.tolist(), LINE[:, 0].tolist(), GOAL[:, 0].tolist(), strict=True)
    ]
    path.write_text(json.dumps({"mass": 0.3, "length": 0.1, "kp": 32, "entries": rows}))
    return path


def written(write: Callable[[RobotLog, Path], None], path: Path) -> Path:
    write(LOG, path)
    return path


KINDS: dict[str, Callable[[Path], Path]] = {
    "bench.csv": bench_csv,
    "bench.json": bench_json,
    "run.csv": lambda path: written(write_robot_log, path),
    "run.parquet": lambda path: written(write_parquet, path),
    "bag": lambda path: written(write_bag, path),
}
FACTS: dict[str, Any] = {
    "unit": "deg", "units": {"pan": "deg"}, "clip": {"pan": (-0.1, 0.1)}, "rename": {"pan": "yaw"},
    "leave_out": ["lift"], "episodes": [0], "state": "/joint_states", "command": "/joint_commands",
    "publishers": {"": 2}, "command_joints": ["lift", "pan"], "steps": True,
    "columns": "time=time,position_pan=position_pan[deg]", "cut": (2.0, 6.0),
}  # fmt: skip
"""Fact to a value that cannot leave a recording as it is, but for the topics that a bag has."""
SAME = {("bag", "state"), ("bag", "command")}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fact", FACTS)
def test_a_fact_changes_what_is_read_or_is_refused(tmp_path: Path, kind: str, fact: str) -> None:
    path = KINDS[kind](tmp_path / kind)

    def read(reading: Reading) -> tuple[bytes, str]:
        one: Any = (
            read_log(path, reading=reading, **LOAD)
            if kind.startswith("bench")
            else read_robot_log(path, reading)
        )
        said = [str(getattr(one, "joints", "")), *map(str, one.findings)]
        return one.time.tobytes() + one.position.tobytes() + one.goal.tobytes(), "\n".join(said)

    plain, meant = read(Reading()), Reading(**{fact: FACTS[fact]})
    try:
        assert (read(meant) == plain) == ((kind, fact) in SAME)
    except PliantError:
        assert (kind, fact) not in SAME
        assert checked(path, meant) != checked(path, Reading())


def checked(path: Path, reading: Reading) -> str:
    try:
        return str(pliant.check(path, reading=reading))
    except PliantError as refused:
        return f"refused: {refused}"


@pytest.mark.parametrize("unit", ["deg", "rev"])
def test_the_unit_of_one_joint_is_used(tmp_path: Path, unit: Any) -> None:
    size = {"deg": np.pi / 180.0, "rev": 2.0 * np.pi}[unit]
    for kind in ("bench.csv", "bench.json"):
        log = read_log(KINDS[kind](tmp_path / kind), reading=Reading(unit=unit), **LOAD)
        np.testing.assert_allclose(log.position, LINE[:, 0] * size, atol=1e-9)
        np.testing.assert_allclose(log.goal, GOAL[:, 0] * size, atol=1e-9)


def test_a_unit_that_the_file_states_is_not_applied_twice(tmp_path: Path) -> None:
    path = bench_csv(tmp_path / "a.csv", " [deg]")
    stated = LINE[:, 0] * np.pi / 180.0
    np.testing.assert_allclose(read_log(path, **LOAD).position, stated, atol=1e-9)
    # A map that says nothing of the unit leaves the header's.
    mapped = read_log(path, columns="time=time,position=position,goal=goal", **LOAD)
    np.testing.assert_allclose(mapped.position, stated, atol=1e-9)
    with pytest.raises(PliantError, match="states the unit of position"):
        read_log(path, reading=Reading(unit="deg"), **LOAD)
    path.write_text(path.read_text().replace("position", "position_a").replace("goal", "goal_a"))
    with pytest.raises(PliantError, match="states the unit of position_a"):
        read_robot_log(path, Reading(unit="deg"))
    columns = "time=time,position_a=position_a,goal_a=goal_a"
    (one,) = read_robot_log(path, Reading(columns=columns)).position.T
    np.testing.assert_allclose(one, stated, atol=1e-9)


def test_a_fact_of_another_kind_in_the_folder_is_used_there(tmp_path: Path) -> None:
    bench_json(tmp_path / "b.json")
    bench_csv(tmp_path / "a.csv").write_text((tmp_path / "a.csv").read_text().replace("goal", "g"))
    columns = "time=time,position=position,goal=g"
    first, second = pliant.read_logs(tmp_path, columns=columns, **LOAD)
    np.testing.assert_allclose(first.goal, second.goal, atol=1e-9)
    with pytest.raises(PliantError, match=r"columns: has no use here: none .* is a CSV"):
        pliant.read_logs(tmp_path / "b.json", columns=columns)


@pytest.mark.parametrize("command", ["check", "evaluate xl330_bam_m6", "plot"])
def test_commands_refuse_what_they_have_no_use_for(
    tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = bench_json(tmp_path / "a.json")
    words = [*command.split(), str(path)]
    assert main([*words, "--reading", "episodes=0"]) == 1
    assert "episodes: has no use here" in capsys.readouterr().err
    assert main([*words, "--reading", "joint=elbow"]) == 1
    assert "joint: has no use here" in capsys.readouterr().err
    ranges = tmp_path / "ranges.calibration"
    ranges.write_text('{"elbow": {"range_min": 0, "range_max": 9}}')
    assert main([*words, "--reading", f"calibration={ranges}"]) == 1
    assert "no unit is percent" in capsys.readouterr().err
