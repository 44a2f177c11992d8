"""Recordings from emulated servos: what is on disk, and how servos are left, whatever ends it."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main
from pliant.engines.mujoco.batch.trials import replay
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.log import read_log
from pliant.io.robot_logs import read_robot_log
from pliant.record.emulated_bus import Emulated, EmulatedBus
from pliant.record.journal import JointJournal, RobotJournal

PENDULUM = ["--mass", "0.2", "--length", "0.1"]
SAMPLES = 30
"""Of a recording that something ends: few enough for a busy machine."""


@pytest.fixture(scope="module")
def bus() -> Iterator[EmulatedBus]:
    with EmulatedBus([Emulated("xl330_bam_m6", "xl330", k, 0.2, 0.1) for k in (1, 2)]) as bus:
        yield bus


def words(bus: EmulatedBus, folder: Path, *more: str) -> list[str]:
    start = ["record", "--port", bus.port, "--motion", "fast", "--output", str(folder)]
    start += [] if "--max-current" in more else ["--max-current", "6"]
    return [*start, *PENDULUM, *more]


def test_a_recording_is_a_log_of_the_actuator_behind_the_bus(
    bus: EmulatedBus, tmp_path: Path
) -> None:
    assert main(words(bus, tmp_path, "--gain", "800", "--duration", "2")) == 0
    log = read_log(tmp_path / "fast_kp800.json")
    assert (log.gain, log.mass, log.supply) == (800.0, 0.2, pytest.approx(7.4))
    # How well, the tests in virtual time say: here every other program on the machine counts.
    simulated = replay(load_actuator("xl330_bam_m6"), log)
    assert np.corrcoef(simulated, log.position)[0, 1] > 0.9
    said = json.loads((tmp_path / "fast_kp800.json").read_text())
    assert said["registers"]["position_p_gain"] == 800
    assert said["registers"]["model_number"] == 1200
    first = said["entries"][0]
    assert first["write_begin"] < first["write_end"] <= first["read_begin"] < first["read_end"]
    assert bus.state(1)["torque_enable"] == 0


def test_several_servos_become_a_robot_s_recording(
    bus: EmulatedBus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(words(bus, tmp_path, "--id", "1=left,2=right", "--duration", "1"))
    assert code == 0, capsys.readouterr().err
    log = read_robot_log(tmp_path / "fast.csv")
    assert log.joints == ("left", "right")
    assert set(log.others) == {"duty", "voltage", "temperature"}
    kept = json.loads((tmp_path / "fast.registers.json").read_text())
    assert kept["right"]["id"] == 2


def test_held_is_held(bus: EmulatedBus, tmp_path: Path) -> None:
    assert main(words(bus, tmp_path, "--duration", "0.5", "--safe", "hold")) == 0
    assert bus.state(1)["torque_enable"] == 1


def test_a_limit_ends_it_with_torque_off_and_the_samples_kept(
    bus: EmulatedBus, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words(bus, tmp_path, "--max-current", "1.0")) == 1
    assert "current is beyond its limit: stopped" in capsys.readouterr().err
    assert json.loads((tmp_path / "fast.json").read_text())["entries"]
    assert bus.state(1)["torque_enable"] == 0


def begun(bus: EmulatedBus, folder: Path, samples: int = SAMPLES) -> subprocess.Popen[bytes]:
    """A recording in a process of its own, that has come some way."""
    # Tests that run in the background of a shell ignore Ctrl-C, and what they begin would too.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(
        [sys.executable, "-m", "pliant.cli", *words(bus, folder)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    signal.signal(signal.SIGINT, before)
    file = folder / "fast.json"
    while process.poll() is None:
        if file.exists() and file.read_bytes().count(b"timestamp") > samples + 5:
            return process
        time.sleep(0.05)
    raise AssertionError(process.communicate()[1])


def test_ctrl_c_takes_torque_off_and_keeps_the_samples(bus: EmulatedBus, tmp_path: Path) -> None:
    process = begun(bus, tmp_path)
    assert bus.state(1)["torque_enable"] == 1
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=120)
    assert process.returncode == 130
    assert len(read_log(tmp_path / "fast.json").time) > SAMPLES
    assert bus.state(1)["torque_enable"] == 0


def test_ctrl_c_between_two_motions_says_what_is_kept(
    bus: EmulatedBus,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    begin, begun = JointJournal.begin, list[str]()

    def stopped(journal: JointJournal) -> None:
        if journal.path.stem not in begun:
            begun.append(journal.path.stem)
        begin(journal)
        if len(begun) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(JointJournal, "begin", stopped)
    assert main(words(bus, tmp_path, "--gain", "100,200", "--duration", "0.5")) == 130
    assert f"pliant: interrupted; 1 recording is in {tmp_path}" in capsys.readouterr().err
    assert [one.name for one in tmp_path.glob("[!.]*")] == ["fast_kp100.json"]
    assert bus.state(1)["torque_enable"] == 0


def test_after_kill_9_the_guard_takes_torque_off(bus: EmulatedBus, tmp_path: Path) -> None:
    process = begun(bus, tmp_path)
    process.kill()
    process.communicate()
    assert len(read_log(tmp_path / "fast.json").time) > SAMPLES
    for _ in range(1200):
        if bus.state(1)["torque_enable"] == 0:
            break
        time.sleep(0.05)
    assert bus.state(1)["torque_enable"] == 0


def test_a_pulled_cable_is_one_line_and_the_samples_are_kept(tmp_path: Path) -> None:
    with EmulatedBus([Emulated("xl330_bam_m6", "xl330", 1)]) as bus:
        process = begun(bus, tmp_path)
        bus.pull()
        _, said = process.communicate(timeout=120)
    assert process.returncode == 1
    assert b"the port is gone" in said or b"do not answer" in said
    assert b"Traceback" not in said
    assert len(read_log(tmp_path / "fast.json").time) > SAMPLES


ENTRY = {"timestamp": 0.0, "position": 0.1, "goal_position": 0.2, "torque_enable": True}
HEADER = {"mass": 0.5, "length": 0.1, "kp": 100, "vin": 7.4}


def test_after_each_sample_the_file_is_whole(tmp_path: Path) -> None:
    with JointJournal(tmp_path / "a.json", HEADER) as journal:
        journal.begin()
        assert json.loads((tmp_path / "a.json").read_text()) == HEADER | {"entries": []}
        for k in range(12):
            journal.append(ENTRY | {"timestamp": 0.01 * k})
            assert len(json.loads((tmp_path / "a.json").read_text())["entries"]) == k + 1
    assert len(read_log(tmp_path / "a.json").time) == 12
    with pytest.raises(PliantError, match="exists already"):
        JointJournal(tmp_path / "a.json", HEADER)


def test_a_recording_without_a_sample_leaves_nothing_in_its_way(tmp_path: Path) -> None:
    for began in (False, True):
        with JointJournal(tmp_path / "a.json", HEADER) as joint:
            if began:
                joint.begin()
                place = joint.place()
                joint.append(ENTRY)
                joint.back_to(place)  # its torque was off
        with RobotJournal(tmp_path / "a.csv", ["time"], "{}") as robot:
            assert not list(tmp_path.iterdir())
            if began:
                robot.begin()
                assert len(list(tmp_path.iterdir())) == 2
        assert not list(tmp_path.iterdir())
    with RobotJournal(tmp_path / "a.csv", ["time"], "{}") as robot:
        robot.append([0.0])
    assert sorted(one.name for one in tmp_path.iterdir()) == ["a.csv", "a.registers.json"]
    (tmp_path / "a.csv").unlink()
    with pytest.raises(PliantError, match="exists already"):
        RobotJournal(tmp_path / "a.csv", ["time"], "{}")


FULL = """
import resource, sys
from pathlib import Path
from pliant.errors import PliantError
from pliant.record.journal import JointJournal, RobotJournal
resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
path, kind = Path(sys.argv[1]), sys.argv[2]
entry = {"position": 0.1, "goal_position": 0.2, "torque_enable": True}
header = {"mass": 0.5, "length": 0.1, "kp": 100, "vin": 7.4}
joint = kind == "joint"
try:
    with JointJournal(path, header) if joint else RobotJournal(path, ["time", "position_a"]) as log:
        for k in range(1000):
            log.append({"timestamp": 0.01 * k, **entry} if joint else [0.01 * k, 0.5 + k])
except PliantError as error:
    print(error)
"""


@pytest.mark.parametrize("kind", ["joint", "robot"])
def test_a_full_disk_leaves_what_was_written(tmp_path: Path, kind: str) -> None:
    """A limit on the size of files stands for the disk's end; it holds for a process of its own."""
    path = tmp_path / ("a.json" if kind == "joint" else "a.csv")
    words = [sys.executable, "-c", FULL, str(path), kind]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert "cannot be written further" in done.stdout
    log = read_log(path) if kind == "joint" else read_robot_log(path)
    assert len(log.time) > 20


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ["--servo", "xl33"],
            "unknown kind of servo; found 'xl33'; did you mean 'xl330'",
        ),
        (["--id", "300"], "--id: is not an id, or is given twice; found '300'"),
        (["--motion", "fats"], "no such motion; found 'fats'; did you mean 'fast'"),
        (["--channels", "torque"], "--channels: no such reading; found 'torque'"),
        (["--reach", "9"], "--reach: out of range; found 9.0"),
        (["--id", "7"], "servo 7: does not answer"),
        (["--servo", "sts3215"], "does not answer"),
    ],
)
def test_a_wrong_option_is_one_line(
    bus: EmulatedBus,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    message: str,
) -> None:
    assert main([*words(bus, tmp_path), *more]) == 1
    said = capsys.readouterr().err
    assert message in said and "Traceback" not in said


def test_a_dry_run_says_all_and_touches_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["record", "--dry-run", *PENDULUM, "--output", str(tmp_path / "x")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "6 runs" in said and "friction, its load dependence" in said
    assert "stops beyond 1.8 rad, 3 A, 60 °C" in said
    assert not (tmp_path / "x").exists()
