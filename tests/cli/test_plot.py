"""`pliant plot` draws every kind of file, and refuses what it cannot draw in one line."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import matplotlib.image
import pytest

from pliant.cli import main
from pliant.io.log import example_logs

ROOT = Path(__file__).parents[2]
LOG = sorted(example_logs())[0]


def test_a_log_an_actuator_a_table_and_both_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = tmp_path / "motion.csv"
    table.write_text("time,elbow,elbow.power\n0,0,1\n0.1,0.5,\n0.2,0.7,3\n")
    for files in ([str(LOG)], ["xl330_bam_m6"], [str(table)], ["qbmove_maker_pro"]):
        assert main(["plot", *files, "--output", str(tmp_path), "--json"]) == 0
        (path,) = json.loads(capsys.readouterr().out)["files"].values()
        height, width, _ = matplotlib.image.imread(path).shape
        assert width > 600
        assert height > 200
    both = ["plot", str(LOG), "xl330_bam_m6", "--format", "svg", "--output", str(tmp_path)]
    assert main(both) == 0
    drawn = ET.parse(tmp_path / f"{LOG.stem}.svg")
    words = " ".join("".join(e.itertext()) for e in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert "simulated" in words
    assert "mean absolute error" in words


def test_a_figure_twice_is_the_same_file(tmp_path: Path) -> None:
    for name in ("a", "b"):
        out = ["--output", str(tmp_path / name), "--format", "svg"]
        assert main(["plot", "xl330_bam_m6", *out]) == 0
    a, b = ((tmp_path / n / "xl330_bam_m6.svg").read_bytes() for n in ("a", "b"))
    assert a == b


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "nothing to draw"),
        (["xl330_bam_m6", "--format", "gif"], "no such format; found 'gif'"),
        (["no_such_servo"], "no_such_servo"),
        (["xl330_bam_m6", "mx106_bam_m4", str(LOG)], "more than one actuator"),
    ],
)
def test_what_cannot_be_drawn_is_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plot", *words, "--output", str(tmp_path)]) == 1
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


def test_the_only_picture_may_be_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "servo.svg"
    assert main(["plot", "xl330_bam_m6", "--output", str(path)]) == 0
    assert path.read_text("utf-8").lstrip().startswith(("<?xml", "<svg"))
    assert main(["plot", "xl330_bam_m6", "xl330_bam_m4", "--output", str(tmp_path / "x.png")]) == 1
    assert "--output: several pictures" in capsys.readouterr().err
