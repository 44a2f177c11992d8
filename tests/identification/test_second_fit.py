"""The test by a second fit: shorter, from the actuator given, and blind to one group of logs."""

from types import SimpleNamespace
from typing import Any

import pytest

from pliant import load_actuator
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.task import FitTask
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection import cross_validation as module
from pliant.io.log import example_logs, read_logs

LOGS = read_logs(example_logs())


@pytest.mark.parametrize(("asked", "starts"), [(None, 2), (1, 1)])
def test_it_is_shorter_and_does_not_see_the_group(
    asked: int | None, starts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = None if asked is None else SearchSettings(starts=asked, jacobians=5, seed=7)
    rig = JointRig(load_actuator("xl330_bam_m1"))
    task = FitTask(rig=rig, search_settings=settings, hold_out=("log",))
    seen: dict[str, Any] = {}

    def stands_in(task: FitTask[Any], logs: Any, *, held_out: Any, report: Any) -> object:
        seen.update(task=task, logs=logs, held_out=held_out)
        return SimpleNamespace()

    monkeypatch.setattr(module, "fit", stands_in)
    module.second_fit(task, LOGS, "gain=800", lambda _: None)
    assert {log.gain for log in seen["logs"]} == {100.0, 200.0}
    assert {log.gain for log in seen["held_out"]} == {800.0}
    assert seen["task"].rig is rig and seen["task"].hold_out == ()
    assert seen["task"].search.starts == starts
    assert seen["task"].search.seed == (1 if asked is None else 7)
