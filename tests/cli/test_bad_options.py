"""Options that make no sense, and faults of Pliant's own."""

from pathlib import Path

import pytest

from pliant.cli import main

from .conftest import Pliant, refusal


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--law", "friction"],
            "--law: cannot be read; found 'friction'; accepted: port=law, such as friction=m4",
        ),
        (["--law", "gear=m4"], "--law: topology rigid_servo has no such port; found 'gear'; "),
        (["--law", "friction=m44"], "unknown friction_budget law; found 'm44'; did you mean 'm4'"),
        (["--fit", "motor.r"], "fit or fix: no such parameter; found 'motor.r'; "),
        (
            ["--fit", "motor.R=5:1"],
            "--fit: bounds out of order; found 'motor.R=5:1'; accepted: low less than high",
        ),
        (["--fit", "motor.R=1:x"], "--fit: is not a number; found 'x'"),
        (["--hold-out", "gain=300"], "--hold-out: holds out no log; found '300'; "),
        (
            ["--hold-out", "temperature"],
            "--hold-out: cannot be held out; found 'temperature'; "
            "accepted: gain, length, load, log, trajectory",
        ),
        (
            ["--reading", "zero_by=weekday"],
            "--reading: zero_by: is not a choice; found 'weekday'; did you mean 'day'?; ",
        ),
        (
            ["--reading=recorder_by=weekday"],
            "--reading: recorder_by: is not a choice; found 'weekday'; did you mean 'day'?; ",
        ),
        (
            ["--plan", "step=0"],
            "--plan: step: should be greater than or equal to 0.00001; found 0.0",
        ),
        (["--plan", "step=1e-12"], "--plan: step: should be greater than or equal to 0.00001; "),
        (
            ["--actuator", "elbow=xl330_bam_m6"],
            "is an actuator of a robot's joint; found 'elbow=xl330_bam_m6'; accepted: xl330_bam_m6, or --robot",
        ),
        (["--starts", "0"], "--starts: should be greater than or equal to 1; found 0"),
        (
            ["--reading", "mass=-1"],
            "--reading: mass: should be greater than or equal to 0; found -1.0",
        ),
        (["--reading", "mass=nan"], "--reading: mass: should be a finite number; found nan"),
        (
            ["--starts", "1000001"],
            "--starts: should be less than or equal to 1000000; found 1000001",
        ),
        (["--output", ""], "--output: has an empty value; found ''"),
        (["--report="], "--report: has an empty value; found '--report='"),
        (
            ["--reading", "sampling=lineal"],
            "--reading: sampling: is not a choice; found 'lineal'; did you mean 'linear'",
        ),
        (["--overwrite=no"], "--overwrite: takes no value; found 'no'"),
        (["--repair", "tme"], "--repair: is not a repair; found 'tme'; did you mean 'time'?"),
        (
            ["--prior", "stall_torque=0.6"],
            "datasheet.stall_torque.voltage: is missing; accepted: volts",
        ),
        (["--output", "x.json"], "--output: wrong kind of file; found 'x.json'; accepted: *.toml"),
    ],
)
def test_option(pliant: Pliant, logs: list[Path], words: list[str], said: str) -> None:
    line = refusal(pliant("identify", *logs, "--actuator", "xl330_bam_m1", *words))
    assert line.startswith(said), line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--mass", "nan"], "--mass: is not a number; found 'nan'"),
        (["--mass", "0.2", "--reach", "inf"], "--reach: is not a finite number; found inf"),
        (["--mass", "0.2", "--max-torque", "0"], "--max-torque: out of range; found 0.0"),
    ],
)
def test_numbers_of_a_plan(pliant: Pliant, words: list[str], said: str) -> None:
    line = refusal(pliant("plan", "xl330_bam_m1", "--length", "0.1", *words))
    assert line.startswith(said), line


def test_a_plan_is_for_servos_with_a_gain(pliant: Pliant) -> None:
    line = refusal(pliant("plan", "ak80_6_dfki_m1", "--mass", "0.2", "--length", "0.1"))
    assert line.startswith("ACTUATOR: has no P-gain: a plan is for servos"), line


@pytest.mark.parametrize(
    ("actuator", "said"),
    [
        ("xl330_bam_m1", "pliant record --servo xl330 --port DEVICE"),
        ("feetech_sts3215_7_4V_bam_m1", "pliant record --servo sts3215 --port DEVICE"),
        ("erob80_50_bam_m1", "`pliant record` does not know this servo (erob80_50)"),
    ],
)
def test_the_lines_of_a_plan_are_for_its_servo(pliant: Pliant, actuator: str, said: str) -> None:
    ended = pliant("plan", actuator, "--mass", "0.2", "--length", "0.1", "--runs", "1")
    assert said in ended.out
    assert ("pliant record --servo" in ended.out) == said.startswith("pliant record")


def test_packages_that_there_are_not(pliant: Pliant, arm: Path) -> None:
    line = refusal(pliant("simulate", arm, "--packages", "nowhere"))
    assert line.startswith("--packages: is not a folder; found 'nowhere'"), line


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("export xl330_bam_m6 --to c", "OUTPUT: is missing; accepted: File to write"),
        ("export xl330_bam_m6 a.h", "--to: is missing; accepted: c; fmu2, fmu3; mjcf"),
        ("export xl330_bam_m6 a.h --to --name b", "--to: has no value; accepted: c; fmu2"),
        ("export xl330_bam_m6 a.h b.h --to c", "takes no such argument; found 'b.h'"),
        ("identify --seeds 1", "no such option; found '--seeds'; did you mean '--seed'?"),
        ("identify logs -o a.toml", "no such option; found '-o'; accepted: --output, --overwrite"),
        ("identify --starts 2.5", "--starts: is not a number; found '2.5'; accepted: a whole"),
        ("exprot --help", "no such command; found 'exprot'; did you mean 'export'"),
    ],
)
def test_command_line_that_cannot_be_read(pliant: Pliant, words: str, said: str) -> None:
    ended = pliant(*words.split())
    assert (ended.code, ended.err.count("\n")) == (2, 1), ended.err
    assert ended.err.startswith(f"pliant: {said}"), ended.err
    ended = pliant(*words.split(), "--json")
    assert ended.code == 2 and ended.json["error"].startswith(said)


def test_fault_of_pliant_asks_for_a_report(
    pliant: Pliant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str) -> None:
        raise ZeroDivisionError("wheel\nfell off")

    monkeypatch.delenv("PLIANT_DEBUG", raising=False)
    monkeypatch.setattr("pliant.cli.show.load_actuator", broken)
    line = refusal(pliant("show", "xl330_bam_m1"))
    assert line.startswith(
        "unexpected ZeroDivisionError: wheel fell off; this is a fault of Pliant"
    )
    assert main(["show", "xl330_bam_m1", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err
