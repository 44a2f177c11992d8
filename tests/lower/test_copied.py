"""A copied tree is the tree, and is its own."""

import ast

from pliant.lower.syntax import copied

TEXT = "def f(x: float) -> float:\n    y = [x, 1.0]\n    return g(x, *y) if x > 0.0 else -x\n"


def test_a_copy_says_the_same_in_the_same_places_and_shares_no_node() -> None:
    tree = ast.parse(TEXT)
    copy = copied(tree)
    told = [ast.dump(one, include_attributes=True) for one in (tree, copy)]
    assert told[0] == told[1]
    nodes = [{id(node) for node in ast.walk(one) if node._fields} for one in (tree, copy)]
    assert not nodes[0] & nodes[1]


def test_what_is_done_to_a_copy_is_not_done_to_the_tree() -> None:
    tree = ast.parse(TEXT)
    (function,) = copied(tree).body
    assert isinstance(function, ast.FunctionDef)
    function.body.clear()
    function.args.args[0].arg = "z"
    assert ast.unparse(tree) == ast.unparse(ast.parse(TEXT))
