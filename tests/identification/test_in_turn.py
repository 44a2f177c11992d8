"""Each group held out in turn: what was done before a kill is not done again."""

from pathlib import Path
from typing import Any

import pytest

from pliant.errors import PliantError
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask, fit_task
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection import cross_validation as module
from pliant.identification.selection.cross_validation import Turn, in_turn
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log

TINY = SearchSettings(starts=1, jacobians=1)


@pytest.fixture
def recorded() -> list[Log]:
    """One log each of gain 100 and 200."""
    logs = [read_log(path) for path in example_logs()]
    return [next(log for log in logs if log.gain == gain) for gain in (100.0, 200.0)]


def task(**changes: Any) -> FitTask:
    rig = JointRig(load_actuator("xl330_bam_m1"))
    return fit_task(rig, {"search_settings": TINY, "hold_out": ("gain",), **changes})


class Killed(BaseException):
    """Nothing in the program expects it, as nothing expects a kill."""


def test_a_killed_run_goes_on_with_the_turn_it_was_in(
    recorded: list[Log], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = in_turn(task(), recorded)
    path, begun = tmp_path / "turns", list[Path]()
    fit = module.fit

    def mortal(*args: Any, **given: Any) -> Any:
        begun.append(given["checkpoint"])
        if len(begun) == 2:
            raise Killed
        return fit(*args, **given)

    monkeypatch.setattr(module, "fit", mortal)
    with pytest.raises(Killed):
        in_turn(task(), recorded, checkpoint=path)
    again = in_turn(task(), recorded, checkpoint=path)
    assert again == whole
    assert list(whole) == ["gain=100", "gain=200"]
    assert begun == [tmp_path / "turns.gain=100", *2 * [tmp_path / "turns.gain=200"]]
    assert list(tmp_path.iterdir()) == [path]


def test_each_turn_is_the_fit_to_the_others(recorded: list[Log]) -> None:
    """Judged by the one it has not seen: what `identify` with a value says."""
    turns = in_turn(task(), recorded)
    one = module.fit(task(hold_out=("gain=200",)), recorded)
    assert one.held_out is not None
    assert turns["gain=200"] == Turn(fitted=one.fitted.mae, held_out=one.held_out.mae)
    assert [entry.log.name for entry in one.held_out.entries] == [recorded[1].name]


def test_turns_of_another_task_are_refused(recorded: list[Log], tmp_path: Path) -> None:
    path = tmp_path / "turns"
    assert isinstance(in_turn(task(), recorded, checkpoint=path)["gain=100"], Turn)
    with pytest.raises(PliantError, match="is the checkpoint of another search") as caught:
        in_turn(task(fix=("motor.R",)), recorded, checkpoint=path)
    assert "fix.motor.R only here" in str(caught.value)
