"""Kinds of Dynamixels: whose current has counts of another size, or none."""

import json
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import main


def words(kind: str, folder: Path, *more: str) -> list[str]:
    load = ["--mass", "0.2", "--length", "0.1", "--motion", "fast", "--duration", "0.3"]
    emulated = ["--emulated", "xl330_bam_m6", "--virtual-time", "--rate", "100"]
    return ["record", "--servo", kind, *emulated, *load, *more, "--output", str(folder)]


def recorded(kind: str, folder: Path, *more: str) -> dict[str, Any]:
    assert main(words(kind, folder, "--max-current", "20", *more)) == 0
    return json.loads((folder / "fast.json").read_text())


def test_a_count_of_current_is_of_the_kind_s_size(tmp_path: Path) -> None:
    by_kind = {kind: recorded(kind, tmp_path / kind) for kind in ("xl330", "xm430")}
    assert by_kind["xl330"]["registers"]["model_number"] in (1190, 1200)
    assert by_kind["xm430"]["registers"]["model_number"] in (1020, 1030)
    one, other = ([entry["current"] for entry in run["entries"]] for run in by_kind.values())
    assert max(map(abs, one)) > 0.1
    assert other == pytest.approx(one, abs=0.5 * (1e-3 + 2.69e-3) + 1e-9)
    for value in other:
        assert value / 2.69e-3 == pytest.approx(round(value / 2.69e-3), abs=1e-6)


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
