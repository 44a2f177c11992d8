"""Parameters of a law as declared in its file: symbol, unit, range, meaning."""

import ast
import math
from dataclasses import dataclass, field

from pliant.errors import PliantError, located
from pliant.quantity import dimension
from pliant.subset import CheckedSource, annotated


@dataclass(frozen=True)
class Field:
    """One number of a law: symbol, unit, and valid range."""

    name: str
    unit: str
    low: float = -math.inf
    high: float = math.inf
    meaning: str = field(default="", compare=False)
    """Short description, from the comment at the end of its line."""


def fields(checked: CheckedSource, name: str) -> tuple[Field, ...]:
    """Numbers declared by the named tuple `name` of a file: "P" or "S".

    Raises:
        PliantError: there is no such tuple, or a field has no unit or no valid range.
    """
    declared = {n.name: n for n in checked.source.tree.body if isinstance(n, ast.ClassDef)}
    if name not in declared:
        raise PliantError(f"declares no {name}", accepted=f"class {name}(NamedTuple) with units")
    lines = checked.source.text.split("\n")
    found: list[Field] = []
    for part in declared[name].body:
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
            symbol = part.target.id
            with located(field=f"{name}.{symbol}"):
                found.append(
                    _field(symbol, annotated(part.annotation) or [], _comment(part, lines))
                )
    return tuple(found)


def _comment(node: ast.AnnAssign, lines: list[str]) -> str:
    """The comment behind a field, on the same line."""
    assert node.end_lineno is not None and node.end_col_offset is not None  # parsed from text
    behind = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode().strip()
    return behind.removeprefix("#").strip() if behind.startswith("#") else ""


def _field(symbol: str, given: list[object], meaning: str) -> Field:
    """A number of a law from the unit and range in its annotation."""
    if not given or not isinstance(given[0], str):
        raise PliantError(
            "has no unit",
            accepted='Annotated[float, "unit"] or Annotated[float, "unit", (low, high)]',
        )
    check_unit(given[0])
    low, high = _range(tuple(given[1:]))
    return Field(symbol, given[0], low, high, meaning)


def check_unit(unit: str) -> None:
    """Refuse a unit that cannot be read."""
    try:
        dimension(unit)
    except PliantError as error:
        raise PliantError("not a unit", found=unit, accepted=error.accepted) from None


def _range(given: tuple[object, ...]) -> tuple[float, float]:
    """The valid range of a field; unbounded if it declares none."""
    match given:
        case ():
            return -math.inf, math.inf
        case ((int() | float() as low, int() | float() as high),) if low < high:
            return float(low), float(high)
        case _:
            raise PliantError("not a range", found=given[0], accepted="(low, high) with low < high")
