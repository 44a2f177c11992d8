"""Numbers that an experiment says are its paper's stand there.

`places.toml` has the section and the numbers as printed. With the papers' texts in the folder PLIANT_PAPERS, each
is looked for there; their wording is not part of the project.
"""

import os
import re
import tomllib
from collections.abc import Iterator
from math import isclose, pi, radians
from pathlib import Path

import pytest

from pliant.experiments.index import constant_homes, numbers, recipe, titles

PLACES = tomllib.loads((Path(__file__).parent / "places.toml").read_text("utf-8"))
RESULTS = PLACES.pop("results")
TEXTS = os.environ.get("PLIANT_PAPERS")
TITLES = {
    "mengacci2021": "An Open-Source ROS-Gazebo Toolbox",
    "duclusaud2025": "Extended Friction Models",
    "trumic2022": "Force/Torque-Sensorless",
    "kamedula2016": "A Compliant Actuation Dynamics",
    "parnenzini": "Simulation of a Variable Stiffness Actuator",
}
WORDS = {"three": 3.0}
NO_NUMBER = {
    *(
        "sections",
        "grounded",
        "courses",
        "models",
        "paths",
        "arms",
        "servos",
        "arm.gravity",
        "PLUGIN",
        "SPRINGS",
    ),
    *("actuator", "arm.actuators", "first_axis"),
}
"""Choices in words."""
ELSEWHERE = re.compile(
    r"^assumed|authors'|published|read from the figure|^AlterEgo robot's d|^Parnenz|catalogue"
)
NUMERAL = re.compile(r"(\d+(?:\.\d+)?(?:[eE]-?\d+)?)(?:\s*10\^\{(-?\d+)\})?")


def numerals(text: str) -> list[float]:
    found = [float(x) * 10.0 ** float(power or 0) for x, power in NUMERAL.findall(text)]
    return found + [x for word, x in WORDS.items() if word in text]


def cited() -> Iterator[tuple[str, str, str, str]]:
    """Paper, module and name, value and source of every number that is said to be a paper's."""
    for name in titles():
        module = recipe(name)
        paper, own = module.__name__.split(".")[-2:]
        homes = constant_homes(module)
        for number in numbers(module):
            if paper in PLACES and not ELSEWHERE.search(number.source):
                home = homes.get(number.name, own)
                yield paper, f"{home}.{number.name}", number.value, number.source


CITED = sorted(set(cited()))


@pytest.mark.parametrize(
    ("paper", "name", "value", "source"), CITED, ids=[f"{c[0]}-{c[1]}" for c in CITED]
)
def test_a_papers_number_is_the_one_printed(paper, name, value, source):
    if name.partition(".")[2] in NO_NUMBER and name not in PLACES[paper]:
        return
    quoted = PLACES[paper][name]
    assert any(place.partition("-")[0] in source for place, _ in quoted), source
    printed = [x for _, words in quoted for x in numerals(words)]
    units = (1.0, 1e-3, 1e3, 1e-2, 0.5e-2, radians(1.0))  # of a limb in two parts, half a length
    ways = {u * x for x in printed for u in units} | {pi / x for x in printed if x}
    ours = numerals(value)
    if re.fullmatch(r"[-\d.,e ]+", value) and "how they share it" not in source:
        assert all(any(isclose(x, way, rel_tol=1e-5) for way in ways) for x in ours)
    else:  # some of many numbers, or of a name
        parts = [x for x in ways if any(isclose(x, y, rel_tol=1e-5) for y in ours)]
        assert parts or "how they share it" in source


@pytest.mark.parametrize(("paper", "name"), [(p, n) for p, all_ in RESULTS.items() for n in all_])
def test_a_papers_result_in_a_table_is_the_one_printed(paper, name):
    module = Path(recipe(name).__file__ or "").read_text("utf-8")
    for _, words in RESULTS[paper][name]:
        for x in numerals(words):
            assert any(isclose(x, y, rel_tol=1e-9) for y in numerals(module)), words


def plain(text: str) -> str:
    """Without what typesetting adds."""
    text = re.sub(r"\\[a-zA-Z]+|[\\{}$~\s,|°_]", "", text)
    return text.lower()


def regions(text: str) -> dict[str, str]:
    """Section, figure and table to its text."""
    found: dict[str, str] = {}
    label = part = ""
    lines = text.splitlines()
    for k, line in enumerate(lines):
        if named := re.match(r"(\d(?:\.\d)*|[IVX]+-[A-Z]|[IVX]+) [A-Z]", line):
            label = named[1]
        elif named := re.match(r"([IVX]+)\. [A-Z]", line):
            label = part = named[1]
        elif part and (named := re.match(r"([A-H])\. [A-Z]", line)):
            label = f"{part}-{named[1]}"
        if named := re.match(r"(?:Fig\.|Figure) (\d+)\.", line):
            found[f"Fig. {named[1]}"] = line + "\n".join(lines[k + 1 : k + 3])
        if named := re.match(r"TABLE ([IVX]+)", line):
            found[f"Table {named[1]}"] = "\n".join(lines[k : k + 24])
        found[label] = found.get(label, "") + "\n" + line
    return found


@pytest.mark.skipif(TEXTS is None, reason="PLIANT_PAPERS names no folder with the papers' texts")
@pytest.mark.parametrize("paper", PLACES)
def test_each_is_found_at_its_place_in_the_papers_text(paper):
    texts = [path.read_text("utf-8") for path in Path(TEXTS or "").glob("*.txt")]
    (text,) = [text for text in texts if TITLES[paper] in text[:400]]
    places = regions(text)
    missing: list[str] = []
    for name, quoted in [*PLACES[paper].items(), *RESULTS[paper].items()]:
        for label, words in quoted:
            here = "".join(
                t
                for k, t in places.items()
                if k == label or k.startswith((f"{label}.", f"{label}-"))
            )
            if plain(words) not in plain(here):
                missing.append(f"{name}: {label}: {words}")
    assert not missing, "\n".join(missing)


def test_no_place_is_of_a_number_that_is_gone():
    names = {(paper, name) for paper, name, *_ in CITED}
    given = {(paper, name) for paper, all_ in PLACES.items() for name in all_}
    assert given - names == set()
