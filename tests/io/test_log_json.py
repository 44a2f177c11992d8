"""JSON pendulum logs: what is read, and the words for what cannot be read."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from hashlib import sha256
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pliant.errors import PliantError
from pliant.io.log import check_log, example_logs, read_log, read_logs

Write = Callable[[dict[str, Any]], Path]


def refused(path: Path, **options: Any) -> str:
    """The text of the refusal, without the folder."""
    with pytest.raises(PliantError) as caught:
        read_log(path, **options)
    return str(caught.value).replace(f"{path.parent}{os.sep}", "")


def test_the_shipped_recordings_are_read_as_they_are() -> None:
    logs = read_logs([example_logs()[0].parent])
    assert len(logs) == 12
    assert {log.gain for log in logs} == {100.0, 200.0, 800.0}
    for log in logs:
        raw = json.loads(log.path.read_text())
        entries = raw["entries"]
        assert (log.mass, log.length, log.supply, log.arm_mass) == (0.49, 0.1, 7.4, None)
        assert (log.device, log.trajectory) == ("xl330", raw["trajectory"])
        assert log.digest == sha256(log.path.read_bytes()).hexdigest()
        assert log.time[0] == 0.0
        assert log.velocity is not None and log.voltage is not None
        np.testing.assert_array_equal(log.position, [e["position"] for e in entries])
        np.testing.assert_array_equal(log.goal, [e["goal_position"] for e in entries])
        np.testing.assert_array_equal(log.velocity, [e["speed"] for e in entries])
        np.testing.assert_array_equal(log.voltage, [e["input_volts"] for e in entries])
        np.testing.assert_array_equal(log.enabled, [e["torque_enable"] for e in entries])
        np.testing.assert_array_equal(log.temperature, [e["temp"] for e in entries])
        assert log.warmth == 273.15 + entries[0]["temp"]


def test_the_shipped_recordings_have_their_known_faults_and_no_other() -> None:
    for log in read_logs(example_logs()):
        found = [(f.kind, f.field, f.severity) for f in log.findings]
        assert found == [("missing", "arm_mass", "note"), ("velocity-lag", "speed", "warning")]


@pytest.mark.parametrize(
    ("given", "read"),
    [
        ({"damping": 3.0}, 3.0),
        ({"damping": 0.0}, 0.0),
        ({"kd": 0.5}, 0.5),
        ({"damping": 3.0, "kd": 0.5}, 0.5),
        ({"kd": 0.0, "damping": 3.0}, 0.0),
        ({}, None),
    ],
)
def test_the_d_gain_has_two_names(
    run: dict[str, Any], write: Write, given: dict[str, float], read: float | None
) -> None:
    run = {key: value for key, value in run.items() if key not in ("kd", "damping")}
    assert read_log(write(run | given)).derivative_gain == read


def test_resampling_is_linear_on_a_uniform_grid() -> None:
    log = next(x for x in read_logs(example_logs()) if x.trajectory == "lift_and_drop")
    even = log.resample(0.005)
    assert len(even.time) == ceil(float(log.time[-1]) / 0.005)
    assert even.time.tolist() == pytest.approx([0.005 * i for i in range(len(even.time))])
    at = int(np.flatnonzero(log.time >= even.time[100])[0])
    part = float(even.time[100] - log.time[at - 1]) / float(log.time[at] - log.time[at - 1])
    expected = log.position[at - 1] + part * (log.position[at] - log.position[at - 1])
    assert even.position[100] == pytest.approx(expected, abs=1e-12)
    off = log.time[~log.enabled][0]
    assert even.time[~even.enabled][0] == pytest.approx(off, abs=0.006)
    with pytest.raises(
        PliantError, match=r"step: does not fit the log; found 0; accepted: above 0"
    ):
        log.resample(0)


CUT = "the file ends before its JSON does (was the recording cut off?)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "run.json: is empty; accepted: a JSON log"),
        ('{"mass": 0.4', f"run.json: line 1, column 13: {CUT}"),
        ('{"mass": 0.4}}', "run.json: line 1, column 14: is not valid JSON: extra data"),
        ("[1]", "run.json: is not a log; found 'list'; accepted: a JSON object"),
        ('{"mass": 1}', "run.json: entries: is not a log: it has no entries; accepted: a list"),
        ('{"entries": 3}', "run.json: entries: is not a list; found 3; accepted: a list"),
        ('{"entries": []}', "run.json: entries: has no entries; accepted: one per sample"),
        (
            '{"entries": [1]}',
            "run.json: entries[0]: is not an object; found 1; accepted: one object per sample",
        ),
        (
            '{"mass": "heavy", "entries": [1]}',
            "run.json: mass: should be a valid number; found 'heavy'",
        ),
        (
            '{"kp": -1, "entries": [1]}',
            "run.json: kp: should be greater than or equal to 0; found -1",
        ),
        (
            '{"vin": NaN, "entries": [1]}',
            "run.json: vin: should be a finite number; found nan",
        ),
        (
            "[" * 100000,
            "run.json: is not valid JSON: a number too long or brackets too deep",
        ),
        (
            '{"mass": ' + "1" * 5000 + "}",
            "run.json: is not valid JSON: a number too long or brackets too deep",
        ),
    ],
)
def test_what_is_not_a_log_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    assert refused(path) == message
    findings = check_log(path)
    assert [f.kind for f in findings] == ["unreadable"]


def test_files_that_cannot_be_logs_are_refused(tmp_path: Path) -> None:
    assert refused(tmp_path / "no.json") == "no.json: does not exist"
    (tmp_path / "a.yaml").touch()
    assert refused(tmp_path / "a.yaml").startswith("a.yaml: is not a log; accepted: *.json, *.csv,")
    folder = tmp_path / "empty"
    folder.mkdir()
    assert refused(folder) == "empty: is a folder; accepted: one *.json or *.csv file"
    with pytest.raises(PliantError, match=r"empty: has no logs; accepted: \*.json, \*.csv"):
        read_logs([folder])
    (tmp_path / "b.json").write_bytes(b"{\xff}")
    assert refused(tmp_path / "b.json") == "b.json: byte 1: is not UTF-8 text"


def test_a_value_of_the_wrong_type_is_named_with_its_entry(
    run: dict[str, Any], write: Write
) -> None:
    run["entries"][3]["position"] = "left"
    assert refused(write(run)) == (
        "run.json: entries[3].position: has the wrong type; found 'left'; accepted: a number"
    )
    run["entries"][3]["position"] = None
    assert refused(write(run)) == (
        "run.json: entries[3].position: has the wrong type; found 'null'; accepted: a number"
    )
    run["entries"][3]["position"] = 0.1
    run["entries"][5]["torque_enable"] = 2
    assert refused(write(run)) == (
        "run.json: entries[5].torque_enable: is neither on nor off; found 2; accepted: "
        "true or false"
    )


def test_a_key_missing_everywhere_is_named(run: dict[str, Any], write: Write) -> None:
    for entry in run["entries"]:
        entry["goal"] = entry.pop("goal_position")
        del entry["temp"], entry["load"], entry["input_volts"]
    assert refused(write(run)) == (
        "run.json: goal_position: is missing in every entry; found ['goal', 'position', 'speed', "
        "'timestamp', 'torque_enable']; accepted: entries with timestamp, position, "
        "goal_position, torque_enable"
    )


def test_what_may_be_missing_is_noted(run: dict[str, Any], write: Write) -> None:
    del run["vin"]
    for entry in run["entries"]:
        del entry["load"], entry["input_volts"], entry["speed"]
    log = read_log(write(run))
    assert log.supply is None and log.voltage is None and log.velocity is None
    assert [str(f) for f in log.findings] == [
        "note: arm_mass: is missing; give arm_mass [kg] if the arm is not massless",
        "note: vin: is missing; give the supply [V], otherwise voltages are not checked",
        "note: speed: is not recorded",
        "note: input_volts: is not recorded",
    ]


def test_a_temperature_that_was_not_read_costs_no_log(run: dict[str, Any], write: Write) -> None:
    """Zeros, as of a recorder that does not read it, holes, and what is no temperature."""
    every: list[dict[str, Any]] = run["entries"]
    usual = [str(f) for f in check_log(write(run))]

    def read_with(temperatures: list[object]) -> tuple[object, list[str]]:
        for entry, value in zip(every, temperatures, strict=True):
            entry["temp"] = value
        log = read_log(write(run))
        return log.temperature, [s for f in log.findings if (s := str(f)) not in usual]

    n = len(every)
    assert read_with([0.0] * n) == (
        None,
        ["note: temp: reads 0 throughout: taken as not recorded"],
    )
    kelvin, said = read_with([304.0] * n)
    assert kelvin is None
    assert said == [
        "warning: temp: 304 to 304 where -40 to 125 degC are possible; treated as not recorded"
    ]
    holes, said = read_with([None, "hot", True, *[30] * (n - 3)])
    assert holes is None
    assert said[0].startswith("warning: temp: 3 values are not finite")
    for entry in every[5:]:
        del entry["temp"]
    assert read_log(write(run)).temperature is None


def test_missing_constants_can_be_given(run: dict[str, Any], write: Write) -> None:
    del run["mass"], run["length"]
    path = write(run)
    assert refused(path) == (
        "run.json: mass: is missing: give the mass of the load, mass [kg] "
        "(and 1 more error, see `pliant check`)"
    )
    log = read_log(path, mass=0.5, length=0.1, gain=400)
    assert (log.mass, log.length, log.gain) == (0.5, 0.1, 400.0)
    assert [str(f) for f in log.findings if f.kind == "given"] == [
        "note: mass: is 0.5 as given; the file does not say",
        "note: length: is 0.1 as given; the file does not say",
        "note: gain: is 400 as given; the file says 200",
    ]
    assert refused(path, mass=-1.0) == (
        "options: mass: should be greater than or equal to 0; found -1.0"
    )


def test_numbers_out_of_all_range_are_found(run: dict[str, Any], write: Write) -> None:
    run["entries"][3]["position"] = 10**400
    run["entries"][500]["position"] = 1e308
    run["entries"][502]["position"] = -1e308
    kinds = [f.kind for f in check_log(write(run))]
    assert kinds[:4] == ["missing", "nan", "range", "dropout"]


@pytest.mark.parametrize("key", ["position", "goal_position"])
def test_angles_beyond_all_reach_are_an_error(run: dict[str, Any], write: Write, key: str) -> None:
    run["entries"][500][key] = -2e4
    finding = next(f for f in check_log(write(run)) if f.kind == "range")
    assert (finding.field, finding.severity, finding.repair) == (key, "error", None)
    assert finding.message.startswith("1 value is beyond 10000 rad, up to 2e+04 (first at entries[")


def test_a_key_given_twice_is_refused(run: dict[str, Any], write: Write) -> None:
    path = write(run)
    path.write_text(path.read_text().replace('{"', '{"mass": 9, "mass": 1, "', 1))
    assert refused(path) == "run.json: mass: is given twice in one object"


def test_an_unknown_repair_is_refused() -> None:
    with pytest.raises(PliantError) as caught:
        read_log(example_logs()[0], repair=["drop-out"])
    assert str(caught.value) == (
        "repair: is not a repair; found 'drop-out'; did you mean 'dropout'?; accepted: all, "
        "dropout, length, nan, stretch, time, velocity-lag, velocity-unit, voltage-unit, wrap"
    )


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(share=st.floats(0.0, 1.0, exclude_max=True))
def test_every_truncation_is_refused_as_one(tmp_path: Path, share: float) -> None:
    whole = example_logs()[0].read_bytes().rstrip()
    path = tmp_path / "cut.json"
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(PliantError) as caught:
        read_log(path)
    assert caught.value.file == str(path)
    assert [f.kind for f in check_log(path)] == ["unreadable"]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(where=st.integers(0, 3000), byte=st.binary(min_size=1, max_size=3))
def test_random_damage_is_refused_or_found_never_a_traceback(
    tmp_path: Path, where: int, byte: bytes
) -> None:
    whole = example_logs()[0].read_bytes()
    short = json.loads(whole)
    short["entries"] = short["entries"][:20]
    data = json.dumps(short).encode()
    path = tmp_path / "damaged.json"
    path.write_bytes(data[:where] + byte + data[where + len(byte) :])
    check_log(path)
    try:
        log = read_log(path, repair="all")
    except PliantError:
        return
    for values in (log.time, log.position, log.goal, log.velocity, log.voltage):
        assert values is None or np.isfinite(values).all()


def test_reading_logs_needs_no_heavy_import() -> None:
    code = (
        "import sys, pliant.io.log; "
        "print([m for m in ('llvmlite', 'mujoco', 'warp', 'matplotlib', 'scipy') if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
