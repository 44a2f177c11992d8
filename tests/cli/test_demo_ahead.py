"""MuJoCo's part is compiled beside the search: where nothing is compiled, and not twice."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import demo


class Child:
    """Stands for the process, and notes what becomes of it."""

    def __init__(self, command: list[str], **options: Any) -> None:
        self.command, self.options, self.did = command, options, list[str]()

    def wait(self) -> int:
        self.did.append("wait")
        return 0

    def kill(self) -> None:
        self.did.append("kill")


@pytest.fixture
def children(monkeypatch: pytest.MonkeyPatch) -> list[Child]:
    made: list[Child] = []

    def popen(command: list[str], **options: Any) -> Child:
        made.append(Child(command, **options))
        return made[-1]

    monkeypatch.setattr(demo.subprocess, "Popen", popen)
    return made


def test_a_cold_cache_is_filled_by_a_process_that_ctrl_c_does_not_reach(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    with demo.compiling_ahead() as ahead:
        ahead()
        assert children[0].did == ["wait"]
    assert children[0].did == ["wait", "kill", "wait"]
    assert children[0].options["start_new_session"] is True
    assert children[0].options["stderr"] == subprocess.DEVNULL


def test_what_it_runs_is_what_the_demo_needs_of_mujoco(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its code runs here, where the cache is warm; the demo's laws are registered after it."""
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    with demo.compiling_ahead():
        code = children[0].command[-1]
    monkeypatch.undo()
    exec(code, {})
    from pliant.cli.choices import with_laws
    from pliant.engines.mujoco.plugin.register import registered
    from pliant.io.actuator_file import load_actuator

    wanted = with_laws(load_actuator(demo.ACTUATOR), demo.LAWS).laws
    assert any(one.laws == wanted for one in registered().values())


def test_a_warm_cache_is_left_alone(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    (tmp_path / "compiled").mkdir()
    (tmp_path / "compiled" / "native_rigid_servo_0.py").touch()
    with demo.compiling_ahead() as ahead:
        ahead()
    assert children == []


def test_a_fault_of_the_search_ends_it(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PLIANT_CACHE_DIR", str(tmp_path))
    with pytest.raises(KeyboardInterrupt), demo.compiling_ahead():
        raise KeyboardInterrupt
    assert children[0].did == ["kill", "wait"]
