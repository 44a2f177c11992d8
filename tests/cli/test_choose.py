"""`pliant choose`: the table, the model taken written with its report, and a run that goes on."""

import json
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest

from pliant.identify.problem.joint_rig import JointRig
from pliant.identify.search.search import SearchSettings
from pliant.identify.selection import sweep
from pliant.identify.selection.fit_job import JobResult
from pliant.io.log import example_logs

from .conftest import Pliant, refusal

SHORT = ("--fits", "1", "--starts", "1", "--generations", "2", "--rounds", "0")
WORDS = ("--actuator", "xl330_bam_m6", "--model", "m1,m4", "--plain", *SHORT)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fit as short as can be."""
    short = SearchSettings(
        starts=1, generations=2, rounds=0, polish=0, final_polish=0, population=4
    )
    monkeypatch.setattr(JointRig, "fold_search", short)
    monkeypatch.setattr(JointRig, "search", short)


def test_models_are_compared_by_logs_they_have_not_seen(pliant: Pliant, logs: list[Path]) -> None:
    found = pliant("choose", *logs, *WORDS, "--json").json
    assert set(found["models"]) == {"m1", "m4"}
    assert found["chosen"] in found["models"]
    for model in found["models"].values():
        assert set(model["folds_mae_mrad"]) == {"gain=100", "gain=200"}
        assert model["held_out_mae_mrad"] == pytest.approx(
            sum(model["folds_mae_mrad"].values()) / 2
        )
        assert model["spread_mrad"] is None  # of one start


def test_candidates_begin_at_the_device_that_the_logs_name(
    pliant: Pliant, logs: list[Path]
) -> None:
    """With a delay and without, though the actuator that is found for a single fit has one."""
    words = ("--model", "m1", "--extension", "timing=command_delay", *SHORT, "--json")
    ended = pliant("choose", *logs, *words)
    assert set(ended.json["models"]) == {"m1", "m1 + command_delay"}
    assert "begins at xl330_bam_m4" in ended.err
    assert set(pliant("choose", *logs, "--device", "xl330", *words).json["models"]) == {
        "m1",
        "m1 + command_delay",
    }


def test_the_model_taken_is_fitted_to_all_logs_and_written(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    output, report = tmp_path / "mine.toml", tmp_path / "mine.html"
    ended = pliant(
        "choose",
        *logs,
        *WORDS[:2],
        "--model",
        "m1,m2",
        "--plain",
        *SHORT,
        "--output",
        output,
        "--report",
        report,
    )
    assert ended.code == 0, ended.err
    assert f"wrote actuator {output}" in ended.out
    record = tomllib.loads(output.read_text())["identification"]
    assert record["chosen_by"] == "gain"
    assert record["chosen_among"] == ["m1", "m2"]
    assert set(record["logs"]) == {log.stem for log in logs}
    assert {"seed", "version", "date", "intervals_90"} <= set(record)
    assert "<h2>Models compared</h2>" in report.read_text()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.html", "mine.toml"]


def test_logs_held_out_are_seen_neither_by_the_choice_nor_by_the_fit(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    output = tmp_path / "mine.toml"
    logs = [*logs, *(path for path in example_logs() if path.stem.endswith("10h28m10"))]
    words = ("--by", "log", "--hold-out", "gain=200", "--no-intervals", "--output", output)
    found = pliant("choose", *logs, *WORDS, *words, "--json").json
    record = tomllib.loads(output.read_text())["identification"]
    out = set(record["held_out_logs"])
    assert out and not out & set(record["logs"])
    assert record["held_out_mae_mrad"] == pytest.approx(found["unseen_mae_mrad"], abs=1e-3)
    for model in found["models"].values():
        assert not {group.removeprefix("log=") for group in model["folds_mae_mrad"]} & out


def test_the_model_taken_is_searched_as_identify_would(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three starts by default, where the fits that are compared have one."""
    longer = replace(JointRig.fold_search, starts=3)
    monkeypatch.setattr(JointRig, "search", longer)
    output = tmp_path / "mine.toml"
    words = ("--actuator", "xl330_bam_m6", "--model", "m1", "--plain", "--no-intervals")
    assert pliant("choose", *logs, *words, "--fits", "1", "--output", output).code == 0
    assert len(tomllib.loads(output.read_text())["identification"]["starts_mrad"]) == 3
    short = pliant("choose", *logs, *words, "--starts", "1", "--output", output, "--overwrite")
    assert short.code == 0
    assert len(tomllib.loads(output.read_text())["identification"]["starts_mrad"]) == 1


def test_what_was_interrupted_goes_on(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after three of four fits, and then with one of the last round done."""
    path, done, end = tmp_path / "sweep.json", list[str](), 3
    run = sweep.here.__globals__["run"]

    def mortal(fit: object, *rest: object) -> JobResult:
        if len(done) == end:
            raise KeyboardInterrupt
        done.append(fit.name)
        return run(fit, *rest)

    words = ("choose", *logs, *WORDS, "--checkpoint", path)
    monkeypatch.setitem(sweep.here.__globals__, "run", mortal)
    ended = pliant(*words)
    assert ended.code == 130
    assert f"interrupted; {path} keeps the fits that are done" in ended.err
    assert set(json.loads(path.read_text())["fits"]) == set(done)
    assert "resuming" not in ended.err
    end = 5
    again = pliant(*words)
    assert again.code == 130
    assert f"resuming the search saved in {path}: 3 fits done" in again.err
    end = 99
    assert pliant(*words).code == 0
    assert len(done) == len(set(done))
    assert [name.endswith("long") for name in done] == [False] * 4 + [True] * (len(done) - 4)
    assert len(done) in {6, 8}  # two groups, of one or both models
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((*WORDS, "--device", "XL330"), "--device: one of two; accepted: no --actuator"),
        (("--device", "XL340"), "--device: nothing is known of this device"),
        ((*WORDS, "--cluster", "moon"), "--cluster: cannot be read; found 'moon'; accepted: local"),
        ((*WORDS, "--by", "day"), "by: cannot be held out; found 'day'"),
        ((*WORDS, "--hold-out", "gain"), "--hold-out: has no value; accepted: gain=100; --by gain"),
        ((*WORDS, "--output", "x.json"), "--output: wrong kind of file; found 'x.json'"),
    ],
)
def test_options_that_make_no_sense(
    pliant: Pliant, logs: list[Path], words: tuple[str, ...], said: str
) -> None:
    assert refusal(pliant("choose", *logs, *words)).startswith(said)
