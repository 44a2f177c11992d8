"""Recordings of emulated servos in virtual time: nothing is waited for, and nothing else changes."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from pliant.cli import main
from pliant.engines.mujoco.batch.trials import replay
from pliant.examine.files import meant
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, read_log, read_logs
from pliant.record.costs import reading_costs, told
from pliant.record.design import motion
from pliant.record.emulated_bus import Emulated, Faults
from pliant.record.journal import JointJournal
from pliant.record.line import VirtualLine
from pliant.record.recorder import Limits, Session, connected, record
from pliant.record.sdk_bus import ServoBus
from pliant.record.tables import model_of

ACTUATORS = {"xl330": "xl330_bam_m6", "sts3215": "feetech_sts3215_7_4V_bam_m1"}


def recorded(folder: Path, servo: str, *more: str) -> Log:
    words = ["record", "--servo", servo, "--emulated", ACTUATORS[servo], "--virtual-time"]
    words += ["--mass", "0.2", "--length", "0.1", "--motion", "fast", "--max-current", "20"]
    assert main([*words, "--duration", "2", "--output", str(folder), *more]) == 0
    return read_log(folder / "fast.json")


@pytest.mark.parametrize("servo", ACTUATORS)
def test_it_is_the_simulation_within_a_step_of_its_time(tmp_path: Path, servo: str) -> None:
    log = replace(recorded(tmp_path, servo), zero=0.0, arm_mass=0.0)  # not the published bench
    assert len(log.time) == pytest.approx(400, abs=2)
    simulated = replay(load_actuator(ACTUATORS[servo]), log)
    speed = np.abs(np.gradient(log.position, log.time)).mean()
    assert np.abs(simulated - log.position).mean() < 1e-3 * speed


def test_it_lags_by_the_wait_for_the_servo_s_next_millisecond(tmp_path: Path) -> None:
    actuator, model = load_actuator(ACTUATORS["sts3215"]), model_of("sts3215")
    lags: list[float] = []
    for phase in (0.0, 2e-4, 4e-4):
        line = VirtualLine([Emulated(ACTUATORS["sts3215"], "sts3215", 1, 0.2, 0.1)])
        session = Session(model=model, servos={1: "joint"}, line=line, limits=Limits(current=99.0))
        path = tmp_path / f"{phase}.json"
        header = {"mass": 0.2, "length": 0.1, "arm_mass": 0.0, "kp": 32, "vin": 7.4}
        with connected(session) as bus, JointJournal(path, header) as journal:
            line.sleep(phase)
            record(bus, session, replace(motion("fast"), seconds=1.5), journal)
        log = replace(read_log(path), zero=0.0)
        simulated = replay(actuator, log)
        speed = np.gradient(simulated, log.time)
        lags.append(float(speed @ (simulated - log.position) / (speed @ speed)))
    assert -5e-5 <= min(lags) <= max(lags) <= 1e-3
    # Each begins so much later in the servo's millisecond, and so waits less for its end.
    assert (np.diff(lags) + 7e-4) % 1e-3 == pytest.approx(5e-4, abs=3e-5)


def test_a_folder_of_an_arm_s_runs_gives_the_log_of_each_joint(tmp_path: Path) -> None:
    words = ["record", "--emulated", "xl330_bam_m6", "--virtual-time", "--id", "1=left,2=right"]
    words += ["--mass", "0.2", "--length", "0.1", "--motion", "fast,full", "--max-current", "20"]
    assert main([*words, "--duration", "1", "--output", str(tmp_path)]) == 0
    logs = read_logs(tmp_path, joint="right", mass=0.2, length=0.1, gain=400.0)
    assert [log.name for log in logs] == ["fast", "full"]
    assert (tmp_path / "fast.registers.json").is_file()
    assert "fast.registers.json" not in [file.name for file in meant([tmp_path])]


def test_it_is_the_same_each_time(tmp_path: Path) -> None:
    recorded(tmp_path / "a", "xl330")
    recorded(tmp_path / "b", "xl330")
    one, two = ((tmp_path / name / "fast.json").read_text() for name in "ab")
    assert one == two


def test_bytes_take_the_time_of_the_wire_and_silence_that_of_the_sdk() -> None:
    model = model_of("xl330")
    for faults, least, most in ((Faults(), 0.0004, 0.0006), (Faults(silence=1.0), 0.03, 0.04)):
        line = VirtualLine([Emulated("xl330_bam_m6", "xl330", 1)])
        bus = ServoBus(line, 1_000_000, model, [1], ["present_position", "present_pwm"])
        line.wire.faults = faults
        begin = line.now()
        sample = bus.sample()
        # 15 bytes out, 11 + 12 back, of 10 bits each, and the program's share of a packet.
        assert least < line.now() - begin < most
        assert (sample.counts is None) == (faults.silence > 0.0)


def test_what_a_reading_costs_is_its_bytes_on_the_wire(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recorded(tmp_path, "xl330", "--json")
    costs = json.loads(capsys.readouterr().out)["reading_seconds"]
    # From duty (at 124) to temperature (146, 1 byte), of 10 bits each at 1 Mbaud: without the temperature
    # the packet ends behind the voltage (144, 2 bytes); without the duty it begins at the current (126).
    assert costs["temperature"] == pytest.approx(1 * 10e-6, abs=1e-9)
    assert costs["duty"] == pytest.approx(2 * 10e-6, abs=1e-9)
    assert costs["velocity"] == costs["current"] == costs["voltage"] == pytest.approx(0.0, abs=1e-9)
    # 15 bytes out, 11 + 23 back, and the program's share of a packet.
    assert costs["all"] == pytest.approx(49 * 10e-6 + 1e-4, abs=1e-9)


def test_the_servos_own_wait_is_part_of_a_reading() -> None:
    line = VirtualLine([Emulated("xl330_bam_m6", "xl330", k) for k in (1, 2)])
    gains = {"return_delay_time": 250}  # ROBOTIS' default: 500 µs
    session = Session(model=model_of("xl330"), servos={1: "a", 2: "b"}, line=line, gains=gains)
    with connected(session) as bus:
        costs = reading_costs(bus, session)
    assert costs["return delay"] == pytest.approx(2 * 5e-4)
    # 16 bytes out, 2 x (11 + 23) back, the program's share, and both waits.
    assert costs["all"] == pytest.approx(84 * 10e-6 + 1e-4 + 2 * 5e-4, abs=1e-9)
    assert "of it return delay 1.00" in told(costs)


@pytest.mark.parametrize("actuator", ["feetech_sts3215_7_4V_bam_m1", "xl330_bam_m6"])
def test_motions_at_full_duty_are_within_the_usual_limits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], actuator: str
) -> None:
    words = ["record", "--emulated", actuator, "--virtual-time", "--output", str(tmp_path)]
    words += ["--mass", "0.2", "--length", "0.1", "--motion", "fast,full", "--duration", "2"]
    assert main(words) == 0, capsys.readouterr().err
    said = capsys.readouterr().err.partition(",")[0]
    assert said == ("sts3215" if "sts3215" in actuator else "xl330")


def test_a_limit_says_where_the_samples_are(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["record", "--emulated", "xl330_bam_m6", "--virtual-time", "--output", str(tmp_path)]
    words += ["--mass", "0.2", "--length", "0.1", "--motion", "fast", "--max-current", "1"]
    assert main(words) == 1
    kept = len(json.loads((tmp_path / "fast.json").read_text())["entries"])
    assert f"stopped; {kept} samples are in {tmp_path / 'fast.json'}" in capsys.readouterr().err


def test_it_is_for_emulated_servos(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["record", "--port", "/dev/null", "--virtual-time", "--mass", "0.2", "--length", "0.1"]
    assert main([*words, "--output", "nowhere"]) == 1
    assert "--virtual-time: is for emulated servos" in capsys.readouterr().err


@pytest.mark.parametrize("actuator", ["maccepa_vd", "miki_102_04_brake", "csf_17_50_gear"])
def test_what_has_no_firmware_is_not_emulated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], actuator: str
) -> None:
    words = ["record", "--emulated", actuator, "--virtual-time", "--output", str(tmp_path)]
    assert main([*words, "--mass", "0.2", "--length", "0.1"]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith(f"pliant: {actuator}: only servos with a position controller")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--motion fast,full,fast", "is to be recorded twice; found 'fast'"),
        ("--motion fast --gain 100,100", "is to be recorded twice; found 'fast_kp100'"),
        ("--motion fast,full", "full.json: exists already"),
        (
            "--motion fast --id 1=a,2=a",
            "--id: is the joint of two servos; found 'a'; accepted: another joint",
        ),
        ("--motion small,fast --id 1=a,2=b", "small.registers.json: exists already"),
        ("--motion fast,small", "small.json: exists already"),
        ("--motion fast --id 1,1", "--id: is not an id, or is given twice; found '1'"),
        ("--motion sine:2", "sine:HZ:PART"),
    ],
)
def test_what_cannot_be_recorded_is_said_before_anything_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    (tmp_path / "full.json").write_text("kept")
    (tmp_path / "small.registers.json").write_text("kept")
    (tmp_path / "small.json").symlink_to(tmp_path / "nowhere")
    names = sorted(tmp_path.iterdir())
    begin = ["record", "--emulated", "xl330_bam_m6", "--virtual-time", "--output", str(tmp_path)]
    assert main([*begin, "--mass", "0.2", "--length", "0.1", *words.split()]) == 1
    assert said in capsys.readouterr().err
    assert sorted(tmp_path.iterdir()) == names
    assert (tmp_path / "small.registers.json").read_text() == "kept"


def test_a_place_that_cannot_be_written_is_said_before_anything_moves(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    words = ["record", "--emulated", "xl330_bam_m6", "--virtual-time", "--motion", "fast"]
    words += ["--mass", "0.2", "--length", "0.1", "--output", str(tmp_path / "file")]
    assert main(words) == 1
    said = capsys.readouterr().err
    assert "file: cannot be written" in said and "starting" not in said
