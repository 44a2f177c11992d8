"""Models compared: the table, the model taken written with its report, and a run that goes on."""

import json
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.cli.searching import SearchFile
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.result.record import FitRecord
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection import sweep
from pliant.identification.selection.choice import Choice, Trial
from pliant.identification.selection.fit_job import JobResult, searches_of
from pliant.io.actuator_file import load_actuator
from pliant.io.log import example_logs

from .conftest import Pliant, refusal

SHORT = ("--starts", "1", "--plan", "jacobians=2")
WORDS = ("--actuator", "xl330_bam_m6", "--law", "friction=m1,m4", *SHORT)


@pytest.fixture(autouse=True)
def tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fit as short as can be."""
    short = SearchSettings(starts=1, jacobians=1)
    monkeypatch.setattr(JointRig, "fold_search", short)
    monkeypatch.setattr(JointRig, "search", short)


def test_models_are_compared_by_logs_they_have_not_seen(pliant: Pliant, logs: list[Path]) -> None:
    found = pliant("identify", *logs, *WORDS, "--json").json
    assert set(found["models"]) == {"m1", "m4"}
    assert found["chosen"] in found["models"]
    for model in found["models"].values():
        assert set(model["folds_mae_mrad"]) == {"gain=100", "gain=200"}
        assert model["held_out_mae_mrad"] == pytest.approx(
            sum(model["folds_mae_mrad"].values()) / 2
        )
    assert sum(model["weight"] for model in found["models"].values()) == pytest.approx(1.0)


def test_candidates_begin_at_the_device_that_the_logs_name(
    pliant: Pliant, logs: list[Path]
) -> None:
    """With a delay and without, though the actuator that is found for a single fit has one."""
    extension = "extension=timing=command_delay"
    words = ("--law", "friction=m1", "--plan", extension, *SHORT, "--json")
    ended = pliant("identify", *logs, *words)
    assert set(ended.json["models"]) == {"m1", "m1 + command_delay"}
    assert "starts from xl330_bam_m6" in ended.err
    assert set(pliant("identify", *logs, "--reading", "device=xl330", *words).json["models"]) == {
        "m1",
        "m1 + command_delay",
    }


def test_the_model_taken_is_fitted_to_all_logs_and_written(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    output, report = tmp_path / "mine.toml", tmp_path / "mine.html"
    ended = pliant(
        "identify",
        *logs,
        *WORDS[:2],
        "--law",
        "friction=m1,m2",
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


@pytest.fixture
def equals(monkeypatch: pytest.MonkeyPatch) -> None:
    """All models add to the mixture, and the first is taken."""

    def all_alike(by: str, trials: Sequence[Trial]) -> Choice:
        share = 1.0 / len(trials)
        return Choice(by, tuple(trials), trials[0], 0.03, (share,) * len(trials))

    monkeypatch.setattr(sweep, "take", all_alike)


@pytest.mark.long
def test_models_that_are_as_good_are_fitted_too_and_written_as_one_set(
    pliant: Pliant, logs: list[Path], tmp_path: Path, equals: None
) -> None:
    """M1 is attached; M2 and M3 are points of M4, none of the three."""
    output, report = tmp_path / "mine.toml", tmp_path / "mine.html"
    words = ("--actuator", "xl330_bam_m6", "--law", "friction=m1,m2,m3", *SHORT)
    files = ("--output", output, "--report", report, "--plan", "with_equals=yes", "--json")
    found = pliant("identify", *logs, *words, *files).json
    made = load_actuator(output)
    assert found["chosen"] == "m1"
    assert made.laws["friction"].name == "m4"
    assert made.numbers["friction.K_l"].source == "m1 as m4"
    models, carried = FitRecord.of(made).models, made.ensemble
    assert models is not None and carried is not None
    assert models == found["set"] and {*models} == {"m1", "m2", "m3"}
    assert (next(iter(models)), sum(models.values())) == ("m1", carried.fits)
    columns = carried.columns(["friction.K_l", "friction.K_cs"])
    shares = {name: np.count_nonzero(column[: carried.fits]) for name, column in columns.items()}
    assert shares == {"friction.K_l": models["m3"], "friction.K_cs": models["m2"]}
    assert len(carried.of_draws()) == 40
    assert not np.any(carried.of_draws()[:, carried.names.index("friction.K_l")])
    assert "The file carries 1 fit of m1, which is attached, and" in report.read_text()
    ended = pliant("evaluate", output, *logs)
    assert f"by the median motion of the {carried.fits} fits" in ended.out
    assert f"1 fit of m1, {models['m2']} fit" in ended.out
    assert "equally good as models" in ended.out
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine.html", "mine.toml"]


def test_an_interrupted_fit_of_another_model_of_the_set_goes_on(
    pliant: Pliant,
    logs: list[Path],
    tmp_path: Path,
    equals: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    output, done = tmp_path / "mine.toml", list[str]()
    run, mortal = sweep.fit, True

    def fitted(task: Any, *rest: Any, **more: Any) -> Any:
        name = task.rig.actuators[""].laws["friction"].name
        if mortal and name == "m4":
            raise KeyboardInterrupt
        done.append(name)
        if name == "m4":
            assert kept.read_bytes() == before, "what m1's search had done was not done again"
        return run(task, *rest, **more)

    monkeypatch.setattr(sweep, "fit", fitted)
    words = (
        "identify",
        *logs,
        *WORDS,
        "--plan",
        "intervals=no,with_equals=yes",
        "--output",
        output,
    )
    ended = pliant(*words)
    assert ended.code == 130
    assert not output.exists()
    assert done == ["m1"]
    beside = SearchFile.beside(output, None).path
    assert beside is not None
    (kept,) = searches_of(beside)
    before = kept.read_bytes()
    assert before
    mortal = False
    ended = pliant(*words)
    assert ended.code == 0, ended.err
    assert "resuming the search saved in" in ended.err
    assert "fitting to all logs, beside m1: m4 ..." in ended.err
    assert "The file carries 1 fit of m1, which is attached, and 1 fit of m4." in ended.out
    assert [path.name for path in tmp_path.iterdir()] == ["mine.toml"]


def test_a_choice_without_equals_says_so(pliant: Pliant, logs: list[Path], tmp_path: Path) -> None:
    words = ("--actuator", "xl330_bam_m6", *SHORT, "--output", tmp_path / "mine.toml")
    said = refusal(pliant("identify", *logs, *words, "--plan", "with_equals=yes"))
    assert "--plan: with_equals: needs models to compare" in said


def test_logs_held_out_are_seen_neither_by_the_choice_nor_by_the_fit(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    output = tmp_path / "mine.toml"
    logs = [*logs, *(path for path in example_logs() if path.stem.endswith("10h28m10"))]
    words = ("--hold-out", "log,gain=200", "--plan", "intervals=no", "--output", output)
    found = pliant("identify", *logs, *WORDS, *words, "--json").json
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
    words = ("--actuator", "xl330_bam_m6", "--law", "friction=m1,m2", "--plan", "intervals=no")
    assert pliant("identify", *logs, *words, "--output", output).code == 0
    assert len(tomllib.loads(output.read_text())["identification"]["starts_mrad"]) == 3
    short = pliant("identify", *logs, *words, "--starts", "1", "--output", output, "--overwrite")
    assert short.code == 0
    assert len(tomllib.loads(output.read_text())["identification"]["starts_mrad"]) == 1


def test_what_was_interrupted_goes_on(
    pliant: Pliant, logs: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed after the first of two models."""
    path, done, end = tmp_path / "sweep.json", list[str](), 1
    run = sweep.here.__globals__["run"]

    def mortal(fit: Any, *rest: Any) -> JobResult:
        if len(done) == end:
            raise KeyboardInterrupt
        done.append(fit.name)
        return run(fit, *rest)

    words = ("identify", *logs, *WORDS, "--plan", f"checkpoint={path}")
    monkeypatch.setitem(sweep.here.__globals__, "run", mortal)
    ended = pliant(*words)
    assert ended.code == 130
    assert f"interrupted; {path} keeps the models that are done" in ended.err
    assert set(json.loads(path.read_text())["fits"]) == set(done)
    assert "resuming" not in ended.err
    end = 99
    again = pliant(*words)
    assert again.code == 0
    assert f"resuming the search saved in {path}: 1 model done" in again.err
    assert sorted(done) == ["m1", "m4"]
    assert not path.exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ("--law", "friction=m1,m4", "--reading", "device=XL340"),
            "--reading device: this device is unknown",
        ),
        (
            (*WORDS, "--processes", "moon"),
            "--processes: cannot be read; found 'moon'; accepted: local",
        ),
        (
            (*WORDS, "--plan", "with_equals=yes"),
            "--plan: with_equals: needs a file; accepted: --output",
        ),
        ((*WORDS, "--hold-out", "day"), "--hold-out: cannot be held out; found 'day'"),
        (
            (*WORDS, "--hold-out", "gain,log"),
            "--hold-out: is given twice; found 'log'; accepted: one kind",
        ),
        ((*WORDS, "--output", "x.json"), "--output: wrong kind of file; found 'x.json'"),
    ],
)
def test_options_that_make_no_sense(
    pliant: Pliant, logs: list[Path], words: tuple[str, ...], said: str
) -> None:
    assert refusal(pliant("identify", *logs, *words)).startswith(said)
