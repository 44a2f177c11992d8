"""Numbers and units as people read them."""

import pytest

from pliant.words import unit


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("1", ""),
        ("N m", "N m"),
        ("kg m^2", "kg m²"),
        ("N m/rad^7", "N m/rad⁷"),
        ("A^12 s", "A¹² s"),
    ],
)
def test_a_unit_has_raised_exponents(written: str, read: str) -> None:
    assert unit(written) == read
