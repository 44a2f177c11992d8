"""The fast set: `pytest -m fast`, a first answer within a minute. No test asserts how long it took."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("pliant", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pliant")

HERE = Path(__file__).parent
FAST = ("io", "learn", "lower", "conformance", "test_assemble.py", "test_catalogue.py")
"""Rooms that compile and search little; what is marked slow in them is left out."""
TOGETHER = (
    "warp|conformance/test_(every_law|topologies)",
    "like_windows",
    "without_extras",
    "test_scale",
    "test_first_contact",
    "test_abuse",
)
"""Patterns of names of tests that share Warp and what is compiled of all laws, or a costly fixture."""


def room(path: Path) -> str:
    """Folder or file of `tests` in which `path` is."""
    return path.relative_to(HERE).parts[0] if path != HERE and path.is_relative_to(HERE) else ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """For the fast set, what is not in it is not imported: that would take as long as a third of it."""
    fast = config.getoption("markexpr") == "fast"
    return True if fast and room(collection_path) not in ("", "conftest.py", *FAST) else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests go to whoever is free, but those that share something in one worker's memory stay together."""
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return next((one for one in TOGETHER if re.search(one, nodeid)), nodeid)

    return Scheduler(config, log)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the fast set."""
    for item in items:
        if room(item.path) in FAST and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.fast)
