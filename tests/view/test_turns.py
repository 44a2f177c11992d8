"""What a viewer turns arrives, whatever the page does meanwhile; no browser, the server alone."""

import asyncio
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("viser", reason="pliant[view] is not installed")

from viser._messages import GuiUpdateMessage

from pliant.view.commands import Parameter, Reference
from pliant.view.page import Page, shown


class Client:
    """A viewer, as far as the page knows one."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def add_notification(self, _title: str, text: str, **_how: Any) -> None:
        self.told.append(text)


@pytest.fixture
def viewer(arm: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Page, Client]]:
    client = Client()
    with shown(arm, port=0) as page:
        monkeypatch.setattr(page.server.gui, "_resolve_client", lambda _: client)
        monkeypatch.setattr(page.server, "get_clients", lambda: {0: client})
        yield page, client


def turn(page: Page, handle: Any, value: Any) -> None:
    """The message of a browser, as the server receives it."""
    message = GuiUpdateMessage(handle._impl.uuid, {"value": value})
    received = page.server.gui._handle_gui_updates(0, message)  # pyright: ignore[reportArgumentType]
    asyncio.run_coroutine_threadsafe(received, page.server.get_event_loop()).result()


def until(condition: Any) -> None:
    end = time.monotonic() + 60.0
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def knob(page: Page, name: str) -> Any:
    return page.controls._knobs._knobs[name]


def test_a_value_that_the_page_read_before_a_turn_does_not_undo_it(viewer: Any) -> None:
    page, _ = viewer
    handle, loop = knob(page, "reference_2"), page.server.get_event_loop()
    for value in (0.3, 0.4):

        def read_before(value: float = value) -> list[tuple[Any, float]]:
            turn(page, handle, value)  # after the page has read, before it writes
            until(lambda: page.session.frame.readings["preset"][0] == value)
            return [(handle, 0.1)]

        until(lambda: not page.turns._due)
        page.turns.agree(read_before)
        written = asyncio.run_coroutine_threadsafe(asyncio.sleep(0.0), loop)
        written.result()  # the server has done what came before
        assert handle.value == value


def test_the_newest_turn_counts_where_the_session_is_slow(viewer: Any) -> None:
    page, _ = viewer
    free, session = threading.Event(), page.session
    apply = session.scene.apply
    session.scene.apply = lambda command: free.wait(60.0) and apply(command)
    turn(page, knob(page, "reference_1"), 0.5)
    until(lambda: not page.turns._woken.is_set())
    for value in (0.2, 0.3, 0.4):
        turn(page, knob(page, "reference_2"), value)
    assert knob(page, "reference_2").value == 0.4
    free.set()
    until(lambda: session.frame.readings["preset"][0] == 0.4)
    presets = [c for _, c in session.journal if isinstance(c, Reference) and c.number == 2]
    assert [command.value for command in presets] == [0.4]


def test_controls_follow_what_others_change_and_a_refusal_is_told(viewer: Any) -> None:
    page, client = viewer
    page.session.send(Reference("shoulder", 1, 0.25))
    page.session.send(Parameter("shoulder", "control_1.k_p", 60.0))
    until(lambda: knob(page, "reference_1").value == 0.25)
    until(lambda: knob(page, "control_1.k_p").value == 60.0)
    before = page.session.scene.timestep
    turn(page, page.controls.timestep, 1e6)
    until(lambda: client.told)
    assert "timestep: out of range" in client.told[0]
    until(lambda: page.controls.timestep.value == pytest.approx(1e3 * before))


def test_every_parameter_turns_within_its_bounds(viewer: Any) -> None:
    page, client = viewer
    joint = lambda: page.session.scene.joints[0]  # noqa: E731
    for one in joint().parameters:
        span = one.high - one.low
        value = one.value + (0.03 if one.value + 0.03 * span < one.high else -0.03) * span
        handle = knob(page, one.name)
        turn(page, handle, value)
        until(lambda: not page.turns._due)
        turned = {k.name: k.value for k in joint().parameters}[one.name]
        assert turned == pytest.approx(value), (one.name, client.told)
        assert handle.min <= one.low <= one.high <= handle.max
    assert client.told == []
