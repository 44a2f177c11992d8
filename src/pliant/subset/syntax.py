"""The syntax of laws and topologies: every node that may stand in a file, and where."""

import ast
import re
from pathlib import Path

from pliant.errors import PliantError
from pliant.subset.text import LONGEST

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
_IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?")
_UNIT = re.compile(r"[A-Za-z0-9 /^().*-]{1,32}")
_UNITS = ("COMMAND", "GOAL", "ADJUSTER")
_TRUTHS = ("SYMMETRIC", "EXACT", "ZERO_AT_REST", "HAS_BUDGET")
_REDUCES_TO = "REDUCES_TO"
_TAKEN = frozenset({"abs", "min", "max", "float", "Annotated", "NamedTuple"})
TUPLE = frozenset({"count", "index"})
"""Attributes of a named tuple beside its fields, without an underscore."""
LARGEST_INTEGER = 2**53
"""Up to here an integer is the float of the same value."""


def check_syntax(tree: ast.Module, path: Path) -> None:
    """Refuse a file that holds any other node than those that laws are made of.

    Imports are left to `imports`, what names mean to `kinds`.

    Raises:
        PliantError: with the file and the line.
    """
    _check_identifiers(tree, path)
    _check_strings(tree.body, path)
    for node in tree.body:
        if type(node) is ast.FunctionDef:
            _check_function(node, path)
        elif type(node) is ast.ClassDef:
            _check_structure(node, path)
        elif not (
            type(node) in (ast.Import, ast.ImportFrom) or is_docstring(node) or _is_declared(node)
        ):
            raise refused(node, path)


def _check_identifiers(tree: ast.Module, path: Path) -> None:
    """One underscore between words: generated names, which have two, stay apart."""
    for node in ast.walk(tree):
        for name in _identifiers(node):
            if not _IDENTIFIER.fullmatch(name) or len(name) > LONGEST:
                raise PliantError(
                    "not a name that a law may use",
                    file=path,
                    field=f"line {getattr(node, 'lineno', '?')}",
                    found=name,
                    accepted="letters, digits and single underscores after a letter, "
                    f"at most {LONGEST}",
                )


def _identifiers(node: ast.AST) -> list[str]:
    match node:
        case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.arg(arg=name) | ast.keyword(arg=str(name)) | ast.Attribute(attr=name):
            return [name]
        case ast.alias(asname=str(name)):
            return [name]
        case _:
            return []


def _check_strings(body: list[ast.stmt], path: Path) -> None:
    """A string at the top of a file, or behind something that it describes."""
    described = (ast.Assign, ast.AnnAssign)
    for k, node in enumerate(body):
        if is_docstring(node) and k > 0 and not isinstance(body[k - 1], described):
            raise refused(node, path)


def _check_structure(node: ast.ClassDef, path: Path) -> None:
    named_tuple = [isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases] == [True]
    plain = all(
        isinstance(part, ast.Pass) or is_docstring(part) or _is_field(part) for part in node.body
    )
    if (
        not (named_tuple and plain)
        or node.decorator_list
        or node.keywords
        or getattr(node, "type_params", [])
    ):
        raise PliantError(
            "a law's only classes are named tuples of floats, without methods or defaults",
            file=path,
            field=f"line {node.lineno}",
            found=f"class {node.name}",
        )
    _check_strings(node.body, path)
    fields = [name for part in node.body for name in global_names(part)]
    for name in fields:
        if fields.count(name) > 1 or name in TUPLE:
            raise PliantError(
                "not a field of a named tuple" if name in TUPLE else "declared twice",
                file=path,
                field=f"line {node.lineno}",
                found=f"{node.name}.{name}",
            )


def _is_field(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and bool(node.simple)
        and node.value is None
        and annotated(node.annotation) is not None
    )


def annotated(kind: ast.expr) -> list[object] | None:
    """Unit and range behind `float` in `float` or `Annotated[float, ...]`; else None."""
    if isinstance(kind, ast.Name):
        return [] if kind.id == "float" else None
    if not (
        isinstance(kind, ast.Subscript)
        and isinstance(kind.value, ast.Name)
        and kind.value.id == "Annotated"
        and isinstance(kind.slice, ast.Tuple)
        and kind.slice.elts
    ):
        return None
    first, *rest = kind.slice.elts
    if not (isinstance(first, ast.Name) and first.id == "float"):
        return None
    found: list[object] = []
    for part in rest:
        if isinstance(part, ast.Tuple):
            numbers = [number(element) for element in part.elts]
            if any(n is None for n in numbers):
                return None
            found.append(tuple(numbers))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.append(part.value)
        elif (value := number(part)) is not None:
            found.append(value)
        else:
            return None
    return found


def number(node: ast.expr) -> float | None:
    """The value of a number, with a sign or without; None of anything else."""
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        node = node.operand
    return sign * float(node.value) if _is_number(node) else None  # type: ignore[attr-defined]


def _is_number(node: ast.expr) -> bool:
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    return type(value) is float or (type(value) is int and value <= LARGEST_INTEGER)


def _check_function(node: ast.FunctionDef, path: Path) -> None:
    given = node.args
    annotations = [a.annotation for a in given.args]
    if (
        node.decorator_list
        or given.posonlyargs
        or given.vararg
        or given.kwarg
        or given.kwonlyargs
        or given.defaults
        or given.kw_defaults
        or getattr(node, "type_params", [])
        or not all(isinstance(a, ast.Name) for a in [*annotations, node.returns])
    ):
        raise PliantError(
            "a law's functions have annotated positional arguments and results (float, or a named "
            "tuple), no defaults, no decorators",
            file=path,
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )
    names = [a.arg for a in given.args]
    for name in names:
        if names.count(name) > 1:
            raise PliantError("defined twice", file=path, field=f"line {node.lineno}", found=name)
    for k, statement in enumerate(node.body):
        if not (k == 0 and is_docstring(statement)):
            _check_statement(statement, path)
    if not _always_returns(node.body):
        raise PliantError(
            "a law's function ends in a return on every path",
            file=path,
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )


def _always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)


def _check_statement(node: ast.stmt, path: Path) -> None:
    if type(node) not in _STATEMENTS or (not isinstance(node, ast.If) and node.value is None):  # type: ignore[attr-defined]
        raise refused(node, path)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    if len(targets) > 1 or any(not isinstance(t, ast.Name) for t in targets):
        raise refused(node, path)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            _check_statement(child, path)
        else:
            _check_expression(child, path)


def _check_expression(node: ast.AST, path: Path) -> None:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and not (
            _is_number(child) or isinstance(child.value, bool)
        ):
            raise refused(child, path)
        if type(child) not in (*_EXPRESSIONS, *_OPERATORS):
            # An operator has no line of its own.
            raise refused(child, path, getattr(node, "lineno", None))
        if isinstance(child, ast.keyword) and child.arg is None:
            raise refused(child.value, path)


def is_docstring(node: ast.stmt) -> bool:
    """Whether it is a string by itself."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _is_declared(node: ast.stmt) -> bool:
    """A port (`motor: Motor`), a number, be it with a unit, or what a family asks of its laws."""
    if isinstance(node, ast.AnnAssign):
        if not (isinstance(node.target, ast.Name) and node.simple):
            return False
        if node.target.id in (*_UNITS, _REDUCES_TO, *_TRUTHS):
            return False
        if node.value is None:
            return isinstance(node.annotation, ast.Name)
        return annotated(node.annotation) is not None and number(node.value) is not None
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
        return False
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Name):
        return False
    if target.id == _REDUCES_TO:
        return _is_reduction(value)
    if target.id in _UNITS:
        return isinstance(value, ast.Constant) and (
            isinstance(value.value, str) and _UNIT.fullmatch(value.value) is not None
        )
    is_truth = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    return is_truth or (number(value) is not None and target.id not in _TRUTHS)


def _is_reduction(node: ast.expr) -> bool:
    """Law to parameter to a number, or to the name of one of the law's own."""
    if not (isinstance(node, ast.Dict) and all(_is_name(key) for key in node.keys)):
        return False
    return all(
        isinstance(inner, ast.Dict)
        and all(_is_name(key) for key in inner.keys)
        and all(_is_name(value) or number(value) is not None for value in inner.values)
        for inner in node.values
    )


def _is_name(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and _IDENTIFIER.fullmatch(node.value) is not None
    )


def check_defined_once(tree: ast.Module, path: Path) -> None:
    """Refuse a global name with two meanings.

    Raises:
        PliantError: with the line of the second.
    """
    seen: set[str] = set()
    for node in tree.body:
        for name in global_names(node):
            own = not (isinstance(node, ast.ImportFrom) and node.module == "typing")
            if name in seen or (own and name in _TAKEN):
                raise PliantError(
                    "defined twice", file=path, field=f"line {node.lineno}", found=name
                )
            seen.add(name)


def global_names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case _:
            return []


def refused(node: ast.AST, path: Path, line: int | None = None) -> PliantError:
    """The error about a node that is outside the subset."""
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
