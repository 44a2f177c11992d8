"""CSV logs: columns, units and constants by a mapping, and the words where they do not fit."""

import csv
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.column_map import ColumnMap
from pliant.io.log import check_log, example_logs, read_log, read_logs

MAPPING = """
counts_per_turn = 4096
delimiter = ";"

[columns]
time = "t[ms]"
position = "q [counts]"
goal = { column = "q_des", unit = "deg" }
enabled = "on"
velocity = "w[rpm]"
voltage = "u[0.1 V]"

[constants]
device = "xl330"
trajectory = "sin_sin"
mass = 0.49
length = 0.1
gain = 100
supply = 7.4
"""


MISSING = (
    "columns.{0}: a map replaces all names of the header, and this one has no {0}; found '{1}'; accepted: these and "
    "{0}=NAME, such as {0}={0}"
)


@pytest.fixture
def table(tmp_path: Path) -> tuple[Path, Path]:
    """The first recording as a CSV in odd units, and the TOML that says so."""
    log = read_log(example_logs()[0])
    assert log.velocity is not None and log.voltage is not None
    path, mapping = tmp_path / "run.csv", tmp_path / "columns.toml"
    with path.open("w", newline="") as file:
        rows = csv.writer(file, delimiter=";")
        rows.writerow(["q", "t", "q_des", "on", "w", "u", "note"])
        for i in range(len(log.time)):
            rows.writerow(
                [
                    log.position[i] * 4096 / (2 * np.pi),
                    1e3 * log.time[i],
                    np.degrees(log.goal[i]),
                    "True" if log.enabled[i] else "False",
                    log.velocity[i] * 30 / np.pi,
                    10 * log.voltage[i],
                    "x",
                ]
            )
    mapping.write_text(MAPPING)
    return path, mapping


def refused(path: Path, **options: Any) -> str:
    with pytest.raises(PliantError) as caught:
        read_log(path, **options)
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


def replaced(path: Path, old: str, new: str) -> Path:
    path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
    return path


def test_a_csv_in_other_units_is_the_same_log(table: tuple[Path, Path]) -> None:
    path, mapping = table
    json_log, csv_log = read_log(example_logs()[0]), read_log(path, columns=mapping)
    for name in ("time", "position", "goal", "velocity", "voltage"):
        np.testing.assert_allclose(getattr(csv_log, name), getattr(json_log, name), atol=1e-12)
    np.testing.assert_array_equal(csv_log.enabled, json_log.enabled)
    for name in ("device", "trajectory", "mass", "length", "gain", "supply", "arm_mass"):
        assert getattr(csv_log, name) == getattr(json_log, name)
    assert [f.kind for f in csv_log.findings] == ["missing", "velocity-lag"]
    assert len(read_logs([path.parent], columns=mapping)) == 1


def test_the_mapping_can_be_options_on_a_line(table: tuple[Path, Path]) -> None:
    options = (
        "time=t[ms],position=q[counts],goal=q_des[deg],counts_per_turn=4096,delimiter=;,gain=100"
    )
    log = read_log(table[0], columns=options, mass=0.49, length=0.1)
    np.testing.assert_allclose(log.position, read_log(example_logs()[0]).position, atol=1e-12)
    assert "note: enabled: is not recorded: taken as always on" in map(str, log.findings)


def test_a_temperature_is_a_column_in_degrees_celsius(tmp_path: Path) -> None:
    path = tmp_path / "arm.csv"
    rows = [f"{0.005 * i},0.1,0.1,{31 + i // 25}" for i in range(50)]
    path.write_text("\n".join(["time,position,goal,temperature [degC]", *rows]))
    given = {"mass": 0.5, "length": 0.5, "gain": 32.0}
    log = read_log(path, **given)
    assert log.temperature is not None and log.warmth == pytest.approx(304.15)
    np.testing.assert_array_equal(log.temperature, [31.0] * 25 + [32.0] * 25)
    assert read_log(replaced(path, "degC", "°C"), **given).warmth == log.warmth
    assert refused(replaced(path, "°C", "K"), **given) == (
        "arm.csv: columns.temperature: is not a unit of temperature; found 'K'; accepted: degC, °C"
    )


def test_a_torque_driven_log_needs_no_goal(tmp_path: Path) -> None:
    path = tmp_path / "arm.csv"
    rows = [f"{0.005 * i},{0.001 * i},{0.2},{0.5}" for i in range(50)]
    path.write_text("\n".join(["time,position,velocity,torque", *rows]))
    log = read_log(path, mass=0.5, length=0.5)
    assert (log.driven, log.gain, log.goal.any()) == ("torque", 0.0, False)
    assert log.torque is not None
    np.testing.assert_allclose(log.torque, 0.5)
    assert log.resample(0.01).torque is not None
    assert [str(f) for f in log.findings if f.field in ("goal", "columns")] == [
        "note: columns: no mapping is given: columns are taken by name, in SI units",
        "warning: goal: is not recorded: the torque drives the joint, goal and gain are 0",
    ]
    path.write_text("\n".join(["time,position", *(row.removesuffix(",0.2,0.5") for row in rows)]))
    assert refused(path, mass=0.5, length=0.5, gain=1) == (
        "arm.csv: goal: is not recorded, and no torque either: nothing says what drove the joint"
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            'time = "t[ms]"',
            'time = "tt[ms]"',
            (
                "run.csv: line 1: there is no such column (for time); found 'tt'; did you mean "
                "'t'?; accepted: note, on, q, q_des, t, u, w"
            ),
        ),
        (
            '"q_des"',
            '"q_de"',
            (
                "run.csv: line 1: there is no such column (for goal); found 'q_de'; did you mean "
                "'q_des'?; accepted: note, on, q, q_des, t, u, w"
            ),
        ),
        (
            "w[rpm]",
            "w[hz]",
            (
                "columns.toml: columns.velocity: is not a unit of velocity; found 'hz'; accepted: "
                "counts/s, deg/s, rad/s, rev/s, rpm, turns/s"
            ),
        ),
        (
            "counts_per_turn = 4096",
            "",
            (
                "columns.toml: counts_per_turn: is needed for position in counts; accepted: a "
                "positive number"
            ),
        ),
        (
            'time = "t[ms]"',
            "",
            "columns.toml: " + MISSING.format("time", "position, goal, enabled, velocity, voltage"),
        ),
        (
            "velocity =",
            "speed =",
            "columns.toml: columns.speed: unknown key; found 'speed'; accepted: enabled, goal, "
            "position, temperature, time, torque, velocity, voltage",
        ),
        (
            "mass = 0.49",
            'mass = "0.49"',
            "columns.toml: constants.mass: should be a valid number; found '0.49'",
        ),
        (
            "[columns]",
            "[columns",
            (
                "columns.toml: line 5, column 9: is not TOML; found \"Expected ']' at the end of "
                'a table declaration"'
            ),
        ),
    ],
)
def test_a_mapping_that_does_not_fit_is_refused(
    table: tuple[Path, Path], old: str, new: str, message: str
) -> None:
    path, mapping = table
    assert refused(path, columns=replaced(mapping, old, new)) == message


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            "tiem=t[ms]",
            (
                "columns: is not a channel or constant; found 'tiem'; did you mean 'time'?; "
                "accepted: arm_mass, counts_per_turn, delimiter, derivative_gain, device, enabled, gain, goal, "
                "length, mass, position, supply, temperature, time, torque, trajectory, velocity, "
                "voltage, zero"
            ),
        ),
        ("mass=heavy", "columns: mass: is not a number; found 'heavy'; accepted: a number"),
        ("time=t[ms]", "columns: " + MISSING.format("position", "time")),
    ],
)
def test_options_that_do_not_fit_are_refused(options: str, message: str) -> None:
    with pytest.raises(PliantError) as caught:
        ColumnMap.load(options)
    assert str(caught.value) == message


def test_cells_that_are_no_numbers_are_named_by_line(table: tuple[Path, Path]) -> None:
    path, mapping = table
    lines = path.read_text().splitlines()
    cells = lines[4].split(";")
    path.write_text("\n".join([*lines[:4], ";".join(["abc", *cells[1:]]), *lines[5:]]))
    assert refused(path, columns=mapping) == (
        "run.csv: line 5, q: is not a number; found 'abc'; accepted: a number"
    )
    assert [f.kind for f in check_log(path, columns=mapping)] == ["unreadable"]
    path.write_text(
        "\n".join([*lines[:4], ";".join([*cells[:3], "maybe", *cells[4:]]), *lines[5:]])
    )
    assert refused(path, columns=mapping) == (
        "run.csv: line 5, on: is neither on nor off; found 'maybe'; accepted: 1, 0, true, false"
    )


def test_a_cut_last_line_is_dropped_on_request(table: tuple[Path, Path]) -> None:
    path, mapping = table
    whole = read_log(path, columns=mapping)
    path.write_text(path.read_text().rstrip()[:-30])
    lines = len(path.read_text().splitlines())
    assert refused(path, columns=mapping) == (
        f"run.csv: t, q, q_des, on, w, u: 1 row is incomplete (first line {lines}); accepted: "
        "repair 'length': incomplete rows are dropped"
    )
    mended = read_log(path, columns=mapping, repair=["length"])
    np.testing.assert_array_equal(mended.position, whole.position[:-1])


def test_a_csv_without_names_or_rows_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("1,2,3\n4,5,6\n")
    assert refused(path) == (
        "a.csv: line 1: has no header line; found ['1', '2', '3']; accepted: names of its columns by "
        "number (--columns time=1,position=2,...), or a header"
    )
    path.write_text("time,position\n")
    assert refused(path) == "a.csv: has no rows below its header"
    path.write_text("\n\n")
    assert refused(path) == "a.csv: is empty; accepted: a CSV file with a header line"


def test_a_name_given_twice_in_a_mapping_is_refused() -> None:
    with pytest.raises(PliantError, match="columns: is given twice; found 'time'"):
        ColumnMap.load("time=t,position=q,time=u")


def test_misspelt_columns_are_proposed(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("time,gaol,positon\n0,1,2\n")
    with pytest.raises(PliantError, match=r"such as 'time=time,goal=gaol,position=positon'"):
        read_log(path)
