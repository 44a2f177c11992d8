"""The typed tree: what every target reads.

source -> assembly -> link -> typed tree -> target

Every expression has a type, every name is final, ports are bound, constants are folded, and a branch
that a choice of laws makes impossible is gone. `verify` says whether a tree is sound;
`python_text.shown` is its text for people.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from pliant.lower.types import Type


@dataclass_transform(eq_default=False)
class Node:
    """One class for each kind of node, with the fields that it declares behind those of its base."""

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)


class Expression(Node):
    """A node that has a value."""

    type: Type


class Const(Expression):
    """A number or a truth value that is known."""

    value: float | int | bool


class Var(Expression):
    """The value of a variable now."""

    name: str


class Table(Expression):
    """An array of integers or bytes that never changes, by its name in the program."""

    name: str


class Get(Expression):
    """A field of a structure."""

    of: Expression
    index: int


class Make(Expression):
    """A structure of its fields."""

    parts: list[Expression]


class Unary(Expression):
    """`neg`, `not` or `abs` of a value."""

    op: str
    x: Expression


class Binary(Expression):
    """`add sub mul div floordiv mod min max`, and of integers or truths `and or xor shl shr`.

    min and max are Python's: the second where it is smaller (larger) than the first, else the first.
    """

    op: str
    x: Expression
    y: Expression


class Compare(Expression):
    """`lt le gt ge eq ne`; with NaN only `ne` holds."""

    op: str
    x: Expression
    y: Expression


class Logic(Expression):
    """`and`, `or`: the second is computed where the first does not decide."""

    op: str
    x: Expression
    y: Expression


class Choose(Expression):
    """One of two values; only that one is computed."""

    test: Expression
    yes: Expression
    no: Expression


class Select(Expression):
    """One of two values, lane by lane; both are computed."""

    test: Expression
    yes: Expression
    no: Expression


class Cast(Expression):
    """The same value as another type: a number as lanes, a truth value as 0 or 1, a float cut to an integer."""

    x: Expression


class Math(Expression):
    """A function of `math`, of floats or of lanes."""

    name: str
    args: list[Expression]


class Call(Expression):
    """A function of the program."""

    function: "Function"
    args: list[Expression]


class EachLane(Expression):
    """A function of single numbers, called for one lane after the other."""

    function: "Function"
    args: list[Expression]


class Outside(Expression):
    """A function of the process, by a symbol that the program knows."""

    symbol: str
    args: list[Expression]


class Bits(Expression):
    """Work on the bits of lanes: `two_to`, `exponent`, `mantissa`, `coarse` (`elementary`)."""

    name: str
    x: Expression


class Some(Expression):
    """Whether a mask holds in any lane."""

    x: Expression


class Load(Expression):
    """A cell of an array or behind a pointer; with a type of lanes, a row of them."""

    base: Expression
    places: list[Expression]


class Length(Expression):
    """Size of an array along an axis."""

    base: Expression
    axis: int


class Cut(Expression):
    """A view into an array: an index (a rank less) or a slice for each axis; or a pointer moved on."""

    base: Expression
    cuts: "list[Expression | tuple[Expression, Expression | None]]"


class Reshape(Expression):
    """A dense array under another shape."""

    base: Expression
    shape: list[Expression]


class Member(Expression):
    """A field of a record in memory."""

    base: Expression
    name: str


class Room(Expression):
    """Rows of a number for each lane, of the function's own, not set to anything."""

    rows: int


class Statement(Node):
    """A node that does something; `line` is that of the source."""

    line: int


class Set(Statement):
    """Give a variable a value."""

    name: str
    value: Expression


class Store(Statement):
    """Write a cell, or, from lanes, a row of them."""

    base: Expression
    places: list[Expression]
    value: Expression


class Do(Statement):
    """Call for what it does."""

    value: Expression


class Return(Statement):
    """Leave the function."""

    value: Expression | None


class If(Statement):
    """Do one of two blocks."""

    test: Expression
    body: list[Statement]
    orelse: list[Statement]


class While(Statement):
    """Do a block as long as the test holds."""

    test: Expression
    body: list[Statement]


class For(Statement):
    """Do a block for each integer from low up (or down) to high, that one left out."""

    name: str
    low: Expression
    high: Expression
    step: int
    body: list[Statement]


class Break(Statement):
    """Leave the loop."""


class Continue(Statement):
    """Go on with the loop's next turn."""


@dataclass(eq=False)
class Function:
    """A function for one choice of argument types.

    Attributes:
        name: final and unique in the program. path: of its source.
        arguments: name and type, in order. variables: every variable's type, arguments too.
        returns: the type of its value. body: statements.
        apart: not inlined, for it is large and seldom called.
        any_order: sums may be added up in any order.
        plain: the name before a number made it unique.
        narrow: integer arguments, and "return", that have 32 bits where C calls it.
    """

    name: str
    plain: str
    path: Path
    arguments: list[tuple[str, Type]]
    variables: dict[str, Type]
    returns: Type
    body: list[Statement] = field(default_factory=list[Statement])
    apart: bool = False
    any_order: bool = False
    narrow: frozenset[str] = frozenset()


@dataclass(eq=False)
class Program:
    """Functions, each after those that it calls, and what they need.

    Attributes:
        entries: names by which functions are called from outside.
        tables: constant arrays by name. symbols: functions of the process by name, their address.
        width: lanes of a vector; 1: lanes are plain numbers.
    """

    functions: list[Function] = field(default_factory=list[Function])
    entries: dict[str, Function] = field(default_factory=dict[str, Function])
    tables: dict[str, NDArray[Any]] = field(default_factory=dict[str, NDArray[np.int64]])
    symbols: dict[str, int] = field(default_factory=dict[str, int])
    width: int = 1


def parts(node: Expression | Statement) -> Iterator[Expression | Statement]:
    """The nodes directly inside a node, in the order in which they are computed."""
    for value in vars(node).values():
        if isinstance(value, (Expression, Statement)):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from _inside(value)


def _inside(values: Any) -> Iterator[Expression | Statement]:
    for value in values:
        if isinstance(value, (Expression, Statement)):
            yield value
        elif isinstance(value, tuple):
            yield from _inside(value)


def walk(nodes: Iterator[Any] | list[Any]) -> Iterator[Expression | Statement]:
    """All nodes in and below those given."""
    for node in nodes:
        yield node
        yield from walk(parts(node))
