"""Figures of a data sheet beside those of a fit, and what was given of them."""

import re
from pathlib import Path

from pliant.io.actuator_file import load_actuator

from .conftest import TINY, Pliant

GIVEN = ("--datasheet", "stall_torque=0.93@7.4V")


def _figures(text: str) -> dict[str, list[str]]:
    """Name to value, unit, interval, data sheet."""
    table = text.partition("figures of this fit")[2].partition("\n\n")[0]
    rows = (re.split(r" {2,}", line.strip()) for line in table.splitlines()[2:])
    return {row[0]: row[1:] for row in rows}


def test_figures_stand_beside_the_sheet_without_being_asked_for(
    pliant: Pliant, logs: list[Path]
) -> None:
    said = pliant("identify", *logs, "--actuator", "xl330_bam_m1", *TINY[:-1]).out
    value, unit, interval, stated = _figures(said)["stall torque at 6 V"]
    low, high = map(float, interval.split(" … "))
    assert low <= float(value) <= high and (unit, stated) == ("N m", "0.6")
    assert {"no-load speed at 6 V", "stall current at 6 V", "breakaway torque"} <= {*_figures(said)}


def test_without_intervals_the_values_are_told(pliant: Pliant, logs: list[Path]) -> None:
    said = pliant("identify", *logs, "--actuator", "xl330_bam_m1", *TINY).out
    value, unit, stated = _figures(said)["stall torque at 6 V"]
    assert 0.2 < float(value) < 2.0 and (unit, stated) == ("N m", "0.6")


def test_facts_given_by_hand_stand_in_the_file_and_are_not_asked_for(
    pliant: Pliant, logs: list[Path], tmp_path: Path
) -> None:
    words = ("identify", *logs, "--actuator", "xl330_bam_m1", *TINY, "--verbose")
    assert "or give --prior" in pliant(*words).out
    file = tmp_path / "mine.toml"
    said = pliant(*words, *GIVEN, "--output", file).out
    assert "stall torque and no-load speed are extrapolated" in said
    # A speed was not given: for that it is still the advice.
    assert re.findall("give --prior no.*", said) == ["give --prior no_load_speed=..."]
    assert _figures(said)["stall torque at 7.4 V"][-1] == "0.93"
    (fact,) = load_actuator(file).identification["datasheet"]
    assert (fact["fact"], fact["value"], fact["source"]) == ("stall_torque", 0.93, "given")
    shown = pliant("show", file).out
    rows = [re.split(r" {2,}", line.strip()) for line in shown.splitlines()]
    assert ["stall torque", "0.6", "N m", "6", "30", "datasheet"] in rows
    assert ["stall torque", "0.93", "N m", "7.4", "15", "given"] in rows
