"""MuJoCo's warnings leave no file where one works, and a handler of the user's stays."""

from pathlib import Path
from typing import Any

import mujoco
import pytest

from pliant.engines.spec.messages import unlogged

WARNS = (
    '<mujoco><worldbody><body><joint axis="nan 0 1"/><geom size=".1"/></body></worldbody></mujoco>'
)
HANDLERS: Any = mujoco


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_warning_is_heard_and_not_written(folder: Path) -> None:
    with unlogged() as heard:
        mujoco.MjSpec.from_string(WARNS)
    assert [text.partition(".")[0] for text in heard] == ["XML contains a 'NaN'"]
    assert list(folder.iterdir()) == []
    assert HANDLERS.get_mju_user_warning() is None


def test_a_handler_of_the_users_hears_it(folder: Path) -> None:
    mine: list[str] = []
    HANDLERS.set_mju_user_warning(mine.append)
    try:
        with unlogged():
            mujoco.MjSpec.from_string(WARNS)
        assert len(mine) == 1
    finally:
        HANDLERS.set_mju_user_warning(None)
    assert list(folder.iterdir()) == []
