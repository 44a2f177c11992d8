"""The record of a fit, as somebody's file may have it."""

import math
from dataclasses import replace

import pytest

from pliant.errors import PliantError
from pliant.identification.result.record import FitRecord
from pliant.io.actuator_file import load_actuator


def _with(**entries: object) -> FitRecord:
    return FitRecord.of(replace(load_actuator("xl330_bam_m6"), identification=entries))


@pytest.mark.parametrize(
    ("entries", "field"),
    [
        ({"zeros": {"step": math.nan}}, "identification.zeros.step"),
        ({"zeros_held_out": {"step": math.inf}}, "identification.zeros_held_out.step"),
        (
            {"coverage": {"margin_mrad": math.nan}},
            "identification.coverage.margin_mrad",
        ),
        ({"coverage": {"response_mrad": math.inf}}, "identification.coverage.response_mrad"),
        ({"coverage": {"groups": {"800": "x"}}}, "identification.coverage.groups.800"),
        ({"recorders": {"age": {"step": math.nan}}}, "identification.recorders.age.step"),
        ({"repeatability_mrad": {"step": math.inf}}, "identification.repeatability_mrad.step"),
        (
            {"datasheet": [{"fact": "gear_ratio", "value": "x", "unit": "1", "source": "given"}]},
            "identification.datasheet.0.value",
        ),
    ],
)
def test_a_number_that_is_none_is_refused(entries, field) -> None:
    with pytest.raises(PliantError, match=r"finite|valid") as refused:
        _with(**entries)
    assert refused.value.field == field


@pytest.mark.parametrize("field", ["zero_by", "recorder_by"])
def test_a_property_that_recordings_do_not_have_is_refused_with_the_nearest(field) -> None:
    with pytest.raises(PliantError, match="dya") as refused:
        _with(**{field: "dya"})
    assert refused.value.field == f"identification.{field}"
    assert refused.value.nearest == ["day"]
    assert refused.value.file.endswith(".toml")


@pytest.mark.parametrize("kind", ["length+day", "log", "folder", None])
def test_properties_of_benches_and_robots_are_accepted(kind) -> None:
    assert _with(zero_by=kind, recorder_by=kind).zero_by == kind
