"""Branches that a constant decides, against Python's own evaluation of both texts."""

import ast
from collections.abc import Callable
from typing import Any

import pytest

from pliant.lower.syntax import Pruner

CALLS = """
def f(x):
    found = []
    if {test}:
        found.append("then")
    else:
        found.append("else")
    for k in range(2):
        if {test}:
            continue
        found.append(k)
    return found, {test}
"""


def run(tree: ast.Module) -> Callable[[float], object]:
    space: dict[str, Any] = {}
    exec(compile(ast.fix_missing_locations(tree), "<pruned>", "exec"), space)
    return space["f"]


@pytest.mark.parametrize(
    "test",
    [
        "True", "False", "not True", "2 > 1", "2 > 1 > 1", "1 == 1 and x > 0.0",
        "x > 0.0 and 1 == 2", "x > 0.0 or 1 == 1", "1 == 2 or x > 0.0", "not (1 > 2) and not x",
        "x > 0.0", "1 > 2 or 2 > 3",
    ],
)  # fmt: skip
@pytest.mark.parametrize("x", [0.0, 1.0])
def test_a_pruned_function_does_what_the_whole_one_does(test: str, x: float):
    text = CALLS.format(test=test)
    assert run(Pruner().visit(ast.parse(text)))(x) == run(ast.parse(text))(x)


def test_what_a_constant_rules_out_is_not_looked_at():
    seen: list[str] = []

    class Looking(Pruner, ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.AST:
            seen.append(node.id)
            return node

    text = "for k in n:\n    if 1 > 2 or 2 > 3:\n        absent()\n    else:\n        there()\n    continue\n    behind()"
    Looking().visit(ast.parse(text))
    assert set(seen) == {"k", "n", "there"}


def test_a_loop_of_which_nothing_is_left_can_stand():
    tree = Pruner().visit(
        ast.parse(
            "def f(x):\n    for k in range(3):\n        if 1 > 2:\n            x += 1\n    return x"
        )
    )
    assert run(tree)(5) == 5
