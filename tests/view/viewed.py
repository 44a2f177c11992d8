"""A page in the browser as a user drives it, and what its session then holds."""

import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

from pliant.view.commands import Step

CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
PATIENCE = 120_000
"""[ms] Software rendering on a loaded machine is slow."""
ITS_OWN = ("GPU stall", "THREE.Clock", "WebGL", "Connect", "Detected chrome", "preventDefault")
"""Words of what Chromium's software renderer and the client say of themselves."""


class Viewed:
    """A page that is open in the browser, and the session behind it."""

    def __init__(
        self,
        browser: Any,
        page: Any,
        address: str,
        scheme: str = "light",
        size: tuple[int, int] = (1280, 900),
    ) -> None:
        self.session, self.page = page.session, page
        self.context = browser.new_context(
            viewport=dict(zip(("width", "height"), size, strict=True)),
            color_scheme=scheme,
            accept_downloads=True,
            device_scale_factor=0.4,  # pixels are what a renderer without a GPU is slow at
        )
        self.context.set_default_timeout(PATIENCE)
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.tab.on("console", self._heard)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.goto(address)
        self.tab.wait_for_selector("[data-reading=time]")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(w in message.text for w in ITS_OWN):
            self.complaints.append(message.text)

    def go_to(self, tab: str) -> None:
        one = self.tab.get_by_role("tab", name=tab)
        self.again(one.click, lambda: one.get_attribute("aria-selected") == "true", tab)

    def number(self, label: str, value: float) -> None:
        """Type a number into the control with this label."""
        box = self.row(label).locator("input[type=text]").first

        def typed() -> None:
            box.click()
            box.fill(f"{value:g}")
            box.press("Enter")
            box.blur()

        self.again(typed, lambda: abs(self.value(label) - value) <= 1e-2 * abs(value), label)

    def choose(self, label: str, option: str) -> None:
        """Choose from the list with this label."""
        from playwright.sync_api import TimeoutError as Late

        def chosen() -> None:
            with suppress(Late):  # the list did not open
                self.row(label).locator("input").first.click()
                self.tab.get_by_role("option", name=option, exact=True).click(timeout=20_000)

        self.again(chosen, lambda: self.value(label) == option, label)

    def click(self, name: str) -> None:
        """Click a button, until the page has heard it."""
        before = self.page.turns.noted
        button = self.tab.get_by_role("button", name=name, exact=True)
        self.again(button.click, lambda: self.page.turns.noted > before, name)

    def press(self, key: str) -> None:
        """Press a key, until the page has heard it."""
        before = self.page.turns.noted
        pressed = partial(self.tab.keyboard.press, key)
        self.again(pressed, lambda: self.page.turns.noted > before, key)

    def row(self, label: str) -> Any:
        """The row of the control with this label."""
        return self.tab.locator(f"xpath=//label[normalize-space()='{label}']/../../..")

    def value(self, label: str) -> Any:
        """The value of a control as the server has it."""
        handles = list(self.page.server.gui._gui_input_handle_from_uuid.values())
        return next(one.value for one in handles if one.label == label)

    def again(self, act: Callable[[], object], done: Callable[[], bool], what: str) -> None:
        """Act as a person does: look whether it worked, and if not, do it again, twice at most.

        viser's client forgets a message that another follows within 50 ms, longer where it is slow.
        """
        for _ in range(3):
            act()
            with suppress(AssertionError):
                self.until(done, what, 20.0)
                return
        raise AssertionError(f"without effect: {what}")

    def reading(self, name: str) -> float:
        text = self.tab.locator(f"[data-reading={name}]").first.inner_text()
        return float(text.split()[0].replace("−", "-"))

    def until(self, condition: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"never: {what}"
            self.tab.wait_for_timeout(50)

    def passes(self, seconds: float) -> None:
        """Simulated time passes, as fast as it can, and the page shows it; the clock stands then."""
        steps = round(seconds / self.session.scene.timestep)
        end = self.session.frame.steps + steps
        self.session.send(Step(steps))
        self.until(lambda: self.session.frame.steps == end, f"{seconds:g} s")
        shown = round(self.session.frame.time, 2)
        self.until(lambda: abs(self.reading("time") - shown) < 0.011, "the page shows it")


@contextmanager
def viewed(browser: Any, scene: Any, *how: Any) -> Generator[Viewed]:
    """A scene in the browser, paused; nothing complained while it was open."""
    from pliant.view.page import shown
    from pliant.view.server import address_of

    with shown(scene, port=0, paused=True) as page:
        # Light from a picture takes a renderer without a GPU four seconds.
        page.server.scene.configure_environment_map(None)
        made = Viewed(browser, page, address_of(page.server), *how)
        yield made
        made.context.close()
    assert made.complaints == []
