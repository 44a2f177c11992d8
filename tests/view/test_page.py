"""The page in a browser: every control moves what it says, and nothing complains."""

import csv
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow
CONTRAST = (Path(__file__).parent / "contrast.js").read_text("utf-8")
PATIENCE = 40_000
"""[ms] Software rendering on a loaded machine is slow."""
ITS_OWN = ("GPU stall", "THREE.Clock", "WebGL", "Connect", "Detected chrome")
"""Words of what Chromium's software renderer and the client say of themselves."""


class Viewed:
    """A page that is open in the browser, and the session behind it."""

    def __init__(self, browser: Any, page: Any, address: str, scheme: str = "light") -> None:
        self.session, self.page = page.session, page
        self.context = browser.new_context(
            viewport={"width": 1280, "height": 900}, color_scheme=scheme, accept_downloads=True
        )
        self.tab = self.context.new_page()
        self.complaints: list[str] = []
        self.tab.on("console", self._heard)
        self.tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.tab.set_default_timeout(PATIENCE)
        self.tab.goto(address)
        self.tab.wait_for_selector("[data-reading=time]")

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning") and not any(w in message.text for w in ITS_OWN):
            self.complaints.append(message.text)

    def go_to(self, tab: str) -> None:
        self.tab.get_by_role("tab", name=tab).click()

    def number(self, label: str, value: float) -> None:
        """Type a number into the control with this label."""
        row = self.tab.locator(f"xpath=//label[normalize-space()='{label}']/../../..")
        box = row.locator("input[type=text]").first
        box.click()
        box.fill(f"{value:g}")
        box.press("Enter")
        box.blur()

    def choose(self, label: str, option: str) -> None:
        row = self.tab.locator(f"xpath=//label[normalize-space()='{label}']/../../..")
        row.locator("input").first.click()
        self.tab.get_by_role("option", name=option, exact=True).click()

    def click(self, name: str) -> None:
        self.tab.get_by_role("button", name=name, exact=True).click()

    def reading(self, name: str) -> float:
        text = self.tab.locator(f"[data-reading={name}]").first.inner_text()
        return float(text.split()[0].replace("−", "-"))

    def until(self, condition: Callable[[], bool], what: str, seconds: float = 60.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"never: {what}"
            self.tab.wait_for_timeout(100)


@pytest.fixture
def view(browser: Any, arm: Any, request: pytest.FixtureRequest) -> Iterator[Viewed]:
    from pliant.view.server import address_of
    from pliant.view.show import shown

    with shown(arm, port=0) as page:
        scheme = getattr(request, "param", "light")
        viewed = Viewed(browser, page, address_of(page.server), scheme)
        yield viewed
        viewed.context.close()
    assert viewed.complaints == []


def test_a_stiffer_preset_deflects_less_and_a_push_moves_the_arm(view: Viewed) -> None:
    view.go_to("Joint")
    view.number("equilibrium [rad]", 1.2)
    view.until(lambda: view.session.frame.readings["goal"][0] == 1.2, "the equilibrium")
    view.tab.wait_for_timeout(3000)
    sagged, loose = abs(view.reading("position") - 1.2), view.reading("stiffness")
    deflected = view.reading("deflection")
    view.number("stiffness preset [rad]", 0.5)
    view.until(lambda: view.session.frame.readings["preset"][0] == 0.5, "the preset")
    view.tab.wait_for_timeout(3000)
    assert view.reading("stiffness") > loose
    assert abs(view.reading("position") - 1.2) < 0.8 * sagged
    assert abs(view.reading("deflection") - deflected) > 0.1

    view.go_to("Run")
    view.number("Force [N]", 20.0)
    before = view.session.frame.readings["position"][1]
    far = [0.0]

    def moved() -> bool:
        far[0] = max(
            far[0], *(abs(f.readings["position"][1] - before) for f in view.session.history)
        )
        return far[0] > 0.1

    view.click("Push for 0.1 s")
    view.until(moved, "the push moves the elbow")


def test_pause_step_reset_speed_and_the_time_line(view: Viewed) -> None:
    view.go_to("Run")
    view.until(lambda: view.session.frame.time > 2.0, "two seconds")
    view.click("Pause")
    view.until(lambda: view.session.paused, "it pauses")
    at = view.session.frame.steps
    view.click("One step")
    view.until(lambda: view.session.frame.steps == at + 1, "one step")
    view.number("Look back [s]", -1.5)
    view.until(lambda: view.page.looking_at is not None, "it looks back")
    shown = view.page.frame.time
    assert shown == pytest.approx(view.session.frame.time - 1.5, abs=0.05)
    view.until(lambda: abs(view.reading("time") - shown) < 0.011, "the page shows that time")
    view.click("Go on from here")
    view.until(lambda: not view.session.paused, "it goes on")
    assert shown <= view.session.frame.time < shown + 5.0
    view.choose("Speed", "1/10")
    view.until(lambda: view.session.speed == 0.1, "a tenth of real time")
    view.click("Reset")
    view.until(lambda: view.session.frame.time < 1.0, "it begins anew")
    view.number("Integrator step [ms]", 0.5)
    view.until(lambda: view.session.scene.timestep == 5e-4, "the step")
    view.number("Load in the hand [kg]", 0.2)
    view.until(lambda: view.session.scene.loads[0] == 0.2, "the load")


def test_parameters_joints_and_views(view: Viewed) -> None:
    view.go_to("Joint")
    view.choose("Joint", "elbow")
    view.until(lambda: view.page.joint == 1, "the elbow")
    view.number("supply [V]", 20.0)

    def supply() -> float:
        return float(view.session.frame.readings["supply"][1])

    view.until(lambda: supply() == 20.0, "the supply")
    view.number("control_1.k_p [N m/rad]", 60.0)
    knobs = lambda: {k.name: k.value for k in view.session.scene.joints[1].parameters}  # noqa: E731
    view.until(lambda: knobs()["control_1.k_p"] == 60.0, "the gain")
    for name, text in (("Spring", "stiffness"), ("Torque", "least"), ("Energy", "power")):
        view.choose("View", name)
        view.tab.locator(".u-legend", has_text=text).first.wait_for()


def test_what_is_saved_is_what_was_shown(view: Viewed, tmp_path: Path) -> None:
    view.go_to("Save")
    view.click("Start recording")
    view.until(lambda: view.page.saving.records, "it records")
    at = view.session.frame.time
    view.until(lambda: view.session.frame.time > at + 1.0, "a second passes")
    view.click("Stop recording")
    view.tab.get_by_text("s recorded,").wait_for()
    with view.tab.expect_download() as download:
        view.click("Save readings as CSV")
    table = tmp_path / "readings.csv"
    download.value.save_as(table)
    rows = list(csv.DictReader(table.read_text().splitlines()))
    assert len(rows) > 5
    times = np.array([float(row["time[s]"]) for row in rows])
    assert (np.diff(times) > 0.0).all()
    assert times[-1] > at
    with view.tab.expect_download() as download:
        view.click("Save the motion as HTML")
    motion = tmp_path / "motion.html"
    download.value.save_as(motion)
    other = view.context.new_page()
    other.goto(motion.as_uri())
    other.wait_for_selector("canvas")
    outside = [
        u
        for u in other.evaluate("performance.getEntries().map(e => e.name)")
        if u.startswith("http")
    ]
    assert outside == []


def test_a_link_brings_back_the_very_state(view: Viewed) -> None:
    from pliant.view.commands import Pause, Reference

    view.session.send(Reference("shoulder", 1, 0.9))
    view.until(lambda: view.session.frame.time > 1.0, "a second")
    view.session.send(Pause(True))
    kept = view.session.frame
    view.go_to("Save")
    view.click("Link to this state")
    box = view.tab.locator("xpath=//label[normalize-space()='Link']/../../..").locator("input")
    view.until(lambda: "state=" in box.input_value(), "a link")
    link = box.input_value()
    view.session.send(Reference("shoulder", 1, -0.5))
    view.session.send(Pause(False))
    view.until(
        lambda: view.session.frame.readings["position"][0] < kept.readings["position"][0] - 0.2,
        "it moves on",
    )
    other = view.context.new_page()
    other.goto(link)
    view.until(lambda: view.session.frame.state == kept.state, "the state is back")
    assert view.session.paused
    assert view.session.frame.readings["goal"][0] == 0.9


@pytest.mark.parametrize("view", ["light", "dark"], indirect=True)
def test_every_text_has_the_contrast_of_wcag_aa(view: Viewed) -> None:
    faint: list[str] = []
    for name in ("Run", "Joint", "Save"):
        view.go_to(name)
        view.tab.wait_for_timeout(1500)
        faint += view.tab.evaluate(CONTRAST)
    assert not faint, "\n".join(faint)


def test_keys_pause_and_run(view: Viewed) -> None:
    view.tab.locator("[data-reading=time]").click()
    view.tab.keyboard.press("Space")
    view.until(lambda: view.session.paused, "space pauses")
    view.tab.keyboard.press("s")
    view.tab.keyboard.press("Space")
    view.until(lambda: not view.session.paused, "and runs")
