"""Every law computes the same where both sides of each branch are computed: against its own Python.

The functions for lanes, run as plain Python with one number in each lane.
"""

import ast
import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np

from conformance.drawn import EVERY, call, flat, parameters, random
from pliant.catalogue import Physics
from pliant.lower.branchless import branchless
from pliant.lower.link import MATH, Function, Linker
from pliant.lower.source import source_of
from pliant.lower.types import Struct
from pliant.lower.units import functions

CHOICES: dict[str, Callable[..., Any]] = {
    "select": lambda c, yes, no: yes if c else no,
    "both": lambda a, b: bool(a) and bool(b),
    "either": lambda a, b: bool(a) or bool(b),
    "opposite": lambda a: not a,
    "wide": lambda x: np.float64(x) if isinstance(x, bool | np.bool_) else x,
}


def unharmed(function: Callable[..., float]) -> Callable[..., float]:
    """A function of `math` that has no exception: it computes what is not taken, too."""

    def computed(*values: float) -> float:
        try:
            return np.float64(function(*values))
        except (ValueError, OverflowError):
            return math.nan

    return computed


def flattened(law: Physics) -> dict[str, Callable[..., Any]]:
    """The functions of a law, and of what they call, without branches."""
    source, linker = source_of(law), Linker()
    names = {name: linker.function(source, name).name for name in functions(law)}
    items = linker.definitions
    structures = {x.name: [n for n, _ in x.fields] for x in items if isinstance(x, Struct)}
    space: dict[str, Any] = dict(CHOICES)
    space |= {MATH + n: unharmed(getattr(math, n)) for n in linker.math if n != "pi"}
    space |= {MATH + "pi": math.pi}
    space |= {name: namedtuple(name, fields) for name, fields in structures.items()}
    for item in items:
        if isinstance(item, Function):
            node = branchless(item, frozenset(structures)).node
            assert not any(isinstance(part, ast.If | ast.IfExp) for part in ast.walk(node))
            exec(ast.unparse(node), space)
    return {name: space[final] for name, final in names.items()}


def as_numpys(value: Any) -> Any:
    """Floats that divide by zero without an exception."""
    if isinstance(value, tuple):
        return type(value)(*map(as_numpys, value))  # type: ignore[call-arg]
    return np.float64(value)


@EVERY
def test_both_sides_computed_give_what_the_branches_give(law: Physics) -> None:
    space = flattened(law)
    for name in functions(law):
        rng = random(law, name)
        for _ in range(30):
            arguments = call(law, name, parameters(law, rng), rng)
            expected = flat(getattr(law.module, name)(*arguments))
            with np.errstate(all="ignore"):
                found = flat(space[name](*map(as_numpys, arguments)))
            np.testing.assert_array_equal(found, expected, err_msg=f"{name}{arguments}")
