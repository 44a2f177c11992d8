"""Bad values of the commands' options, always the same ones; more: `python -m tests.fuzz --options`."""

import re
from pathlib import Path
from typing import Any

import pytest

from pliant.cli import main
from pliant.cli.command_line import commands

from .options import GOOD, Attack, attack, attacks, unlike_a_refusal

SEED, COUNT = 20261122, 40


@pytest.mark.long
def test_no_bad_value_of_an_option_ends_in_a_traceback_or_is_taken(tmp_path: Path) -> None:
    report = attack(tmp_path, SEED, count=COUNT)
    assert report.faults == []
    assert report.codes.total() == COUNT + len(GOOD)
    assert report.codes[1] + report.codes[2] > COUNT / 2


@pytest.mark.parametrize("name", ["plan", "identify", "simulate"])
def test_every_option_of_the_help_is_attacked(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([name, "--help-all"]) == 0
    shown = capsys.readouterr().out
    assert "MISSING" not in shown
    listed = set(re.findall(r"^\W{0,3}(?:-h, )?(--[a-z][\w-]+)", shown, re.MULTILINE)) - {"--help"}
    attacked = {one.option for one in attacks() if one.command == name}
    assert listed == {one for one in attacked if one.startswith("--") and " " not in one}


def test_every_command_has_a_line_that_is_good() -> None:
    assert set(GOOD) == set(commands())


LINE = Attack("plan", "--reach", ["plan", "--reach", "nan"], none=True)
REFUSED = {
    "code": 1,
    "out": "",
    "err": "pliant: --reach: is no number",
    "seconds": 1.0,
    "memory": 0,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, ""),
        ({"code": 2, "err": "a box of the parser"}, ""),
        ({"code": 0}, "was accepted"),
        ({"code": 130}, ""),
        ({"code": -1}, "exit status -1"),
        ({"err": ""}, "0 messages"),
        ({"err": "pliant: a\npliant: b"}, "2 messages"),
        ({"err": "pliant: unexpected KeyError; this is a fault of Pliant"}, "unexpected"),
        ({"err": "Traceback (most recent call last)\npliant: a"}, "unexpected"),
        ({"err": "pliant: " + 3000 * "x"}, "1 messages, 3008 characters"),
        ({"seconds": 70.0}, "took 70.0 s"),
        ({"memory": 4 * 2**30}, "took 4096 MiB"),
    ],
)
def test_what_must_never_happen_is_seen(change: dict[str, Any], said: str) -> None:
    found = unlike_a_refusal(LINE, REFUSED | change, 3.0)
    assert found.startswith(said)
    assert bool(said) == bool(found)
