"""Typing of calls: to linked functions, `math`, Python's builtins and the compiler's."""

import ast
from collections.abc import Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower import types as ty
from pliant.lower.infer_values import LANES_MODULE, Access, Known
from pliant.lower.link import MATH, Function
from pliant.lower.memory import Symbol
from pliant.lower.operations import as_type

_SEVERAL: dict[ty.Type, ty.Type] = {ty.FLOAT: ty.LANES, ty.INTEGER: ty.LANES, ty.TRUTH: ty.MASK}
_SINGLE: dict[ty.Type, ty.Type] = {ty.LANES: ty.FLOAT, ty.MASK: ty.TRUTH}
"""Types of a value in one lane and in all lanes, in both directions."""
_BITS = {"two_to", "exponent", "mantissa", "coarse"}
_AT = {"floats_at": ty.NUMBER, "integers_at": ty.INT64, "bytes_at": ty.BYTE}
_BUILTINS = {"abs", "float", "int", "len", "max", "min"}


class Calls(Access):
    """Calls of one function."""

    def is_of_lanes(self, node: ast.expr, builtin: str) -> bool:
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
        if isinstance(found, Known) and found.module:
            return self._builtin(found.name, args, node)
        if isinstance(found, Known) and isinstance(found.value, Symbol):
            symbol = found.value
            self.home.program.symbols[symbol.name] = symbol.address
            return t.Outside(symbol.returns, symbol.name, [_by_address(one) for one in args])
        raise self.fault(node, "cannot be called", ast.unparse(node.func))

    def _method(self, node: ast.Call, function: ast.Attribute) -> t.Expression:
        """`a.reshape(m, n)` of a dense array."""
        base = self.value(function.value)
        if function.attr != "reshape" or not isinstance(base.type, ty.Array) or not base.type.dense:
            raise self.fault(node, "cannot be called", ast.unparse(function))
        given = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else node.args
        shape = [as_type(self.value(one), ty.INTEGER) for one in given]
        return t.Reshape(ty.array(base.type.cell, len(shape)), base, shape)

    def _made(self, kind: ty.Struct, args: list[t.Expression], node: ast.Call) -> t.Expression:
        parts = self.all_declared(kind.fields, args, node)
        names = [name for name, _ in kind.fields]
        fields = tuple((n, one.type) for n, one in zip(names, parts, strict=True))
        return t.Make(ty.struct(kind.name, fields), parts)

    def called(self, source: Function, args: list[t.Expression], node: ast.AST) -> t.Expression:
        """A call of a linked function, with arguments of its declared types."""
        given = self.all_declared(source.arguments, args, node)
        kinds = [one.type for one in given]
        single = [ty.exchanged(kind, _SINGLE) for kind in kinds]
        if source.name in self.home.by_lane and single != kinds:
            assert self.home.alone is not None
            made = self.home.alone.function(source.name, single)
            return t.EachLane(ty.exchanged(made.returns, _SEVERAL), made, given)
        made = self.home.function(source.name, kinds)
        return t.Call(made.returns, made, given)

    def all_declared(
        self,
        wanted: Sequence[tuple[str, ty.Type]],
        values: Sequence[t.Expression],
        node: ast.AST,
    ) -> list[t.Expression]:
        """Values of fields or arguments, each of its declared type, if there is one."""
        return [
            value
            if kind is ty.ANY
            else self.as_declared(value, kind, node, f"{name} takes another type")
            for (name, kind), value in zip(wanted, values, strict=True)
        ]

    def as_declared(
        self, value: t.Expression, wanted: ty.Type, node: ast.AST, problem: str
    ) -> t.Expression:
        """`value`, converted to the type that a law's signature declares."""
        if wanted is ty.FLOAT:
            if value.type in (ty.INTEGER, ty.TRUTH):
                return as_type(value, ty.FLOAT)
            if value.type not in (ty.FLOAT, ty.LANES, ty.MASK):
                raise self.fault(node, problem, value.type, ty.FLOAT)
            return value
        if value.type.name != wanted.name:  # its fields may be lanes
            raise self.fault(node, problem, value.type, wanted)
        return value

    def _builtin(self, name: str, args: list[t.Expression], node: ast.Call) -> t.Expression:
        """A function of `lanes` or `memory`."""
        if name in _AT:
            return t.Cast(ty.pointer(_AT[name]), args[0])
        lanes, mask = self.home.lanes(), self.home.mask()
        if name == "wide":
            return args[0] if isinstance(args[0].type, ty.Struct) else as_type(args[0], lanes)
        if name == "select":
            wide = dict.fromkeys((ty.FLOAT, ty.INTEGER, ty.LANES), lanes) | dict.fromkeys(
                (ty.TRUTH, ty.MASK), mask
            )
            yes, no = (as_type(one, ty.exchanged(one.type, wide)) for one in args[1:])
            if ty.joined(yes.type, no.type) is not yes.type:
                yes, no = (as_type(one, lanes) for one in args[1:])
            return t.Select(yes.type, as_type(self.truth(args[0], node), mask), yes, no)
        if name in ("both", "either"):
            one, other = (as_type(self.truth(x, node), mask) for x in args)
            return t.Binary(mask, "and" if name == "both" else "or", one, other)
        if name == "opposite":
            return t.Unary(mask, "not", as_type(self.truth(args[0], node), mask))
        if name == "some":
            return t.Some(ty.TRUTH, as_type(args[0], mask)) if mask is ty.MASK else args[0]
        if name == "row":
            return t.Load(lanes, args[0], [as_type(args[1], ty.INTEGER)])
        if name in ("room", "whole_room"):
            rows = int(cast("t.Const", args[0]).value)
            return t.Room(ty.array(ty.NUMBER if name == "room" else ty.INT64, 1), rows)
        if name.startswith("library_"):
            return t.Math(lanes, name.removeprefix("library_"), [as_type(args[0], lanes)])
        if name in _BITS:
            return t.Bits(lanes, name, as_type(args[0], lanes))
        raise self.fault(node, "cannot be called here", name)

    def fits(self, value: t.Expression, kind: ty.Type, node: ast.AST) -> t.Expression:
        if ty.joined(value.type, kind) is not kind and value.type not in (ty.INTEGER, ty.TRUTH):
            raise self.fault(node, "is not what lies there", value.type, kind)
        return as_type(value, kind)

    def call_abs(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        [x] = args
        self.number(x, node)
        kind = ty.joined(x.type, ty.INTEGER) or x.type
        return t.Unary(kind, "abs", as_type(x, kind))

    def call_min(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        op = cast("ast.Name", node.func).id
        made = args[0]
        for one in args[1:]:
            made = self.operated(node, op, made, one)
        return made

    call_max = call_min

    def call_float(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        self.number(args[0], node)
        return args[0] if args[0].type is ty.LANES else as_type(args[0], ty.FLOAT)

    def call_int(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        return as_type(args[0], ty.INTEGER)

    def call_len(self, args: list[t.Expression], node: ast.Call) -> t.Expression:
        return t.Length(ty.INTEGER, args[0], 0)


def _by_address(x: t.Expression) -> t.Expression:
    """An array in the form that a C function takes."""
    return as_type(x, ty.pointer(x.type.cell)) if isinstance(x.type, ty.Array) else x
