"""Statements and expressions of a function: every node that may stand there, by list."""

import ast

from pliant.errors import PliantError
from pliant.subset.declared import is_number

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
    """Refuse a statement that holds any other node than those listed here.

    Raises:
        PliantError: with the line.
    """
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
            is_number(child) or isinstance(child.value, bool)
        ):
            raise refused(child)
        if type(child) not in (*_EXPRESSIONS, *_OPERATORS):
            # An operator has no line of its own.
            raise refused(child, getattr(node, "lineno", None))
        if isinstance(child, ast.keyword) and child.arg is None:
            raise refused(child.value)


def refused(node: ast.AST, line: int | None = None) -> PliantError:
    """The error about a node that is outside the subset."""
    found = _NAMES.get(type(node))
    if found is None:
        known = isinstance(node, ast.expr | ast.stmt)
        found = ast.unparse(node) if known else type(node).__name__
    return PliantError(
        "outside the subset of Python that laws are written in",
        field=f"line {getattr(node, 'lineno', line) or '?'}",
        found=found,
        accepted=_ACCEPTED,
    )
