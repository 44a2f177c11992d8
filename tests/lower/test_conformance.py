"""What `pliant check` says of a law of one's own: which of its functions are not slopes of another."""

from pathlib import Path

import pytest

from pliant.catalogue import law_files, load_law
from pliant.errors import PliantError
from pliant.lower.conformance import conformance

BROKEN: dict[str, list[tuple[dict[str, str], set[str]]]] = {
    "compliance/linear_spring": [
        ({"return p.k\n": "return 1.0001 * p.k\n"}, {"stiffness is the slope of the torque"}),
        (
            {"0.5 * p.k": "-1e-12 * p.k"},
            {"energy is never negative", "torque is the slope of the energy"},
        ),
    ],
    "adjustable_compliance/awas": [
        (
            {"return -torque": "return -1.0001 * torque", "return 2.0 * p": "return 2.0002 * p"},
            {"load is its slope in theta", "stiffness is the slope of the torque in q"},
        ),
        (
            {"return -2.0 * p": "return -2.0002 * p"},
            {"adjuster_load is its slope in x", "coupling is its slope in x"},
        ),
    ],
    "friction_budget/m1": [
        ({}, set()),
        ({"p.K_c + p.K_v": "-p.K_c + p.K_v"}, {"the budget is never negative"}),
    ],
}


@pytest.mark.parametrize(
    ("law", "changes", "fails"),
    [(law, *case) for law, cases in BROKEN.items() for case in cases],
)
def test_each_function_that_is_not_what_it_should_be_is_named(
    tmp_path: Path, law: str, changes: dict[str, str], fails: set[str]
) -> None:
    family, name = law.split("/")
    text = law_files(family)[name].read_text()
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "own.py"
    path.write_text(text)
    found = conformance(load_law(family, str(path)))
    assert {one.what for one in found if not one.holds} == fails
    assert all(("does not hold" in str(one)) is not one.holds for one in found)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "p.a * phi",
            "400.0 * p.a * phi",
            "P: fails within its own ranges: math range error; "
            "accepted: ranges in which no function overflows",
        ),
        (
            "p.d * rate",
            "p.k * rate",
            "damping(): returns another unit than its family's; found 'kg m^2 s^-3'; "
            'accepted: "N m", which is kg m^2 s^-2',
        ),
    ],
)
def test_a_function_that_overflows_or_has_another_unit_is_refused(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    path = tmp_path / "own.py"
    path.write_text(law_files("compliance")["sinh_spring"].read_text().replace(old, new))
    with pytest.raises(PliantError) as caught:
        conformance(load_law("compliance", str(path)))
    assert str(caught.value) == f"{path}: {said}"
