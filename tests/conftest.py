"""The fast set: `pytest -m fast`, a first answer within a minute. No test asserts how long it took."""

import gc
from ctypes import c_void_p, cast
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from llvmlite.binding.executionengine import ExecutionEngine

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


@pytest.fixture(scope="module", autouse=True)
def _what_stays_is_not_searched() -> None:
    """Leave what earlier modules compiled out of garbage collections.

    Late in a whole suite one collection of all of it takes seconds, and each DDS participant that
    is closed asks for one.
    """
    gc.collect()
    gc.freeze()


def _find_modules_at_once() -> None:
    """Let llvmlite find a compiled module by its address, not by trying all of them.

    It asks twice for each function that is compiled or loaded: with the thousands of a whole suite in
    one process this was a quarter of its time.
    """
    engine: Any = ExecutionEngine  # it declares no types
    add, search, known = engine.add_module, engine._find_module_ptr, dict[int, Any]()

    def add_module(self: Any, module: Any) -> None:
        add(self, module)
        known[cast(module._ptr, c_void_p).value or 0] = module

    def find(self: Any, pointer: Any) -> Any:
        module = known.get(cast(pointer, c_void_p).value or 0)
        return module if module in self._modules else search(self, pointer)

    engine.add_module, engine._find_module_ptr = add_module, find


_find_modules_at_once()
gc.set_threshold(50_000, 20, 50)  # compilers make many objects that stay: a seventh of their time
