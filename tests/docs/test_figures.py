"""README, CONTRIBUTING and the page of measurements: short, and with the same figures."""

import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONGEST = {"README.md": 1000, "CONTRIBUTING.md": 1200, "docs/measurements.md": 1500}
"""[words] Each is read in a few minutes; what is longer belongs on a page of its own."""
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e-\d+)?")


def section(page: str, anchor: str) -> str:
    """Text below the heading with this anchor."""
    for part in re.split(r"^## ", (ROOT / page).read_text("utf-8"), flags=re.M)[1:]:
        if part.partition("\n")[0].lower().replace(" ", "-") == anchor:
            return part
    pytest.fail(f"{page} has no heading {anchor}")


@pytest.mark.parametrize(("page", "words"), LONGEST.items())
def test_a_page_for_readers_in_a_hurry_stays_short(page: str, words: int) -> None:
    assert len((ROOT / page).read_text("utf-8").split()) <= words


def test_each_figure_of_the_readme_stands_in_the_section_that_it_links_to() -> None:
    table = section("README.md", "results")
    rows = [line for line in table.splitlines() if line.startswith("| [")]
    assert 5 <= len(rows) <= 10
    for row in rows:
        link = re.search(r"\(docs/measurements\.md#([\w-]+)\)", row)
        assert link is not None, row
        figures = NUMBER.findall(row.split("|")[2])
        assert set(figures) <= set(NUMBER.findall(section("docs/measurements.md", link[1]))), row


def test_every_benchmark_has_its_place_among_the_measurements_and_no_page_names_another() -> None:
    names = set(runpy.run_path(str(ROOT / "benchmarks/__main__.py"), run_name="table")["NAMES"])
    quoted = set(re.findall(r"`(\w+)`", (ROOT / "docs/measurements.md").read_text("utf-8")))
    assert names <= quoted, names - quoted
    pages = [path for path in ROOT.glob("docs/**/*.md") if "generated" not in path.parts]
    for page in [*ROOT.glob("*.md"), *pages]:
        named = re.findall(r"`python benchmarks ([a-z]\w*)", page.read_text("utf-8"))
        assert set(named) <= names, page
