"""The page in the browser of a phone, and by the keyboard alone."""

import pytest

from pliant.view.commands import Pause

from .viewed import Viewed


def test_a_phone_shows_all_of_it_and_cuts_nothing_off(phone: Viewed) -> None:
    from pliant.view.controls import _is_main, _title

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
    named = {"Run", "One step", "Reset", "Continue from here", "Push for 0.1 s", "tab Run"}
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
