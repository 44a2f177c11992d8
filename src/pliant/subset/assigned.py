"""Variables: refused where they are read before every path has given them a value."""

import ast

from pliant.errors import PliantError


def stored(node: ast.AST) -> set[str]:
    """The names that something assigns to."""
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def check_assigned(node: ast.FunctionDef) -> None:
    """Refuse a name that is read where not every path has given it a value.

    Raises:
        PliantError: with the line.
    """
    _block(node.body, {a.arg for a in node.args.args}, stored(node))


def _block(body: list[ast.stmt], assigned: set[str], variables: set[str]) -> set[str] | None:
    """Names assigned after `body`; None where nothing comes after it."""
    for statement in body:
        if isinstance(statement, ast.If):
            _read(statement.test, assigned, variables)
            ends = [
                _block(branch, set(assigned), variables)
                for branch in (statement.body, statement.orelse)
            ]
            open_ends = [end for end in ends if end is not None]
            if not open_ends:
                return None
            assigned = open_ends[0].intersection(*open_ends)
            continue
        if isinstance(statement, ast.AugAssign):
            _read(statement.target, assigned, variables)
        if isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return)):
            if statement.value is not None:
                _read(statement.value, assigned, variables)
            if isinstance(statement, ast.Return):
                return None
            assigned = assigned | stored(statement)
    return assigned


def _read(node: ast.expr, assigned: set[str], variables: set[str]) -> None:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id in variables - assigned:
            raise PliantError(
                "is read where not every path has given it a value",
                field=f"line {part.lineno}",
                found=part.id,
                accepted="an assignment on every path before it",
            )
