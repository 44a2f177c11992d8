"""A plan of a fit: printed, saved, and carried out as saved."""

import tomllib
from pathlib import Path

import pytest

from .conftest import Pliant, refusal

QUICK = "starts=1,jacobians=2,intervals=no,test=no"


def test_a_saved_plan_does_what_its_options_do(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ("--actuator", "xl330_bam_m1", "--seed", 3, "--output", "a.toml", "--cut", ":2")
    ended = pliant("identify", *logs, *words, "--plan", f"{QUICK},write=plan.toml")
    assert ended.code == 0, ended.err
    assert "wrote plan.toml" in ended.out
    plan = tomllib.loads(Path("plan.toml").read_text(encoding="utf-8"))
    assert plan.pop("logs") == [str(log) for log in logs]
    assert plan == {
        "actuator": ["xl330_bam_m1"],
        "seed": 3,
        "output": "a.toml",
        "starts": 1,
        "jacobians": 2,
        "intervals": False,
        "test": False,
        "reading": ["cut=:2"],
    }
    assert pliant("identify", *logs, *words, "--plan", QUICK).code == 0
    ended = pliant("identify", "--plan", "plan.toml", "--output", "b.toml", "--verbose")
    assert ended.code == 0, ended.err
    assert "plan: logs" in ended.err
    a, b = (tomllib.loads(Path(name).read_text(encoding="utf-8")) for name in ("a.toml", "b.toml"))
    assert a["parameters"] == b["parameters"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--plan intervals=maybe", "intervals: is neither yes nor no; found 'maybe'"),
        ("--plan interval=no", "--plan: unknown key; found 'interval'; did you mean 'intervals'"),
        ("--plan jacobians=0", "--plan: jacobians: should be greater than or equal to 1; found 0"),
        ("--starts 0", "--starts: should be greater than or equal to 1; found 0"),
        (
            "--plan how=alone",
            "--plan: how: is not a choice; found 'alone'; accepted: both, separately, together",
        ),
        ("--plan nothing.toml", "nothing.toml: does not exist"),
        ("--plan draws=a.csv,intervals=no", "--plan: draws: needs intervals"),
        ("--processes 0", "--processes: out of range; found 0; accepted: 1 to 1024"),
        ("--law friction=m1,m1", "--law: is given twice; found 'friction=m1'"),
        ("--robot arm.xml --output a.toml", "--output: is one file; found 'a.toml'"),
    ],
)
def test_what_cannot_be_done_is_said(
    pliant: Pliant, logs: list[Path], words: str, said: str
) -> None:
    assert said in refusal(pliant("identify", *logs, *words.split()))
