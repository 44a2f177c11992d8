"""A time that is not in seconds is refused with the unit that it probably has."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.errors import PliantError
from pliant.io.encoder_file import read_joint_log
from pliant.io.log import check_log, read_log
from pliant.io.robot_logs import read_robot_log

Write = Callable[[dict[str, Any]], Path]


@pytest.mark.parametrize(("unit", "scale"), [("ms", 1e3), ("us", 1e6), ("ns", 1e9)])
def test_the_suspected_unit_is_named(
    run: dict[str, Any], write: Write, unit: str, scale: float
) -> None:
    for entry in run["entries"]:
        entry["timestamp"] *= scale
    path = write(run)
    with pytest.raises(PliantError, match=f"the time is probably in {unit}, not in s"):
        read_log(path, repair="all")
    assert [f.kind for f in check_log(path) if f.blocks] == ["time"]


@pytest.mark.parametrize(
    ("shift", "said"),
    [
        (lambda t: t + 700.0 * (t > 3.0), r"a gap of 700 s where 0\.00\d+ s is usual"),
        (lambda t: 1e-4 * t, "the time is not in s"),
        (lambda t: 40.0 * t, "is unusual: the time is probably in ms"),
    ],
)
def test_other_implausible_times_are_told(
    run: dict[str, Any], write: Write, shift: Any, said: str
) -> None:
    for entry in run["entries"]:
        entry["timestamp"] = float(shift(entry["timestamp"]))
    findings = check_log(write(run))
    (time,) = [f for f in findings if f.kind == "time"]
    assert re.search(said, str(time))
    if time.blocks:  # nothing is judged by such times
        assert {f.kind for f in findings} == {"missing", "time"}


def test_robots_and_encoders_are_not_recorded_in_nanoseconds(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    rows = [f"{5_000_000 * k},0.{k:02d},0.{k:02d}" for k in range(40)]
    path.write_text("\n".join(["time,position_a,goal_a", *rows]))
    with pytest.raises(PliantError, match=r"run\.csv: time: .* the time is probably in ns"):
        read_robot_log(path)
    path.write_text("\n".join(["time [ns],position_a [deg],goal_a [deg]", *rows]))
    log = read_robot_log(path)
    assert np.allclose(np.diff(log.time), 0.005)
    assert np.isclose(log.position[10, 0], np.radians(0.10))
    path.write_text("\n".join(["time,q_a,theta_a", *rows]))
    with pytest.raises(PliantError, match="the time is probably in ns"):
        read_joint_log(path)
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"time": [5e6 * k for k in range(40)]} | _angles()))
    with pytest.raises(PliantError, match="the time is probably in ns"):
        read_joint_log(path)


def _angles() -> dict[str, list[float]]:
    return {"q_a": [0.01 * k for k in range(40)], "theta_a": [0.02 * k for k in range(40)]}
