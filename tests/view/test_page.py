"""The page in a browser: every control moves what it says, and nothing complains."""

import ast
import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pliant.view.commands import Pause, Push, Reference, Reset, Restore

from .viewed import CONTRAST, Viewed, viewed


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
    view.click("Continue from here")
    view.until(lambda: not view.session.paused, "it goes on")
    assert given(view, Restore)[-1].state == state
    view.choose("Speed", "1/10")
    view.until(lambda: view.session.speed == 0.1, "a tenth of real time")
    view.click("Reset")
    view.until(lambda: bool(given(view, Reset)), "it begins anew")
    view.until(lambda: view.session.frame.time < shown, "its time is that of the beginning")
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
    folder, names = Path(__file__).parent, set[str]()
    here = "".join(
        (folder / f"{name}.py").read_text("utf-8") for name in ("test_page", "viewed", "test_phone")
    )
    for path in (Path(__file__).parents[2] / "src" / "pliant" / "view").glob("*.py"):
        if path.stem == "watching":  # tested in files of its own
            continue
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in made:
                first = node.args[0]
                names |= {first.value} if isinstance(first, ast.Constant) else set()
    names -= {"Clock", "Curves", "Push, load and step"}  # headings of others
    assert len(names) > 15
    assert not [name for name in names if f'"{name}"' not in here and f"'{name}'" not in here]
