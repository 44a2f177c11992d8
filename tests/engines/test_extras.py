"""Packages that an extra brings: missing or too old, each is one line that says what to install."""

import importlib
import importlib.util
import sys
from types import ModuleType
from typing import Any

import pytest

from pliant import extras
from pliant.engines.mujoco_warp import versions
from pliant.errors import PliantError


@pytest.fixture
def hide(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a package look as if it were not installed."""

    def hidden(package: str) -> None:
        monkeypatch.setitem(sys.modules, package, None)

    return hidden


@pytest.mark.parametrize("package", ["warp", "mujoco_warp"])
def test_without_warp_the_extra_is_named(hide: Any, package: str) -> None:
    if package == "mujoco_warp":
        pytest.importorskip("warp")
    hide(package)
    with pytest.raises(PliantError) as refused:
        versions.warp_and_mujoco_warp()
    assert (
        str(refused.value)
        == f'the package {package} is not installed; accepted: pip install "pliant[warp]"'
    )


def test_a_mujoco_warp_without_callbacks_is_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("warp", "mujoco_warp"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(versions, "version", lambda name: "3.5.0")
    with pytest.raises(PliantError) as refused:
        versions.warp_and_mujoco_warp()
    assert str(refused.value) == (
        "this mujoco_warp has no callbacks; found '3.5.0'; "
        'accepted: 3.11 or newer: pip install "pliant[warp]"'
    )


@pytest.mark.parametrize(
    ("room", "name"), [("mjlab", "PliantActuatorCfg"), ("newton", "add_actuators")]
)
def test_without_its_package_a_room_names_the_extra(hide: Any, room: str, name: str) -> None:
    hide(room)
    with pytest.raises(PliantError) as refused:
        getattr(importlib.import_module(f"pliant.engines.{room}"), name)
    assert (
        str(refused.value)
        == f'the package {room} is not installed; accepted: pip install "pliant[{room}]"'
    )


@pytest.mark.parametrize(
    ("room", "name", "old", "least"),
    [("mjlab", "capture", "1.5.3", "1.6"), ("newton", "install", "1.5.2", "1.6")],
)
def test_a_package_that_is_too_old_is_refused(
    monkeypatch: pytest.MonkeyPatch, room: str, name: str, old: str, least: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(extras, "version", lambda name: old)
    with pytest.raises(PliantError) as refused:
        getattr(importlib.import_module(f"pliant.engines.{room}"), name)
    assert str(refused.value) == (
        f"this {room} is too old; found '{old}'; "
        f'accepted: {least} or newer: pip install "pliant[{room}]"'
    )


def test_without_gymnasium_the_environments_name_the_extra(
    hide: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [n for n in sys.modules if n.startswith("pliant.envs")]:
        monkeypatch.delitem(sys.modules, name)
    hide("gymnasium")
    with pytest.raises(PliantError) as refused:
        importlib.import_module("pliant.envs")
    assert (
        str(refused.value)
        == 'the package gymnasium is not installed; accepted: pip install "pliant[gym]"'
    )
