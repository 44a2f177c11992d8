"""The page in a browser: every control moves what it says, and nothing complains."""

import ast
import csv
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.slow
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

    def until(self, condition: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, f"never: {what}"
            self.tab.wait_for_timeout(100)


@contextmanager
def viewed(browser: Any, scene: Any, *how: Any) -> Generator[Viewed]:
    """A scene in the browser; nothing complained while it was open."""
    from pliant.view.server import address_of
    from pliant.view.show import shown

    with shown(scene, port=0) as page:
        made = Viewed(browser, page, address_of(page.server), *how)
        yield made
        made.context.close()
    assert made.complaints == []


@pytest.fixture
def view(browser: Any, arm: Any, request: pytest.FixtureRequest) -> Iterator[Viewed]:
    with viewed(browser, arm, getattr(request, "param", "light")) as made:
        yield made


@pytest.fixture
def phone(browser: Any, arm: Any) -> Iterator[Viewed]:
    with viewed(browser, arm, "light", (390, 844)) as made:
        yield made


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
    view.choose("Body", "fore")
    view.choose("Body", "hand")
    view.choose("Direction", "+z")
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
    seen = {"Spring": "stiffness", "Torque": "least", "Friction": "velocity", "Energy": "power"}
    for name, text in (seen | {"Motion": "motor 1"}).items():
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
        view.click("Save as a bag")
    bag = tmp_path / "motion.mcap"
    download.value.save_as(bag)
    assert_bag_is(bag, rows)
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


def assert_bag_is(bag: Path, rows: list[dict[str, str]]) -> None:
    """By another program than wrote it: positions of the table, at its times."""
    from mcap_ros2.reader import read_ros2_messages

    states = [m.ros_msg for m in read_ros2_messages(bag) if m.channel.topic == "/joint_states"]
    assert len(states) == len(rows)
    begin = float(rows[0]["time[s]"])
    for state, row in zip(states, rows, strict=True):
        stamp = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
        assert stamp == pytest.approx(float(row["time[s]"]) - begin, abs=1e-6)
        shown = [float(row[f"{name}.position[rad]"]) for name in state.name]
        np.testing.assert_allclose(state.position, shown, rtol=1e-6, atol=1e-8)


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


def test_keys_pause_step_reset_and_run(view: Viewed) -> None:
    view.until(lambda: view.session.frame.time > 1.0, "a second")
    view.tab.locator("[data-reading=time]").click()
    view.tab.keyboard.press("Space")
    view.until(lambda: view.session.paused, "space pauses")
    at = view.session.frame.steps
    view.tab.keyboard.press("s")
    view.until(lambda: view.session.frame.steps == at + 1, "S takes a step")
    view.tab.keyboard.press("r")
    view.until(lambda: view.session.frame.steps == 0, "R resets")
    view.tab.keyboard.press("Space")
    view.until(lambda: not view.session.paused, "and space runs")


def test_shift_and_drag_pulls_the_robot(view: Viewed) -> None:
    from pliant.view.commands import Pause, Push

    view.session.send(Pause(True))
    view.until(lambda: len(view.page.server.get_clients()) == 1, "the client is known")
    view.tab.wait_for_timeout(3000)
    x, y = pixel(view, view.session.frame.position[-1])
    view.tab.mouse.move(x, y)
    view.tab.keyboard.down("Shift")
    view.tab.mouse.down()
    pushes = lambda: [c for _, c in list(view.session.journal) if isinstance(c, Push)]  # noqa: E731
    for k in range(1, 60):
        view.tab.mouse.move(x + 2 * k, y)
        view.tab.wait_for_timeout(200)
        if any(np.any(push.force) for push in pushes()):
            break
    view.tab.mouse.up()
    view.tab.keyboard.up("Shift")
    pulled = [push for push in pushes() if np.any(push.force)]
    assert pulled, "no push came"
    right = np.cross(*camera(view)[1:])
    assert np.dot(pulled[-1].force, right) > 0.0  # to where the mouse went
    view.until(lambda: not np.any(pushes()[-1].force), "letting go ends it")


def camera(view: Viewed) -> tuple[Any, Any, Any]:
    """Place of the camera, where it looks, and up."""
    (client,) = view.page.server.get_clients().values()
    at, to = np.array(client.camera.position), np.array(client.camera.look_at)
    return at, (to - at) / np.linalg.norm(to - at), np.array(client.camera.up_direction)


def pixel(view: Viewed, point: Any) -> tuple[float, float]:
    """Where a point of the world is on the screen."""
    at, forward, up = camera(view)
    (client,) = view.page.server.get_clients().values()
    right = np.cross(forward, up)
    right /= np.linalg.norm(right)
    boxes = [canvas.bounding_box() for canvas in view.tab.locator("canvas").all()]
    box = max((b for b in boxes if b), key=lambda b: b["width"] * b["height"])
    away = np.asarray(point) - at
    scale = 0.5 * box["height"] / np.tan(0.5 * client.camera.fov) / (away @ forward)
    x = box["x"] + 0.5 * box["width"] + scale * (away @ right)
    return x, box["y"] + 0.5 * box["height"] - scale * (away @ np.cross(right, forward))


def test_a_phone_shows_all_of_it_and_every_parameter_turns(phone: Viewed) -> None:
    from pliant.view.commands import Pause
    from pliant.view.joint_knobs import _is_main, _title

    phone.session.send(Pause(True))  # turned without regard to sense, it would diverge
    for name in ("Run", "Save", "Joint"):
        phone.go_to(name)
        phone.tab.wait_for_timeout(500)
        assert phone.tab.evaluate(CUT_OFF) == []
    phone.tab.get_by_text("All parameters").click()
    knobs = phone.session.scene.joints[0].parameters
    inside = next(knob for knob in knobs if not _is_main(knob))
    phone.tab.get_by_text(_title(inside), exact=True).wait_for()
    assert phone.tab.evaluate(CUT_OFF) == []
    for knob in knobs:
        span = knob.high - knob.low
        step = 10.0 ** (np.floor(np.log10(span)) - 3)
        value = float(np.clip(np.round((knob.low + 0.6 * span) / step) * step, knob.low, knob.high))
        phone.number(_title(knob), value)
        now = lambda name=knob.name: next(  # noqa: E731
            k.value for k in phone.session.scene.joints[0].parameters if k.name == name
        )
        phone.until(lambda now=now, value=value: abs(now() - value) <= 1e-4 * abs(value), knob.name)


CUT_OFF = """() => [...document.querySelectorAll('body *')].filter((e) => {
  const box = e.getBoundingClientRect();
  return box.width && box.height && box.right > innerWidth + 1
    && getComputedStyle(e).visibility !== 'hidden';
}).map((e) => e.innerText.slice(0, 40))"""
"""Text of what lies beyond the right edge."""


def test_the_keyboard_alone_reaches_and_works_every_control(phone: Viewed) -> None:
    keys = phone.tab.keyboard

    def tabbed_to(what: str) -> None:
        for _ in range(60):
            keys.press("Tab")
            if phone.tab.evaluate(FOCUSED) == what:
                return
        raise AssertionError(f"never: {what}")

    phone.go_to("Run")
    phone.tab.evaluate("document.activeElement.blur()")
    reached: set[str] = set()
    for _ in range(40):
        keys.press("Tab")
        reached.add(phone.tab.evaluate(FOCUSED))
    named = {"Pause", "One step", "Reset", "Go on from here", "Push for 0.1 s", "tab Run"}
    assert reached >= named | {"slider Look back [s]"} | {
        f"input {label}"
        for label in ("Body", "Direction", "Force [N]", "Load in the hand [kg]", "Speed")
    }
    tabbed_to("Pause")
    keys.press("Enter")
    phone.until(lambda: phone.session.paused, "Enter pauses")
    tabbed_to("slider Look back [s]")
    keys.press("ArrowLeft")
    phone.until(lambda: phone.page.looking_at is not None, "an arrow looks back")
    tabbed_to("tab Run")
    keys.press("ArrowRight")
    phone.tab.get_by_role("tab", name="Joint", selected=True).wait_for()
    tabbed_to("slider equilibrium [rad]")
    for _ in range(5):
        keys.press("ArrowRight")
    phone.until(lambda: phone.session.scene.robot.reference_1[0] > 0.0, "arrows turn a knob")


FOCUSED = """() => {
  const e = document.activeElement;
  let row = e;
  while (row && !row.querySelector(':scope label')) row = row.parentElement;
  const label = row && row !== document.body ? row.querySelector('label').innerText.trim() : '';
  if (e.getAttribute('role') === 'tab') return 'tab ' + e.innerText.trim();
  if (e.getAttribute('role') === 'slider') return 'slider ' + label;
  return e.tagName === 'INPUT' ? 'input ' + label : e.innerText.trim();
}"""
"""What has the focus, in words."""


def test_a_recorded_log_is_scrubbed_and_played_beside_its_simulation(browser: Any) -> None:
    import pliant
    from pliant.io.log import example_logs
    from pliant.view.replayed import Replayed

    log = pliant.read_log(sorted(example_logs())[0], repair=["all"])
    scene = Replayed(log, pliant.load_actuator("xl330_bam_m6"))
    with viewed(browser, scene) as view:
        view.go_to("Run")
        view.number("Time [s]", 2.0)
        view.until(lambda: abs(view.reading("time") - 2.0) < 0.02, "it is there")
        assert view.session.paused
        view.go_to("Joint")
        k = int(np.argmin(np.abs(log.time - view.session.frame.time)))
        view.until(lambda: abs(view.reading("measured") - log.position[k]) < 1e-3, "the sample")
        assert view.reading("position") != view.reading("measured")
        view.go_to("Run")
        view.click("Run")
        view.until(lambda: view.session.frame.time > 2.2, "it plays")


def test_every_control_has_its_name_in_these_tests() -> None:
    """The names of all controls, from the code that makes them."""
    made = {"add_button", "add_slider", "add_number", "add_dropdown", "add_text", "add_folder"}
    made |= {"add_tab", "add_button_group", "add_checkbox"}
    here, names = Path(__file__).read_text("utf-8"), set[str]()
    for path in (Path(__file__).parents[2] / "src" / "pliant" / "view").glob("*.py"):
        if path.stem in ("searching", "recording"):  # tested in files of their own
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in made:
                first = node.args[0]
                names |= {first.value} if isinstance(first, ast.Constant) else set()
    names -= {"Clock", "Curves", "Push, load and step"}  # headings of others
    assert len(names) > 15
    assert not [name for name in names if f'"{name}"' not in here and f"'{name}'" not in here]
