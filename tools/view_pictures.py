"""The pictures of `pliant view` in the README and the documentation: light and dark.

    python tools/view_pictures.py       writes docs/_static/view_light.png and view_dark.png

Needs pip install "pliant[dev]" and a Chromium of the system.
"""

import io
import shutil
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page as Tab
from playwright.sync_api import ViewportSize, sync_playwright

from pliant.engines.spec.placing import Wishes
from pliant.view.commands import Reference
from pliant.view.page import Page, shown
from pliant.view.robots import robot_maker
from pliant.view.server import address_of
from pliant.view.simulated import Simulated

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "_static"
SIZE: ViewportSize = {"width": 1120, "height": 620}
COLOURS = 96


def main() -> None:
    """Write both."""
    scene = Simulated(robot_maker(ROOT / "examples" / "compliant_arm.toml", [], Wishes()), "arm")
    with shown(scene, port=0) as page, sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            context = chromium.new_context(viewport=SIZE, color_scheme=scheme)
            picture(context.new_page(), page, FOLDER / f"view_{scheme}.png")
            context.close()
        chromium.close()


def picture(tab: Tab, page: Page, path: Path) -> None:
    """The page with a joint in motion."""
    tab.goto(address_of(page.server))
    tab.wait_for_selector("[data-reading=time]", timeout=90_000)
    tab.get_by_role("tab", name="Joint").click()
    for joint, number, value in (("shoulder", 1, 0.0), ("shoulder", 2, 0.2), ("elbow", 1, 0.0)):
        page.session.send(Reference(joint, number, value))
    tab.wait_for_timeout(6000)
    page.session.send(Reference("shoulder", 1, 1.1))
    page.session.send(Reference("elbow", 1, 0.5))
    tab.wait_for_timeout(5000)
    for notice in tab.locator(".mantine-Notification-closeButton").all():
        notice.click()
    tab.wait_for_timeout(1500)
    drawn = Image.open(io.BytesIO(tab.screenshot())).convert("RGB")
    palette = Image.Quantize.FASTOCTREE  # median cut would merge the colours of thin lines
    drawn.quantize(COLOURS, palette, dither=Image.Dither.NONE).save(path, optimize=True)


if __name__ == "__main__":
    main()
