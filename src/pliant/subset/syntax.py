"""Syntax of a file: global statements, named tuples and functions, with every node and name in them."""

import ast
from collections.abc import Iterable

from pliant.errors import PliantError
from pliant.subset import declared
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


def check_statement(node: ast.stmt) -> None:
    """Refuse a statement with any node that is not listed here."""
    if type(node) not in _STATEMENTS or (not isinstance(node, ast.If) and node.value is None):  # type: ignore[attr-defined]
        raise refused(node)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = node.targets
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
        targets = [node.target]
    if len(targets) > 1 or any(not isinstance(t, ast.Name) for t in targets):
        raise refused(node)
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            check_statement(child)
        else:
            _check_expression(child)


def _check_expression(node: ast.AST) -> None:
    for child in ast.walk(node):
        if isinstance(child, ast.Constant) and not (
            declared.is_number(child) or isinstance(child.value, bool)
        ):
            raise refused(child)
        if type(child) not in (*_EXPRESSIONS, *_OPERATORS):
            # An operator has no line number.
            raise refused(child, getattr(node, "lineno", None))
        if isinstance(child, ast.keyword) and child.arg is None:
            raise refused(child.value)


def refused(node: ast.AST, line: int | None = None) -> PliantError:
    """The error about a node outside the subset."""
    found = _NAMES.get(type(node))
    if found is None:
        known = isinstance(node, ast.expr | ast.stmt)
        found = ast.unparse(node) if known else type(node).__name__
    return PliantError(
        "outside the subset of Python for laws",
        field=f"line {getattr(node, 'lineno', line) or '?'}",
        found=found,
        accepted=_ACCEPTED,
    )


def check_syntax(tree: ast.Module) -> None:
    """Refuse a file with any node that is not allowed in laws.

    `imports` checks imports, `body` the meaning of names.

    Raises:
        PliantError: with the file and the line.
    """
    _check_identifiers(tree)
    _check_strings(tree.body)
    for node in tree.body:
        if type(node) is ast.FunctionDef:
            _check_function(node)
        elif type(node) is ast.ClassDef:
            _check_structure(node)
        elif not (
            type(node) in (ast.Import, ast.ImportFrom)
            or declared.is_docstring(node)
            or declared.is_declared(node)
        ):
            raise refused(node)


def _check_identifiers(tree: ast.Module) -> None:
    """Refuse double underscores, which mark generated names, and other invalid names."""
    for node in ast.walk(tree):
        for name in _identifiers(node):
            if not declared.IDENTIFIER.fullmatch(name) or len(name) > LONGEST:
                raise PliantError(
                    "not a name that a law may use",
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


def _check_strings(body: list[ast.stmt]) -> None:
    """Refuse strings other than at the top of a file or below something that they describe."""
    described = (ast.Assign, ast.AnnAssign)
    for k, node in enumerate(body):
        if declared.is_docstring(node) and k > 0 and not isinstance(body[k - 1], described):
            raise refused(node)


def _check_structure(node: ast.ClassDef) -> None:
    named_tuple = [isinstance(b, ast.Name) and b.id == "NamedTuple" for b in node.bases] == [True]
    plain = all(
        isinstance(part, ast.Pass) or declared.is_docstring(part) or _is_field(part)
        for part in node.body
    )
    if (
        not (named_tuple and plain)
        or node.decorator_list
        or node.keywords
        or getattr(node, "type_params", [])
    ):
        raise PliantError(
            "a law's only classes are named tuples of floats, without methods or defaults",
            field=f"line {node.lineno}",
            found=f"class {node.name}",
        )
    _check_strings(node.body)
    fields = [name for part in node.body for name in declared.global_names(part)]
    _check_words(fields, node.lineno)
    for name in fields:
        if fields.count(name) > 1 or name in declared.TUPLE:
            raise PliantError(
                "not a field of a named tuple" if name in declared.TUPLE else "declared twice",
                field=f"line {node.lineno}",
                found=f"{node.name}.{name}",
            )


_RESULT = "ret"
"""Name that Warp gives to a function's result."""


def _check_words(names: Iterable[str], line: int) -> None:
    for name in declared.SPOKEN.intersection(names):
        raise PliantError(
            "is a reserved word of a language that laws are compiled into",
            field=f"line {line}",
            found=name,
            accepted=f"{name}_, or another name",
        )


def _is_field(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and bool(node.simple)
        and node.value is None
        and declared.annotated(node.annotation) is not None
    )


def _check_function(node: ast.FunctionDef) -> None:
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
            "a law's functions need annotated positional arguments and results (float, or a named "
            "tuple), and no defaults or decorators",
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )
    names = [a.arg for a in given.args]
    _check_words([name for name in names if name == _RESULT], node.lineno)
    for name in names:
        if names.count(name) > 1:
            raise PliantError("defined twice", field=f"line {node.lineno}", found=name)
    for k, statement in enumerate(node.body):
        if not (k == 0 and declared.is_docstring(statement)):
            check_statement(statement)
    if not _always_returns(node.body):
        raise PliantError(
            "a law's function must return on every path",
            field=f"line {node.lineno}",
            found=f"def {node.name}",
        )


def _always_returns(body: list[ast.stmt]) -> bool:
    last = body[-1]
    if isinstance(last, ast.If):
        return bool(last.orelse) and _always_returns(last.body) and _always_returns(last.orelse)
    return isinstance(last, ast.Return)
