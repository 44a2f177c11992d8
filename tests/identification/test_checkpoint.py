"""A search that is killed goes on where it was, to the same result."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from landscapes import CENTRE, Floats, Squares, same, waves

from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.identification.fit import Identification, identify
from pliant.identification.search.checkpoint import Journal
from pliant.identification.search.least_squares import TRIALS
from pliant.identification.search.search import Progress, SearchResult, SearchSettings, search
from pliant.io.log import Log
from pliant.io.search_state import sealed

SMALL = SearchSettings(starts=3, jacobians=4)
BEGIN = CENTRE[:2]
TASK = {"search": {"seed": 1}}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "search.checkpoint"


class Mortal(Squares):
    """Dies at the call after so many."""

    def __init__(self, calls: int) -> None:
        super().__init__(waves().made)
        self.calls = calls

    def residuals(self, points: Floats) -> Floats:
        if len(self.asked) == self.calls:
            raise RuntimeError("killed")
        return super().residuals(points)


@pytest.mark.parametrize("pieces", [0, 2])
def test_wherever_it_ends_it_goes_on_to_the_same_result(
    pieces: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pliant.identification.search.checkpoint.SHARE", 1e9)

    def searched(problem: Squares, path: Path | None = None) -> SearchResult:
        journal = None if path is None else Journal(path, TASK)
        return search(problem, BEGIN, SMALL, journal=journal, eased=[problem] * pieces)

    whole = waves()
    expected = searched(whole)
    assert len(whole.asked) > 20
    for calls in range(1, len(whole.asked)):
        path, first, second = tmp_path / f"{calls}.checkpoint", Mortal(calls), waves()
        with pytest.raises(RuntimeError):
            searched(first, path)
        assert same(searched(second, path), expected)
        # Where a descent stood is simulated twice, and what was cut off.
        again = sum(map(len, first.asked + second.asked)) - sum(map(len, whole.asked))
        assert again <= 1 + len(BEGIN) + len(TRIALS)


def test_progress_of_a_search_that_goes_on_begins_where_it_was(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pliant.identification.search.checkpoint.SHARE", 1e9)
    said: list[Progress] = []
    with pytest.raises(RuntimeError):
        search(Mortal(18), BEGIN, SMALL, said.append, Journal(path, TASK))
    known = json.loads(path.read_text(encoding="utf-8"))["finished"]
    before = min(part["error"] for part in known.values())
    said.clear()
    search(waves(), BEGIN, SMALL, said.append, Journal(path, TASK))
    assert said[0].done > sum(part["evaluations"] for part in known.values()) > 0
    assert said[0].best <= before


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", "\x00\x01"),
        json.dumps({"pliant_checkpoint": 1, "task": TASK}),
        sealed({"pliant_checkpoint": 99, "task": TASK}),
    ],
)
def test_another_file_is_refused_and_left_alone(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
    with pytest.raises(PliantError, match="is not a checkpoint; accepted: a name that is free"):
        Journal(path, TASK)
    assert path.read_text(encoding="utf-8") == text


def test_a_folder_that_cannot_be_written_is_refused() -> None:
    with pytest.raises(PliantError, match="cannot be written"):
        Journal(Path("/proc/pliant/search.checkpoint"), TASK)


def test_a_disk_that_fills_up_does_not_end_the_search(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise PliantError("cannot be written", found="No space left on device")

    journal = Journal(path, TASK)
    monkeypatch.setattr("pliant.identification.search.checkpoint.write_whole", full)
    with pytest.warns(RuntimeWarning, match="no checkpoint: cannot be written"):
        found = search(waves(), BEGIN, SMALL, journal=journal)
    assert same(found, search(waves(), BEGIN, SMALL))


# In an identification


def identified(servo: Actuator, logs: list[Log], path: Path | None, **more: Any) -> Identification:
    given: dict[str, Any] = {"search_settings": SMALL, "checkpoint": path} | more
    return identify(servo, logs, **given)


def stopped(servo: Actuator, logs: list[Log], path: Path) -> Identification:
    said: list[Progress] = []

    def stop(progress: Progress) -> None:
        said.append(progress)
        if len(said) == 15:
            raise KeyboardInterrupt

    return identified(servo, logs, path, report=stop)


def test_an_identification_removes_it_when_done_and_keeps_it_when_interrupted(
    servo: Actuator, logs: list[Log], path: Path
) -> None:
    assert stopped(servo, logs, path).search.interrupted
    assert path.exists()
    done = identified(servo, logs, path)
    assert not path.exists()
    assert same(done.search, identified(servo, logs, None).search)


def test_the_checkpoint_of_another_search_is_refused_with_what_differs(
    servo: Actuator, logs: list[Log], path: Path
) -> None:
    stopped(servo, logs, path)
    kept = path.read_text(encoding="utf-8")

    def refusal(servo: Actuator, logs: list[Log], **more: Any) -> str:
        with pytest.raises(PliantError, match="is the checkpoint of another search") as caught:
            identified(servo, logs, path, **more)
        assert path.read_text(encoding="utf-8") == kept
        return str(caught.value.found)

    seed = replace(SMALL, seed=2)
    assert refusal(servo, logs, search_settings=seed) == "search.seed 2, there 1"
    assert refusal(servo, logs[:3]) == f"logs.4. {logs[3].name} only there"
    assert refusal(servo, logs, fix=("motor.R",)) == "fix.motor.R only here"
    heavier = [*logs[:3], replace(logs[3], mass=0.6)]  # the same file, another constant given
    assert refusal(servo, heavier) == f"logs.4. {logs[3].name} is another"
    moved = servo.with_values({"control.gain": servo.value("control.gain") * 1.1}, "x", "assumed")
    assert refusal(moved, logs).startswith("actuator is another")
