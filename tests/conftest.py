"""The fast set: `pytest -m fast`, a first answer within a minute. No test asserts how long it took."""

import ctypes
import gc
import importlib.util
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("pliant", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pliant")

MMAP_THRESHOLD, TRIM_THRESHOLD, MIB = -3, -1, 1 << 20
# Freed memory goes back to the system: left to itself, glibc keeps the more the larger the arrays were,
# and what compilers' threads had; in a worker of all these tests some hundred MB each.
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
if hasattr(LIBC, "mallopt"):
    for threshold in (MMAP_THRESHOLD, TRIM_THRESHOLD):
        LIBC.mallopt(threshold, MIB)


@pytest.fixture(autouse=True, scope="module")
def trimmed() -> Iterator[None]:
    """What a file's tests freed goes back to the system when they are over; 20 ms."""
    yield
    if hasattr(LIBC, "malloc_trim"):
        LIBC.malloc_trim(0)


HERE = Path(__file__).parent
FAST = ("io", "learn", "lower", "conformance", "test_assemble.py", "test_catalogue.py")
"""Rooms that compile and search little; what is marked slow in them is left out."""
TOGETHER = re.compile(
    r"(?P<files>warp|conformance/test_(?:every_law|topologies)|/formats/|cli/test_convert|fuzz/"
    r"|ros/(?!test_stiffness)|estimate/test_encoder_file|report/test_listing)"
    r"|(?P<page>view/|report/|estimate/test_|/test_(?:true_)?stiffness|cli/test_narrow|cli/test_plot"
    r"|test_posterior|test_sensing_timing)"
    r"|(?P<docs>docs/test_s|test_types_hold)"
    r"|(?P<programs>every_command|cli/test_(?:demo_robot|kill|reproduce|stopped)|test_examples)"
)
"""Names of tests that share what takes a worker's time or memory, 100 MB each: Warp with its compiler, or what is
compiled of all laws, with pandas and readers of files; the page and other pictures with Pinocchio and SciPy's
distributions. Large groups come first: so few tests that take a minute each do not come last, when the other
worker has ended."""
WARP = re.compile(r"warp")
"""Names of tests on Warp: its compiler takes a minute and 300 MB before the first of them, so they are `long`."""
LONG = re.compile(r"mark\.long|warp|browser|BY_LAWS|named\(")
"""What a file with tests that are `long` says."""


def room(path: Path) -> str:
    """Folder or file of `tests` in which `path` is."""
    return path.relative_to(HERE).parts[0] if path != HERE and path.is_relative_to(HERE) else ""


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """What is left out whole is not imported: that would take as long as a third of the fast set."""
    asked = config.getoption("markexpr")
    if asked == "fast" and room(collection_path) not in ("", "conftest.py", *FAST):
        return True
    if asked == "long" and collection_path.name.startswith("test_"):
        return None if LONG.search(collection_path.read_text("utf-8")) else True
    return True if "not long" in asked and collection_path.name == "mujoco_warp" else None


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Whole models move on Warp unoptimised: that compiles in two thirds of the time. Each law alone is optimised."""
    if WARP.search(item.nodeid) and importlib.util.find_spec("warp"):
        importlib.import_module("warp")  # else the first test that imports it compiles optimised
    warp = sys.modules.get("warp")
    if warp is not None:
        alone = room(item.path) == "conformance"
        warp.config.optimization_level = None if alone else 0


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """A file's tests stay in one worker, with what its fixtures made; so does each group of `TOGETHER`."""
    if config.getoption("dist") != "load":  # another way was asked for
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            group = TOGETHER.search(nodeid)
            return nodeid.partition("::")[0] if group is None else str(group.lastgroup)

    return Scheduler(config, log)


def pytest_collection_finish() -> None:
    """What all tests share is no garbage: looking through it again and again takes a twentieth of their time."""
    gc.collect()
    gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is on Warp or in a browser, and the fast set."""
    for item in items:
        if WARP.search(item.nodeid) or "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)
        if item.get_closest_marker("long"):
            assert LONG.search(item.path.read_text("utf-8")), f"-m long leaves out {item.nodeid}"
        if room(item.path) in FAST and not {"slow", "long"} & {m.name for m in item.iter_markers()}:
            item.add_marker(pytest.mark.fast)
