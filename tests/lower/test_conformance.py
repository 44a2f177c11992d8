"""What `pliant check` says of a law of one's own: which of its functions are not slopes of another."""

from pathlib import Path

import pytest

from pliant.catalogue import law_files, load_law
from pliant.errors import PliantError
from pliant.lower.conformance import conformance

BROKEN = {
    "compliance/linear_spring": [
        ({"return p.k\n": "return 1.0001 * p.k\n"}, {"stiffness is the slope of the torque"}),
        (
            {"0.5 * p.k": "-0.5 * p.k"},
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


def test_ranges_in_which_a_function_overflows_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "own.py"
    text = law_files("compliance")["sinh_spring"].read_text()
    path.write_text(text.replace("p.a * phi", "400.0 * p.a * phi"))
    with pytest.raises(PliantError) as caught:
        conformance(load_law("compliance", str(path)))
    assert str(caught.value) == (
        f"{path}: P: fails within its own ranges: math range error; "
        "accepted: ranges in which no function overflows"
    )
