"""The subset of Python that laws and topologies are written in, checked before anything runs.

Floats, `if`, assignment, arithmetic, calls to functions of `math` and of other laws, named tuples:
what Numba and Warp compile alike. An error names the line.
"""

import ast
from functools import cache
from pathlib import Path

from pliant.errors import PliantError

BUILTINS = frozenset({"abs", "min", "max", "float"})
_MODULES = ("math", "typing", "pliant.laws", "pliant.ports")
_ACCEPTED = (
    "floats, if, assignment, + - * / and comparisons, abs, min, max, functions of math, "
    "other laws, named tuples"
)

_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Return)
_EXPRESSIONS = (
    ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp, ast.Call,
    ast.Attribute, ast.keyword,
)  # fmt: skip
_OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.USub, ast.UAdd, ast.Not, ast.And, ast.Or,
    ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq, ast.Load, ast.Store,
)  # fmt: skip
_NAMES = {
    ast.For: "a loop", ast.While: "a loop", ast.ListComp: "a comprehension",
    ast.Subscript: "an index", ast.Lambda: "a lambda", ast.Pow: "** (use math.pow)",
    ast.List: "a list", ast.Dict: "a dictionary", ast.Tuple: "a tuple", ast.Raise: "raise",
    ast.Assert: "assert", ast.Try: "try", ast.With: "with", ast.JoinedStr: "a string",
    ast.Import: "import", ast.ImportFrom: "import", ast.FunctionDef: "a function in a function",
}  # fmt: skip


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a Python file.

    Raises:
        PliantError: it cannot be read, or is not Python.
    """
    try:
        return ast.parse(path.read_text("utf-8"), filename=str(path))
    except SyntaxError as error:
        raise PliantError("is not Python", file=path, field=f"line {error.lineno}",
                          found=error.msg) from None  # fmt: skip
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None


def check_source(path: Path) -> None:
    """Refuse a law or topology that leaves the subset.

    Raises:
        PliantError: with the file and the line.
    """
    for node in parse(path).body:
        if isinstance(node, ast.FunctionDef):
            _check_function(node, path)
        elif isinstance(node, ast.ClassDef):
            _check_structure(node, path)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _check_import(node, path)
        elif not (_is_docstring(node) or _is_declaration(node)):
            raise _refused(node, path)


def _check_import(node: ast.Import | ast.ImportFrom, path: Path) -> None:
    modules = (
        [alias.name for alias in node.names] if isinstance(node, ast.Import) else [node.module or ""]
    )
    for module in modules:
        allowed = any(module == m or module.startswith(m + ".") for m in _MODULES)
        if not allowed or (isinstance(node, ast.ImportFrom) and node.level):
            raise PliantError(
                "a law imports only math, typing and other laws",
                file=path,
                field=f"line {node.lineno}",
                found=module or "a relative import",
                accepted=", ".join(_MODULES),
            )


def _check_structure(node: ast.ClassDef, path: Path) -> None:
    named_tuple = [isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases] == [True]
    plain = all(
        isinstance(part, ast.Pass)
        or _is_docstring(part)
        or (isinstance(part, ast.AnnAssign) and part.value is None)
        for part in node.body
    )
    if not (named_tuple and plain) or node.decorator_list:
        raise PliantError(
            "a law's only classes are named tuples without methods or defaults",
            file=path,
            field=f"line {node.lineno}",
            found=f"class {node.name}",
        )


def _check_function(node: ast.FunctionDef, path: Path) -> None:
    arguments = node.args
    if (
        node.decorator_list
        or arguments.vararg or arguments.kwarg or arguments.kwonlyargs or arguments.defaults
        or any(a.annotation is None for a in arguments.args)
    ):  # fmt: skip
        raise PliantError(
            "a law's functions have annotated positional arguments, no defaults, no decorators",
            file=path,
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )
    for statement in node.body:
        _check_statement(statement, path)


def _check_statement(node: ast.stmt, path: Path) -> None:
    if _is_docstring(node):
        return
    if not isinstance(node, _STATEMENTS):
        raise _refused(node, path)
    targets = node.targets if isinstance(node, ast.Assign) else []
    if len(targets) > 1 or any(not isinstance(t, ast.Name) for t in targets):
        raise _refused(node, path)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            _check_statement(child, path)
        else:
            _check_expression(child, path)


def _check_expression(node: ast.AST, path: Path) -> None:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and not isinstance(child.value, (int, float)):
            raise _refused(child, path)
        if not isinstance(child, (*_EXPRESSIONS, *_OPERATORS)):
            raise _refused(child, path)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_declaration(node: ast.stmt) -> bool:
    """A port (`motor: Motor`), or a constant (`G = 9.81`, `REDUCES_TO = {...}`)."""
    if isinstance(node, ast.AnnAssign):
        return node.value is None
    if not isinstance(node, ast.Assign) or not isinstance(node.targets[0], ast.Name):
        return False
    try:
        ast.literal_eval(node.value)
    except ValueError:
        return False
    return True


def _refused(node: ast.AST, path: Path) -> PliantError:
    found = _NAMES.get(type(node), ast.unparse(node) if isinstance(node, ast.expr | ast.stmt) else type(node).__name__)  # fmt: skip
    return PliantError(
        "outside the subset of Python that laws are written in",
        file=path,
        field=f"line {getattr(node, 'lineno', '?')}",
        found=found,
        accepted=_ACCEPTED,
    )
