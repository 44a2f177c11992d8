"""Copies of syntax trees, and elimination of branches that a constant decides.

Code called only in such a branch is then neither linked nor compiled: a servo needs none of the code for
joints with springs.
"""

import ast
from typing import Any, TypeVar, cast

Node = TypeVar("Node", bound=ast.AST)


def copied(node: Node) -> Node:
    """A copy of a tree whose nodes may be changed: `copy.deepcopy` in a tenth of the time.

    Nodes without fields, `Load` and the operators, are shared between trees, as in Python's own parser.
    """
    made = type(node).__new__(type(node))
    inside = made.__dict__
    inside.update(vars(node))
    for name in node._fields:
        value: Any = inside.get(name)
        if isinstance(value, list):
            inside[name] = [_copied(one) for one in cast("list[Any]", value)]
        elif isinstance(value, ast.AST) and value._fields:
            inside[name] = copied(value)
    return made


def _copied(value: Any) -> Any:
    return copied(value) if isinstance(value, ast.AST) and value._fields else value


_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)


class Pruner(ast.NodeTransformer):
    """A visitor that visits the test of a branch first, and then only reachable code."""

    def block(self, statements: list[ast.stmt]) -> list[ast.stmt]:
        """The statements, visited, up to the first after which nothing is reachable."""
        found: list[ast.stmt] = []
        for statement in statements:
            visited = self.visit(statement)
            found += visited if isinstance(visited, list) else [visited]
            if found and isinstance(found[-1], _LEAVES):
                break
        return found

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """Replace the statement by the branch that a constant selects."""
        test = self.visit(node.test)
        if isinstance(test, ast.Constant):
            return self.block(node.body if test.value else node.orelse) or ast.Pass()
        return ast.copy_location(ast.If(test, self.block(node.body), self.block(node.orelse)), node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """Visit the loop's body as a block."""
        node.target, node.iter = self.visit(node.target), self.visit(node.iter)
        node.body, node.orelse = self.block(node.body), self.block(node.orelse)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """Fold `and` and `or` with constant values."""
        ends = isinstance(node.op, ast.Or)  # a constant with this value is the whole value
        values: list[ast.expr] = [self.visit(value) for value in node.values]
        known = [v for v in values if isinstance(v, ast.Constant)]
        if any(bool(v.value) is ends for v in known):
            return ast.copy_location(ast.Constant(ends), node)
        node.values = [v for v in values if v not in known] or [ast.Constant(not ends)]
        return node if len(node.values) > 1 else node.values[0]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """Fold `not` of a constant."""
        node.operand = self.visit(node.operand)
        if isinstance(node.op, ast.Not) and isinstance(node.operand, ast.Constant):
            return ast.copy_location(ast.Constant(not node.operand.value), node)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """Fold a comparison of constants."""
        self.generic_visit(node)
        if all(isinstance(part, ast.Constant) for part in (node.left, *node.comparators)):
            code = compile(ast.fix_missing_locations(ast.Expression(node)), "<constants>", "eval")
            return ast.copy_location(ast.Constant(eval(code, {})), node)  # noqa: S307
        return node
