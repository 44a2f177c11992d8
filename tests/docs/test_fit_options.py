"""The table of a fit's options has every one of them, and a reason where one is missing."""

import dataclasses
import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from docstring_parser import parse

from pliant.assemble import united, with_laws
from pliant.cli.fit_plan import FitPlan
from pliant.cli.identify import Identify
from pliant.cli.options import Output, option
from pliant.identification.fit import identify
from pliant.identification.problem.posterior import Prior
from pliant.identification.problem.task import FitOptions
from pliant.identification.selection.sweep import choose
from pliant.identification.uncertainty.intervals import intervals, write_draws
from pliant.io.actuator_file import write_actuator
from pliant.io.completeness import Given
from pliant.io.log import read_logs
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.identify import identify_robot

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "fit_options.md"
ROWS = [line.strip("|").split("|") for line in PAGE.read_text("utf-8").splitlines() if "|" in line]
KEYED = {"--plan": FitPlan, "--reading": RecordingFacts}
FUNCTIONS: list[Any] = [identify, choose, identify_robot, read_logs, Prior]
NAMED = {
    one.__name__
    for one in (with_laws, united, intervals, write_draws, write_actuator, read_robot_logs)
}
APART = {"report", "note", "name", "keep_checkpoint", "logs", "paths", "known", "actuators"}
"""Arguments of the functions that are no choice of a user of the command line."""


def settings(command: type) -> set[str]:
    """Options of a command, without logs and those of every command; the keys of those that take some."""
    found: set[str] = set()
    hints = get_type_hints(command)
    for field in dataclasses.fields(command):
        if hints[field.name] is Output:
            continue
        inner = dataclasses.is_dataclass(hints[field.name])
        found |= settings(hints[field.name]) if inner else {option(field.name)}
    keys = {f"{name} {key}" for name, form in KEYED.items() for key in form.model_fields}
    return found - {"--logs"} | keys


def arguments() -> set[str]:
    """Arguments of the functions, those in typed sets too."""
    plain = {name for one in FUNCTIONS for name in inspect.signature(one).parameters}
    return (plain | {*FitOptions.__annotations__, *Given.__annotations__}) - {"options", "given"}


def cells(column: int) -> set[str]:
    return {name for row in ROWS[2:] for name in re.findall(r"`([^`]+)`", row[column])}


def test_every_option_and_key_stands_in_the_table() -> None:
    assert cells(1) == settings(Identify)


@pytest.mark.parametrize("form", KEYED.values())
def test_every_key_of_recordings_and_every_rare_one_of_a_plan_is_explained(form: type) -> None:
    told = {one.arg_name for one in parse(form.__doc__ or "").params}
    flags = {field.name for field in dataclasses.fields(Identify)}
    assert told == {*form.model_fields} - (flags if form is FitPlan else set())


def test_every_argument_in_python_stands_in_the_table() -> None:
    assert cells(2) - NAMED <= arguments()
    assert arguments() - cells(2) <= APART


def test_what_is_missing_has_a_reason() -> None:
    for row in ROWS[2:]:
        assert ("—" in row[2]) == bool(row[3].strip()), row[0]
