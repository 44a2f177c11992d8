"""What a notebook shows: a table and a plot, escaped, without a script or a look outside."""

import dataclasses
from html.parser import HTMLParser
from typing import Any

import pytest

import pliant
from pliant.identification import SearchSettings
from pliant.io.log import example_logs
from pliant.robots import load_robot

QUICK = SearchSettings(starts=1, jacobians=2)


class Read(HTMLParser):
    """Cells and tags of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.outside: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.outside += [
            v for n, v in attrs if n in ("src", "href") and v and not v.startswith("#")
        ]

    def handle_data(self, data: str) -> None:
        if self.tags and self.tags[-1] == "td" and data.strip():
            self.cells.append(data.strip())


@pytest.fixture(scope="module")
def log() -> Any:
    return pliant.read_log(sorted(example_logs())[0], repair=["all"])


def html(thing: Any) -> Read:
    read = Read(thing._repr_html_())
    assert "script" not in read.tags
    assert read.outside == []
    return read


@pytest.mark.parametrize("name", ["xl330_bam_m6", "qbmove_maker_pro", "awas_ii", "sea_walkman_200"])
def test_an_actuator_shows_every_parameter_and_a_plot(name: str) -> None:
    actuator = pliant.load_actuator(name)
    read = html(actuator)
    assert set(actuator.fields) <= set(read.cells)
    assert "svg" in read.tags


def test_a_log_a_fit_and_a_robot_show_themselves(log: Any) -> None:
    assert "svg" in html(log).tags
    found = pliant.identify("xl330_bam_m1", [log], search_settings=QUICK)
    read = html(found)
    assert set(found.values) <= set(read.cells)
    assert "svg" in read.tags
    robot = load_robot("examples/compliant_arm.toml", target="python")
    robot.reference_1 = [0.5, 0.2]
    assert {"shoulder", "elbow", "0.5", "0.2"} <= set(html(robot).cells)


def test_words_of_a_file_are_text(log: Any) -> None:
    bad = dataclasses.replace(log, name="<img src=x onerror=alert(1)>", device="</style><script>")
    read = html(bad)
    assert "img" not in read.tags
