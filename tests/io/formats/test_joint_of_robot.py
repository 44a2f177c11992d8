"""One joint of a robot's recording, taken as a log of a joint."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main
from pliant.errors import PliantError
from pliant.io.formats.messages import write_bag
from pliant.io.formats.reading import Reading
from pliant.io.formats.runs import write_parquet
from pliant.io.log import read_log, read_logs
from pliant.io.robot_log import RobotLog
from pliant.io.robot_log_csv import write_robot_log

LOAD = {"mass": 0.3, "length": 0.1, "gain": 32.0}
TIME = np.arange(0.0, 2.0, 0.01)
LINE = np.column_stack([0.5 * np.sin(3.0 * TIME), 0.2 * np.cos(2.0 * TIME)])


def recorded(name: str = "arm") -> RobotLog:
    nothing = np.full_like(LINE, np.nan)
    on = np.ones(LINE.shape, bool)
    return RobotLog(name, ("pan", "lift"), TIME, LINE, LINE + 0.1, nothing, on)


WRITERS: dict[str, Callable[[RobotLog, Path], None]] = {
    "arm.csv": write_robot_log, "arm.parquet": write_parquet, "arm": write_bag,
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
def test_a_joint_is_what_went_in_whatever_the_format(tmp_path: Path, name: str) -> None:
    WRITERS[name](recorded(), tmp_path / name)
    for log in (
        read_log(tmp_path / name, joint="lift", **LOAD),
        *read_logs(tmp_path, joint="lift", **LOAD),
    ):
        np.testing.assert_allclose(log.position, LINE[:, 1], atol=1e-8)
        np.testing.assert_allclose(log.goal, LINE[:, 1] + 0.1, atol=1e-8)
        assert (log.mass, log.gain, log.driven) == (0.3, 32.0, "goal")


def test_each_episode_is_a_log_in_rad_with_what_its_reader_found(made) -> None:
    logs = read_logs(made(), joint="elbow_flex", reading=Reading(unit="deg"), **LOAD)
    assert [log.name for log in logs] == ["set_000", "set_001", "set_002"]
    expected = np.radians(20.0 * np.cos(0.07 * np.arange(60)))
    np.testing.assert_allclose(logs[1].position, expected, atol=1e-6)
    assert any("before the action" in str(finding) for finding in logs[0].findings)


def test_what_is_missing_is_asked_for(made, tmp_path: Path) -> None:
    path = made()
    with pytest.raises(
        PliantError, match=r"name one .--reading joint=NAME.*elbow_flex, shoulder_pan"
    ):
        read_logs(path, **LOAD)
    with pytest.raises(PliantError, match=r"not recorded; found 'elbow'.*elbow_flex"):
        read_logs(path, joint="elbow", **LOAD)
    with pytest.raises(PliantError, match="give the mass of the load"):
        read_logs(path, joint="elbow_flex")
    with pytest.raises(PliantError, match="holds several runs; found 3"):
        read_log(path, joint="elbow_flex", **LOAD)


def test_commands_take_a_joint_of_a_data_set(made, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["evaluate", "feetech_sts3215_7_4V_bam_m1", str(made()), "--unit", "deg", "--episodes", "1"]  # fmt: skip
    words += ["--joint", "elbow_flex", "--mass", "0.3", "--length", "0.1", "--gain", "32"]
    assert main(words) == 0
    assert "set_001" in capsys.readouterr().out
