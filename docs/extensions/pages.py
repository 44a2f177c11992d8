"""The pages that are made from the code: written into `generated/` before the site is built."""

from collections.abc import Iterator
from pathlib import Path

import actuators
import budgets
import commands
import gallery
import laws
import likelihood
import notation
import python
import rooms
import torques
from sphinx.application import Sphinx

from pliant.cli.fit_plan import FitPlan
from pliant.io.recording_facts import RecordingFacts

FOLDER = "generated"


def made() -> Iterator[tuple[str, str]]:
    """File and Markdown of every page."""
    yield "notation.md", notation.page()
    yield "laws/index.md", laws.index_page()
    for family in laws.TITLES:
        yield f"laws/{family}.md", laws.family_page(family)
    yield "gallery.md", gallery.page()
    yield "likelihood.md", likelihood.page()
    yield "servo_joint.md", torques.servo()
    yield "compliant_joint.md", torques.compliant()
    yield "friction_budgets.md", budgets.page()
    yield "rooms.md", rooms.page()
    yield "topologies.md", laws.topology_page()
    yield "actuators/index.md", actuators.index_page()
    for topology, (file, _) in actuators.PAGES.items():
        yield f"actuators/{file}.md", actuators.page(topology)
    yield "commands/plan_keys.md", commands.keys(FitPlan)
    yield "commands/reading_keys.md", commands.keys(RecordingFacts)
    yield "commands/index.md", commands.index_page()
    for name in commands.names():
        yield f"commands/{name}.md", commands.page(name)
    yield "python/index.md", python.index_page()
    for package in python.PACKAGES:
        yield f"python/{package.replace('.', '_')}.md", python.page(package)
    for file in python.MORE:
        yield f"python/{file}.md", python.more_page(file)


def write(app: Sphinx) -> None:
    """Write every page that has changed."""
    for name, text in made():
        path = Path(app.srcdir) / FOLDER / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, bool]:
    """Before any page is read."""
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
