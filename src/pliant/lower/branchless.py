"""If-conversion: both sides of every `if` are computed, and one of them is selected.

SIMD lanes need it, because neighbouring lanes may take different sides. A law has no loops and no side
effects, so the side not taken costs only time.

    if c: x = a          ->   x_1 = a; x = select(c, x_1, x)
    if c: return a       ->   return select(c, a, b), with b from the code that follows
    return b
"""

import ast
import dataclasses
from collections.abc import Sequence

from pliant.lower.link import Function
from pliant.lower.syntax import copied

WIDTH = 8
"""Lanes in a vector: two of AVX2's, so that one is computed while the other waits for results."""


def branchless(function: Function, structures: frozenset[str]) -> Function:
    """`function` for lanes; the numbers in `structures`, the named tuples, become lanes.

    A function with a loop belongs to an engine and is kept: it handles its lanes itself.
    """
    if any(isinstance(part, (ast.For, ast.While)) for part in ast.walk(function.node)):
        return function
    node = copied(function.node)
    flat = _Flat(_Spelling(structures))
    value = flat.block(node.body, {a.arg: a.arg for a in node.args.args})
    node.body = [*flat.statements, *([] if value is None else [ast.Return(value)])]
    return dataclasses.replace(function, node=ast.fix_missing_locations(node))


class _Flat:
    """A function's statements in straight-line SSA form: each variable is assigned once."""

    def __init__(self, spelled: "_Spelling") -> None:
        self.spelled = spelled
        self.statements: list[ast.stmt] = []
        self._count = 0

    def block(self, body: Sequence[ast.stmt], names: dict[str, str]) -> ast.expr | None:
        """Add the statements; the value they return, None if they return none.

        Args:
            names: variable to the name of its current value; updated in place.
        """
        for k, statement in enumerate(body):
            if isinstance(statement, ast.Return):
                assert statement.value is not None  # all functions of a law return a value
                return self._value(statement.value, names)
            if isinstance(statement, ast.If):
                if any(isinstance(part, ast.Return) for part in ast.walk(statement)):
                    return self._either(statement, body[k + 1 :], names)
                self._merged(statement, names)
            else:
                self._assignment(statement, names)
        return None

    def _either(
        self, node: ast.If, after: Sequence[ast.stmt], names: dict[str, str]
    ) -> ast.expr | None:
        """Value of a branch that returns on at least one side; the code that follows belongs to the other."""
        test = self._kept(self._value(node.test, names))
        sides = [self.block([*side, *after], dict(names)) for side in (node.body, node.orelse)]
        return _call("select", test, *(side for side in sides if side is not None))

    def _merged(self, node: ast.If, names: dict[str, str]) -> None:
        test = self._kept(self._value(node.test, names))
        yes, no = dict(names), dict(names)
        self.block(node.body, yes)
        self.block(node.orelse, no)
        for name, value in yes.items():  # in order: the text determines the cache file's name
            if name in no and value != no[name]:
                chosen = _call("select", test, _load(value), _load(no[name]))
                names[name] = self._kept(chosen).id

    def _assignment(self, node: ast.stmt, names: dict[str, str]) -> None:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            names[node.targets[0].id] = self._kept(self._value(node.value, names)).id
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
            value = self._value(node.value, names)
            own = {x.id: self._fresh() for x in node.targets[0].elts if isinstance(x, ast.Name)}
            parts: list[ast.expr] = [ast.Name(x, ast.Store()) for x in own.values()]
            self.statements.append(ast.Assign([ast.Tuple(parts, ast.Store())], value))
            names |= own
        elif isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
            value = ast.BinOp(_load(node.target.id), node.op, node.value)
            names[node.target.id] = self._kept(self._value(value, names)).id
        else:
            renamed = _Renamed(names).visit(copied(node))
            self.statements.append(self.spelled.visit(renamed))

    def _value(self, node: ast.expr, names: dict[str, str]) -> ast.expr:
        return self.spelled.visit(_Renamed(names).visit(copied(node)))

    def _kept(self, value: ast.expr) -> ast.Name:
        name = self._fresh()
        self.statements.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return _load(name)

    def _fresh(self) -> str:
        self._count += 1
        return f"x{self._count}_"


class _Renamed(ast.NodeTransformer):
    """Replaces variables by the names of their current values."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.Name(self.names.get(node.id, node.id), node.ctx)


class _Spelling(ast.NodeTransformer):
    """Rewrites conditions, named tuples and array elements as calls that work on lanes."""

    def __init__(self, structures: frozenset[str]) -> None:
        self.structures = structures

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call("select", node.test, node.body, node.orelse)

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        return _folded("both" if isinstance(node.op, ast.And) else "either", node.values)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call("opposite", node.operand) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Split `a < b < c` into two comparisons."""
        self.generic_visit(node)
        terms = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            ast.Compare(terms[k], [op], [terms[k + 1]]) for k, op in enumerate(node.ops)
        ]
        return _folded("both", pairs)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "float":
            return _call("wide", *node.args)
        if name in {"min", "max"}:
            return _folded(name, node.args)
        if name in self.structures:
            node.args = [_call("wide", value) for value in node.args]
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        self.generic_visit(node)
        return _call("row", node.value, node.slice)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """Rewrite a store into an array, `a[i] = x`."""
        target = node.targets[0]
        if isinstance(target, ast.Subscript):
            place = (self.visit(target.value), self.visit(target.slice))
            return ast.Expr(_call("put", *place, self.visit(node.value)))
        node.value = self.visit(node.value)
        return node


def _folded(name: str, values: Sequence[ast.expr]) -> ast.expr:
    result = values[0]
    for value in values[1:]:
        result = _call(name, result, value)
    return result


def _call(name: str, *values: ast.expr) -> ast.Call:
    return ast.Call(_load(name), list(values), [])


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())
