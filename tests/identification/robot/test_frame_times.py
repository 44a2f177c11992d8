"""`--plan frame_times=yes`: where its fits begin, and which of them stays."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pytest

from pliant.cli import robot_task
from pliant.cli.robot_task import in_time
from pliant.cli.terminal import Terminal
from pliant.io.robot_log import RobotLog


def ended(name: str, mae: float, later: float = 0.0, *, interrupted: bool = False) -> Any:
    """A fit with an error [rad] on its logs, and another on the same logs at times found later."""
    rig = SimpleNamespace(evaluate=lambda logs: SimpleNamespace(mae=later))
    return SimpleNamespace(
        actuators=name,
        fitted=SimpleNamespace(mae=mae),
        interrupted=interrupted,
        rig=rig,
        task=SimpleNamespace(hold_out=()),
    )


class Task(NamedTuple):
    """Where a fit begins, and on which logs: here the names of the fits that found their times."""

    begin: str
    logs: list[Any]


def went(
    monkeypatch: pytest.MonkeyPatch, results: list[Any], prior: tuple[str, ...] = ()
) -> tuple[list[str], Any]:
    """Where the fits began, of which these are the results, and the one that stayed."""
    begun: list[str] = []
    coming = iter(results)

    def fit(task: Task, *_: object, **__: object) -> Any:
        begun.append(task.begin)
        return next(coming)

    monkeypatch.setattr(robot_task, "fit", fit)
    monkeypatch.setattr(robot_task, "_timed", lambda found, logs: [*logs, found.actuators])
    plan = SimpleNamespace(frame_times=True, prior=prior)
    asked: Any = SimpleNamespace(plan=plan, task=Task)
    task: Any = SimpleNamespace(rig=SimpleNamespace(actuators="given"))
    monkeypatch.setattr(robot_task, "frames_of", lambda found: [])
    monkeypatch.setattr(robot_task, "uneven", lambda frames: None)
    found, judging, logs = in_time(asked, Terminal(), ended("first", 3.0), task, [])
    assert judging == Task("given", logs)
    assert logs == ["once" if len(results) > 1 else "first"]
    return begun, found


def test_a_search_that_ends_worse_than_what_is_known_goes_on_from_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the times found twice, the search from the given numbers has failed."""
    once, failed, on = ended("once", 1.0, later=1.1), ended("failed", 2.0), ended("on", 0.9)
    assert went(monkeypatch, [once, failed, on]) == (["given", "given", "once"], on)
    better = ended("better", 1.05)
    assert went(monkeypatch, [once, better]) == (["given", "given"], better)


def test_a_prior_says_where_fits_begin(monkeypatch: pytest.MonkeyPatch) -> None:
    once, twice = ended("once", 1.0, later=1.1), ended("twice", 2.0)
    assert went(monkeypatch, [once, twice], ("device",)) == (["given", "given"], twice)


def test_nothing_begins_after_ctrl_c(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = ended("cut", 5.0, interrupted=True)
    assert went(monkeypatch, [cut]) == (["given"], cut)


def test_a_log_held_out_says_nothing_of_whether_a_search_has_failed() -> None:
    line = np.zeros((3, 1))
    logs = [
        RobotLog(name, ("a",), np.arange(3.0), line, line, line, line == 0.0)
        for name in ("one", "held", "two")
    ]
    seen: list[str] = []
    known = ended("known", 1.0)
    known.task.hold_out = ("log=held",)
    known.rig.evaluate = lambda logs: SimpleNamespace(mae=seen.extend(log.name for log in logs))
    robot_task._error(known, logs)
    assert seen == ["one", "two"]
