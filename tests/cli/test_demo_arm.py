"""The demo of a whole arm: every file is there, and the robot's file is judged like the fit."""

import shutil
from pathlib import Path

import pytest

from pliant.cli import demo_arm
from pliant.io.robot_logs import read_robot_logs

FILES = "shoulder_pan shoulder_lift elbow_flex wrist_flex wrist_roll gripper robot".split()


def test_recordings_that_come_with_pliant_are_whole() -> None:
    logs = read_robot_logs([demo_arm.ARM / "motions", demo_arm.ARM / "held_out"])
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
    shutil.copytree(demo_arm.ARM, short)
    for path in short.glob("*/*.csv"):
        if path.stem in ("random_waypoints", "step_response", "pick_place"):
            lines = path.read_text().splitlines(keepends=True)
            path.write_text("".join(lines[: len(lines) // 3]))
        else:
            path.unlink()
    monkeypatch.setattr(demo_arm, "ARM", short)
    ended = pliant("demo", "--robot", "so101", "--quick", "--output", tmp_path, "--json")
    assert ended.code == 0, ended.err
    said = ended.json
    assert {path.stem for path in (tmp_path / "so101").glob("*.toml")} == set(FILES)
    others = " ".join(said["verdict"]["about_others"])
    assert "the model's own servo" in others and "pendulum bench" in others
    again = pliant(
        "evaluate", tmp_path / "so101" / "robot.toml", demo_arm.ARM / "held_out", "--json"
    )
    assert again.json["mae_mrad"] == pytest.approx(said["held_out_mae_mrad"], rel=1e-6)
    assert "pick_place" in (tmp_path / "report.html").read_text()
