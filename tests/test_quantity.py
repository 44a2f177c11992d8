"""Units: exponents and arithmetic, against pint."""

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pliant.catalogue import law_files, load_law
from pliant.errors import PliantError
from pliant.ports import FAMILIES
from pliant.quantity import (
    NONE,
    UNIT_AWARE,
    Quantity,
    UnitError,
    dimension,
    notation,
    unit_text,
)

DIMENSIONS = ("[mass]", "[length]", "[time]", "[current]", "[temperature]")
UNITS = sorted(
    {
        f.unit
        for family in FAMILIES
        for name in law_files(family)
        for law in [load_law(family, name)]
        for f in (*law.parameters, *law.state)
    }
    | set(notation()["units"])
    | {"N m s^2/(rad A)", "kg^-1 m^3 s^-2", "1/s", "J/(kg K)", "V s/rad", "W/(m K)", "H A^2"}
)


@cache
def registry() -> Any:
    """Imported where a test runs: every worker collects this file."""
    import pint

    return pint.UnitRegistry()


@cache
def by_pint(unit: str) -> tuple[float, ...]:
    top, _, bottom = unit.partition("/")
    factors = "*".join(top.split())
    if bottom:
        factors += "/(" + "*".join(bottom.strip("() ").split()) + ")"
    found = registry().parse_expression(factors.replace("^", "**").replace("Ohm", "ohm"))
    dims = found.dimensionality if hasattr(found, "dimensionality") else {}
    return tuple(float(dims.get(name, 0)) for name in DIMENSIONS)


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_has_the_exponents_that_pint_gives_it(unit: str) -> None:
    assert tuple(float(x) for x in dimension(unit)) == by_pint(unit)


@pytest.mark.parametrize("unit", UNITS)
def test_a_unit_written_in_base_units_is_the_same_unit(unit: str) -> None:
    assert dimension(unit_text(dimension(unit))) == dimension(unit)


@pytest.mark.parametrize(
    "text",
    ["Nm", "N m/rad s", "N/m/s", "", " ", "1/", "newton", "N^0.5", "N**2", "(N m)", "°", "N^"],
)
def test_what_is_no_unit_is_refused(text: str) -> None:
    with pytest.raises(PliantError) as caught:
        dimension(text)
    assert str(caught.value) == (
        f'not a unit; found {text!r}; accepted: products like "N m s/rad" of '
        "1, rad, kg, m, s, A, K, N, J, W, V, Ohm, H"
    )


numbers = st.floats(0.1, 10.0).map(lambda x: round(x, 3))
units = st.sampled_from(["1", "rad", "N m", "V", "A", "Ohm", "rad/s", "kg m^2", "s", "K"])
SYMBOLS: dict[str, Callable[..., object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
}


@settings(max_examples=300, deadline=None)
@given(numbers, units, numbers, units, st.sampled_from(sorted(SYMBOLS)))
def test_arithmetic_is_that_of_pint(a: float, u: str, b: float, w: str, symbol: str) -> None:
    """Also in what is refused: unlike units in a sum or a comparison."""
    act = SYMBOLS[symbol]
    ours = Quantity.of(a, u), Quantity.of(b, w)
    theirs = [
        registry().Quantity(
            x,
            "*".join(
                f"{n}**{p}" for n, p in zip(("kg", "m", "s", "A", "K"), by_pint(unit), strict=True)
            ),
        )
        for x, unit in ((a, u), (b, w))
    ]
    if dimension(u) != dimension(w) and symbol not in "*/":
        with pytest.raises(UnitError):
            act(*ours)
        if symbol != "==":
            with pytest.raises(TypeError, match="Cannot convert from"):
                act(*theirs)
        return
    found, expected = act(*ours), act(*theirs)
    if isinstance(found, Quantity):
        assert found.value == pytest.approx(expected.magnitude, rel=1e-14)
        assert [float(x) for x in found.dim] == [
            float(expected.dimensionality.get(d, 0)) for d in DIMENSIONS
        ]
    else:
        assert found == bool(expected)


def test_a_plain_number_stands_beside_a_plain_one_only() -> None:
    torque = Quantity.of(2.0, "N m")
    for act in (operator.add, operator.sub, operator.lt, operator.eq):
        with pytest.raises(UnitError, match=r"kg m\^2 s\^-2 with the plain number 1\.0"):
            act(torque, 1.0)
    with pytest.raises(UnitError):
        operator.sub(1.0, torque)
    assert (Quantity.of(2.0, "rad") + 1.0).value == 3.0
    assert (5.0 - Quantity.of(2.0, "1")).value == 3.0


def test_zero_and_infinity_stand_beside_any_unit() -> None:
    torque = Quantity.of(2.0, "N m")
    assert max(torque, 0.0) is torque
    assert min(torque, math.inf) is torque
    assert (0.0 - torque).value == -2.0
    assert (torque == 0.0) is False


def test_sign_and_size_keep_the_unit() -> None:
    torque = Quantity.of(-2.0, "N m")
    assert (abs(torque).value, abs(torque).dim) == (2.0, torque.dim)
    assert ((-torque).value, (-torque).dim) == (2.0, torque.dim)
    assert +torque is torque


def test_a_reciprocal_has_the_reciprocal_unit() -> None:
    assert (1.0 / Quantity.of(4.0, "s")).dim == dimension("1/s")
    assert (Quantity.of(4.0, "s") / 2.0).value == 2.0


def test_functions_of_math_take_plain_numbers_only() -> None:
    assert math.exp(Quantity.of(0.0, "rad")) == 1.0
    with pytest.raises(UnitError, match="a plain number is needed, not s"):
        math.exp(Quantity.of(1.0, "s"))


def test_a_root_halves_the_exponents_and_a_sign_may_come_from_any_unit() -> None:
    root = UNIT_AWARE["sqrt"](Quantity.of(4.0, "N m/rad") / Quantity.of(1.0, "kg m^2"))
    assert (root.value, root.dim) == (2.0, dimension("rad/s"))
    assert UNIT_AWARE["sqrt"](9.0) == 3.0
    signed = UNIT_AWARE["copysign"](Quantity.of(2.0, "V"), Quantity.of(-1.0, "s"))
    assert (signed.value, signed.dim) == (-2.0, dimension("V"))
    assert UNIT_AWARE["copysign"](2.0, -1.0) == -2.0
    assert dimension("1") == NONE
