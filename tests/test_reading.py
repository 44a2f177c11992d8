"""The code reads well: first lines say what a thing is, functions are short or say why not."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FILES = sorted(
    path for room in ("src", "tools", "benchmarks") for path in (ROOT / room).rglob("*.py")
)
RIDDLES = ("What", "Of", "Where", "How")
"""First words of a relative clause, which has to be decoded."""
LINES, PARAMETERS = 60, 8


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and text of every docstring, those of fields and constants too."""
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for part in body if isinstance(body, list) else ():
            if isinstance(part, ast.Expr) and isinstance(part.value, ast.Constant):
                text = part.value.value
                if isinstance(text, str) and text.strip():
                    yield part.lineno, text.strip()


def too_large(node: ast.FunctionDef) -> bool:
    given = node.args
    count = len([*given.posonlyargs, *given.args, *given.kwonlyargs])
    count += (given.vararg is not None) + (given.kwarg is not None)
    count -= bool(given.args) and given.args[0].arg in ("self", "cls")
    assert node.end_lineno is not None
    return node.end_lineno - node.lineno + 1 > LINES or count > PARAMETERS


def without_reason(source: str) -> list[str]:
    """Large functions that no comment stands above."""
    lines = source.split("\n")
    return [
        f"line {node.lineno}: {node.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and too_large(node)
        for above in [lines[min(n.lineno for n in [node, *node.decorator_list]) - 2]]
        if not above.strip().startswith("#")
    ]


def test_a_first_line_says_what_a_thing_is_or_does() -> None:
    found = [
        f"{name(path)}:{line}: {text.splitlines()[0]}"
        for path in FILES
        for line, text in docstrings(ast.parse(path.read_text("utf-8")))
        if text.split()[0].rstrip(":,.") in RIDDLES
    ]
    assert not found


def test_a_large_function_says_why_it_is() -> None:
    found = [f"{name(p)}: {one}" for p in FILES for one in without_reason(p.read_text("utf-8"))]
    assert not found


def test_both_rules_see_what_they_forbid() -> None:
    wide = "def f(a, b, c, d, e, f, g, h, i):\n    pass\n"
    assert without_reason(wide) == ["line 1: f"]
    assert without_reason(f"x = 1\n@cache\n{wide}") == ["line 3: f"]
    assert without_reason(f"# compiled code\n@cache\n{wide}") == []
    assert without_reason("def f():\n" + "    x = 1\n" * LINES) == ["line 1: f"]
    assert without_reason("def f():\n" + "    x = 1\n" * (LINES - 1)) == []
    assert (
        without_reason(f"class A:\n    {wide.replace('a,', 'self,').replace('pass', '  pass')}")
        == []
    )
    fields = 'class A:\n    """One."""\n    x: int\n    """What."""\n'
    assert [text for _, text in docstrings(ast.parse(fields))] == ["One.", "What."]
