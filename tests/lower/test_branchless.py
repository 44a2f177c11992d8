"""Functions without branches compute what they computed with them, in Python."""

import ast
import os
import random
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pliant.lower.branchless import branchless
from pliant.lower.link import Function
from pliant.lower.types import ANY

CHOICES = {
    "select": lambda c, yes, no: yes if c else no,
    "both": lambda a, b: bool(a) and bool(b),
    "either": lambda a, b: bool(a) or bool(b),
    "opposite": lambda a: not a,
    "wide": lambda x: float(x) if isinstance(x, bool) else x,
    "row": lambda a, i: a[i],
    "put": lambda a, i, x: a.__setitem__(i, x),
    "Pair": lambda a, b: (a, b),
}

TEXTS = {
    "one side returns": "if a > b:\n    return a\nreturn b * 2.0",
    "a chain of returns": (
        "if a > 1.0:\n    return 1.0\nelif a < -1.0:\n    return -1.0\nreturn a * c"
    ),
    "returns inside": (
        "x = b\nif a > 0.0:\n    x = c\n    if b > 0.0:\n        return x\n    x += 1.0\nreturn x - a"
    ),
    "a variable on both sides": "if a < b:\n    x = a\nelse:\n    x = b\nx *= c\nreturn x",
    "a variable on one side": "x = a\nif b > 0.0:\n    y = b\n    x = y + c\nreturn x",
    "two variables that swap": "x = a\ny = b\nif x > y:\n    z = x\n    x = y\n    y = z\nreturn x - y",
    "conditions": "return a if 0.0 < b < 1.0 and not c > 0.0 or a == c else -b",
    "a truth as a number": "return float(a > b) + c",
    "least of three": "return min(a, b, c) + max(a, b, c)",
    "two results on both sides": (
        "x = a\nif b > 0.0:\n    x, y = Pair(c, x)\nelse:\n    x, y = Pair(x, b)\nreturn x - 2.0 * y"
    ),
    "a named tuple": "p = Pair(a > b, c)\nif c > 0.0:\n    p = Pair(a, b)\nreturn p",
}


def run(node: ast.FunctionDef, *values: float) -> Any:
    space: dict[str, Any] = dict(CHOICES)
    exec(ast.unparse(node), space)
    found: Callable[..., Any] = space["f"]
    return found(*values)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_the_result_is_that_of_the_branches(text: str) -> None:
    [node] = ast.parse("def f(a, b, c):\n    " + text.replace("\n", "\n    ")).body
    assert isinstance(node, ast.FunctionDef)
    flat = branchless(Function("f", [], ANY, node), frozenset({"Pair"})).node
    assert not any(isinstance(part, (ast.If, ast.IfExp, ast.BoolOp)) for part in ast.walk(flat))
    draw = random.Random(1)
    for _ in range(200):
        values = [draw.choice([-1.0, 0.0, 0.5, 1.0, 2.0]) for _ in range(3)]
        assert run(flat, *values) == run(node, *values), values


def test_a_function_with_a_loop_stays() -> None:
    [node] = ast.parse(
        "def f(a):\n    for k in range(3):\n        a = a + k if a > 0 else a\n    return a"
    ).body
    assert isinstance(node, ast.FunctionDef)
    one = Function("f", [], ANY, node)
    assert branchless(one, frozenset()) is one


def test_elements_of_arrays_are_rows() -> None:
    [node] = ast.parse("def f(a, i):\n    a[i + 1] = a[i]\n    return a[i + 1]").body
    assert isinstance(node, ast.FunctionDef)
    flat = branchless(Function("f", [], ANY, node), frozenset()).node
    assert (
        ast.unparse(flat) == "def f(a, i):\n    put(a, i + 1, row(a, i))\n    return row(a, i + 1)"
    )


def test_the_text_is_the_same_in_every_process() -> None:
    """Code in the cache is found by it."""
    code = """if True:
        import ast
        from pliant.lower.branchless import branchless
        from pliant.lower.link import Function
        from pliant.lower.types import ANY
        sides = [" = a; ".join("wxyz") + f" = {one}" for one in "bc"]
        text = f"def f(a, b, c):\\n if a > b: {sides[0]}\\n else: {sides[1]}\\n return w + x + y + z"
        flat = branchless(Function("f", [], ANY, ast.parse(text).body[0]), frozenset())
        print(ast.unparse(flat.node))
    """
    texts = {
        subprocess.check_output(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in "1234"
    }
    assert len(texts) == 1
