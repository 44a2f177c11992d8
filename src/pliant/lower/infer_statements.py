"""Statements of a function, while it is typed."""

import ast
from collections.abc import Sequence
from typing import cast

from pliant.lower import typed as t
from pliant.lower.folded import as_type
from pliant.lower.infer_calls import Calls
from pliant.lower.types import ANY, INTEGER, MASK, NOTHING, Array, Struct, Type, joined


class Statements(Calls):
    """The blocks of a function.

    Attributes:
        returns: its type as far as it is known. grew: a type became larger: what was typed with the
            smaller one has to be done again.
    """

    returns: Type | None = None
    grew = False

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

    def set(self, name: str, value: t.Expression, node: ast.AST) -> t.Set:
        before = self.variables.get(name)
        kind = value.type if before is None else joined(before, value.type)
        if kind is None or kind is NOTHING:
            raise self.fault(node, f"{name} cannot hold both types", value.type, before)
        if before is not None and kind is not before:
            self.grew = True
        self.variables[name] = kind
        return t.Set(self.line, name, as_type(value, kind))

    def do_Expr(self, node: ast.Expr) -> list[t.Statement]:
        if isinstance(node.value, ast.Constant):
            return []
        if isinstance(node.value, ast.Call) and self.is_of_lanes(node.value.func, "put"):
            array_, place, value = node.value.args
            return [self._put(self.value(array_), self.value(place), self.value(value))]
        return [t.Do(self.line, self.value(node.value))]

    def _put(self, base: t.Expression, place: t.Expression, value: t.Expression) -> t.Store:
        return t.Store(
            self.line, base, [as_type(place, INTEGER)], as_type(value, self.home.lanes())
        )

    def do_Assign(self, node: ast.Assign) -> list[t.Statement]:
        value, made = self.value(node.value), list[t.Statement]()
        if len(node.targets) > 1:
            kept = self.set(f"all.{node.lineno}", value, node)
            made.append(kept)
            value = t.Var(kept.value.type, kept.name)
        for target in node.targets:
            made += self.assigned(target, value)
        return made

    def assigned(self, target: ast.expr, value: t.Expression) -> list[t.Statement]:
        if isinstance(target, ast.Name):
            return [self.set(target.id, value, target)]
        if isinstance(target, ast.Tuple):
            if not isinstance(value.type, Struct) or len(value.type.fields) != len(target.elts):
                raise self.fault(target, "is not so many values", value.type, len(target.elts))
            kept = self.set(f"whole.{target.lineno}.{target.col_offset}", value, target)
            made, kind = list[t.Statement]([kept]), cast("Struct", kept.value.type)
            for k, one in enumerate(target.elts):
                made += self.assigned(one, t.Get(kind.fields[k][1], t.Var(kind, kept.name), k))
            return made
        if isinstance(target, ast.Subscript):
            return self._stored(target, value)
        raise self.fault(target, "cannot be assigned to", ast.unparse(target))

    def _stored(self, target: ast.Subscript, value: t.Expression) -> list[t.Statement]:
        place = self.of_Subscript(target)
        if isinstance(place, t.Load):
            fitting = self.fits(value, place.type, target)
            return [t.Store(self.line, place.base, place.places, fitting)]
        if isinstance(place, t.Cut) and isinstance(place.type, Array):
            return self._filled(target, place, place.type, value)
        raise self.fault(target, "is not what lies there", value.type, place.type)

    def _filled(
        self, target: ast.expr, place: t.Expression, kind: Array, value: t.Expression
    ) -> list[t.Statement]:
        """Write an array into another of its shape, or a number into each of its cells."""
        mark = f"{target.lineno}.{target.col_offset}"
        made = [self.set(f"into.{mark}", place, target), self.set(f"from.{mark}", value, target)]
        into, given = (t.Var(one.value.type, one.name) for one in made)
        names = [f"k{axis}.{mark}" for axis in range(kind.rank)]
        self.variables |= dict.fromkeys(names, INTEGER)
        at: list[t.Expression] = [t.Var(INTEGER, name) for name in names]
        one: t.Expression = given
        if isinstance(given.type, Array):
            if given.type.rank != kind.rank:
                raise self.fault(target, "is not what lies there", given.type, kind)
            one = t.Load(given.type.cell.value, given, at)
        one = self.fits(one, kind.cell.value, target)
        body: list[t.Statement] = [t.Store(self.line, into, at, one)]
        for axis, name in reversed([*enumerate(names)]):
            size = t.Length(INTEGER, into, axis)
            body = [t.For(self.line, name, t.Const(INTEGER, 0), size, 1, body)]
        return [*made, *body]

    def do_AugAssign(self, node: ast.AugAssign) -> list[t.Statement]:
        read = ast.copy_location(_as_load(node.target), node)
        value = self.binary(node, node.op, self.value(read), self.value(node.value))
        return self.assigned(node.target, value)

    def do_Return(self, node: ast.Return) -> list[t.Statement]:
        if node.value is None or (
            isinstance(node.value, ast.Constant) and node.value.value is None
        ):
            return [t.Return(self.line, None)]
        value = self.value(node.value)
        declared = self.source.returns
        if declared is not ANY:
            value = self.as_declared(value, declared, node, "returns another type")
        kind = value.type if self.returns is None else joined(self.returns, value.type)
        if kind is None:
            raise self.fault(node, "returns values of two types", value.type, self.returns)
        if self.returns is not None and kind is not self.returns:
            self.grew = True
        self.returns = kind
        return [t.Return(self.line, as_type(value, kind))]

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
        given = [as_type(self.value(one), INTEGER) for one in node.iter.args]
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


def _as_load(target: ast.expr) -> ast.expr:
    if isinstance(target, ast.Name):
        return ast.Name(target.id, ast.Load())
    assert isinstance(target, ast.Subscript)
    return ast.Subscript(target.value, target.slice, ast.Load())
