"""Packages that an extra brings: missing or too old, each is one line that says what to install."""

import importlib
import importlib.util
import sys
from typing import Any

import pytest

from pliant import extras
from pliant.errors import PliantError


@pytest.fixture
def hide(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make a package look as if it were not installed."""

    def hidden(package: str) -> None:
        monkeypatch.setitem(sys.modules, package, None)

    return hidden


@pytest.mark.parametrize(
    ("room", "name", "package", "extra"),
    [
        ("mjlab", "PliantActuatorCfg", "mjlab", "mjlab"),
        ("newton", "add_actuators", "newton", "newton"),
        ("mujoco_warp", "install", "warp", "warp"),
        ("mujoco_warp", "install", "mujoco_warp", "warp"),
    ],
)
def test_without_its_package_a_room_names_the_extra(
    hide: Any, room: str, name: str, package: str, extra: str
) -> None:
    if package == "mujoco_warp":
        pytest.importorskip("warp")
    hide(package)
    with pytest.raises(PliantError) as refused:
        getattr(importlib.import_module(f"pliant.engines.{room}"), name)
    assert (
        str(refused.value)
        == f'the package {package} is not installed; accepted: pip install "pliant[{extra}]"'
    )


@pytest.mark.parametrize(
    ("room", "name", "old", "least", "extra"),
    [
        ("mjlab", "capture", "1.5.3", "1.6", "mjlab"),
        ("newton", "install", "1.5.2", "1.6", "newton"),
        ("mujoco_warp", "install", "3.5.0", "3.11", "warp"),
    ],
)
def test_a_package_that_is_too_old_is_refused(
    monkeypatch: pytest.MonkeyPatch, room: str, name: str, old: str, least: str, extra: str
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: object())
    monkeypatch.setattr(extras, "version", lambda name: old)
    with pytest.raises(PliantError) as refused:
        getattr(importlib.import_module(f"pliant.engines.{room}"), name)
    assert str(refused.value) == (
        f"this {room} is too old; found '{old}'; "
        f'accepted: {least} or newer: pip install "pliant[{extra}]"'
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


def test_without_pandas_a_table_names_the_extra(hide: Any) -> None:
    import pliant

    hide("pandas")
    for known in (pliant.actuators("xl330"), pliant.load_actuator("xl330_bam_m6")):
        with pytest.raises(PliantError, match=r'pandas is not installed; .*"pliant\[pandas\]"'):
            known.to_pandas()
