"""A page in Debian's Chromium, without a window."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .viewed import Viewed, viewed

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
ROOT = Path(__file__).parents[2]
ARM = ROOT / "examples" / "compliant_arm.toml"


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    library = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no chromium: apt install chromium")
    with library.sync_playwright() as play:
        made = play.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        made.close()


@pytest.fixture
def arm() -> Any:
    """Two variable-stiffness joints under gravity."""
    pytest.importorskip("viser", reason="pliant[view] is not installed")
    from pliant.engines.spec.placing import Wishes
    from pliant.view.robots import robot_maker
    from pliant.view.simulated import Simulated

    return Simulated(robot_maker(ARM, [], Wishes()), "arm")


@pytest.fixture
def view(browser: Any, arm: Any, request: pytest.FixtureRequest) -> Iterator[Viewed]:
    with viewed(browser, arm, getattr(request, "param", "light")) as made:
        yield made


@pytest.fixture
def phone(browser: Any, arm: Any) -> Iterator[Viewed]:
    with viewed(browser, arm, "light", (390, 844)) as made:
        yield made
