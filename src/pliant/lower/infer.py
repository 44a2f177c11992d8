"""From the linker's definitions to the typed tree.

A function is made once for each tuple of argument types, by one walk over its syntax in which every
expression gets its type. Where a variable first holds an integer and later a float, it is a float
from the beginning, and the walk is done again.
"""

import ast
import importlib
import math
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from pliant.errors import PliantError
from pliant.lower import typed as t
from pliant.lower.link import MATH, Function, Linker
from pliant.lower.memory import Symbol
from pliant.lower.operations import ARITHMETIC, TESTS
from pliant.lower.operations import NAMED as NAMED_OPERATIONS
from pliant.lower.source import FLOAT as FLOAT_NAME
from pliant.lower.source import Structure
from pliant.lower.types import (
    BYTE,
    FLOAT,
    INT32,
    INT64,
    INTEGER,
    LANES,
    MASK,
    NAMED,
    NOTHING,
    NUMBER,
    TRUTH,
    Array,
    Cell,
    Pointer,
    Record,
    Struct,
    Type,
    array,
    exchanged,
    joined,
    pointer,
    struct,
)

MANY_BRANCHES = 8
"""A function with more, such as a table of a spring, is not inlined wherever it is called; in lanes,
which compute both sides of a branch, it is called lane by lane: so many branches cost what eight lanes do."""
LANES_MODULE, MEMORY_MODULE = "pliant.lower.lanes", "pliant.lower.memory"
_SEVERAL: dict[Type, Type] = {FLOAT: LANES, INTEGER: LANES, TRUTH: MASK}
_SINGLE: dict[Type, Type] = {LANES: FLOAT, MASK: TRUTH}
"""Types of a value for all lanes, and of that for one."""
_BITS = {"two_to", "exponent", "mantissa", "coarse"}
_AT = {"floats_at": NUMBER, "integers_at": INT64, "bytes_at": BYTE}
_BUILTINS = {"abs", "float", "int", "len", "max", "min"}


class Inference:
    """Functions of a linker, typed as they are asked for.

    Attributes:
        replaced: functions of `math` to linked ones that stand for them in a target.
        alone: the same for one lane, and by_lane: functions that are called by it, lane after lane.
    """

    def __init__(
        self, linker: Linker, width: int = 1, replaced: Mapping[str, str] | None = None
    ) -> None:
        self.linker, self.replaced = linker, dict(replaced or {})
        self.alone: Inference | None = None
        self.by_lane: set[str] = set()
        self.program, self.suffix = t.Program(width=width), ""
        self.sources = {x.name: x for x in linker.definitions if isinstance(x, Function)}
        self.structures = {x.name: x for x in linker.definitions if isinstance(x, Structure)}
        self._made: dict[tuple[str, tuple[Type, ...]], t.Function] = {}

    def entry(
        self, name: str, kinds: Sequence[Type], outside: str, returned: Type | None = None
    ) -> t.Function:
        """Type function `name` for arguments of these types, and let it be called as `outside`.

        Args:
            kinds, returned: a cell is how C hands over its value.
        """
        made = self.function(name, [x.value if isinstance(x, Cell) else x for x in kinds])
        cells = {a: x for (a, _), x in zip(made.arguments, kinds, strict=True)} | {
            "return": returned
        }
        made.narrow = frozenset(a for a, x in cells.items() if x is INT32)
        self.program.entries[outside] = made
        return made

    def function(self, name: str, kinds: Sequence[Type]) -> t.Function:
        """The function for arguments of these types."""
        key = (name, tuple(kinds))
        if key not in self._made:
            others = sum(made == name for made, _ in self._made)
            source = self.sources[name]
            final = f"{name}{self.suffix}" + (f"_{others}" if others else "")
            self._made[key] = made = _Body(self, source, kinds, final).made()
            self.program.functions.append(made)
        return self._made[key]

    def declared(self, name: str) -> t.Function:
        """The function for arguments of the types that its signature declares."""
        source = self.sources[name]
        kinds: list[Type] = []
        for argument, kind in source.arguments:
            known = NAMED.get(source.annotations.get(argument, ""))
            kinds.append(cast("Type", known) if kind is None else _declared(kind))
        return self.function(name, kinds)

    def lanes(self) -> Type:
        """The type of lanes at this width."""
        return LANES if self.program.width > 1 else FLOAT

    def mask(self) -> Type:
        """The type of a truth for each lane."""
        return MASK if self.program.width > 1 else TRUTH


class Named:
    """A name that is no value: a function or module to be called or looked into."""

    def __init__(self, value: Any, name: str, module: str = "") -> None:
        self.value, self.name, self.module = value, name, module


class _Body:
    """One function for one choice of types."""

    def __init__(self, home: Inference, source: Function, kinds: Sequence[Type], name: str) -> None:
        self.home, self.source, self.name = home, source, name
        self.arguments = [(a, kind) for (a, _), kind in zip(source.arguments, kinds, strict=True)]
        self.variables: dict[str, Type] = dict(self.arguments)
        self.returns: Type | None = None
        self.grew = False
        self.line = getattr(source.node, "lineno", 0)

    def made(self) -> t.Function:
        while True:
            self.grew = False
            body = self.block(self.source.node.body)
            if not self.grew:
                break
        given = [(f"{a}.given" if self._widened(a, k) else a, k) for a, k in self.arguments]
        first: list[t.Statement] = []
        for (name, kind), (before, _) in zip(self.arguments, given, strict=True):
            if before != name:
                wanted = self.variables[name]
                first.append(t.Set(self.line, name, _cast(t.Var(kind, before), wanted)))
                self.variables[before] = kind
        if self.returns is None:
            self.returns = NOTHING
        return t.Function(
            self.name,
            self.source.name,
            self.source.path,
            given,
            self.variables,
            self.returns,
            [*first, *body],
            apart="apart" in self.source.marks or self.source.branches > MANY_BRANCHES,
            any_order="any_order" in self.source.marks,
        )

    def _widened(self, name: str, kind: Type) -> bool:
        return self.variables[name] is not kind

    def fault(self, node: ast.AST, problem: str, found: Any, accepted: Any = None) -> PliantError:
        line = getattr(node, "lineno", self.line)
        return PliantError(
            problem,
            file=self.source.path,
            field=f"line {line}, {self.source.name.rpartition('__')[2]}()",
            found=str(found),
            accepted=None if accepted is None else str(accepted),
        )

    # --- statements --------------------------------------------------------------------------------

    def block(self, body: Sequence[ast.stmt]) -> list[t.Statement]:
        made: list[t.Statement] = []
        for node in body:
            self.line = getattr(node, "lineno", self.line)
            done = getattr(self, f"do_{type(node).__name__}", None)
            if done is None:
                raise self.fault(node, "no statement of a kernel", ast.unparse(node))
            made += done(node)
            if made and isinstance(made[-1], (t.Return, t.Break, t.Continue)):
                break
        return made

    def set(self, name: str, value: t.Expression, node: ast.AST) -> t.Statement:
        before = self.variables.get(name)
        kind = value.type if before is None else joined(before, value.type)
        if kind is None or kind is NOTHING:
            raise self.fault(node, f"{name} cannot hold both types", value.type, before)
        if before is not None and kind is not before:
            self.grew = True
        self.variables[name] = kind
        return t.Set(self.line, name, _cast(value, kind))

    def do_Expr(self, node: ast.Expr) -> list[t.Statement]:
        if isinstance(node.value, ast.Constant):
            return []
        if isinstance(node.value, ast.Call) and self._is(node.value.func, "put"):
            array_, place, value = node.value.args
            return [self._put(self.value(array_), self.value(place), self.value(value))]
        return [t.Do(self.line, self.value(node.value))]

    def _put(self, base: t.Expression, place: t.Expression, value: t.Expression) -> t.Store:
        return t.Store(self.line, base, [_cast(place, INTEGER)], _cast(value, self.home.lanes()))

    def do_Assign(self, node: ast.Assign) -> list[t.Statement]:
        first, *more = node.targets
        if more:
            kept = f"all.{node.lineno}"
            made = [self.set(kept, self.value(node.value), node)]
            for target in node.targets:
                made += self.assigned(target, t.Var(self.variables[kept], kept))
            return made
        if isinstance(first, ast.Tuple) and isinstance(node.value, ast.Tuple):
            names = [f"part{k}.{node.lineno}" for k in range(len(first.elts))]
            made = [
                self.set(name, self.value(one), node)
                for name, one in zip(names, node.value.elts, strict=True)
            ]
            for target, name in zip(first.elts, names, strict=True):
                made += self.assigned(target, t.Var(self.variables[name], name))
            return made
        return self.assigned(first, self.value(node.value))

    def assigned(self, target: ast.expr, value: t.Expression) -> list[t.Statement]:
        if isinstance(target, ast.Name):
            return [self.set(target.id, value, target)]
        if isinstance(target, ast.Tuple):
            if not isinstance(value.type, Struct) or len(value.type.fields) != len(target.elts):
                raise self.fault(target, "is not so many values", value.type, len(target.elts))
            kept = f"whole.{target.lineno}.{target.col_offset}"
            made = [self.set(kept, value, target)]
            kind = cast("Struct", self.variables[kept])
            for k, one in enumerate(target.elts):
                made += self.assigned(one, t.Get(kind.fields[k][1], t.Var(kind, kept), k))
            return made
        if isinstance(target, ast.Subscript):
            return [self._stored(target, value)]
        if isinstance(target, ast.Attribute):
            base = self.value(target)
            if isinstance(base, t.Member):
                return [t.Store(self.line, base, [], _cast(value, base.type))]
        raise self.fault(target, "cannot be assigned to", ast.unparse(target))

    def _stored(self, target: ast.Subscript, value: t.Expression) -> t.Statement:
        place = self.of_Subscript(target)
        if isinstance(place, t.Load):
            return t.Store(
                self.line, place.base, place.places, self.fits(value, place.type, target)
            )
        if isinstance(place, t.Cut) and isinstance(value.type, Array):
            return t.Fill(self.line, place, value)
        if isinstance(place, t.Cut) and isinstance(place.type, Array):
            return t.Fill(self.line, place, self.fits(value, place.type.cell.value, target))
        raise self.fault(target, "is not what lies there", value.type, place.type)

    def do_AugAssign(self, node: ast.AugAssign) -> list[t.Statement]:
        read = ast.copy_location(_as_load(node.target), node)
        value = self.binary(node, node.op, self.value(read), self.value(node.value))
        return self.assigned(node.target, value)

    def do_AnnAssign(self, node: ast.AnnAssign) -> list[t.Statement]:
        assert node.value is not None
        return self.assigned(node.target, self.value(node.value))

    def do_Return(self, node: ast.Return) -> list[t.Statement]:
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            return [t.Return(self.line, None)]
        value = self.value(node.value)
        declared = self.source.returns
        if declared is not None:
            value = self.as_declared(value, declared, node, "returns another type")
        kind = value.type if self.returns is None else joined(self.returns, value.type)
        if kind is None:
            raise self.fault(node, "returns values of two types", value.type, self.returns)
        if self.returns is not None and kind is not self.returns:
            self.grew = True
        self.returns = kind
        return [t.Return(self.line, _cast(value, kind))]

    def all_declared(
        self,
        wanted: Sequence[tuple[str, "str | Structure | None"]],
        values: Sequence[t.Expression],
        node: ast.AST,
    ) -> list[t.Expression]:
        """Values of fields or arguments, each of the type that is declared for it, if any is."""
        return [
            value
            if kind is None
            else self.as_declared(value, kind, node, f"{name} takes another type")
            for (name, kind), value in zip(wanted, values, strict=True)
        ]

    def as_declared(
        self, value: t.Expression, wanted: "str | Structure", node: ast.AST, problem: str
    ) -> t.Expression:
        """`value`, whose type is the one that a law's signature declares."""
        if wanted == FLOAT_NAME:
            if value.type in (INTEGER, TRUTH):
                return _cast(value, FLOAT)
            if value.type not in (FLOAT, LANES, MASK):
                raise self.fault(node, problem, value.type, FLOAT)
            return value
        assert isinstance(wanted, Structure)
        if not isinstance(value.type, Struct) or value.type.name != wanted.name:
            raise self.fault(node, problem, value.type, wanted.name)
        return value

    def do_If(self, node: ast.If) -> list[t.Statement]:
        test = self.truth(self.value(node.test), node)
        if isinstance(test, t.Const):
            return self.block(node.body if test.value else node.orelse)
        if test.type is MASK:
            raise self.fault(node, "branches on lanes", ast.unparse(node.test), "select")
        return [t.If(self.line, test, self.block(node.body), self.block(node.orelse))]

    def do_While(self, node: ast.While) -> list[t.Statement]:
        return [t.While(self.line, self.truth(self.value(node.test), node), self.block(node.body))]

    def do_For(self, node: ast.For) -> list[t.Statement]:
        assert isinstance(node.target, ast.Name)
        line = self.line
        if isinstance(node.iter, ast.Tuple):  # unrolled
            made: list[t.Statement] = []
            for one in node.iter.elts:
                made += [self.set(node.target.id, self.value(one), node), *self.block(node.body)]
            return made
        assert isinstance(node.iter, ast.Call)
        given = [_cast(self.value(one), INTEGER) for one in node.iter.args]
        low, high, *step = given if len(given) > 1 else (t.Const(INTEGER, 0), given[0])
        before = self.variables.get(node.target.id)
        self.variables[node.target.id] = joined(before, INTEGER) or INTEGER if before else INTEGER
        size = int(cast("t.Const", step[0]).value) if step else 1
        return [t.For(line, node.target.id, low, high, size, self.block(node.body))]

    def do_Pass(self, node: ast.Pass) -> list[t.Statement]:
        return []

    def do_Break(self, node: ast.Break) -> list[t.Statement]:
        return [t.Break(self.line)]

    def do_Continue(self, node: ast.Continue) -> list[t.Statement]:
        return [t.Continue(self.line)]

    # --- expressions -------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> t.Expression:
        """The expression of a syntax node."""
        found = self.any(node)
        if isinstance(found, Named):
            raise self.fault(node, "is no value", ast.unparse(node))
        return found

    def any(self, node: ast.expr) -> "t.Expression | Named":
        made = getattr(self, f"of_{type(node).__name__}", None)
        if made is None:
            raise self.fault(node, "no expression of a kernel", ast.unparse(node))
        return made(node)

    def truth(self, x: t.Expression, node: ast.AST) -> t.Expression:
        if x.type in (TRUTH, MASK):
            return x
        if isinstance(x, t.Const):
            return t.Const(TRUTH, bool(x.value))
        if x.type not in (INTEGER, FLOAT, LANES):
            raise self.fault(node, "is neither true nor false", x.type)
        kind = MASK if x.type is LANES else TRUTH
        return t.Compare(kind, "ne", x, _cast(t.Const(INTEGER, 0), x.type))

    def of_Constant(self, node: ast.Constant) -> t.Expression:
        return _constant(node.value)

    def of_Name(self, node: ast.Name) -> "t.Expression | Named":
        if node.id in self.variables:
            return t.Var(self.variables[node.id], node.id)
        if node.id.startswith(MATH):
            return _constant(getattr(math, node.id.removeprefix(MATH)))
        if node.id in self.home.linker.externals:
            return self._external(node)
        return Named(None, node.id)

    def _external(self, node: ast.Name) -> "t.Expression | Named":
        module, attribute = self.home.linker.externals[node.id]
        if module in (LANES_MODULE, MEMORY_MODULE):
            assert attribute is not None
            if attribute == "WIDTH":
                return t.Const(INTEGER, self.home.program.width)
            return Named(None, attribute, module)
        value: Any = importlib.import_module(module)
        return self._known(value if attribute is None else getattr(value, attribute), node)

    def _known(self, value: Any, node: ast.expr) -> "t.Expression | Named":
        """A name of a module: a number, a table, or something to call."""
        if isinstance(value, (bool, int, float, np.generic)):
            return _constant(value)
        if isinstance(value, np.ndarray):
            name = ast.unparse(node).replace(".", "_")
            table = cast("np.ndarray[Any, Any]", value)
            self.home.program.tables[name] = table
            return t.Table(array(BYTE if table.dtype.itemsize == 1 else INT64, table.ndim), name)
        return Named(value, ast.unparse(node))

    def of_Attribute(self, node: ast.Attribute) -> "t.Expression | Named":
        of = self.any(node.value)
        if isinstance(of, Named):
            return self._known(getattr(of.value, node.attr), node)
        kind = of.type
        if isinstance(kind, Array) and node.attr == "shape":
            lengths: list[t.Expression] = [t.Length(INTEGER, of, k) for k in range(kind.rank)]
            return t.Make(struct("", tuple((str(k), INTEGER) for k in range(kind.rank))), lengths)
        if isinstance(kind, Struct):
            names = [name for name, _ in kind.fields]
            if node.attr not in names:
                raise self.fault(node, f"{kind} has no such field", node.attr, names)
            place = names.index(node.attr)
            return t.Get(kind.fields[place][1], of, place)
        if isinstance(kind, Pointer) and isinstance(kind.to, Record):
            if node.attr not in kind.to.fields:
                raise self.fault(node, f"{kind.to} has no such field", node.attr)
            _, what = kind.to.fields[node.attr]
            inside = what.value if isinstance(what, Cell) else what
            return t.Member(
                pointer(inside) if isinstance(inside, Record) else inside, of, node.attr
            )
        raise self.fault(node, f"{kind} has no fields", node.attr)

    def of_Tuple(self, node: ast.Tuple) -> t.Expression:
        values = [self.value(one) for one in node.elts]
        fields = tuple((str(k), one.type) for k, one in enumerate(values))
        return t.Make(struct("", fields), values)

    def of_Subscript(self, node: ast.Subscript) -> t.Expression:
        of = self.any(node.value)
        if isinstance(of, Named):
            assert isinstance(node.slice, ast.Constant)
            return cast("t.Expression", self._known(of.value[node.slice.value], node))
        if isinstance(of.type, Struct):
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
        if isinstance(of.type, Pointer) and isinstance(of.type.to, Cell):
            return self._behind(of, of.type, of.type.to, cuts, node)
        if not isinstance(of.type, Array) or len(cuts) > of.type.rank:
            raise self.fault(node, f"{of.type} has no such element", ast.unparse(node.slice))
        return self._element(of, of.type, cuts)

    def _cut(self, node: ast.expr) -> "t.Expression | tuple[t.Expression, t.Expression | None]":
        if not isinstance(node, ast.Slice):
            return _cast(self.value(node), INTEGER)
        low = _cast(self.value(node.lower), INTEGER) if node.lower else t.Const(INTEGER, 0)
        return low, _cast(self.value(node.upper), INTEGER) if node.upper else None

    def _behind(
        self, of: t.Expression, kind: Pointer, cell: Cell, cuts: list[Any], node: ast.AST
    ) -> t.Expression:
        """The value behind a pointer: a number, a row, or the pointer moved on."""
        if any(isinstance(one, tuple) for one in cuts):
            if len(cuts) > 1 or cuts[0][1] is not None:
                raise self.fault(node, "nothing is known of where it ends", kind, "p[a:]")
            return t.Cut(kind, of, cuts)
        if len(cuts) == 1 and kind.row > 1:
            return t.Cut(pointer(cell), of, cuts)
        if len(cuts) > 1 and kind.row == 1:
            raise self.fault(node, "has no rows", kind, "p[i]")
        return t.Load(cell.value, of, cuts)

    def _element(self, of: t.Expression, kind: Array, cuts: list[Any]) -> t.Expression:
        places: list[Any] = [
            t.Binary(INTEGER, "add", t.Length(INTEGER, of, axis), one)
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
            flat and one[1] is None and _is_zero(one[0])
            for flat, one in zip(sliced[first + 1 :], places[first + 1 :], strict=True)
        )
        return t.Cut(array(kind.cell, rank, kind.dense and whole), of, places)

    def of_UnaryOp(self, node: ast.UnaryOp) -> t.Expression:
        x = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            x = self.truth(x, node)
            if isinstance(x, t.Const):
                return t.Const(TRUTH, not x.value)
            return t.Unary(x.type, "not", x)
        if isinstance(node.op, ast.UAdd):
            return x
        if isinstance(x, t.Const):
            return _constant(-x.value)
        if x.type in (TRUTH, MASK):
            x = _cast(x, INTEGER if x.type is TRUTH else LANES)
        self._number(x, node)
        return t.Unary(x.type, "neg", x)

    def _number(self, x: t.Expression, node: ast.AST) -> None:
        if x.type not in (FLOAT, INTEGER, LANES, TRUTH, MASK):
            raise self.fault(node, "is no number", x.type)

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
        return self.operated(node, NAMED_OPERATIONS[type(op)], x, y)

    def operated(self, node: ast.AST, op: str, x: t.Expression, y: t.Expression) -> t.Expression:
        self._number(x, node)
        self._number(y, node)
        kind = joined(x.type, y.type)
        assert kind is not None
        if not (kind is TRUTH and op in ("and", "or", "xor")):
            kind = joined(kind, FLOAT if op == "div" else INTEGER) or kind
        x, y = _cast(x, kind), _cast(y, kind)
        if isinstance(x, t.Const) and isinstance(y, t.Const) and op in ARITHMETIC:
            try:
                value = ARITHMETIC[op].value(x.value, y.value)
            except (ArithmeticError, TypeError, ValueError):
                return t.Binary(kind, op, x, y)
            return t.Const(kind, float(value) if kind in (FLOAT, LANES) else value)
        return t.Binary(kind, op, x, y)

    def of_Compare(self, node: ast.Compare) -> t.Expression:
        left, made = self.value(node.left), None
        for op, right in zip(node.ops, node.comparators, strict=True):
            if isinstance(op, (ast.In, ast.NotIn)):
                assert isinstance(right, ast.Tuple)
                one: t.Expression = t.Const(TRUTH, False)
                for each in right.elts:
                    one = _logic("or", one, self.compared("eq", left, self.value(each), node))
                one = t.Unary(TRUTH, "not", one) if isinstance(op, ast.NotIn) else one
            else:
                other = self.value(right)
                one = self.compared(NAMED_OPERATIONS[type(op)], left, other, node)
                left = other
            made = one if made is None else _logic("and", made, one)
        assert made is not None
        return made

    def compared(self, op: str, x: t.Expression, y: t.Expression, node: ast.AST) -> t.Expression:
        kind = joined(x.type, y.type)
        if kind not in (FLOAT, INTEGER, LANES, TRUTH, MASK):
            raise self.fault(node, "cannot be compared", f"{x.type} and {y.type}")
        if kind in (TRUTH, MASK):
            kind = INTEGER if kind is TRUTH else LANES
        x, y = _cast(x, kind), _cast(y, kind)
        if isinstance(x, t.Const) and isinstance(y, t.Const):
            return t.Const(TRUTH, TESTS[op].value(x.value, y.value))
        return t.Compare(MASK if kind is LANES else TRUTH, op, x, y)

    def of_BoolOp(self, node: ast.BoolOp) -> t.Expression:
        op = "and" if isinstance(node.op, ast.And) else "or"
        values = [self.value(one) for one in node.values]
        if all(one.type in (FLOAT, INTEGER) for one in values):
            return self._numeric(op, values, node)
        made = self.truth(values[0], node)
        for one in values[1:]:
            made = _logic(op, made, self.truth(one, node))
        return made

    def _numeric(self, op: str, values: list[t.Expression], node: ast.AST) -> t.Expression:
        """`x or y` of numbers is a number: the first that decides."""
        made = values[-1]
        for one in reversed(values[:-1]):
            kind = joined(one.type, made.type)
            assert kind is not None
            yes, no = (one, made) if op == "or" else (made, one)
            made = t.Choose(kind, self.truth(one, node), _cast(yes, kind), _cast(no, kind))
        return made

    def of_IfExp(self, node: ast.IfExp) -> t.Expression:
        test = self.truth(self.value(node.test), node)
        if isinstance(test, t.Const):
            return self.value(node.body if test.value else node.orelse)
        yes, no = self.value(node.body), self.value(node.orelse)
        kind = joined(yes.type, no.type)
        if kind is None:
            raise self.fault(node, "gives values of two types", yes.type, no.type)
        return t.Choose(kind, test, _cast(yes, kind), _cast(no, kind))

    # --- calls -------------------------------------------------------------------------------------

    def _is(self, node: ast.expr, builtin: str) -> bool:
        known = self.home.linker.externals
        return isinstance(node, ast.Name) and known.get(node.id) == (LANES_MODULE, builtin)

    def of_Call(self, node: ast.Call) -> t.Expression:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if isinstance(node.func, ast.Attribute):
            return self._method(node, node.func)
        args = [self.value(one) for one in node.args]
        if name in self.home.structures:
            return self._made(self.home.structures[name], args, node)
        if name.startswith(MATH):
            return self.math(name.removeprefix(MATH), args, node)
        if name in _BUILTINS:
            return getattr(self, f"call_{name}")(args, node)
        if name in self.home.sources:
            source = self.home.sources[name]
            named = {keyword.arg: self.value(keyword.value) for keyword in node.keywords}
            args += [named[argument] for argument, _ in source.arguments[len(args) :]]
            return self.called(source, args, node)
        found = self.of_Name(cast("ast.Name", node.func))
        if isinstance(found, Named) and found.module:
            return self._builtin(found.name, args, node)
        if isinstance(found, Named) and isinstance(found.value, Symbol):
            symbol = found.value
            self.home.program.symbols[symbol.name] = symbol.address
            return t.Outside(symbol.returns, symbol.name, [_by_address(one) for one in args])
        raise self.fault(node, "cannot be called", ast.unparse(node.func))

    def _method(self, node: ast.Call, function: ast.Attribute) -> t.Expression:
        """`a.reshape(m, n)`, of a dense array."""
        base = self.value(function.value)
        if function.attr != "reshape" or not isinstance(base.type, Array) or not base.type.dense:
            raise self.fault(node, "cannot be called", ast.unparse(function))
        given = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args
        shape = [_cast(self.value(one), INTEGER) for one in given]
        return t.Reshape(array(base.type.cell, len(shape)), base, shape)

    def _made(self, kind: Structure, args: list[t.Expression], node: ast.Call) -> t.Expression:
        parts = self.all_declared(kind.fields, args, node)
        names = [name for name, _ in kind.fields]
        fields = tuple((n, one.type) for n, one in zip(names, parts, strict=True))
        return t.Make(struct(kind.name, fields), parts)

    def called(self, source: Function, args: list[t.Expression], node: ast.AST) -> t.Expression:
        """A call of a linked function, with arguments of the types that it declares."""
        given = self.all_declared(source.arguments, args, node)
        kinds = [one.type for one in given]
        single = [exchanged(kind, _SINGLE) for kind in kinds]
        if source.name in self.home.by_lane and single != kinds:
            assert self.home.alone is not None
            made = self.home.alone.function(source.name, single)
            return t.EachLane(exchanged(made.returns, _SEVERAL), made, given)
        made = self.home.function(source.name, kinds)
        return t.Call(made.returns, made, given)

    def math(self, name: str, args: list[t.Expression], node: ast.AST) -> t.Expression:
        for one in args:
            self._number(one, node)
        in_lanes = any(one.type in (LANES, MASK) for one in args)
        kind = LANES if in_lanes else FLOAT
        args = [_cast(one, kind) for one in args]
        if name == "isnan":
            return t.Compare(MASK if in_lanes else TRUTH, "ne", args[0], args[0])
        if name == "fabs":
            return t.Unary(kind, "abs", args[0])
        own = self.home.replaced.get(name)
        if own is not None:
            made = self.home.function(own, [one.type for one in args])
            return t.Call(made.returns, made, args)
        return t.Math(kind, name, args)

    def _builtin(self, name: str, args: list[t.Expression], node: ast.Call) -> t.Expression:
        """A function of `lanes` or `memory`."""
        if name in _AT:
            return t.Cast(pointer(_AT[name]), args[0])
        lanes, mask = self.home.lanes(), self.home.mask()
        if name == "wide":
            return args[0] if isinstance(args[0].type, Struct) else _cast(args[0], lanes)
        if name == "select":
            wide = dict.fromkeys((FLOAT, INTEGER, LANES), lanes) | dict.fromkeys(
                (TRUTH, MASK), mask
            )
            yes, no = (_cast(one, exchanged(one.type, wide)) for one in args[1:])
            if joined(yes.type, no.type) is not yes.type:
                yes, no = (_cast(one, lanes) for one in args[1:])
            return t.Select(yes.type, _cast(self.truth(args[0], node), mask), yes, no)
        if name in ("both", "either"):
            one, other = (_cast(self.truth(x, node), mask) for x in args)
            return t.Binary(mask, "and" if name == "both" else "or", one, other)
        if name == "opposite":
            return t.Unary(mask, "not", _cast(self.truth(args[0], node), mask))
        if name == "some":
            return t.Some(TRUTH, _cast(args[0], mask)) if mask is MASK else args[0]
        if name == "row":
            return t.Load(lanes, args[0], [_cast(args[1], INTEGER)])
        if name in ("room", "whole_room"):
            rows = int(cast("t.Const", args[0]).value)
            return t.Room(array(NUMBER if name == "room" else INT64, 1), rows)
        if name.startswith("library_"):
            return t.Math(lanes, name.removeprefix("library_"), [_cast(args[0], lanes)])
        if name in _BITS:
            return t.Bits(lanes, name, _cast(args[0], lanes))
        raise self.fault(node, "cannot be called here", name)

    def fits(self, value: t.Expression, kind: Type, node: ast.AST) -> t.Expression:
        if joined(value.type, kind) is not kind and value.type not in (INTEGER, TRUTH):
            raise self.fault(node, "is not what lies there", value.type, kind)
        return _cast(value, kind)

    # --- builtins of Python ------------------------------------------------------------------------

    def call_abs(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        [x] = args
        self._number(x, node)
        kind = joined(x.type, INTEGER) or x.type
        return t.Unary(kind, "abs", _cast(x, kind))

    def call_min(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        op = cast("ast.Name", node.func).id
        made = args[0]
        for one in args[1:]:
            made = self.operated(node, op, made, one)
        return made

    call_max = call_min

    def call_float(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        self._number(args[0], node)
        return args[0] if args[0].type is LANES else _cast(args[0], FLOAT)

    def call_int(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        return _cast(args[0], INTEGER)

    def call_len(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        return t.Length(INTEGER, args[0], 0)


def _declared(kind: "str | Structure | None") -> Type:
    if not isinstance(kind, Structure):
        return FLOAT
    return struct(kind.name, tuple((name, _declared(one)) for name, one in kind.fields))


def _constant(value: Any) -> t.Const:
    if isinstance(value, (int, float)):  # bool is an int
        kind = TRUTH if isinstance(value, bool) else INTEGER if isinstance(value, int) else FLOAT
        return t.Const(kind, value)
    return _constant(value.item())  # of NumPy


def _cast(x: t.Expression, kind: Type) -> t.Expression:
    if x.type is kind:
        return x
    if isinstance(kind, Struct) and isinstance(x.type, Struct):
        parts: list[t.Expression] = [
            _cast(t.Get(there, x, k), wanted)
            for k, ((_, there), (_, wanted)) in enumerate(
                zip(x.type.fields, kind.fields, strict=True)
            )
        ]
        return t.Make(kind, parts)
    if isinstance(x, t.Const) and kind in (FLOAT, LANES):
        return t.Const(kind, float(x.value))
    if isinstance(x, t.Const) and kind is INTEGER and x.type is TRUTH:
        return t.Const(kind, int(x.value))
    return t.Cast(kind, x)


def _by_address(x: t.Expression) -> t.Expression:
    """An array as a function of C takes it."""
    return _cast(x, pointer(x.type.cell)) if isinstance(x.type, Array) else x


def _logic(op: str, x: t.Expression, y: t.Expression) -> t.Expression:
    """`and`, `or`, decided where one side is known."""
    ends = op == "or"
    if isinstance(x, t.Const):
        return x if bool(x.value) is ends else y
    if isinstance(y, t.Const) and bool(y.value) is not ends:
        return x
    if MASK in (x.type, y.type):
        return t.Binary(MASK, op, _cast(x, MASK), _cast(y, MASK))
    return t.Logic(TRUTH, op, x, y)


def _is_zero(x: t.Expression) -> bool:
    return isinstance(x, t.Const) and x.value == 0


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    if isinstance(target, ast.Subscript):
        return ast.Subscript(target.value, target.slice, ast.Load())
    assert isinstance(target, ast.Attribute)
    return ast.Attribute(target.value, target.attr, ast.Load())
