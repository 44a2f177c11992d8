"""One sentence for many joints: said once, with those that it holds for."""

import re
import shutil
from pathlib import Path

import numpy as np

from pliant import check
from pliant.io.findings import Finding
from pliant.io.gathered import gathered, warnings_in
from pliant.io.log import example_logs
from pliant.io.robot_log import RobotLog
from pliant.words import ranged, without_figures

JOINTS = [f"leg_{k}" for k in range(5)]


def said(joints: list[str], text: str = "was {} late") -> list[Finding]:
    return [Finding("lag", f"goal_{j}", text.format(k), "warning") for k, j in enumerate(joints)]


def test_what_holds_for_all_or_most_is_said_once() -> None:
    every, most, two = (gathered(said(JOINTS[:n]), JOINTS) for n in (5, 4, 2))
    assert [one.field for one in every] == ["goal of all 5 joints"]
    assert [one.field for one in most] == ["goal of leg_0, leg_1, leg_2, leg_3"]
    assert [one.field for one in two] == ["goal_leg_0", "goal_leg_1"]
    assert every[0].message == "was 0 to 4 late"


def test_other_words_stay_apart_and_figures_alone_do_not_part() -> None:
    mixed = [
        *said(JOINTS),
        *said(JOINTS, "never moves"),
        Finding("gap", "time", "1 gap", "warning"),
    ]
    assert [one.message for one in gathered(mixed, JOINTS)][1:] == ["never moves", "1 gap"]


def test_runs_that_say_the_same_are_counted() -> None:
    line = np.zeros((3, 5))
    logs = [
        RobotLog(
            "a", tuple(JOINTS), np.arange(3.0), line, line, line, line > 0.0, findings=tuple(one)
        )
        for one in (said(JOINTS), said(JOINTS), [])
    ]
    (text,) = warnings_in(logs)
    assert text.endswith("(in 2 of 3 runs)")


def test_ranges_of_several_texts_are_one_range() -> None:
    texts = [
        "2 joints rest +5 to +9 mrad off",
        "2 joints rest -1 mrad off",
        "2 joints rest +7 to +12 mrad off",
    ]
    assert len(set(map(without_figures, texts))) == 1
    assert ranged(texts) == "2 joints rest -1 to +12 mrad off"


def test_a_number_within_a_name_is_no_figure() -> None:
    names = [
        "joint_2: rests 3 mrad off",
        "joint_3: rests 4 mrad off",
        "2026-01-15: 1 gap",
        "2026-01-16: 1 gap",
    ]
    assert len(set(map(without_figures, names))) == 4


def test_files_that_differ_in_figures_alone_are_listed_together(tmp_path: Path) -> None:
    logs = example_logs()[:4]
    for source in logs:
        shutil.copy(source, tmp_path)
    bad = tmp_path / logs[0].name
    bad.write_text(bad.read_text().replace('"mass"', '"mas"'))
    checked = check(tmp_path)
    text = str(checked).splitlines()
    assert text[0].startswith(f"{bad}: log, 1 error")
    begin = text.index(f"{tmp_path / logs[1].name} and 2 more: log, usable, 1 warning")
    lags = [
        float(re.findall(r"by (\S+) ms", str(remark))[0])
        for file in checked[1:]
        for remark in file.remarks
        if remark.field == "speed"
    ]
    assert len(lags) == 3
    assert f"by {min(lags)} to {max(lags)} ms" in text[begin + 2]
