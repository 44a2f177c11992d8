"""A scene on a page of the browser, until Ctrl-C."""

import contextlib
import time
import webbrowser
from typing import TYPE_CHECKING

from pliant.cli.options import check_range
from pliant.cli.terminal import Terminal
from pliant.extras import need

if TYPE_CHECKING:
    from pliant.cli.replay import Replay
    from pliant.cli.view import View
    from pliant.view.scene import Scene


def check_page(asked: "View | Replay") -> None:
    """Refuse what no page can be shown with.

    Raises:
        PliantError: a package is missing, or an option is out of range.
    """
    need("viser", "view", (1, 1))
    need("mjviser", "view", (0, 0))
    check_range("--port", asked.port, 0, 65535)


def show(scene: "Scene", asked: "View | Replay", terminal: Terminal) -> dict[str, object]:
    """Show it; returns address, and seconds that were shown and that this took."""
    from pliant.view.page import shown
    from pliant.view.server import address_of

    with shown(scene, host=asked.host, port=asked.port, paused=asked.paused) as page:
        address = address_of(page.server)
        terminal.say(f"{address}   (Ctrl-C ends it)")
        if not asked.no_browser:
            webbrowser.open(address)
        begin, first = time.monotonic(), page.session.frame.time
        with contextlib.suppress(KeyboardInterrupt):  # how it is meant to end
            page.wait(asked.duration)
        seconds = time.monotonic() - begin
        simulated = page.session.frame.time - first
    terminal.say(f"{simulated:.2f} s shown in {seconds:.2f} s")
    return {"address": address, "simulated": simulated, "seconds": seconds}
