"""What bad input gets: one line that says what, where, and what is accepted; never a traceback."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import main
from pliant.cli.evaluate import mrad
from pliant.io.actuator_file import actuator_text, load_actuator

from .conftest import TINY, Ended, Pliant


def refusal(ended: Ended) -> str:
    """The one line on stderr, and nothing on stdout."""
    assert ended.code == 1
    assert ended.out == ""
    lines = [line for line in ended.err.splitlines() if line.startswith("pliant: ")]
    assert len(lines) == 1, ended.err
    return lines[0].removeprefix("pliant: ")


@pytest.fixture
def spoilt(tmp_path: Path, recording: dict[str, Any]) -> Callable[[Callable[[Any], Any]], Path]:
    def write(spoil: Callable[[Any], Any]) -> Path:
        spoil(recording)
        path = tmp_path / "run.json"
        path.write_text(json.dumps(recording))
        return path

    return write


# Logs


def test_truncated_json(pliant: Pliant, tmp_path: Path, recording: dict[str, Any]) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(recording)[:1000])
    text = refusal(pliant("evaluate", "xl330_bam_m1", path))
    assert text.startswith(f"{path}: line 1, column ")
    assert text.endswith("the file ends before its JSON does (was the recording cut off?)")


def test_log_without_entries(pliant: Pliant, spoilt: Any) -> None:
    def empty(run: dict[str, Any]) -> None:
        run["entries"] = []

    path = spoilt(empty)
    text = refusal(pliant("evaluate", "xl330_bam_m1", path))
    assert text == f"{path}: entries: has no entries; accepted: one per sample"


def test_nan_in_position(pliant: Pliant, spoilt: Any) -> None:
    def puncture(run: dict[str, Any]) -> None:
        run["entries"][17]["position"] = float("nan")

    path = spoilt(puncture)
    text = refusal(pliant("evaluate", "xl330_bam_m1", path))
    assert text == (
        f"{path}: position: 1 value is not finite (first at entries[17], t = 0.095 s); "
        "accepted: repair 'nan': each is interpolated from its neighbours"
    )
    assert pliant("evaluate", "xl330_bam_m1", path, "--repair", "nan").code == 0


def test_log_that_is_not_there(pliant: Pliant, tmp_path: Path) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1", tmp_path / "run.json"))
    assert text == f"{tmp_path}/run.json: does not exist"


def test_no_logs(pliant: Pliant) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1"))
    assert text == "LOGS: no logs; accepted: files (*.json, *.csv), or folders of them"


def test_the_same_log_twice(pliant: Pliant, logs: list[Path]) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1", logs[0], logs[0]))
    assert text == f"{logs[0]}: is given twice"


def test_numbers_of_a_log_outside_the_laws_ranges(pliant: Pliant, logs: list[Path]) -> None:
    for option, found, accepted in (
        ("mass", "1e+300", "0 to 100 kg"),
        ("length", "100.0", "0.001 to 10 m"),
        ("arm-mass", "101.0", "0 to 100 kg"),
        ("gain", "1e+300", "0 to 100000"),
    ):
        text = refusal(pliant("evaluate", "xl330_bam_m1", logs[0], f"--{option}", found))
        name = option.replace("-", "_")
        assert text == f"{logs[0]}: {name}: out of range; found {found}; accepted: {accepted}"


def test_an_empty_folder_hides_no_other_file(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    ended = pliant("check", logs[0], tmp_path, logs[1], "--json")
    assert ended.code == 1
    files = ended.json["files"]
    assert [files[str(path)]["ok"] for path in (logs[0], tmp_path, logs[1])] == [True, False, True]
    message = files[str(tmp_path)]["findings"][0]["message"]
    assert message.startswith("has nothing to check; accepted: *.csv, *.json, ")


def test_huge_errors_are_short() -> None:
    assert [mrad(x) for x in (0.0123, 999.0, 1e300, float("nan"))] == [
        "12.3", "999000.0", "1e+303", "diverged",
    ]  # fmt: skip


def test_unknown_repair(pliant: Pliant, logs: list[Path]) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1", logs[0], "--repair", "dropouts"))
    assert text.startswith("repair: is not a repair; found 'dropouts'; did you mean 'dropout'?")


# Actuators and laws


def test_unknown_actuator(pliant: Pliant, logs: list[Path]) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m7", logs[0]))
    assert text.startswith("unknown actuator; found 'xl330_bam_m7'; did you mean 'xl330_bam_m")
    assert "accepted: erob80_100_bam_m1," in text


def test_unknown_actuator_as_json(pliant: Pliant, logs: list[Path]) -> None:
    ended = pliant("evaluate", "xl330_bam_m7", logs[0], "--json")
    assert ended.code == 1
    assert ended.json["problem"] == "unknown actuator"
    assert ended.json["found"] == "'xl330_bam_m7'"
    assert "xl330_bam_m6" in ended.json["nearest"]
    assert ended.err == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"N m/A"', '"N m"',
         "parameters.motor.k_t.unit: wrong unit; found 'N m'; accepted: \"N m/A\""),
        ("k_t = {", "k_q = {",
         "parameters.motor: motor dc_voltage has no such parameter; found 'k_q'; did you mean "
         "'k_t'?; accepted: R, k_t"),
        ("\nR = {",
         '\nR_w = {value = 1.0, unit = "Ohm", source = "published", how = "assumed"}\nR = {',
         "parameters.motor: motor dc_voltage has no such parameter; found 'R_w'; accepted: R, k_t"),
        ('unit = "N m/A", source = "published"', 'unit = "N m/A"',
         "parameters.motor.k_t.source: is missing"),
        ('unit = "N m/A", source = "published"', 'unit = "N m/A", source = "hearsay"',
         "parameters.motor.k_t.source: names no source of this file; found 'hearsay'; accepted: "
         "default, firmware, published"),
        ("[motor]", "[motor", "is not TOML; found "),
    ],
)  # fmt: skip
def test_actuator_file(pliant: Pliant, tmp_path: Path, old: str, new: str, said: str) -> None:
    text = actuator_text(load_actuator("xl330_bam_m1")).replace("[parameters.motor]", "[motor]")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new).replace("[motor]", "[parameters.motor]"))
    line = refusal(pliant("show", path))
    assert line.startswith(f"{path}: {said}"), line
    ended = pliant("check", path)
    assert ended.code == 1
    assert said.partition("; ")[0] in ended.out


def test_actuator_that_misses_a_parameter(pliant: Pliant, tmp_path: Path) -> None:
    text = actuator_text(load_actuator("xl330_bam_m1"))
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(r"\nk_t = .*", "", text))
    assert refusal(pliant("show", path)) == (
        f"{path}: parameters.motor.k_t: parameter is missing; accepted: "
        '{ value = ..., unit = "N m/A", source = ..., how = ... }'
    )


LAW = '''"""Friction of mine."""
from typing import Annotated, NamedTuple
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c
'''


@pytest.fixture
def law(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(LAW)
    return path


def test_law_of_ones_own_is_accepted(pliant: Pliant, law: Path, logs: list[Path]) -> None:
    assert f"{law}: law (friction_budget), good" in pliant("check", law).out
    words = ("--actuator", "xl330_bam_m1", "--law", f"friction={law}", "--json")
    found = pliant("identify", logs[0], *words, *TINY).json
    assert "friction.K_c" in found["identified"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("from typing", "import numpy\nfrom typing",
         "line 2: a law imports only math, typing and other laws; found 'numpy'"),
        ("    return p.K_c", "    for k in range(3):\n        v = v * v\n    return p.K_c",
         "line 6: outside the subset of Python that laws are written in; found 'a loop'"),
        ("p: P) -> float", "p: P) -> float\n", "line 5: is not Python"),
        ("def budget", "def friction", "budget: friction_budget law without the right budget(); "
         "found 'nothing'; accepted: budget(v, tau_m, tau_e, p)"),
    ],
)  # fmt: skip
def test_law(pliant: Pliant, law: Path, logs: list[Path], old: str, new: str, said: str) -> None:
    law.write_text(LAW.replace(old, new))
    words = ("--actuator", "xl330_bam_m1", "--law", f"friction={law}")
    line = refusal(pliant("identify", logs[0], *words, *TINY))
    assert line.startswith(f"{law}: {said}"), line
    ended = pliant("check", law)
    assert ended.code == 1
    family = "offers the functions of no family of laws"
    assert (said.partition("; ")[0] if new != "def friction" else family) in ended.out


# Options


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--law", "friction"], "--law: cannot be read; found 'friction'; accepted: port=law, such "
         "as friction=m4"),
        (["--law", "gear=m4"], "law: topology rigid_servo has no such port; found 'gear'; "),
        (["--law", "friction=m44"], "unknown friction_budget law; found 'm44'; did you mean 'm4'"),
        (["--fit", "motor.r"], "fit or fix: no such parameter; found 'motor.r'; "),
        (["--fit", "motor.R=5:1"], "--fit: bounds out of order; found 'motor.R=5:1'; accepted: low "
         "less than high"),
        (["--fit", "motor.R=1:x"], "--fit: is not a number; found 'x'"),
        (["--hold-out", "gain=300"], "hold-out: holds out no log; found '300'; "),
        (["--hold-out", "temperature"], "--hold-out: cannot be held out; found 'temperature'; "
         "accepted: gain, load, log, trajectory"),
        (["--step", "0"], "--step: out of range; found 0.0; accepted: 1e-05 to 1 s"),
        (["--step", "1e-12"], "--step: out of range; found 1e-12; accepted: 1e-05 to 1 s"),
        (["--starts", "0"], "--starts: out of range; found 0; accepted: ≥ 1"),
        (["--mass", "-1"], "options: mass: "),
        (["--output", "x.json"], "--output: wrong kind of file; found 'x.json'; accepted: *.toml"),
    ],
)  # fmt: skip
def test_option(pliant: Pliant, logs: list[Path], words: list[str], said: str) -> None:
    line = refusal(pliant("identify", *logs, "--actuator", "xl330_bam_m1", *words))
    assert line.startswith(said), line


def test_command_line_that_cannot_be_read(pliant: Pliant) -> None:
    assert pliant("identify", "--seeds", "1").code == 2
    ended = pliant("frobnicate", "--json")
    assert ended.code == 2
    assert ended.json == {"error": "the command line cannot be read; see stderr"}


def test_fault_of_pliant_asks_for_a_report(
    pliant: Pliant, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(name: str) -> None:
        raise ZeroDivisionError("wheel\nfell off")

    monkeypatch.delenv("PLIANT_DEBUG", raising=False)
    monkeypatch.setattr("pliant.io.actuator_file.load_actuator", broken)
    line = refusal(pliant("show", "xl330_bam_m1"))
    assert line.startswith(
        "unexpected ZeroDivisionError: wheel fell off; this is a fault of Pliant"
    )
    assert main(["show", "xl330_bam_m1", "--debug"]) == 1
    assert "Traceback" in capsys.readouterr().err


# Robots


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--attach", "elbo=xl330_bam_m4"],
         "joint: no such joint in the model; found 'elbo'; did you mean 'elbow'?; accepted: elbow, "
         "wrist"),
        (["--attach", "elbow=xl330_bam_m4", "elbow=xl330_bam_m1"],
         "joint elbow: two actuators on one joint; "),
        (["--attach", "wrist=xl330_bam_m4"],
         "joint wrist: only a joint with one degree of freedom can have an actuator's friction; "
         "found 'ball'; accepted: hinge, slide"),
        (["--attach", "elbow"],
         "--attach: cannot be read; found 'elbow'; accepted: joint=actuator"),
        (["--attach", "elbow=xl330_bam_m4", "--goal", "wrist=1"],
         "--goal: no actuator is attached to this joint; found 'wrist'; accepted: elbow"),
        ([], "--attach: nothing is attached; accepted: joint=actuator"),
        (["--attach", "elbow=xl330_bam_m4", "--goal", "elbow=1e7"],
         "--goal: out of range; found 10000000.0; accepted: -1e+06 to 1e+06"),
        (["--attach", "elbow=xl330_bam_m4", "--output", "arm.xml"],
         "--output: wrong kind of file; found 'arm.xml'; accepted: *.csv"),
    ],
)  # fmt: skip
def test_robot(pliant: Pliant, arm: Path, words: list[str], said: str) -> None:
    line = refusal(pliant("simulate", arm, *words))
    assert line.startswith(f"{arm}: {said}" if said.startswith("joint") else said), line


def test_divergence_leaves_nothing_behind(
    arm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stiff = 'axis="0 -1 0" stiffness="1e12" springref="90"'
    arm.write_text(arm.read_text().replace('axis="0 -1 0"', stiff))
    words = ["simulate", str(arm), "--attach", "elbow=xl330_bam_m4", "--timestep", "0.1"]
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
    assert line.startswith(f"{path}: MuJoCo refuses it; found ")
    assert pliant("check", path).code == 1


def test_commands_that_are_no_table(pliant: Pliant, arm: Path, tmp_path: Path) -> None:
    table = tmp_path / "commands.csv"
    words = ("simulate", arm, "--attach", "elbow=xl330_bam_m4", "--command", table)
    table.write_text("time,elbow\n0,1\n0,2\n")
    assert refusal(pliant(*words)) == f"{table}: line 3: time does not increase"
    table.write_text("time,elbow\n0,fast\n")
    assert refusal(pliant(*words)) == f"{table}: line 2, elbow: is not a number; found 'fast'"


# Places to write to


def test_output_that_exists(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("precious")
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", "--output", path, *TINY)
    line = refusal(pliant(*words))
    assert line == f"{path}: exists already; accepted: another name, or --overwrite"
    assert path.read_text() == "precious"
    assert pliant(*words, "--overwrite").code == 0
    assert "precious" not in path.read_text()


@pytest.mark.parametrize("option", ["--output", "--report"])
def test_folder_that_cannot_be_written(pliant: Pliant, logs: list[Path], option: str) -> None:
    name = "mine.toml" if option == "--output" else "mine.html"
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", option, f"/proc/pliant/{name}")
    began = time.monotonic()
    line = refusal(pliant(*words))
    assert line.startswith("/proc/pliant: cannot be written; found 'No such file or directory'")
    assert line.endswith("accepted: a folder that this user may write, with space left")
    assert time.monotonic() - began < 5.0  # before the search, not after it


def test_folder_that_is_a_file(pliant: Pliant, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    line = refusal(pliant("demo", "--output-dir", tmp_path / "file" / "demo"))
    assert line.startswith(f"{tmp_path}/file/demo: cannot be written; found 'Not a directory'")


# Ctrl-C


def interrupted(words: list[str], ready: str) -> tuple[int, str, str]:
    """Run a command and send SIGINT once `ready` has stood on stderr."""
    environment = os.environ | {"PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pliant.cli", *words], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip
    assert process.stderr is not None
    seen = ""
    for line in process.stderr:
        seen += line
        if ready in line:
            break
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, seen + err


LONG = ["--generations", "100000", "--starts", "1"]


def test_ctrl_c_keeps_the_best_so_far(logs: list[Path], tmp_path: Path) -> None:
    output, report = tmp_path / "best.toml", tmp_path / "best.html"
    words = ["identify", *map(str, logs), "--actuator", "xl330_bam_m1", *LONG, "--json",
             "--output", str(output), "--report", str(report)]  # fmt: skip
    code, out, err = interrupted(words, "% of the plan")
    assert code == 130, err
    found = json.loads(out)
    assert found["interrupted"] is True
    assert found["files"] == {"actuator": str(output), "report": str(report)}
    assert f"interrupted: kept the best so far ({found['mae_mrad']:.1f} mrad) in {output}" in err
    assert load_actuator(output).identification["interrupted"] is True
    assert report.read_text().endswith("</html>\n")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["best.html", "best.toml"]


def test_ctrl_c_before_anything_was_found(logs: list[Path], tmp_path: Path) -> None:
    output = tmp_path / "best.toml"
    words = ["identify", *map(str, logs), "--actuator", "xl330_bam_m1", *LONG,
             "--output", str(output)]  # fmt: skip
    code, out, err = interrupted(words, "to fit")
    assert "Traceback" not in err
    assert code == 130
    if output.exists():  # the compiled search was in the cache, and quicker than the signal
        assert load_actuator(output).identification["interrupted"] is True
        return
    assert err.splitlines()[-1] == "pliant: interrupted; nothing was kept"
    assert out == ""
    assert list(tmp_path.iterdir()) == []
