"""The table of a fit's options has every one of them, and a reason where one is missing."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from pliant.assemble import united, with_laws
from pliant.cli.choose import Choose
from pliant.cli.identify import Identify
from pliant.cli.identify_robot import IdentifyRobot
from pliant.cli.options import Output
from pliant.cli.several import option
from pliant.identification.fit import identify
from pliant.identification.problem.prior import Prior
from pliant.identification.problem.task import FitOptions
from pliant.identification.selection.sweep import choose
from pliant.identification.uncertainty.intervals import intervals, write_draws
from pliant.io.actuator_file import write_actuator
from pliant.io.completeness import Given
from pliant.io.log import read_logs
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.identify import identify_robot

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "fit_options.md"
ROWS = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
COMMANDS: list[type] = [Identify, Choose, IdentifyRobot]
FUNCTIONS: list[Any] = [identify, choose, identify_robot, read_logs, Prior]
NAMED = {
    one.__name__
    for one in (with_laws, united, intervals, write_draws, write_actuator, read_robot_logs)
}
APART = {"report", "note", "name", "keep_checkpoint", "logs", "paths", "known", "actuators"}
"""Arguments of the functions that are no choice of a user of the command line."""


def options(command: type) -> set[str]:
    """Options of a command, without logs and those of every command."""
    found: set[str] = set()
    hints = get_type_hints(command)
    for field in dataclasses.fields(command):
        if hints[field.name] is Output:
            continue
        inner = dataclasses.is_dataclass(hints[field.name])
        found |= options(hints[field.name]) if inner else {option(field.name)}
    return found - {"--logs"}


def arguments() -> set[str]:
    """Arguments of the functions, those in typed sets too."""
    plain = {name for one in FUNCTIONS for name in inspect.signature(one).parameters}
    return (plain | {*FitOptions.__annotations__, *Given.__annotations__}) - {"options", "given"}


def cells(column: int) -> set[str]:
    return {name for row in ROWS[2:] for name in re.findall(r"`([^`]+)`", row[column])}


@pytest.mark.parametrize(("column", "command"), [*enumerate(COMMANDS, 1)])
def test_every_option_of_a_command_stands_in_the_table(column: int, command: type) -> None:
    assert cells(column) == options(command)


def test_every_argument_in_python_stands_in_the_table() -> None:
    assert cells(4) - NAMED <= arguments()
    assert arguments() - cells(4) <= APART


def test_what_is_missing_has_a_reason() -> None:
    for row in ROWS[2:]:
        assert ("—" in "".join(row[1:5])) == bool(row[5].strip()), row[0]


def test_a_choice_takes_every_option_of_a_fit_but_one() -> None:
    """It holds groups out anyway: no second fit is to be skipped."""
    assert options(Identify) - options(Choose) == {"--no-test"}
