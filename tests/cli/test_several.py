"""Options that take several values: read by one rule, whatever files there are."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest

from pliant.cli.choices import attached, numbers, with_laws
from pliant.cli.command_line import read
from pliant.cli.options import Repeated, separated
from pliant.cli.recording import Recording
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

from .conftest import Pliant, refusal


def law(*words: str) -> object:
    return vars(read(["identify", "a.json", "--actuator", "x", *words]))["law"]


def test_commas_and_repeating_are_the_same() -> None:
    expected = ("friction=m4", "timing=command_delay")
    assert law("--law", "friction=m4,timing=command_delay") == expected
    assert law("--law", "friction=m4, timing=command_delay") == expected
    assert law("--law", "friction=m4", "--law", "timing=command_delay") == expected
    assert law() == ()


def test_control_and_motor_change_together() -> None:
    """Either alone disagrees with the other about the command's unit."""
    servo = load_actuator("sts3215_menagerie")
    changed = with_laws(servo, ["control=firmware_position", "motor=dc_voltage"])
    assert changed.laws["motor"].name == "dc_voltage"
    assert changed.name == "sts3215_menagerie_firmware_position_dc_voltage"


def test_a_value_in_quotes_keeps_its_comma() -> None:
    assert law("--law", '"friction=a,b.py",timing=c') == ("friction=a,b.py", "timing=c")


def test_a_joint_with_a_comma_and_an_equals_sign_in_its_name_can_be_given() -> None:
    words = ("--attach", '"a=b,c=xl330_bam_m6",elbow=x', "--goal", '"a=b,c=0.5"')
    command = vars(read(["simulate", "arm.xml", *words]))
    assert attached(command["attach"]) == [("a=b,c", "xl330_bam_m6"), ("elbow", "x")]
    assert numbers(command["goal"], "goal", "joint=value") == {"a=b,c": 0.5}


def test_what_files_there_are_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("--law", "friction=m4,timing=command_delay")
    before = law(*words)
    monkeypatch.chdir(tmp_path)
    for name in ("friction=m4", "timing=command_delay", words[1]):
        (tmp_path / name).write_text("")
    assert law(*words) == before


def test_options_within_a_group_are_taken_apart_too() -> None:
    @dataclass(frozen=True)
    class Command:
        name: Annotated[tuple[str, ...], Repeated] = ("a,b",)
        recording: Recording = field(default_factory=lambda: Recording(repair=("nan,time",)))

    done = separated(Command())
    assert (done.name, done.recording.repair) == (("a", "b"), ("nan", "time"))


@pytest.mark.parametrize("text", ["friction=m4,", ",", "", "a=b,,c=d"])
def test_an_empty_value_is_refused(text: str) -> None:
    with pytest.raises(PliantError, match="--law: has an empty value"):
        law("--law", text)


def test_the_old_form_is_told_what_to_write(pliant: Pliant, logs: list[Path]) -> None:
    said = "several values of an option are joined by commas: --law friction=m4,timing=a"
    words = ("--actuator", "xl330_bam_m1", "--law", "friction=m4", "timing=a")
    assert refusal(pliant("identify", *words)).endswith(said)
    assert refusal(pliant("identify", *logs, *words)).endswith(said)
    ended = pliant("simulate", "arm.xml", "--attach", "a=b", "c=d", "--goal", "a=1")
    assert ended.code == 2
    assert "; several values of an option are joined by commas: --attach a=b,c=d" in ended.err


def test_a_log_after_an_option_is_no_old_form(pliant: Pliant, tmp_path: Path) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text("{")
    line = refusal(pliant("identify", "--actuator", "xl330_bam_m1", "--law", "friction=m4", bad))
    assert "commas" not in line
