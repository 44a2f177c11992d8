"""Logs that cannot be used."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pliant.words import mrad

from .conftest import Pliant, refusal


@pytest.fixture
def spoilt(tmp_path: Path, recording: dict[str, Any]) -> Callable[[Callable[[Any], Any]], Path]:
    def write(spoil: Callable[[Any], Any]) -> Path:
        spoil(recording)
        path = tmp_path / "run.json"
        path.write_text(json.dumps(recording))
        return path

    return write


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


def test_a_model_that_is_not_there_is_told_whatever_is_checked(
    pliant: Pliant, tmp_path: Path
) -> None:
    (tmp_path / "arm.xml").write_text("<mujoco/>")
    text = refusal(pliant("check", tmp_path / "arm.xml", "--robot", tmp_path / "gone.xml"))
    assert text == f"{tmp_path}/gone.xml: does not exist"


@pytest.mark.parametrize(
    ("words", "name", "way"),
    [
        ("check", "run.bag", "`rosbags-convert --src run.bag --dst run` converts a ROS 1 bag"),
        ("evaluate xl330_bam_m1", "my run.BAG", "--src 'my run.BAG' --dst 'my run'`"),
        ("convert FILE out.csv", "run.bag", "`rosbags-convert --src run.bag --dst run`"),
        ("check", "arm.urdf.xacro", "`xacro arm.urdf.xacro > arm.urdf`"),
        ("simulate FILE --attach a=xl330_bam_m1", "arm.xacro", "`xacro arm.xacro > arm.urdf`"),
        ("check", "an arm.xacro", "`xacro 'an arm.xacro' > 'an arm.urdf'`"),
        ("check", "arm.sdf", "`sdf2mjcf arm.sdf arm.xml`"),
        (
            "simulate FILE --attach a=xl330_bam_m1",
            "an arm.sdf",
            "`sdf2mjcf 'an arm.sdf' 'an arm'.xml`",
        ),
        ("simulate FILE --attach a=xl330_bam_m1", "arm.usd", "MJCF or URDF"),
        ("check", "run.tsv", "the same table named run.csv"),
        ("convert FILE out.csv", "run.tsv", "the same table named run.csv"),
    ],
)
def test_a_file_one_step_away_is_answered_with_the_step(
    pliant: Pliant,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    words: str,
    name: str,
    way: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("#ROSBAG V2.0\n")
    words = words if "FILE" in words else f"{words} FILE"
    ended = pliant(*(name if word == "FILE" else word for word in words.split()))
    assert ended.code == 1
    assert way in ended.out + ended.err


def test_no_logs(pliant: Pliant) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1"))
    assert text == (
        "LOGS: no logs; accepted: *.json, *.csv, *.parquet, *.mcap, *.db3, a bag, a LeRobot data set, "
        "or folders of them"
    )


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
    assert message.startswith("has nothing to check; accepted: *.csv, *.db3, *.json, ")


def test_huge_errors_are_short() -> None:
    assert [mrad(x) for x in (0.0123, 999.0, 1e300, float("nan"))] == [
        "12.3",
        "999000.0",
        "1e+303",
        "diverged",
    ]


def test_unknown_repair(pliant: Pliant, logs: list[Path]) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m1", logs[0], "--repair", "dropouts"))
    assert text.startswith("--repair: is not a repair; found 'dropouts'; did you mean 'dropout'?")
