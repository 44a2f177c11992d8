"""MuJoCo's warnings, without a MUJOCO_LOG.TXT in the working folder."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import mujoco


@contextmanager
def unlogged() -> Generator[list[str]]:
    """The warnings of what is done inside; a handler that the user has set stays the one."""
    functions: Any = mujoco
    heard: list[str] = []
    if functions.get_mju_user_warning() is not None:
        yield heard
        return
    functions.set_mju_user_warning(heard.append)
    try:
        yield heard
    finally:
        functions.set_mju_user_warning(None)
