"""Types of the typed tree.

A value is a number, a truth value, lanes of either, a structure of values, or a view of memory: an
array with its shape, or a pointer. Each type exists once, so that types are compared by identity.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar

K = TypeVar("K")


@dataclass(frozen=True, eq=False)
class Type:
    """A type with its name for errors and listings."""

    name: str

    def __str__(self) -> str:
        return self.name


FLOAT, INTEGER, TRUTH = Type("float"), Type("int"), Type("bool")
LANES, MASK = Type("lanes"), Type("lanes of bool")
"""A float, or a truth value, for each candidate computed side by side."""
NOTHING = Type("nothing")
ANY = Type("the type of its value")
"""Declared type of an argument or field that can have several types."""
_ORDER = {TRUTH: 0, INTEGER: 1, FLOAT: 2, LANES: 3}


@dataclass(frozen=True, eq=False)
class Struct(Type):
    """A named tuple, or a tuple, by value."""

    fields: tuple[tuple[str, Type], ...]

    @property
    def is_named(self) -> bool:
        """Whether it is a named tuple; a plain tuple is named after its types."""
        return not self.name.startswith("(")

    def numbers(self) -> int:
        """Count of numbers in it; each array counts with its shape."""
        return sum(_numbers(kind) for _, kind in self.fields)


@dataclass(frozen=True, eq=False)
class Cell(Type):
    """A number in memory: its LLVM type, its size [bytes], and the type of its value."""

    llvm: str
    size: int
    value: Type


NUMBER = Cell("float64", "double", 8, FLOAT)
INT64, INT32 = Cell("int64", "i64", 8, INTEGER), Cell("int32", "i32", 4, INTEGER)
BYTE = Cell("byte", "i8", 1, INTEGER)


@dataclass(frozen=True, eq=False)
class Array(Type):
    """Memory with its shape; `dense`: rows without gaps, otherwise with strides."""

    cell: Cell
    rank: int
    dense: bool = True


@dataclass(frozen=True, eq=False)
class Record(Type):
    """A C structure in memory: field to its offset [bytes] and type.

    A cell is a number, a pointer an address, a record an embedded structure.
    """

    fields: "dict[str, tuple[int, Cell | Pointer | Record]]"


@dataclass(frozen=True, eq=False)
class Pointer(Type):
    """An address: of a record, or of cells in rows of `row`. Their number is unknown."""

    to: Cell | Record
    row: int = 1


def struct(name: str, fields: tuple[tuple[str, Type], ...]) -> Struct:
    """The named tuple with these fields; a tuple has no name."""
    inside = ", ".join(str(kind) for _, kind in fields)
    return _one(Struct, name or f"({inside})", fields)


def array(cell: Cell, rank: int, dense: bool = True) -> Array:
    """The array of `rank` dimensions."""
    name = f"{rank}-d array of {cell}{'' if dense else ', strided'}"
    return _one(Array, name, cell, rank, dense)


def pointer(to: Cell | Record, row: int = 1) -> Pointer:
    """The pointer to a record, or to rows of cells."""
    return _one(Pointer, f"pointer to {to} in rows of {row}", to, row)


@cache
def _one(kind: Callable[..., K], *given: Any) -> K:
    """The same type for the same arguments, however they were written."""
    return kind(*given)


def joined(one: Type, other: Type) -> Type | None:
    """The common type of both, if there is one."""
    if one is other:
        return one
    if isinstance(one, Struct) and isinstance(other, Struct):
        return _joined_structs(one, other)
    if {one, other} <= {TRUTH, MASK}:
        return MASK
    if MASK in (one, other) and {one, other} & _ORDER.keys():
        return LANES
    if one in _ORDER and other in _ORDER:
        return max(one, other, key=_ORDER.__getitem__)
    return None


def _joined_structs(one: Struct, other: Struct) -> Struct | None:
    if [n for n, _ in one.fields] != [n for n, _ in other.fields]:
        return None
    fields: list[tuple[str, Type]] = []
    for (name, kind), (_, also) in zip(one.fields, other.fields, strict=True):
        both = joined(kind, also)
        if both is None:
            return None
        fields.append((name, both))
    if one.is_named and one.name != other.name:
        return None
    return struct(one.name if one.is_named else "", tuple(fields))


def exchanged(kind: Type, others: Mapping[Type, Type]) -> Type:
    """A type with its numbers replaced by other types; in a structure, of each field."""
    if not isinstance(kind, Struct):
        return others.get(kind, kind)
    fields = tuple((name, exchanged(one, others)) for name, one in kind.fields)
    return struct(kind.name if kind.is_named else "", fields)


def _numbers(kind: Type) -> int:
    if isinstance(kind, Struct):
        return kind.numbers()
    return 1 + kind.rank * (1 if kind.dense else 2) if isinstance(kind, Array) else 1


NAMED: dict[str, Type] = {
    "float": FLOAT,
    "int": INTEGER,
    "bool": TRUTH,
    "Vector": array(NUMBER, 1),
    "Matrix": array(NUMBER, 2),
    "Cube": array(NUMBER, 3),
    "Integers": array(INT64, 1),
    "IntegerMatrix": array(INT64, 2),
    "Int32": INT32,
}
"""Annotations of a kernel's arguments to their types. A cell means that C passes its value in that form."""
