"""The typed tree: the intermediate representation that every target reads.

source -> assembly -> link -> typed tree -> target

Every expression has a type, every name is final, ports are bound, constants are folded, and branches
that are unreachable with the chosen laws are removed. `verify` checks that a tree is sound;
`python_text.shown` prints it for people.
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
    """One class for each kind of node, with its declared fields after those of its base."""

    def __init_subclass__(cls) -> None:
        dataclass(eq=False)(cls)


class Expression(Node):
    """A node with a value."""

    type: Type


class Const(Expression):
    """A constant number or truth value."""

    value: float | int | bool


class Var(Expression):
    """The current value of a variable."""

    name: str


class Table(Expression):
    """A constant array of integers or bytes, by its name in the program."""

    name: str


class Get(Expression):
    """A field of a structure."""

    of: Expression
    index: int


class Make(Expression):
    """A structure built from its fields."""

    parts: list[Expression]


class Unary(Expression):
    """`neg`, `not` or `abs` of a value."""

    op: str
    x: Expression


class Binary(Expression):
    """`add sub mul div floordiv mod min max`, and for integers or truth values `and or xor shl shr`.

    min and max are Python's: the second if it is smaller (larger) than the first, else the first.
    """

    op: str
    x: Expression
    y: Expression


class Compare(Expression):
    """`lt le gt ge eq ne`; with NaN only `ne` is true."""

    op: str
    x: Expression
    y: Expression


class Logic(Expression):
    """Short-circuit `and`, `or`: the second is computed only if the first does not decide."""

    op: str
    x: Expression
    y: Expression


class Choose(Expression):
    """One of two values; only the chosen one is computed."""

    test: Expression
    yes: Expression
    no: Expression


class Select(Expression):
    """One of two values, lane by lane; both are computed."""

    test: Expression
    yes: Expression
    no: Expression


class Cast(Expression):
    """A value converted to another type: a number to lanes, a truth value to 0 or 1, a float truncated to an integer."""

    x: Expression


class Math(Expression):
    """A function of `math`, of floats or of lanes."""

    name: str
    args: list[Expression]


class Call(Expression):
    """A call of a function of the program."""

    function: "Function"
    args: list[Expression]


class EachLane(Expression):
    """A function of single numbers, called lane by lane."""

    function: "Function"
    args: list[Expression]


class Outside(Expression):
    """A function of the process, by one of the program's symbols."""

    symbol: str
    args: list[Expression]


class Bits(Expression):
    """Bit operations on lanes: `two_to`, `exponent`, `mantissa`, `coarse` (`elementary`)."""

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
    """A view into an array, with an index (one dimension less) or a slice for each axis; or an advanced pointer."""

    base: Expression
    cuts: "list[Expression | tuple[Expression, Expression | None]]"


class Reshape(Expression):
    """A dense array with another shape."""

    base: Expression
    shape: list[Expression]


class Member(Expression):
    """A field of a record in memory."""

    base: Expression
    name: str


class Room(Expression):
    """Uninitialised rows of one number per lane, local to the function."""

    rows: int


class Statement(Node):
    """A statement; `line` is its line in the source."""

    line: int


class Set(Statement):
    """Assign a variable."""

    name: str
    value: Expression


class Store(Statement):
    """Store a cell, or, from lanes, a row of cells."""

    base: Expression
    places: list[Expression]
    value: Expression


class Do(Statement):
    """Call for the side effect."""

    value: Expression


class Return(Statement):
    """Return from the function."""

    value: Expression | None


class If(Statement):
    """Run one of two blocks."""

    test: Expression
    body: list[Statement]
    orelse: list[Statement]


class While(Statement):
    """Repeat a block while the test is true."""

    test: Expression
    body: list[Statement]


class For(Statement):
    """Repeat a block for each integer from low up (or down) to high, exclusive."""

    name: str
    low: Expression
    high: Expression
    step: int
    body: list[Statement]


class Break(Statement):
    """Leave the loop."""


class Continue(Statement):
    """Continue with the loop's next iteration."""


@dataclass(eq=False)
class Function:
    """A function for one tuple of argument types.

    Attributes:
        name: final and unique in the program. path: of its source.
        arguments: name and type, in order. variables: every variable's type, arguments too.
        returns: the type of its value. body: statements.
        apart: not inlined, because it is large and rarely called.
        any_order: sums may be reordered.
        plain: the name before a number made it unique.
        narrow: integer arguments, and "return", that have 32 bits when called from C.
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
    """Functions, each after those that it calls, with their tables and symbols.

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
    """The child nodes of a node, in order of evaluation."""
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
    """All given nodes and their descendants."""
    for node in nodes:
        yield node
        yield from walk(parts(node))
