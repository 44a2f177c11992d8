"""Check of a law's units: run on numbers that carry units, it cannot add a torque to a speed or return the wrong one.

Laws are written for floats and run unchanged on `Quantity`, with functions of `math` that handle units. Only
for checks, never in a simulation.
"""

import ast
import math
import random
import re
import traceback
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any, cast, get_type_hints

from pliant.catalogue import Field, Physics
from pliant.errors import PliantError, located
from pliant.ports import FAMILIES, Own
from pliant.quantity import UNIT_AWARE, Quantity, UnitError, dimension, unit_text
from pliant.subset import annotated, check_source
from pliant.subset.run import made

DRAWS = 40
"""Calls per function, so that each branch is likely to run."""


def functions(law: Physics) -> list[str]:
    """Functions of its family that the law offers."""
    offered = [name for name in vars(FAMILIES[law.kind]) if not name.startswith("_")]
    return [name for name in offered if hasattr(law.module, name)]


def arguments(law: Physics, name: str) -> list[str]:
    """The arguments of a function of the law's family, in order."""
    hints = get_type_hints(getattr(FAMILIES[law.kind], name))
    return [argument for argument in hints if argument != "return"]


def units(law: Physics, name: str) -> dict[str, str]:
    """Argument to unit of a function of the law's family; "return" too. Not those of p and s."""
    hints = get_type_hints(getattr(FAMILIES[law.kind], name), include_extras=True)
    meant = {
        "command": getattr(law.module, "COMMAND", "1"),
        "goal": getattr(law.module, "GOAL", "rad"),
        "adjuster": getattr(law.module, "ADJUSTER", "rad"),
    }
    found: dict[str, str] = {}
    for argument, hint in hints.items():
        if hasattr(hint, "__metadata__"):
            words = re.split(r"(\W+)", hint.__metadata__[0])
            found[argument] = "".join(meant.get(word, word) for word in words)
    return found


def check_units(law: Physics) -> None:
    """Refuse a law that mixes units, or returns a different unit than its family requires."""
    rng = random.Random(law.name)  # noqa: S311 - numbers to try
    with unit_aware(law):
        for name in functions(law):
            for _ in range(DRAWS):
                _try(law, name, [_drawn(law, name, a, rng) for a in arguments(law, name)])


def _try(law: Physics, name: str, values: Sequence[Any]) -> None:
    try:
        fault = result_fault(law, name, values)
    except (ArithmeticError, ValueError):
        return  # a numeric error says nothing about units
    except (UnitError, TypeError, AttributeError) as error:
        lines = [
            f.lineno
            for f in traceback.extract_tb(error.__traceback__)
            if f.filename == str(law.path)
        ]
        where = f"{name}(), line {lines[-1]}" if lines else f"{name}()"
        problem = "mixes units" if isinstance(error, UnitError) else "cannot be run"
        raise PliantError(f"{problem}: {error}", file=law.path, field=where) from None
    if fault is not None:
        found, wanted = fault
        raise PliantError(
            "returns another unit than its family's",
            file=law.path,
            field=f"{name}()",
            found=found,
            accepted=f'"{wanted}", which is {unit_text(dimension(wanted))}',
        )


def result_fault(law: Physics, name: str, values: Sequence[Any]) -> tuple[str, str] | None:
    """The unit that function `name` returns for plain `values` and the required one, if they differ.

    Used inside `unit_aware`. Without a unit, only 0 and infinity match any.
    """
    given = units(law, name)
    fields = {"p": law.parameters, "s": law.state}
    carried = [
        type(value)(*(Quantity.of(x, f.unit) for x, f in zip(value, fields[a], strict=True)))
        if a in fields
        else Quantity.of(value, given[a])
        for a, value in zip(arguments(law, name), values, strict=True)
    ]
    result: Any = getattr(law.module, name)(*carried)
    several = isinstance(result, tuple)
    wanted = [given["return"]] if "return" in given else [f.unit for f in _returned(law, name)]
    numbers: list[Any] = list(cast("Sequence[Any]", result)) if several else [result]
    if several == ("return" in given) or len(numbers) != len(wanted):
        raise TypeError("returns a number where a named tuple belongs, or the reverse")
    for number, unit in zip(numbers, wanted, strict=True):
        dim = dimension("1")
        if isinstance(number, Quantity):
            dim = number.dim
        elif number == 0.0 or math.isinf(number):
            continue
        if dim != dimension(unit):
            return unit_text(dim), unit
    return None


def _returned(law: Physics, name: str) -> tuple[Field, ...]:
    """The fields of the named tuple that function `name` returns."""
    returns = get_type_hints(getattr(FAMILIES[law.kind], name)).get("return")
    return law.parameters if returns is Own else law.state


@contextmanager
def unit_aware(law: Physics) -> Generator[None]:
    """Context in which the law and Pliant's own laws take numbers with units, and its constants have units."""
    before: list[tuple[Any, str, Any]] = []
    try:
        for module in made():
            for attribute, value in list(vars(module).items()):
                for function, aware in AWARE.items():
                    if value is getattr(math, function):
                        before.append((module, attribute, value))
                        setattr(module, attribute, aware)
        for constant, unit in _constants(law).items():
            value = getattr(law.module, constant)
            before.append((law.module, constant, value))
            with located(law.path, constant):
                setattr(law.module, constant, Quantity.of(value, unit))
        yield
    finally:
        for module, attribute, value in before:
            setattr(module, attribute, value)


def _constants(law: Physics) -> dict[str, str]:
    """Constant to its unit, for those that have one."""
    found: dict[str, str] = {}
    for node in check_source(law.path).source.tree.body:
        match node:
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr()):
                unit, *_ = annotated(annotation) or [None]
                found |= {name: unit} if isinstance(unit, str) else {}
            case _:
                pass
    return found


def _drawn(law: Physics, name: str, argument: str, rng: random.Random) -> Any:
    """A random value for an argument; for p and s within their ranges."""
    if argument in {"p", "s"}:
        structure = getattr(law.module, argument.upper())
        fields = law.parameters if argument == "p" else law.state
        return structure(*(_number(field, rng) for field in fields))
    if argument == "on":
        return float(rng.randrange(2))
    size = math.exp(rng.uniform(math.log(1e-3), math.log(10.0)))
    return size if argument in {"h", "supply", "bus", "resistance"} else rng.choice([-1, 1]) * size


def _number(field: Field, rng: random.Random) -> float:
    low, high = max(field.low, -1e3), min(field.high, 1e3)
    middle = min(max(0.0, low), high)
    return rng.choice([rng.uniform(low, high), middle + rng.uniform(0.0, 0.01) * (high - middle)])


def _fabs(x: Quantity | float) -> Quantity | float:
    return abs(x)


def _hypot(x: Quantity | float, y: Quantity | float) -> Quantity | float:
    return UNIT_AWARE["sqrt"](x * x + y * y)


def _atan2(y: Quantity | float, x: Quantity | float) -> float:
    """Angle of two quantities of the same unit."""
    y + x  # pyright: ignore[reportUnusedExpression] - raises if they are not
    bare = [v.value if isinstance(v, Quantity) else v for v in (y, x)]
    return math.atan2(*bare)


def _pow(x: Quantity | float, y: Quantity | float) -> Quantity | float:
    """Power, with a plain exponent if the base has a unit."""
    if isinstance(x, Quantity) and not isinstance(y, Quantity):
        power = Fraction(y).limit_denominator(1000)
        return Quantity(math.pow(x.value, y), tuple(power * part for part in x.dim))
    return math.pow(x, y)


AWARE = {**UNIT_AWARE, "fabs": _fabs, "hypot": _hypot, "atan2": _atan2, "pow": _pow}
"""Functions of `math` that accept units; the others need a plain number."""
