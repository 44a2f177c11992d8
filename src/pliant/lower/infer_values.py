"""Typing of values: names, numbers, conditionals; fields, elements and memory."""

import ast
import importlib
import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, cast

import numpy as np

from pliant.errors import PliantError
from pliant.lower import typed as t
from pliant.lower import types as ty
from pliant.lower.link import MATH, Function, Linker
from pliant.lower.operations import (
    NAMED,
    arithmetic,
    as_type,
    comparison,
    constant,
    logic,
    opposite,
)

LANES_MODULE, MEMORY_MODULE = "pliant.lower.lanes", "pliant.lower.memory"
NUMBERS = (ty.FLOAT, ty.INTEGER, ty.LANES, ty.TRUTH, ty.MASK)


class Known:
    """A name that is not a value: a function or module, to be called or accessed."""

    def __init__(self, value: Any, name: str, module: str = "") -> None:
        self.value, self.name, self.module = value, name, module


class Functions(Protocol):
    """Everything that a function may call and name, see `infer.Inference`."""

    linker: Linker
    program: t.Program

    @property
    def alone(self) -> "Functions | None": ...

    @property
    def sources(self) -> Mapping[str, Function]: ...

    @property
    def structures(self) -> Mapping[str, ty.Struct]: ...

    @property
    def replaced(self) -> Mapping[str, str]: ...

    @property
    def by_lane(self) -> Collection[str]: ...

    def function(self, name: str, kinds: Sequence[ty.Type]) -> t.Function: ...

    def lanes(self) -> ty.Type: ...

    def mask(self) -> ty.Type: ...


class Values:
    """Expressions of one function for one tuple of argument types.

    Attributes:
        home: the functions that it may call. variables: their types as far as known.
        line: of the current statement.
    """

    def __init__(
        self, home: Functions, source: Function, arguments: Sequence[tuple[str, ty.Type]]
    ) -> None:
        self.home, self.source = home, source
        self.variables: dict[str, ty.Type] = dict(arguments)
        self.line: int = getattr(source.node, "lineno", 0)

    def fault(self, node: ast.AST, problem: str, found: Any, accepted: Any = None) -> PliantError:
        """An error about a node, with its line."""
        line = getattr(node, "lineno", self.line)
        return PliantError(
            problem,
            file=self.source.path,
            field=f"line {line}, {self.source.name.rpartition('__')[2]}()",
            found=str(found),
            accepted=None if accepted is None else str(accepted),
        )

    def value(self, node: ast.expr) -> t.Expression:
        """The expression of a syntax node."""
        found = self.any(node)
        if isinstance(found, Known):
            raise self.fault(node, "is not a value", ast.unparse(node))
        return found

    def any(self, node: ast.expr) -> "t.Expression | Known":
        """The same, or what a name stands for that is not a value."""
        made = getattr(self, f"of_{type(node).__name__}", None)
        if made is None:
            raise self.fault(node, "is not an expression allowed in a kernel", ast.unparse(node))
        return made(node)

    def number(self, x: t.Expression, node: ast.AST) -> None:
        """Refuse anything but a number."""
        if x.type not in NUMBERS:
            raise self.fault(node, "is not a number", x.type)

    def truth(self, x: t.Expression, node: ast.AST) -> t.Expression:
        """Its truth value: whether it is not 0."""
        if x.type in (ty.TRUTH, ty.MASK):
            return x
        if isinstance(x, t.Const):
            return t.Const(ty.TRUTH, bool(x.value))
        if x.type not in (ty.INTEGER, ty.FLOAT, ty.LANES):
            raise self.fault(node, "is neither true nor false", x.type)
        kind = ty.MASK if x.type is ty.LANES else ty.TRUTH
        return t.Compare(kind, "ne", x, as_type(t.Const(ty.INTEGER, 0), x.type))

    def of_Constant(self, node: ast.Constant) -> t.Expression:
        return constant(node.value)

    def of_Name(self, node: ast.Name) -> "t.Expression | Known":
        if node.id in self.variables:
            return t.Var(self.variables[node.id], node.id)
        if node.id.startswith(MATH):
            return constant(getattr(math, node.id.removeprefix(MATH)))
        if node.id in self.home.linker.externals:
            return self._external(node)
        return Known(None, node.id)

    def _external(self, node: ast.Name) -> "t.Expression | Known":
        module, attribute = self.home.linker.externals[node.id]
        if module in (LANES_MODULE, MEMORY_MODULE):
            assert attribute is not None
            if attribute == "WIDTH":
                return t.Const(ty.INTEGER, self.home.program.width)
            return Known(None, attribute, module)
        value: Any = importlib.import_module(module)
        return self.known(value if attribute is None else getattr(value, attribute), node)

    def known(self, value: Any, node: ast.expr) -> "t.Expression | Known":
        """A module's name: a number, a table, or something to call."""
        if isinstance(value, (bool, int, float, np.generic)):
            return constant(value)
        if isinstance(value, np.ndarray):
            name = ast.unparse(node).replace(".", "_")
            table = cast("np.ndarray[Any, Any]", value)
            self.home.program.tables[name] = table
            return t.Table(
                ty.array(ty.BYTE if table.dtype.itemsize == 1 else ty.INT64, table.ndim), name
            )
        return Known(value, ast.unparse(node))

    def of_Tuple(self, node: ast.Tuple) -> t.Expression:
        values = [self.value(one) for one in node.elts]
        fields = tuple((str(k), one.type) for k, one in enumerate(values))
        return t.Make(ty.struct("", fields), values)

    def of_UnaryOp(self, node: ast.UnaryOp) -> t.Expression:
        x = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return opposite(self.truth(x, node))
        if isinstance(node.op, ast.UAdd):
            return x
        if isinstance(x, t.Const):
            return constant(-x.value)
        if x.type in (ty.TRUTH, ty.MASK):
            x = as_type(x, ty.INTEGER if x.type is ty.TRUTH else ty.LANES)
        self.number(x, node)
        return t.Unary(x.type, "neg", x)

    def of_BinOp(self, node: ast.BinOp) -> t.Expression:
        return self.binary(node, node.op, self.value(node.left), self.value(node.right))

    def binary(
        self, node: ast.AST, op: ast.operator, x: t.Expression, y: t.Expression
    ) -> t.Expression:
        if isinstance(op, ast.Pow):
            if isinstance(y, t.Const) and y.value in (2, 3):
                square = self.operated(node, "mul", x, x)
                return square if y.value == 2 else self.operated(node, "mul", square, x)
            return self.math("pow", [x, y], node)
        return self.operated(node, NAMED[type(op)], x, y)

    def operated(self, node: ast.AST, op: str, x: t.Expression, y: t.Expression) -> t.Expression:
        self.number(x, node)
        self.number(y, node)
        kind = ty.joined(x.type, y.type)
        assert kind is not None
        if not (kind is ty.TRUTH and op in ("and", "or", "xor")):
            kind = ty.joined(kind, ty.FLOAT if op == "div" else ty.INTEGER) or kind
        return arithmetic(op, kind, as_type(x, kind), as_type(y, kind))

    def math(self, name: str, args: list[t.Expression], node: ast.AST) -> t.Expression:
        for one in args:
            self.number(one, node)
        in_lanes = any(one.type in (ty.LANES, ty.MASK) for one in args)
        kind = ty.LANES if in_lanes else ty.FLOAT
        args = [as_type(one, kind) for one in args]
        if name == "isnan":
            return t.Compare(ty.MASK if in_lanes else ty.TRUTH, "ne", args[0], args[0])
        if name == "fabs":
            return t.Unary(kind, "abs", args[0])
        own = self.home.replaced.get(name)
        if own is not None:
            made = self.home.function(own, [one.type for one in args])
            return t.Call(made.returns, made, args)
        return t.Math(kind, name, args)

    def of_Compare(self, node: ast.Compare) -> t.Expression:
        left, made = self.value(node.left), None
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, (ast.In, ast.NotIn)):
                assert isinstance(right, ast.Tuple)
                one: t.Expression = t.Const(ty.TRUTH, False)
                for each in right.elts:
                    one = logic("or", one, self.compared("eq", left, self.value(each), node))
                one = opposite(one) if isinstance(op, ast.NotIn) else one
            else:
                other = self.value(right)
                one = self.compared(NAMED[type(op)], left, other, node)
                left = other
            made = one if made is None else logic("and", made, one)
        assert made is not None
        return made

    def compared(self, op: str, x: t.Expression, y: t.Expression, node: ast.AST) -> t.Expression:
        kind = ty.joined(x.type, y.type)
        if kind not in NUMBERS:
            raise self.fault(node, "cannot be compared", f"{x.type} and {y.type}")
        if kind in (ty.TRUTH, ty.MASK):
            kind = ty.INTEGER if kind is ty.TRUTH else ty.LANES
        return comparison(op, as_type(x, kind), as_type(y, kind))

    def of_BoolOp(self, node: ast.BoolOp) -> t.Expression:
        op = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.value(one) for one in node.values]
        if all(one.type in (ty.FLOAT, ty.INTEGER) for one in values):  # in Python it is one of them
            raise self.fault(node, "joins numbers", ast.unparse(node), "comparisons")
        made = self.truth(values[0], node)
        for one in values[1:]:
            made = logic(op, made, self.truth(one, node))
        return made

    def of_IfExp(self, node: ast.IfExp) -> t.Expression:
        test = self.truth(self.value(node.test), node)
        if isinstance(test, t.Const):
            return self.value(node.body if test.value else node.orelse)
        yes, no = self.value(node.body), self.value(node.orelse)
        kind = ty.joined(yes.type, no.type)
        if kind is None:
            raise self.fault(node, "has values of different types", yes.type, no.type)
        return t.Choose(kind, test, as_type(yes, kind), as_type(no, kind))


class Access(Values):
    """Fields, elements, slices."""

    def of_Attribute(self, node: ast.Attribute) -> "t.Expression | Known":
        of = self.any(node.value)
        if isinstance(of, Known):
            return self.known(getattr(of.value, node.attr), node)
        kind = of.type
        if isinstance(kind, ty.Array) and node.attr == "shape":
            lengths: list[t.Expression] = [t.Length(ty.INTEGER, of, k) for k in range(kind.rank)]
            return t.Make(
                ty.struct("", tuple((str(k), ty.INTEGER) for k in range(kind.rank))), lengths
            )
        if isinstance(kind, ty.Struct):
            names = [name for name, _ in kind.fields]
            if node.attr not in names:
                raise self.fault(node, f"{kind} has no such field", node.attr, names)
            place = names.index(node.attr)
            return t.Get(kind.fields[place][1], of, place)
        if isinstance(kind, ty.Pointer) and isinstance(kind.to, ty.Record):
            if node.attr not in kind.to.fields:
                raise self.fault(node, f"{kind.to} has no such field", node.attr)
            _, what = kind.to.fields[node.attr]
            inside = what.value if isinstance(what, ty.Cell) else what
            return t.Member(
                ty.pointer(inside) if isinstance(inside, ty.Record) else inside, of, node.attr
            )
        raise self.fault(node, f"{kind} has no fields", node.attr)

    def of_Subscript(self, node: ast.Subscript) -> t.Expression:
        of = self.any(node.value)
        if isinstance(of, Known):
            assert isinstance(node.slice, ast.Constant)
            return cast("t.Expression", self.known(of.value[node.slice.value], node))
        if isinstance(of.type, ty.Struct):
            place = self.value(node.slice)
            if not isinstance(place, t.Const):
                raise self.fault(node, "is not a constant index", ast.unparse(node.slice))
            if isinstance(of, t.Make):
                return of.parts[int(place.value)]
            return t.Get(of.type.fields[int(place.value)][1], of, int(place.value))
        cuts = [
            self._cut(one)
            for one in (node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
        ]
        if isinstance(of.type, ty.Pointer) and isinstance(of.type.to, ty.Cell):
            return self._behind(of, of.type, of.type.to, cuts, node)
        if not isinstance(of.type, ty.Array) or len(cuts) > of.type.rank:
            raise self.fault(node, f"{of.type} has no such element", ast.unparse(node.slice))
        return self._element(of, of.type, cuts)

    def _cut(self, node: ast.expr) -> "t.Expression | tuple[t.Expression, t.Expression | None]":
        if not isinstance(node, ast.Slice):
            return as_type(self.value(node), ty.INTEGER)
        low = as_type(self.value(node.lower), ty.INTEGER) if node.lower else t.Const(ty.INTEGER, 0)
        return low, as_type(self.value(node.upper), ty.INTEGER) if node.upper else None

    def _behind(
        self, of: t.Expression, kind: ty.Pointer, cell: ty.Cell, cuts: list[Any], node: ast.AST
    ) -> t.Expression:
        """The value behind a pointer: a number, a row, or an advanced pointer."""
        if any(isinstance(one, tuple) for one in cuts):
            if len(cuts) > 1 or cuts[0][1] is not None:
                raise self.fault(node, "has no known end", kind, "p[a:]")
            return t.Cut(kind, of, cuts)
        if len(cuts) == 1 and kind.row > 1:
            return t.Cut(ty.pointer(cell), of, cuts)
        if len(cuts) > 1 and kind.row == 1:
            raise self.fault(node, "has no rows", kind, "p[i]")
        return t.Load(cell.value, of, cuts)

    def _element(self, of: t.Expression, kind: ty.Array, cuts: list[Any]) -> t.Expression:
        places: list[Any] = [
            t.Binary(ty.INTEGER, "add", t.Length(ty.INTEGER, of, axis), one)
            if isinstance(one, t.Const) and one.value < 0
            else one
            for axis, one in enumerate(cuts)
        ]
        sliced = [isinstance(one, tuple) for one in places]
        if not any(sliced) and len(places) == kind.rank:
            return t.Load(kind.cell.value, of, places)
        rank = kind.rank - sliced.count(False)
        first = sliced.index(True) if True in sliced else len(places)
        whole = all(
            flat and one[1] is None and isinstance(one[0], t.Const) and one[0].value == 0
            for flat, one in zip(sliced[first + 1 :], places[first + 1 :], strict=True)
        )
        return t.Cut(ty.array(kind.cell, rank, kind.dense and whole), of, places)
