"""The demos of whole robots: every file is there, and the robot's file is judged like the fit."""

import dataclasses
import shutil
from pathlib import Path

import numpy as np
import pytest

from pliant.cli.demo_robot import DEMOS
from pliant.io.robot_logs import read_robot_logs

ARM, QUADRUPED = DEMOS["so101"], DEMOS["go2"]
FILES = "shoulder_pan shoulder_lift elbow_flex wrist_flex wrist_roll gripper robot".split()


def test_recordings_that_come_with_pliant_are_whole() -> None:
    logs = read_robot_logs([ARM.folder / "motions", ARM.folder / "held_out"])
    assert [log.name for log in logs] == [
        *("diagonal_sweep", "multisine", "random_waypoints", "step_response", "pick_place"),
    ]
    assert all(log.joints == tuple(FILES[:-1]) for log in logs)
    assert all(24.9 < log.time[-1] < 25.0 for log in logs)


@pytest.mark.long
def test_demo_of_an_arm_goes_the_whole_way(
    pliant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the first eight seconds of two motions and of the one held out."""
    short = tmp_path / "short"
    shutil.copytree(ARM.folder, short)
    for path in short.glob("*/*.csv"):
        if path.stem in ("random_waypoints", "step_response", "pick_place"):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(lines[: len(lines) // 3]))
        else:
            path.unlink()
    monkeypatch.setitem(DEMOS, "so101", dataclasses.replace(ARM, folder=short))
    ended = pliant("demo", "--robot", "so101", "--quick", "--output", tmp_path, "--json")
    assert ended.code == 0, ended.err
    said = ended.json
    assert {path.stem for path in (tmp_path / "so101").glob("*.toml")} == set(FILES)
    others = " ".join(said["verdict"]["about_others"])
    assert "the model's own servo" in others and "pendulum bench" in others
    again = pliant("evaluate", tmp_path / "so101" / "robot.toml", short / "held_out", "--json")
    assert again.json["mae_mrad"] == pytest.approx(said["held_out_mae_mrad"], rel=1e-6)
    assert "pick_place" in (tmp_path / "report.html").read_text()


def test_the_recording_of_a_quadruped_is_whole() -> None:
    first, second = read_robot_logs([QUADRUPED.folder / "motions", QUADRUPED.folder / "held_out"])
    assert len(first.joints) == 12 and first.joints == second.joints
    assert (len(first.time), len(second.time)) == (1174, 1175)
    assert np.all(np.abs(first.position[-1] - second.position[0]) < 0.02)  # 5 ms apart


@pytest.mark.long
def test_the_base_of_a_quadruped_is_held_and_its_drives_are_found(pliant, tmp_path: Path) -> None:
    ended = pliant("demo", "--robot", "go2", "--quick", "--output", tmp_path, "--json")
    assert ended.code == 0, ended.err
    assert "base floats in go2.xml" in ended.err
    assert len(list((tmp_path / "go2").glob("*_joint.toml"))) == 12
    assert ended.json["held_out_mae_mrad"] < 6.0  # 40 as published, 33 with a base that falls
