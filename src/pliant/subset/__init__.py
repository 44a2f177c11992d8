"""The subset of Python that laws and topologies are written in, checked before anything runs.

Floats, `if`, assignment, arithmetic, calls to functions of `math` and of other laws, named tuples:
what Numba and Warp compile alike. An error names the line. A file that passes does nothing when it
is imported but define these.
"""

import ast
from functools import cache
from pathlib import Path

from pliant.errors import PliantError
from pliant.subset.names import Structures, check_assigned, check_fields, stored, structures

BUILTINS = frozenset({"abs", "min", "max", "float"})
MATH = frozenset(
    "acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh e erf exp expm1 fabs floor "
    "hypot inf log log10 log1p pi pow sin sinh sqrt tan tanh tau trunc".split()
)
"""What a law may import from `math`: what every target has."""
_MODULES = ("math", "typing", "pliant.laws", "pliant.ports")
_ACCEPTED = (
    "floats, if, assignment, + - * / and comparisons, abs, min, max, functions of math, "
    "other laws, named tuples"
)

_STATEMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.Return)
_EXPRESSIONS = (
    ast.Name,
    ast.Constant,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.BoolOp,
    ast.IfExp,
    ast.Call,
    ast.Attribute,
    ast.keyword,
)
_OPERATORS = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.USub,
    ast.UAdd,
    ast.Not,
    ast.And,
    ast.Or,
    ast.Lt,
    ast.LtE,
    ast.Gt,
    ast.GtE,
    ast.Eq,
    ast.NotEq,
    ast.Load,
    ast.Store,
)
_NAMES: dict[type[ast.AST], str] = {
    ast.For: "a loop",
    ast.While: "a loop",
    ast.ListComp: "a comprehension",
    ast.SetComp: "a comprehension",
    ast.DictComp: "a comprehension",
    ast.GeneratorExp: "a comprehension",
    ast.Subscript: "an index",
    ast.Lambda: "a lambda",
    ast.Pow: "** (use math.pow)",
    ast.Mod: "% (use math.floor)",
    ast.FloorDiv: "// (use math.floor)",
    ast.List: "a list",
    ast.Dict: "a dictionary",
    ast.Tuple: "a tuple",
    ast.Raise: "raise",
    ast.Assert: "assert",
    ast.Try: "try",
    ast.With: "with",
    ast.JoinedStr: "a string",
    ast.Import: "import",
    ast.ImportFrom: "import",
    ast.FunctionDef: "a function in a function",
    ast.ClassDef: "a class in a function",
}


@cache
def parse(path: Path) -> ast.Module:
    """The syntax tree of a Python file.

    Raises:
        PliantError: it cannot be read, or is not Python.
    """
    try:
        return ast.parse(path.read_text("utf-8"), filename=str(path))
    except SyntaxError as error:
        raise PliantError(
            "is not Python", file=path, field=f"line {error.lineno}", found=error.msg
        ) from None
    except (OSError, ValueError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None


def check_source(path: Path) -> None:
    """Refuse a law or topology that leaves the subset.

    Raises:
        PliantError: with the file and the line.
    """
    tree = parse(path)
    known = BUILTINS | _defined(tree)
    named_tuples = structures(tree)
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            _check_function(node, path, known, named_tuples)
        elif isinstance(node, ast.ClassDef):
            _check_structure(node, path)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            _check_import(node, path)
        elif not (_is_docstring(node) or _is_declaration(node)):
            raise _refused(node, path)


def _defined(tree: ast.Module) -> frozenset[str]:
    """The global names of a module."""
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {alias.asname or alias.name for alias in node.names}
        else:
            names |= stored(node)
    return frozenset(names)


def _check_import(node: ast.Import | ast.ImportFrom, path: Path) -> None:
    at = f"line {node.lineno}"
    module = node.names[0].name if isinstance(node, ast.Import) else node.module or ""
    allowed = any(module == m or module.startswith(m + ".") for m in _MODULES)
    if not allowed or (isinstance(node, ast.ImportFrom) and node.level):
        raise PliantError(
            "a law imports only math, typing and other laws",
            file=path,
            field=at,
            found=module or "a relative import",
            accepted=", ".join(_MODULES),
        )
    if isinstance(node, ast.Import):
        raise PliantError(
            "a law imports names, not modules",
            file=path,
            field=at,
            found=ast.unparse(node),
            accepted="from math import exp; from pliant.laws.friction_budget import m1",
        )
    for alias in node.names:
        if module == "math" and alias.name not in MATH:
            raise PliantError(
                "not a function of math that every target has",
                file=path,
                field=at,
                found=alias.name,
                accepted=MATH,
            )


def _check_structure(node: ast.ClassDef, path: Path) -> None:
    named_tuple = [isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases] == [True]
    plain = all(
        isinstance(part, ast.Pass) or _is_docstring(part) or _is_field(part) for part in node.body
    )
    if not (named_tuple and plain) or node.decorator_list or node.keywords:
        raise PliantError(
            "a law's only classes are named tuples of floats, without methods or defaults",
            file=path,
            field=f"line {node.lineno}",
            found=f"class {node.name}",
        )


def _is_field(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and node.value is None and _is_float(node.annotation)


def _is_float(kind: ast.expr) -> bool:
    """`float`, or `Annotated[float, ...]` with nothing but literals after the type."""
    literals: list[ast.expr] = []
    if isinstance(kind, ast.Subscript) and isinstance(kind.slice, ast.Tuple):
        if not isinstance(kind.value, ast.Name) or kind.value.id != "Annotated":
            return False
        kind, *literals = kind.slice.elts
    return isinstance(kind, ast.Name) and kind.id == "float" and all(map(_is_literal, literals))


def _check_function(
    node: ast.FunctionDef, path: Path, known: frozenset[str], named_tuples: Structures
) -> None:
    given = node.args
    annotations = [a.annotation for a in given.args]
    if (
        node.decorator_list
        or given.posonlyargs
        or given.vararg
        or given.kwarg
        or given.kwonlyargs
        or given.defaults
        or not all(isinstance(a, ast.Name) for a in [*annotations, node.returns])
    ):
        raise PliantError(
            "a law's functions have annotated positional arguments and results (float, or a named "
            "tuple), no defaults, no decorators",
            file=path,
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )
    for statement in node.body:
        _check_statement(statement, path)
    if not _always_returns(node.body):
        raise PliantError(
            "a law's function ends in a return on every path",
            file=path,
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )
    known |= {a.arg for a in given.args} | stored(node)
    for part in ast.walk(ast.Module(node.body, [])):
        if isinstance(part, ast.Name) and part.id not in known:
            raise PliantError(
                "unknown name",
                file=path,
                field=f"line {part.lineno}",
                found=part.id,
                accepted=known,
            )
    check_assigned(node, path)
    check_fields(node, path, named_tuples)


def _always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)


def _check_statement(node: ast.stmt, path: Path) -> None:
    if _is_docstring(node):
        return
    if not isinstance(node, _STATEMENTS) or (not isinstance(node, ast.If) and node.value is None):
        raise _refused(node, path)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
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
            # An operator has no line of its own.
            raise _refused(child, path, getattr(node, "lineno", None))
        if isinstance(child, ast.keyword) and child.arg is None:
            raise _refused(child.value, path)


def _is_docstring(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_declaration(node: ast.stmt) -> bool:
    """A port (`motor: Motor`), or a constant (`REDUCES_TO = {...}`), be it with a unit."""
    if isinstance(node, ast.AnnAssign):
        if node.value is None:
            return isinstance(node.annotation, ast.Name)
        return _is_float(node.annotation) and _is_literal(node.value)
    if not isinstance(node, ast.Assign) or len(node.targets) > 1:
        return False
    return isinstance(node.targets[0], ast.Name) and _is_literal(node.value)


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError):
        return False
    return True


def _refused(node: ast.AST, path: Path, line: int | None = None) -> PliantError:
    found = _NAMES.get(type(node))
    if found is None:
        known = isinstance(node, ast.expr | ast.stmt)
        found = ast.unparse(node) if known else type(node).__name__
    return PliantError(
        "outside the subset of Python that laws are written in",
        file=path,
        field=f"line {getattr(node, 'lineno', line) or '?'}",
        found=found,
        accepted=_ACCEPTED,
    )
