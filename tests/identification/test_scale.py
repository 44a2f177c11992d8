"""The same sweep here, on a cluster, with a worker killed, and after a kill of its own."""

import contextlib
import multiprocessing
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from pliant import Actuator, PliantError
from pliant.assemble import with_law
from pliant.identification.search.search import SearchSettings
from pliant.identification.selection.choice import Choice
from pliant.identification.selection.fit_job import FitJob, JobResult
from pliant.identification.selection.sweep import choose
from pliant.identification.selection.workers import cluster, here
from pliant.io.log import Log

TINY = SearchSettings(starts=1, jacobians=2)
SETTINGS: dict[str, Any] = {"by": "load", "search_settings": TINY}


@pytest.fixture(scope="module")
def models(servo: Actuator) -> list[Actuator]:
    """The second and third contain the first, and wait for it."""
    slack = with_law(servo, "timing", "command_delay")
    return [servo, with_law(servo, "driver", "supply_resistance"), slack]


@pytest.fixture(scope="module")
def serial(models: list[Actuator], logs: list[Log]) -> Choice:
    return choose(models, logs, **SETTINGS)


@pytest.fixture
def scheduler(tmp_path: Path) -> Generator[Any]:
    """Of Dask, with two workers, that takes those who have its certificate."""
    dask, distributed = pytest.importorskip("dask"), pytest.importorskip("distributed")
    if shutil.which("openssl") is None:
        pytest.skip("no openssl")
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    words = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=here -keyout".split()
    subprocess.run(
        ["openssl", *words, str(key), "-out", str(certificate)], check=True, capture_output=True
    )
    sides = ("scheduler", "worker", "client")
    tls = {
        f"{side}.{what}": at for side in sides for what, at in (("cert", certificate), ("key", key))
    }
    tls = {f"distributed.comm.tls.{k}": str(v) for k, v in (tls | {"ca-file": certificate}).items()}
    with (
        dask.config.set(tls),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            protocol="tls",
            security=distributed.Security(require_encryption=True),
            dashboard_address=None,
        ) as found,
    ):
        yield found


def plain(choice: Choice) -> dict[str, Any]:
    """All that does not depend on the clock."""
    timeless = {"seconds", "cpu"}
    return {
        trial.name: {k: v for k, v in asdict(trial.result).items() if k not in timeless}
        for trial in choice.trials
    }


@pytest.mark.long
def test_local_processes_listen_nowhere_and_one_that_is_killed_changes_nothing(
    serial: Choice, models: list[Actuator], logs: list[Log]
) -> None:
    psutil = pytest.importorskip("psutil")
    listening: list[Any] = []
    seen: list[str] = []
    before = multiprocessing.active_children()

    def started() -> list[Any]:
        return [one for one in multiprocessing.active_children() if one not in before]

    def report(done: int, planned: int, name: str) -> None:
        seen.append(name)
        for process in started():
            with contextlib.suppress(psutil.NoSuchProcess):  # the one that was killed
                connections = psutil.Process(process.pid).net_connections("all")
                listening.extend(
                    c for c in connections if c.status == psutil.CONN_LISTEN or c.laddr
                )
        if len(seen) == 1:
            os.kill(started()[0].pid, signal.SIGKILL)

    found = choose(models, logs, **SETTINGS, place=cluster("local:2"), report=report)
    assert plain(found) == plain(serial)
    assert len(seen) == len(set(seen)) == 3
    assert not listening
    until = time.monotonic() + 10.0
    while started() and time.monotonic() < until:  # one may only just have been begun
        time.sleep(0.05)
    assert not started()


@pytest.mark.long
def test_a_scheduler_with_certificates_comes_to_the_same(
    serial: Choice, models: list[Actuator], logs: list[Log], scheduler: Any
) -> None:
    address = scheduler.scheduler_address
    assert address.startswith("tls://")
    assert plain(choose(models, logs, **SETTINGS, place=cluster(address))) == plain(serial)


def test_a_sweep_that_was_killed_does_only_what_is_left(
    serial: Choice, models: list[Actuator], logs: list[Log], tmp_path: Path
) -> None:
    path = tmp_path / "sweep.json"
    done: list[str] = []

    def mortal(
        jobs: Sequence[FitJob],
        logs: Sequence[Log],
        kept: Mapping[str, Path],
    ) -> Iterator[tuple[str, JobResult]]:
        for name, finished in here(jobs, logs, kept):
            done.append(name)
            yield name, finished
            if len(done) == 2:
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
    assert len(again) == 1
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
        ((models, logs, other), "search.seed 2, there 1"),
        ((models, moved, SETTINGS), f"logs.1. {logs[0].name} is another"),
        ((models[:1], logs, SETTINGS), "candidates.m1 + "),
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
            "--processes: cannot be read; found 'locl'; accepted: local, local:2, or the "
            "address of a scheduler, such as tls://host:8786",
        ),
        *(
            (
                where,
                "--processes: whoever can reach such a scheduler can run programs as you; found "
                f"'{where}'; accepted: tls://host:8786, with certificates, or local:2",
            )
            for where in ("tcp://127.0.0.1:8786", "tcp://[::1]:8786", "ucx://host:1", "ws://a:80")
        ),
        ("local:0", "--processes: out of range; found 'local:0'; accepted: 1 to 1024"),
    ],
)
def test_a_place_that_cannot_be_read(where: str, said: str) -> None:
    with pytest.raises(PliantError) as caught:
        cluster(where)
    assert str(caught.value) == said


def test_without_distributed_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(PliantError) as caught:
        cluster("tls://host:8786")
    assert str(caught.value) == (
        '--processes: the package distributed is not installed; accepted: pip install "pliant[cluster]"'
    )
