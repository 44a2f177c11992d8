"""Actuator files and laws that cannot be used."""

import re
from pathlib import Path

import pytest

from pliant.io.actuator_file import actuator_text, load_actuator

from .conftest import TINY, Pliant, refusal


def test_unknown_actuator(pliant: Pliant, logs: list[Path]) -> None:
    text = refusal(pliant("evaluate", "xl330_bam_m7", logs[0]))
    assert text.startswith("unknown actuator; found 'xl330_bam_m7'; did you mean 'xl330_bam_m")
    assert "erob80_100_bam_m1," in text.partition("accepted: ")[2]


def test_unknown_actuator_as_json(pliant: Pliant, logs: list[Path]) -> None:
    ended = pliant("evaluate", "xl330_bam_m7", logs[0], "--json")
    assert ended.code == 1
    assert ended.json["problem"] == "unknown actuator"
    assert ended.json["found"] == "'xl330_bam_m7'"
    assert "xl330_bam_m6" in ended.json["nearest"]
    assert ended.err == ""


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '"N m/A"',
            '"N m"',
            "parameters.motor.k_t.unit: wrong unit; found 'N m'; accepted: \"N m/A\"",
        ),
        (
            "k_t = {",
            "k_q = {",
            "parameters.motor: motor dc_voltage has no such parameter; found 'k_q'; did you mean "
            "'k_t'?; accepted: R, k_t",
        ),
        (
            "\nR = {",
            '\nR_w = {value = 1.0, unit = "Ohm", source = "published", how = "assumed"}\nR = {',
            "parameters.motor: motor dc_voltage has no such parameter; found 'R_w'; accepted: R, k_t",
        ),
        (
            'unit = "N m/A", source = "published"',
            'unit = "N m/A"',
            "parameters.motor.k_t.source: is missing",
        ),
        (
            'unit = "N m/A", source = "published"',
            'unit = "N m/A", source = "hearsay"',
            "parameters.motor.k_t.source: is not a key of [sources]; found 'hearsay'; accepted: "
            "datasheet, default, firmware, missing, published",
        ),
        ("[motor]", "[motor", "line 35, column 7: is not TOML; found "),
    ],
)
def test_actuator_file(pliant: Pliant, tmp_path: Path, old: str, new: str, said: str) -> None:
    text = actuator_text(load_actuator("xl330_bam_m1")).replace("[parameters.motor]", "[motor]")
    assert old in text
    path = tmp_path / "mine.toml"
    path.write_text(text.replace(old, new).replace("[motor]", "[parameters.motor]"))
    line = refusal(pliant("show", path))
    assert line.startswith(f"{path}: {said}"), line
    ended = pliant("check", path)
    assert ended.code == 1
    assert said.partition("; ")[0] in ended.out


def test_actuator_that_misses_a_parameter(pliant: Pliant, tmp_path: Path) -> None:
    text = actuator_text(load_actuator("xl330_bam_m1"))
    path = tmp_path / "mine.toml"
    path.write_text(re.sub(r"\nk_t = .*", "", text))
    assert refusal(pliant("show", path)) == (
        f"{path}: parameters.motor.k_t: parameter is missing; accepted: "
        '{ value = ..., unit = "N m/A", source = ..., how = ... }'
    )


LAW = '''"""Friction of mine."""
from typing import Annotated, NamedTuple
class P(NamedTuple):
    K_c: Annotated[float, "N m", (0.0, 1.0)]
def budget(v: float, tau_m: float, tau_e: float, p: P) -> float:
    return p.K_c
'''


@pytest.fixture
def law(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(LAW)
    return path


def test_law_of_ones_own_is_accepted(pliant: Pliant, law: Path, logs: list[Path]) -> None:
    assert f"{law}: law (friction_budget), good" in pliant("check", law).out
    words = ("--actuator", "xl330_bam_m1", "--law", f"friction={law}", "--json")
    found = pliant("identify", logs[0], *words, *TINY).json
    assert "friction.K_c" in found["identified"]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "from typing",
            "import numpy\nfrom typing",
            "line 2: a law imports only math, typing and other laws; found 'numpy'",
        ),
        (
            "    return p.K_c",
            "    for k in range(3):\n        v = v * v\n    return p.K_c",
            "line 6: outside the subset of Python for laws; found 'a loop'",
        ),
        ("p: P) -> float", "p: P) -> float\n", "line 5: is not Python"),
        (
            "def budget",
            "def friction",
            "budget: friction_budget law without the right budget(); "
            "found 'nothing'; accepted: budget(v: float, tau_m: float, tau_e: float, p: P) -> float",
        ),
    ],
)
def test_law(pliant: Pliant, law: Path, logs: list[Path], old: str, new: str, said: str) -> None:
    law.write_text(LAW.replace(old, new), encoding="utf-8")
    words = ("--actuator", "xl330_bam_m1", "--law", f"friction={law}")
    line = refusal(pliant("identify", logs[0], *words, *TINY))
    assert line.startswith(f"{law}: {said}"), line
    ended = pliant("check", law)
    assert ended.code == 1
    family = "does not define the functions of any family of laws"
    assert (said.partition("; ")[0] if new != "def friction" else family) in ended.out
