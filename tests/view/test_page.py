"""The page in a browser: every control moves what it says, and nothing complains."""

import ast
import csv
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.view.commands import Pause, Push, Reference, Reset, Restore, Step

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
    from pliant.view.server import address_of
    from pliant.view.show import shown

    with shown(scene, port=0, paused=True) as page:
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
    view.passes(3.0)
    sagged, loose = abs(view.reading("position") - 1.2), view.reading("stiffness")
    deflected = view.reading("deflection")
    view.number("stiffness preset [rad]", 0.5)
    view.until(lambda: view.session.frame.readings["preset"][0] == 0.5, "the preset")
    view.passes(3.0)
    assert view.reading("stiffness") > loose
    assert abs(view.reading("position") - 1.2) < 0.8 * sagged
    assert abs(view.reading("deflection") - deflected) > 0.1

    view.go_to("Run")
    view.choose("Body", "fore")
    view.choose("Body", "hand")
    view.choose("Direction", "+z")
    view.number("Force [N]", 20.0)
    before = view.session.frame.readings["position"][1]
    view.click("Push for 0.1 s")
    view.until(lambda: bool(given(view, Push)), "the push")
    view.passes(0.2)
    assert abs(view.session.frame.readings["position"][1] - before) > 0.1


def test_pause_step_reset_speed_and_the_time_line(view: Viewed) -> None:
    view.go_to("Run")
    view.passes(2.0)
    view.click("Run")
    view.until(lambda: view.session.frame.time > 2.2, "it runs")
    view.click("Pause")
    view.until(lambda: view.session.paused, "it pauses")
    at = view.session.frame.steps
    view.click("One step")
    view.until(lambda: view.session.frame.steps == at + 1, "one step")
    view.number("Look back [s]", -1.5)
    view.until(lambda: view.page.looking_at is not None, "it looks back")
    shown, state = view.page.frame.time, view.page.frame.state
    assert shown == pytest.approx(view.session.frame.time - 1.5, abs=0.05)
    view.until(lambda: abs(view.reading("time") - shown) < 0.011, "the page shows that time")
    view.click("Go on from here")
    view.until(lambda: not view.session.paused, "it goes on")
    assert given(view, Restore)[-1].state == state
    view.choose("Speed", "1/10")
    view.until(lambda: view.session.speed == 0.1, "a tenth of real time")
    view.click("Reset")
    view.until(lambda: bool(given(view, Reset)), "it begins anew")
    assert view.session.frame.time < shown
    view.number("Integrator step [ms]", 0.5)
    view.until(lambda: view.session.scene.timestep == 5e-4, "the step")
    view.number("Load in the hand [kg]", 0.2)
    view.until(lambda: view.session.scene.loads[0] == 0.2, "the load")


def given(view: Viewed, kind: type) -> list[Any]:
    """Commands of a kind that the scene obeyed."""
    return [command for _, command in list(view.session.journal) if isinstance(command, kind)]


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
    view.session.send(Pause(False))
    at = view.session.frame.time
    view.until(lambda: view.session.frame.time > at + 1.0, "a second passes")
    view.session.send(Pause(True))
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
    from mcap.reader import make_reader
    from mcap_ros2.decoder import DecoderFactory

    with bag.open("rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()])
        states: list[Any] = [m[3] for m in reader.iter_decoded_messages(["/joint_states"])]
    assert len(states) == len(rows)
    begin = float(rows[0]["time[s]"])
    for state, row in zip(states, rows, strict=True):
        stamp = state.header.stamp.sec + 1e-9 * state.header.stamp.nanosec
        assert stamp == pytest.approx(float(row["time[s]"]) - begin, abs=1e-6)
        shown = [float(row[f"{name}.position[rad]"]) for name in state.name]
        np.testing.assert_allclose(state.position, shown, rtol=1e-6, atol=1e-8)


def test_a_link_brings_back_the_very_state(view: Viewed) -> None:
    view.session.send(Reference("shoulder", 1, 0.9))
    view.passes(1.0)
    kept = view.session.frame
    view.go_to("Save")
    view.click("Link to this state")
    box = view.tab.locator("xpath=//label[normalize-space()='Link']/../../..").locator("input")
    view.until(lambda: "state=" in box.input_value(), "a link")
    link = box.input_value()
    view.session.send(Reference("shoulder", 1, -0.5))
    view.passes(1.0)
    assert view.session.frame.readings["position"][0] < kept.readings["position"][0] - 0.2
    view.context.new_page().goto(link)
    view.until(lambda: view.session.frame.state == kept.state, "the state is back")
    assert view.session.paused
    assert view.session.frame.readings["goal"][0] == 0.9


@pytest.mark.parametrize("view", ["light", "dark"], indirect=True)
def test_every_text_has_the_contrast_of_wcag_aa(view: Viewed) -> None:
    for name in ("Run", "Joint", "Save"):
        view.go_to(name)
        for _ in range(60):  # what fades in is faint meanwhile
            view.tab.wait_for_timeout(500)
            faint = view.tab.evaluate(CONTRAST)
            if not faint:
                break
        assert not faint, "\n".join(faint)


def test_keys_pause_step_reset_and_run(view: Viewed) -> None:
    view.passes(0.1)
    view.tab.locator("[data-reading=time]").click()
    view.press("Space")
    view.until(lambda: not view.session.paused, "space runs")
    view.press("Space")
    view.until(lambda: view.session.paused, "and pauses")
    at = view.session.frame.steps
    view.press("s")
    view.until(lambda: view.session.frame.steps == at + 1, "S takes a step")
    view.press("r")
    view.until(lambda: view.session.frame.steps == 0, "R resets")


def test_shift_and_drag_pulls_the_robot(view: Viewed) -> None:
    view.until(lambda: len(view.page.server.get_clients()) == 1, "the client is known")
    pulled = lambda: [push for push in given(view, Push) if np.any(push.force)]  # noqa: E731

    def drag() -> None:
        x, y = pixel(view, view.session.frame.position[-1])
        view.tab.mouse.move(x, y)
        view.tab.keyboard.down("Shift")
        view.tab.mouse.down()
        for k in range(1, 20):
            view.tab.mouse.move(x + 4 * k, y)
            view.tab.wait_for_timeout(200)
            if pulled():
                break
        view.tab.mouse.up()
        view.tab.keyboard.up("Shift")

    view.again(drag, lambda: bool(pulled()), "the robot, which may not be drawn yet")
    right = np.cross(*camera(view)[1:])
    assert np.dot(pulled()[-1].force, right) > 0.0  # to where the mouse went
    view.until(lambda: not np.any(given(view, Push)[-1].force), "letting go ends it")


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


def test_a_phone_shows_all_of_it_and_cuts_nothing_off(phone: Viewed) -> None:
    from pliant.view.joint_knobs import _is_main, _title

    whole = lambda: phone.tab.evaluate(CUT_OFF) == []  # noqa: E731
    for name in ("Run", "Save", "Joint"):
        phone.go_to(name)
        phone.until(whole, "nothing is cut off")
    phone.tab.get_by_text("All parameters").click()
    knobs = phone.session.scene.joints[0].parameters
    inside = next(knob for knob in knobs if not _is_main(knob))
    phone.tab.get_by_text(_title(inside), exact=True).wait_for()
    phone.until(whole, "no parameter is cut off")
    value = inside.value + 0.03 * (inside.high - inside.low)
    phone.number(_title(inside), value)

    def now() -> float:
        return next(
            k.value for k in phone.session.scene.joints[0].parameters if k.name == inside.name
        )

    phone.until(lambda: now() == pytest.approx(value, rel=1e-2), inside.name)


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
    named = {"Run", "One step", "Reset", "Go on from here", "Push for 0.1 s", "tab Run"}
    assert reached >= named | {"slider Look back [s]"} | {
        f"input {label}"
        for label in ("Body", "Direction", "Force [N]", "Load in the hand [kg]", "Speed")
    }
    tabbed_to("Run")
    keys.press("Enter")
    phone.until(lambda: not phone.session.paused, "Enter runs")
    phone.session.send(Pause(True))
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
