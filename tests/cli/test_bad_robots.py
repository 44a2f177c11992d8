"""Robots and commands that cannot be simulated."""

from pathlib import Path

import pytest

from pliant.cli import main

from .conftest import Pliant, refusal


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--attach", "elbo=xl330_bam_m4"],
            "joint: no such joint in the model; found 'elbo'; did you mean 'elbow'?; accepted: elbow, "
            "wrist",
        ),
        (
            ["--attach", "elbow=xl330_bam_m4,elbow=xl330_bam_m1"],
            "--attach: is given twice; found 'elbow'",
        ),
        (
            ["--attach", "wrist=xl330_bam_m4"],
            "joint wrist: only a joint with one degree of freedom can have an actuator's friction; "
            "found 'ball'; accepted: hinge, slide",
        ),
        (
            ["--attach", "elbow"],
            "--attach: cannot be read; found 'elbow'; accepted: joint=actuator",
        ),
        (
            ["--attach", "elbow=xl330_bam_m4", "--goal", "wrist=1"],
            "--goal: no actuator is attached to this joint; found 'wrist'; accepted: elbow",
        ),
        ([], "--attach: nothing is attached; accepted: joint=actuator"),
        (
            ["--attach", "elbow=xl330_bam_m4", "--goal", "elbow=1e11"],
            "--goal: out of range; found 100000000000.0; accepted: -1e+10 to 1e+10",
        ),
        (
            ["--attach", "elbow=xl330_bam_m4", "--output", "arm.xml"],
            "--output: wrong kind of file; found 'arm.xml'; accepted: *.csv",
        ),
    ],
)
def test_robot(pliant: Pliant, arm: Path, words: list[str], said: str) -> None:
    line = refusal(pliant("simulate", arm, *words))
    assert line.startswith(f"{arm}: {said}" if said.startswith("joint") else said), line


def test_divergence_leaves_nothing_behind(
    arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stiff = 'axis="0 -1 0" stiffness="1e12" springref="90"'
    arm.write_text(
        arm.read_text(encoding="utf-8").replace('axis="0 -1 0"', stiff), encoding="utf-8"
    )
    words = ["simulate", str(arm), "--attach", "elbow=xl330_bam_m4", "--step", "0.1"]
    assert main(words) == 1
    said = capfd.readouterr().err
    assert "the simulation diverges before t = " in said
    assert "WARNING" not in said
    assert [path.name for path in tmp_path.iterdir()] == ["arm.xml"]


def test_urdf_without_the_joint(pliant: Pliant, tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>"
    )
    path.write_text(
        f'<robot name="arm"><link name="a">{inertial}</link><link name="b">{inertial}</link>'
        '<joint name="elbow" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="0 1 0"/></joint></robot>'
    )
    line = refusal(pliant("simulate", path, "--attach", "knee=xl330_bam_m4"))
    assert line == f"{path}: joint: no such joint in the model; found 'knee'; accepted: elbow"


def test_model_that_mujoco_refuses(pliant: Pliant, tmp_path: Path) -> None:
    path = tmp_path / "arm.xml"
    path.write_text("<mujoco><worldbodi/></mujoco>")
    line = refusal(pliant("simulate", path, "--attach", "elbow=xl330_bam_m4"))
    assert line.startswith(f"{path}: line 1, element worldbodi: MuJoCo refuses it; found ")
    assert pliant("check", path).code == 1


def test_commands_that_are_no_table(pliant: Pliant, arm: Path, tmp_path: Path) -> None:
    table = tmp_path / "commands.csv"
    words = ("simulate", arm, "--attach", "elbow=xl330_bam_m4", "--command", table)
    table.write_text("time,elbow\n0,1\n0,2\n")
    assert refusal(pliant(*words)) == f"{table}: line 3: time does not increase"
    table.write_text("time,elbow\n0,fast\n")
    assert refusal(pliant(*words)) == f"{table}: line 2, elbow: is not a number; found 'fast'"
