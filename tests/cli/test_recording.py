"""How recordings are read: recording.toml, --reading and the options, each before the last."""

import json
import tomllib
from pathlib import Path

import pytest

from pliant.io.keyed import of_texts
from pliant.io.log import example_logs
from pliant.io.recording_facts import RecordingFacts

from .conftest import Pliant, refusal

LOG = example_logs()[0]


def run_csv(folder: Path, factor: float = 1.0) -> Path:
    """A recording of two joints, 0.1 rad a sample apart, in a unit of which `factor` is one rad."""
    folder.mkdir()
    rows = [f"{0.01 * k},{0.1 * k * factor},{0.1 * k * factor},0,0" for k in range(50)]
    path = folder / "run.csv"
    head = "time,position_a,goal_a,position_b,goal_b"
    path.write_text("\n".join([head, *rows]) + "\n")
    return path


def positions(path: Path, joint: str) -> list[float]:
    head, *rows = (line.split(",") for line in path.read_text(encoding="utf-8").splitlines())
    return [float(row[head.index(f"position_{joint}")]) for row in rows]


def test_a_file_in_the_folder_is_taken_and_said(pliant: Pliant, tmp_path: Path) -> None:
    path = run_csv(tmp_path / "runs", 57.29577951308232)
    (path.parent / "recording.toml").write_text('unit = "deg"\nrename = { a = "elbow" }\n')
    ended = pliant("convert", path, tmp_path / "out.csv")
    assert ended.code == 0
    assert f"{path.parent / 'recording.toml'}: unit deg; rename a=elbow" in ended.err
    assert positions(tmp_path / "out.csv", "elbow")[10] == pytest.approx(1.0)
    ended = pliant("convert", path, tmp_path / "raw.csv", "--reading", "none")
    assert positions(tmp_path / "raw.csv", "a")[10] == pytest.approx(57.2957795)


def test_convert_refuses_what_only_a_fit_uses_and_does_not_say_that_it_took_it(
    pliant: Pliant, tmp_path: Path
) -> None:
    path = run_csv(tmp_path / "runs")
    for key in ("device=STS3215", "voltage=7.4", "sample_age=0.01", "zero_by=day"):
        ended = pliant("convert", path, tmp_path / "out.csv", "--reading", key)
        assert ended.code != 0
        assert (
            f"--reading: {key.partition('=')[0]}: has no use here; accepted: in a recording.toml"
            in ended.err
        )
    (path.parent / "recording.toml").write_text('device = "STS3215"\nvoltage = 7.4\n')
    ended = pliant("convert", path, tmp_path / "out.csv")
    assert ended.code == 0
    assert "recording.toml" not in ended.err


def test_keys_go_before_the_file_and_options_before_keys(pliant: Pliant, tmp_path: Path) -> None:
    path = run_csv(tmp_path / "runs")
    (path.parent / "recording.toml").write_text('unit = "deg"\ncut = "0.1:0.2"\n')
    words = ("--reading", "cut=0.1:0.3,unit=percent", "--unit", "rad")
    ended = pliant("convert", path, tmp_path / "out.csv", *words)
    assert ended.code == 0, ended.err
    assert len(positions(tmp_path / "out.csv", "a")) == 21
    assert positions(tmp_path / "out.csv", "a")[0] == pytest.approx(1.0)
    assert "recording.toml" not in ended.err


def test_check_writes_the_file_that_others_take(pliant: Pliant, tmp_path: Path) -> None:
    path = run_csv(tmp_path / "runs")
    ended = pliant("check", path, "--write", "--unit", "deg", "--reading", "leave_out=b")
    assert ended.code == 0, ended.err
    written = path.parent / "recording.toml"
    assert tomllib.loads(written.read_text()) == {"unit": ["deg"], "leave_out": ["b"]}
    assert "exists" in refusal(pliant("check", path, "--write", "--cut", "0.1:"))
    assert pliant("check", path.parent).code == 0
    pliant("convert", path, tmp_path / "out.csv")
    assert "position_b" not in (tmp_path / "out.csv").read_text()


def test_paths_are_relative_to_the_file(
    pliant: Pliant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run_csv(tmp_path / "runs")
    ranges = {name: {"range_min": 0, "range_max": 2048} for name in "ab"}
    (path.parent / "arm.json").write_text(json.dumps(ranges))
    (path.parent / "recording.toml").write_text('unit = "percent"\ncalibration = "arm.json"\n')
    monkeypatch.chdir(tmp_path)
    assert pliant("convert", path, "out.csv").code == 0
    # 0 to 100 percent of half a turn, about its middle
    assert positions(tmp_path / "out.csv", "a")[10] == pytest.approx(-3.14159265 / 2 + 0.0314159265)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("mas = 0.5\n", "mas: unknown key; found 'mas'; did you mean 'mass'"),
        ("mass = -1\n", "mass: should be greater than or equal to 0; found -1"),
        ("zero_by = 'weekday'\n", "zero_by: is not a choice; found 'weekday'; did you mean 'day'"),
        ("mass = 'x'\n", "mass: should be a valid number; found 'x'"),
        ("repair = ['nana']\n", "repair: is not a repair; found 'nana'; did you mean 'nan'"),
        ("clip = { a = '1:0' }\n", "clip: is not a range; found '1:0'"),
        ("unit = 'deq'\n", "unit: is not a unit; found 'deq'; did you mean 'deg'"),
        ("cut = '3'\n", "cut: is not a part of a recording; found '3'"),
        ("unit = true\n", "unit: should be text, or a list; found True"),
        ("calibration = 'gone.json'\n", "gone.json: does not exist; asked for by"),
        ("a = [", "is not TOML"),
    ],
)
def test_a_bad_file_says_its_place(pliant: Pliant, tmp_path: Path, text: str, said: str) -> None:
    path = run_csv(tmp_path / "runs")
    (path.parent / "recording.toml").write_text(text)
    error = refusal(pliant("convert", path, tmp_path / "out.csv"))
    assert str(path.parent / "recording.toml") in error
    assert said in error
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--reading", "mas=1"), "--reading: unknown key; found 'mas'; did you mean 'mass'"),
        (("--reading", "mass"), "--reading: has no value; found 'mass'; accepted: mass=VALUE"),
        (("--reading", "mass=1x"), "mass: is not a number; found '1x'"),
        (("--reading", "episodes=x"), "episodes: is not an episode; found 'x'"),
        (("--repair", "nana"), "--repair: is not a repair"),
        (("--unit", "deq"), "--unit: is not a unit"),
        (("--unit", "deg", "--unit", "rad"), "--unit: is given twice; found 'rad'"),
    ],
)
def test_a_bad_word_says_its_option(
    pliant: Pliant, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    path = run_csv(tmp_path / "runs")
    assert said in refusal(pliant("convert", path, tmp_path / "out.csv", *words))


def test_two_folders_with_a_file_each_are_refused(pliant: Pliant, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.json").write_bytes(LOG.read_bytes())
        (tmp_path / name / "recording.toml").write_text("mass = 0.5\n")
    folders = (tmp_path / "a", tmp_path / "b")
    said = refusal(pliant("evaluate", "xl330_bam_m1", *folders))
    assert "several folders" in said
    given = ("--reading", folders[0] / "recording.toml")
    assert pliant("evaluate", "xl330_bam_m1", *folders, *given).code == 0


def test_a_list_goes_on_after_a_comma() -> None:
    texts = ["leave_out=a", "b", "rename=left_*=*", "c=d", "mass=0.5"]
    found = of_texts(RecordingFacts, texts, "--reading")
    assert found == {"leave_out": ("a", "b"), "rename": ("left_*=*", "c=d"), "mass": 0.5}
    again = of_texts(RecordingFacts, [*texts, "mass=0.6", "leave_out=e", "cut=1:", "cut=2:"], "")
    assert again["leave_out"] == ("a", "b", "e")
    assert (again["mass"], again["cut"]) == (0.6, "2:")
