"""The fast set: `pytest -m fast`, a first answer within a minute. No test asserts how long it took."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("pliant", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pliant")

HERE = Path(__file__).parent
FAST = ("io", "learn", "lower", "conformance", "test_assemble.py", "test_catalogue.py")
"""Rooms that compile and search little; what is marked slow in them is left out."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the fast set."""
    for item in items:
        room = item.path.relative_to(HERE).parts[0] if item.path.is_relative_to(HERE) else ""
        if room in FAST and item.get_closest_marker("slow") is None:
            item.add_marker(pytest.mark.fast)
