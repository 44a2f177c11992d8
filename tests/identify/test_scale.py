"""The same sweep here, on a cluster, with a worker killed, and after a kill of its own."""

import os
import signal
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from pliant import Actuator, PliantError
from pliant.assemble import with_law
from pliant.identify.search.search import SearchSettings
from pliant.identify.selection.choice import Choice
from pliant.identify.selection.fit_job import FitJob, JobResult
from pliant.identify.selection.sweep import choose
from pliant.identify.selection.workers import cluster, here, local_cluster
from pliant.io.log import Log

TINY = SearchSettings(
    starts=1, generations=3, polish=1, finalists=1, final_polish=1, rounds=0, population=4
)
SETTINGS: dict[str, Any] = {"by": "load", "starts": 2, "search_settings": TINY}


@pytest.fixture(scope="module")
def models(servo: Actuator) -> list[Actuator]:
    """The second contains the first, so that its first start waits for it."""
    return [servo, with_law(servo, "driver", "supply_resistance")]


@pytest.fixture(scope="module")
def serial(models: list[Actuator], logs: list[Log]) -> Choice:
    return choose(models, logs, **SETTINGS)


@pytest.fixture
def workers() -> Generator[Any]:
    distributed = pytest.importorskip("distributed")
    with local_cluster(distributed, 2) as two:
        yield two


def plain(choice: Choice) -> dict[str, Any]:
    """All that does not depend on the clock."""
    timeless = {"seconds", "cpu"}
    return {
        trial.name: {
            group: [{k: v for k, v in asdict(one).items() if k not in timeless} for one in fold]
            for group, fold in trial.folds.items()
        }
        for trial in choice.trials
    }


@pytest.mark.slow
def test_a_worker_killed_during_the_run_changes_nothing(
    serial: Choice, models: list[Actuator], logs: list[Log], workers: Any
) -> None:
    victims = [worker.process.pid for worker in workers.workers.values()]
    seen: list[str] = []

    def report(done: int, planned: int, name: str) -> None:
        seen.append(name)
        if len(seen) == 1:
            os.kill(victims[0], signal.SIGKILL)

    found = choose(
        models, logs, **SETTINGS, place=cluster(workers.scheduler_address), report=report
    )
    assert plain(found) == plain(serial)
    assert len(seen) == len(set(seen)) == 12
    alive = [worker.process.pid for worker in workers.workers.values()]
    assert victims[0] not in alive, "the worker was to die"


@pytest.mark.slow
def test_two_local_processes_come_to_the_same(
    serial: Choice, models: list[Actuator], logs: list[Log]
) -> None:
    assert plain(choose(models, logs, **SETTINGS, place=cluster("local:2"))) == plain(serial)


@pytest.mark.slow
def test_servers_of_a_local_cluster_listen_on_this_machine_only(workers: Any) -> None:
    psutil = pytest.importorskip("psutil")
    here = psutil.Process()
    hosts = {
        connection.laddr.ip
        for process in [here, *here.children(recursive=True)]
        for connection in process.net_connections()
        if connection.status == psutil.CONN_LISTEN
    }
    assert len(workers.scheduler_info["workers"]) == 2
    assert hosts == {"127.0.0.1"}


def test_a_sweep_that_was_killed_does_only_what_is_left(
    serial: Choice, models: list[Actuator], logs: list[Log], tmp_path: Path
) -> None:
    path = tmp_path / "sweep.json"
    done: list[str] = []

    def mortal(
        jobs: Sequence[FitJob],
        logs: Sequence[Log],
        known: Mapping[str, JobResult],
        kept: Mapping[str, Path],
    ) -> Iterator[tuple[str, JobResult]]:
        for name, finished in here(jobs, logs, known, kept):
            done.append(name)
            yield name, finished
            if len(done) == 3:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose(models, logs, **SETTINGS, place=mortal, checkpoint=path)
    assert path.exists()
    assert list(tmp_path.iterdir()) == [path]  # of the fits that are done, no search is left
    again: list[str] = []
    found = choose(
        models, logs, **SETTINGS, checkpoint=path, report=lambda *at: again.append(at[2])
    )
    assert plain(found) == plain(serial)
    assert len(again) == 12 - 3
    assert not set(again) & set(done)


def test_the_checkpoint_of_another_sweep_is_refused(
    models: list[Actuator], logs: list[Log], tmp_path: Path
) -> None:
    path = tmp_path / "sweep.json"

    def nothing(*_: object) -> Iterator[tuple[str, JobResult]]:
        raise AssertionError("a fit was begun")

    def one(*at: Any) -> Iterator[tuple[str, JobResult]]:
        yield next(here(*at))
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        choose(models, logs, **SETTINGS, place=one, checkpoint=path)
    moved = [replace(logs[0], position=logs[0].position + 1e-9), *logs[1:]]
    other = {**SETTINGS, "search_settings": replace(TINY, seed=2)}
    for what, said in (
        ((models, logs, other), "candidates.m1.search.seed 2, there 1"),
        ((models, moved, SETTINGS), f"logs.1. {logs[0].name} is another"),
        ((models[:1], logs, SETTINGS), "candidates.m1 + supply_resistance only there"),
    ):
        actuators, recorded, given = what
        with pytest.raises(PliantError, match="is the checkpoint of another search") as caught:
            choose(actuators, recorded, **given, place=nothing, checkpoint=path)
        assert said in str(caught.value)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        (
            "locl",
            "--cluster: cannot be read; found 'locl'; accepted: local, local:2, or the "
            "address of a scheduler, such as tcp://host:8786",
        ),
        ("local:0", "--cluster: out of range; found 'local:0'; accepted: 1 to 1024"),
    ],
)
def test_a_place_that_cannot_be_read(where: str, said: str) -> None:
    with pytest.raises(PliantError) as caught:
        cluster(where)
    assert str(caught.value) == said


def test_without_distributed_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(PliantError) as caught:
        cluster("local:2")
    assert str(caught.value) == (
        '--cluster: the package distributed is not installed; accepted: pip install "pliant[cluster]"'
    )
