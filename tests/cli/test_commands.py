"""Every command does its job, on the terminal and as JSON."""

import csv
import json
import os
import re
import subprocess
import sys
import textwrap
from importlib.metadata import version
from math import pi
from pathlib import Path
from typing import Any

import pytest

import pliant.cli.demo as pliant_demo
from pliant.cli.command_line import commands
from pliant.cli.terminal import Terminal
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import actuator_text, load_actuator
from pliant.io.log import example_logs

from .conftest import TINY, Pliant, refusal

FEW = ("10h28m32", "10h28m42", "10h29m04", "10h29m47", "10h30m10")
"""Logs of every gain, for a short demo."""


def shipped() -> Path:
    """The folder of the shipped recordings."""
    return example_logs()[0].parent


def test_version(pliant: Pliant) -> None:
    ended = pliant("--version")
    assert (ended.code, ended.out) == (0, f"pliant {version('pliant')}\n")


def test_help_names_every_command_and_loads_no_engine() -> None:
    code = (
        "import sys, pliant.cli\n"
        "assert pliant.cli.main(['--help']) == 0\n"
        "assert not {'llvmlite', 'warp', 'mujoco', 'matplotlib', 'numpy'} & set(sys.modules)"
    )
    words = [sys.executable, "-c", code]
    ended = subprocess.run(words, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    for name in ("demo", "identify", "evaluate", "simulate", "check", "actuators", "show"):
        assert name in ended.stdout


@pytest.mark.parametrize("name", commands())
def test_each_command_explains_itself_on_one_screen(
    pliant: Pliant, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    brief, whole = pliant(name, "--help"), pliant(name, "--help-all")
    assert brief.code == whole.code == 0
    assert brief.out.count("\n") <= 40
    for said in (brief.out, whole.out):
        assert f"Example: pliant {name}" in " ".join(said.split())
        assert "--json" in said
    options = set(re.findall(r"--[a-z][a-z-]+", whole.out)) - {"--help", "--laws"}
    assert options <= set(re.findall(r"--[a-z][a-z-]+", brief.out))


def test_help_reads_well_where_there_is_only_ascii() -> None:
    command = [sys.executable, "-m", "pliant.cli", "identify", "--help"]
    env = {**os.environ, "PYTHONIOENCODING": "ascii"}
    ended = subprocess.run(command, check=True, capture_output=True, env=env)
    assert "--hold-out" in ended.stdout.decode("ascii")


def test_evaluate_tells_each_log_and_all(pliant: Pliant, logs: list[Path]) -> None:
    ended = pliant("evaluate", "xl330_bam_m1", *logs)
    assert ended.code == 0
    assert "mean over logs" in ended.out
    assert "energy of 2 logs [J]" in ended.out
    assert logs[0].stem in ended.out


def test_evaluate_json_holds_errors_in_mrad_by_log(pliant: Pliant, logs: list[Path]) -> None:
    found = pliant("evaluate", "xl330_bam_m1", *logs, "--json").json
    assert set(found["logs"]) == {path.stem for path in logs}
    entry = found["logs"][logs[0].stem]
    assert (entry["trajectory"], entry["gain"]) == ("sin_time_square", 100.0)
    mean = sum(one["mae_mrad"] for one in found["logs"].values()) / 2
    assert found["mae_mrad"] == pytest.approx(mean)
    assert 1.0 < mean < 1000.0
    assert set(found["by_gain"]) == {"100", "200"}
    for one in found["energy_J"].values():
        assert one["electrical"] == pytest.approx(one["copper_loss"] + one["mechanical"])
        assert one["elastic"] is None


def test_evaluate_as_the_published_program_gives_its_figure(pliant: Pliant) -> None:
    folder = shipped()
    found = pliant("evaluate", "xl330_bam_m6", folder, "--reference", "--json").json
    assert found["mae_mrad"] == pytest.approx(70.9, abs=0.5)


def test_evaluate_with_the_measured_supply_gives_another_error(
    pliant: Pliant, logs: list[Path]
) -> None:
    nominal, measured = (
        pliant("evaluate", "xl330_bam_m1", logs[1], "--supply", supply, "--json").json["mae_mrad"]
        for supply in ("nominal", "measured")
    )
    assert nominal != measured


def test_identify_writes_an_actuator_that_evaluates_to_its_error(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    file = tmp_path / "found.toml"
    found = pliant(
        "identify",
        *logs,
        "--actuator",
        "xl330_bam_m1",
        "--law",
        "timing=command_delay,friction=m2",
        "--fit",
        "control.gain=0.001:0.005",
        "--fix",
        "motor.R",
        "--output",
        file,
        "--json",
        *TINY,
    ).json
    assert found["files"] == {"actuator": str(file)}
    assert {"timing.delay", "control.gain", "friction.K_cs"} <= set(found["identified"])
    assert "motor.R" not in found["identified"]
    assert found["parameters"]["control.gain"]["low"] == 0.001
    assert found["interrupted"] is False
    again = pliant("evaluate", file, *logs, "--json").json
    assert again["mae_mrad"] == pytest.approx(found["mae_mrad"])


def test_identify_keeps_held_out_logs_apart(pliant: Pliant, logs: list[Path]) -> None:
    found = pliant(
        "identify", *logs, "--actuator", "xl330_bam_m1", "--hold-out", "gain=200", "--json", *TINY
    ).json
    held_out = {name: entry["held_out"] for name, entry in found["logs"].items()}
    assert held_out == {logs[0].stem: False, logs[1].stem: True}
    assert found["held_out_mae_mrad"] == found["logs"][logs[1].stem]["mae_mrad"]
    assert found["mae_mrad"] == found["logs"][logs[0].stem]["mae_mrad"]


def test_identify_holds_each_group_out_in_turn(pliant: Pliant, logs: list[Path]) -> None:
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", "--hold-out", "gain", *TINY)
    found = pliant(*words, "--json").json
    assert set(found["held_out_in_turn"]) == {"gain=100", "gain=200"}
    assert not any(entry["held_out"] for entry in found["logs"].values())
    assert "held out in turn" in pliant(*words).out


def test_identify_writes_a_report(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    report = tmp_path / "new" / "report.html"
    ended = pliant("identify", *logs, "--actuator", "xl330_bam_m1", "--report", report, *TINY)
    assert ended.code == 0, ended.err
    assert f"wrote report {report}" in ended.out
    assert report.read_text().startswith("<!doctype html>")


def test_check_says_what_is_good(pliant: Pliant, logs: list[Path], arm: Path) -> None:
    package = shipped().parents[1]
    law, topology = package / "laws/motor/dc_voltage.py", package / "topologies/rigid_servo.py"
    actuator = package / "actuators/xl330_bam_m1.toml"
    found = pliant("check", logs[0], law, topology, actuator, arm, "--json").json
    assert found["ok"] is True
    kinds = [entry["kind"].partition(" ")[0] for entry in found["files"].values()]
    assert kinds == ["log", "law", "topology", "actuator", "model"]


def test_check_goes_on_after_an_error(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    ended = pliant("check", bad, logs[0], tmp_path / "gone.toml")
    assert ended.code == 1
    assert f"{bad}: log, 1 error" in ended.out
    assert f"{logs[0]}: log, usable, 1 warning" in ended.out
    assert "3 files: 2 cannot be used as they are, 1 warning" in ended.out


def test_check_reads_a_column_map(pliant: Pliant, tmp_path: Path) -> None:
    good, bad = tmp_path / "good.toml", tmp_path / "bad.toml"
    good.write_text('[columns]\ntime = "t[ms]"\nposition = "q"\n')
    bad.write_text('[columns]\ntime = "t[fortnight]"\nposition = "q"\n')
    ended = pliant("check", good, bad)
    assert ended.code == 1
    assert f"{good}: column map, good" in ended.out
    assert "is not a unit of time" in ended.out


def test_actuators_lists_names_and_sources(pliant: Pliant) -> None:
    found = pliant("actuators", "xl330_bam*", "--json").json["actuators"]
    assert set(found) == {f"xl330_bam_m{k}" for k in range(1, 7)}
    assert "Rhoban/bam" in found["xl330_bam_m4"]["source"]
    assert "xl330_bam_m4" in pliant("actuators", "xl330").out


def test_actuators_lists_laws(pliant: Pliant) -> None:
    out = pliant("actuators", "--laws").out
    assert "friction_budget" in out
    assert "series_elastic" in out


def test_show_tells_the_data_sheet(pliant: Pliant) -> None:
    said = pliant("show", "xl330_bam_m6").out.partition("data sheet ")[2]
    rows = [re.split(r" {2,}", line.strip()) for line in said.partition("\n\n")[0].splitlines()]
    assert ["stall torque", "0.6", "N m", "6", "30", "datasheet"] in rows
    assert ["gear ratio", "288.4", "1", "datasheet"] in rows
    sheet = pliant("show", "xl330_bam_m6", "--json").json["datasheet"]
    assert sheet[0]["fact"] == "stall_torque" and sheet[0]["voltage"] == 6.0
    assert pliant("show", "qbmove_maker_pro", "--json").json["datasheet"] == []


def test_show_tells_a_gain_of_zero(pliant: Pliant, tmp_path: Path) -> None:
    file = tmp_path / "still.toml"
    servo = load_actuator("xl330_bam_m6").with_values({"control.kp": 0.0}, "here", "assumed")
    file.write_text(actuator_text(servo))
    assert "control.kp is 0: it will not move" in pliant("show", file).err
    assert "will not move" not in pliant("show", "xl330_bam_m6").err


def test_show_tells_numbers_with_unit_and_source(pliant: Pliant) -> None:
    found = pliant("show", "xl330_bam_m6", "--json").json
    assert found["parameters"]["motor.k_t"]["unit"] == "N m/A"
    assert found["parameters"]["motor.k_t"]["meaning"] == "torque constant at the output"
    assert found["derived"]["stall_torque"] < found["derived"]["motor_torque"]
    assert "torque constant at the output" in pliant("show", "xl330_bam_m6").out


def test_simulate_moves_the_joint_to_its_goal(pliant: Pliant, arm: Path, tmp_path: Path) -> None:
    table = tmp_path / "motion.csv"
    words = ("simulate", arm, "--attach", "elbow=mx106_bam_m4", "--goal", "elbow=0.5")
    found = pliant(*words, "--duration", 1, "--step", 0.001, "--output", table, "--json").json
    assert found["steps"] == 1000
    assert found["joints"]["elbow"]["final"] == pytest.approx(0.5, abs=0.1)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) == 1001
    assert float(rows[-1]["time"]) == 1.0
    assert float(rows[-1]["elbow"]) == pytest.approx(found["joints"]["elbow"]["final"], abs=1e-6)


def test_simulate_follows_a_table_of_commands(pliant: Pliant, arm: Path, tmp_path: Path) -> None:
    table = tmp_path / "commands.csv"
    table.write_text("\ufefftime [ms];elbow [mrad]\r\n0;400,0\r\n1000;-400\r\n")
    words = ("simulate", arm, "--attach", "elbow=mx106_bam_m4", "--command", table)
    joint = pliant(*words, "--duration", 2, "--json").json["joints"]["elbow"]
    assert joint["high"] == pytest.approx(0.4, abs=0.1)
    assert joint["final"] == pytest.approx(-0.4, abs=0.1)


def test_the_logs_of_the_demo_are_copied_and_nothing_is_written_over(
    pliant: Pliant, tmp_path: Path
) -> None:
    ended = pliant("demo", "--logs-to", tmp_path / "logs")
    assert (ended.code, ended.out) == (0, f"wrote 12 logs to {tmp_path / 'logs'}\n")
    copied = {path.name: path.read_bytes() for path in (tmp_path / "logs").iterdir()}
    assert copied == {path.name: path.read_bytes() for path in example_logs()}
    assert "exists already" in refusal(pliant("demo", "--logs-to", tmp_path / "logs"))
    assert pliant("demo", "--robot", "so101", "--logs-to", tmp_path / "arm").code == 0
    assert pliant("check", tmp_path / "arm").code == 0


def test_demo_goes_the_whole_way_and_fits_on_a_screen(
    pliant: Pliant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = SearchSettings(starts=1, jacobians=1)
    few = [path for path in example_logs() if path.stem.endswith(FEW)]
    monkeypatch.setattr("pliant.cli.demo.example_logs", lambda: few)
    monkeypatch.setattr(pliant_demo, "quick_settings", lambda: tiny)
    results: list[Any] = []  # what --json would print
    monkeypatch.setattr(Terminal, "result", lambda _, values: results.append(values))
    ended = pliant("demo", "--quick", "--output", tmp_path / "d")
    assert ended.code == 0
    (found,) = results
    assert len(found["logs"]) == len(FEW)
    for entry in found["logs"].values():
        assert {"mae_mrad", "mae_mrad_mujoco", "difference_mrad"} <= set(entry)
    assert load_actuator(Path(found["files"]["actuator"])).name == "xl330_identified"
    assert Path(found["files"]["report"]).stat().st_size < 8e6
    verdict = found["verdict"]
    assert verdict["held_out_mrad"] < verdict["begun_unseen_mrad"]
    assert verdict["fitted_mrad"] == pytest.approx(found["mae_mrad"])
    assert verdict["step_mrad"] == pytest.approx(2e3 * pi / 4096, rel=1e-3)
    assert set(found["took"]) == {"search", "held-out fit", "MuJoCo and report"}

    lines = ended.out.strip().splitlines()
    wrapped = [part for line in lines for part in textwrap.wrap(line, 80) or [""]]
    assert len(wrapped) <= 34  # and six on stderr
    assert lines[0].startswith("Predicts gain 800, not seen by the fit, to ")
    marks = ["mean absolute error", "pliant.attach(", "Not known:", "wrote report"]
    assert [k for mark in marks for k, line in enumerate(lines) if mark in line] == sorted(
        k for mark in marks for k, line in enumerate(lines) if mark in line
    )


def test_the_fit_that_tests_may_be_skipped(pliant: Pliant, logs: list[Path]) -> None:
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", "--json", *TINY)
    assert pliant(*words).json["verdict"]["unseen"] == "gain 200"
    assert pliant(*words, "--no-test").json["verdict"]["held_out_mrad"] is None


def test_verbose_tells_every_log_and_parameter(pliant: Pliant, logs: list[Path]) -> None:
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", *TINY)
    brief, whole = pliant(*words).out, pliant(*words, "--verbose").out
    assert logs[0].stem in whole and "motor.k_t" in whole
    assert logs[0].stem not in brief


def test_json_goes_to_stdout_and_everything_else_does_not(pliant: Pliant, logs: list[Path]) -> None:
    ended = pliant("identify", *logs, "--actuator", "xl330_bam_m1", "--json", *TINY)
    assert json.loads(ended.out)
    assert "searching" in ended.err


def test_a_reader_that_goes_away_is_no_error() -> None:
    command = f"{sys.executable} -m pliant.cli actuators --laws | head -1"
    ended = subprocess.run(command, check=False, shell=True, capture_output=True, text=True)
    assert "Traceback" not in ended.stderr
    assert ended.stdout.startswith("family")


def test_actuator_of_outside_may_be_named_by_its_path(pliant: Pliant, tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(actuator_text(load_actuator("xl330_bam_m1")))
    assert pliant("show", path, "--json").json["name"] == "mine"


def test_identify_says_how_sure_it_is(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    file = tmp_path / "servo.toml"
    found = pliant(
        "identify",
        *logs,
        "--actuator",
        "xl330_bam_m1",
        "--output",
        file,
        "--json",
        *TINY[:-1],
    ).json
    low, high = found["intervals_90"]["friction.K_c"]
    assert low <= found["parameters"]["friction.K_c"]["value"] <= high
    recorded = load_actuator(file).identification["intervals_90"]
    assert recorded == found["intervals_90"]
