"""Each group held out in turn: what was done before a kill is not done again."""

from pathlib import Path
from typing import Any

import pytest

from pliant.cli import hold_out
from pliant.cli.hold_out import Turn, in_turn
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.identify.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, read_log

TURNS = ["gain=100", "gain=200"]
TINY = SearchSettings(starts=1, generations=4, rounds=0, polish=0, final_polish=0, population=4)


@pytest.fixture
def recorded(logs: list[Path]) -> list[Log]:
    return [read_log(path) for path in logs]


def task(**changes: Any) -> dict[str, Any]:
    return {"actuator": load_actuator("xl330_bam_m1"), "search_settings": TINY, **changes}


class Killed(BaseException):
    """Nothing in the program expects it, as nothing expects a kill."""


def test_a_killed_command_goes_on_with_the_turn_it_was_in(
    recorded: list[Log], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = in_turn(task(), recorded, TURNS, Terminal())
    path, begun = tmp_path / "turns", list[Path]()
    identify = hold_out.identify

    def mortal(**given: Any) -> Any:
        begun.append(given["checkpoint"])
        if len(begun) == 2:
            raise Killed
        return identify(**given)

    monkeypatch.setattr(hold_out, "identify", mortal)
    with pytest.raises(Killed):
        in_turn(task(), recorded, TURNS, Terminal(), path)
    again = in_turn(task(), recorded, TURNS, Terminal(), path)
    assert again == whole
    assert begun == [tmp_path / "turns.gain=100", *2 * [tmp_path / "turns.gain=200"]]
    assert list(tmp_path.iterdir()) == [path]


def test_turns_of_another_task_are_refused(recorded: list[Log], tmp_path: Path) -> None:
    path = tmp_path / "turns"
    done = in_turn(task(), recorded, TURNS[:1], Terminal(), path)
    assert isinstance(done["gain=100"], Turn)
    other = task(fix=("motor.R",))
    with pytest.raises(PliantError, match=r"is the checkpoint of another search; found .fix") as e:
        in_turn(other, recorded, TURNS[:1], Terminal(), path)
    assert "fix only here" in str(e.value)
