"""Former names of commands and options work, and the present one is said."""

from pathlib import Path

import pytest

from pliant.cli.command_line import FORMER, RENAMED, commands, present
from pliant.cli.usage import options_of

from .conftest import Pliant

OWN = {name: options_of(command) for name, command in commands().items()}
LINES = {
    "convert a b --model=m.xml": "convert a b --robot=m.xml",
    "simulate arm.xml --timestep 0.002": "simulate arm.xml --step 0.002",
    "evaluate a logs/ --mass 0.5 --rename a=b": "evaluate a logs/ --reading mass=0.5 --rename a=b",
    "view --log run.csv --leave-out a,b": 'view --log run.csv --reading "leave_out=a,b"',
    "convert a b --joint elbow": "convert a b --joint elbow",
    "identify logs/ --device STS3032 --datasheet file": "identify logs/ --reading device=STS3032 --prior file",
    "identify logs/ --no-test --jacobians 3 --overwrite --watch": (
        "identify logs/ --plan test=no --plan jacobians=3 --overwrite --plan watch=yes"
    ),
    "choose logs/": ("identify logs/ --law friction=m1,m2,m3,m4,m5,m6 --plan extension=usual"),
    "choose logs/ --model m1,m4 --plain --by log --cluster local:2": (
        "identify logs/ --hold-out log --processes local:2 --law friction=m1,m4"
    ),
    "choose logs/ --model m1 --extension timing=command_delay": (
        "identify logs/ --plan extension=timing=command_delay --law friction=m1"
    ),
    "identify-robot arm.xml runs/ --attach a=b --how both --device d.toml": (
        "identify runs/ --actuator a=b --plan how=both --plan device_output=d.toml --robot arm.xml"
    ),
    "identify-robot --choose m1,m4 arm.xml runs/ --replace": (
        "identify runs/ --plan replace=yes --law friction=m1,m4 --robot arm.xml"
    ),
}


@pytest.mark.parametrize("line", LINES)
def test_a_former_line_is_a_present_one(line: str) -> None:
    words = line.split()
    found, said = present(words, OWN[FORMER.get(words[0], words[0])])
    assert found == LINES[line].split()
    assert bool(said) == (found != words)
    assert present(found, OWN[found[0]]) == (found, [])


def test_former_names_are_not_shown(pliant: Pliant) -> None:
    assert not {*FORMER} & {*pliant("--help").out.split()}
    for command, former in RENAMED:
        assert former not in pliant(command, "--help-all").out.split()


def test_a_former_command_says_the_present_one(pliant: Pliant, tmp_path: Path) -> None:
    ended = pliant("choose", tmp_path, "--model", "m1,m4", "--plain")
    assert ended.code == 1
    assert f"now: pliant identify {tmp_path} --law friction=m1,m4\n" in ended.err
