"""`pliant replay`: recordings beside their simulation, and what explains the errors."""

from importlib import resources
from pathlib import Path

import pytest

from pliant.io.robot_log_csv import write_robot_log
from pliant.io.robot_logs import read_robot_logs

ARM = Path(str(resources.files("pliant") / "data" / "so101_arm"))
SERVOS = "*=sts3215_so101"


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds of two real recordings of an SO-101."""
    folder = tmp_path_factory.mktemp("runs")
    logs = [*read_robot_logs([ARM / "held_out"]), *read_robot_logs([ARM / "motions"])[:1]]
    for log in logs:
        write_robot_log(log.keep(log.time < 6.0), folder / f"{log.name}.csv")
    return folder


def test_it_says_of_each_joint_what_explains_the_error_that_evaluate_finds(
    pliant, runs: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    model = ARM / "so101_on_table.xml"
    picture = tmp_path / "one.png"
    words = (runs, "--robot", model, "--attach", SERVOS, "--figure", picture)
    told = pliant("replay", *words, "--json").json
    judged = pliant("evaluate", SERVOS, runs, "--robot", model, "--json").json
    assert {j: x["mae_mrad"] for j, x in told["joints"].items()} == pytest.approx(judged["joints"])
    assert len(told["logs"]) == 2 * len(told["joints"])
    for one in told["joints"].values():
        assert sum(one["explained_mrad"].values()) == pytest.approx(one["mae_mrad"])
        assert one["explained_mrad"][one["main"]] == max(one["explained_mrad"].values())
    assert told["played"] == max(judged["logs"], key=judged["logs"].get)
    assert picture.read_bytes()[:4] == b"\x89PNG"
    said = pliant("replay", *words[:-2], "--no-page").out
    assert "settling gap" in said and "\nelbow_flex: " in said


def test_wrong_input_is_one_line(pliant, runs: Path) -> None:
    model = ARM / "so101.xml"
    words = ("replay", runs, "--robot", model, "--no-page")
    assert "--attach: is missing" in pliant(*words).err
    ended = pliant(*words, "--attach", SERVOS, "--show", "nothing")
    assert ended.code == 1 and "--show: no such recording" in ended.err
