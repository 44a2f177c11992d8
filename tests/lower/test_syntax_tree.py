"""Texts are parsed though other threads parse at the same time."""

import ast

import pytest

from pliant.subset.text import syntax_tree


def disturbed(times: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """`ast.parse` ends so many times as CPython 3.11 lets it end beside another thread's."""
    parse, left = ast.parse, [times]

    def once(*given: object, **named: object) -> ast.AST:
        if left[0]:
            left[0] -= 1
            raise SystemError("AST constructor recursion depth mismatch (before=21, after=15)")
        return parse(*given, **named)

    monkeypatch.setattr(ast, "parse", once)


def test_a_text_parsed_beside_another_thread_is_parsed_again(monkeypatch):
    disturbed(2, monkeypatch)
    assert ast.unparse(syntax_tree("x = 1")) == "x = 1"


def test_an_error_that_stays_is_raised(monkeypatch):
    disturbed(3, monkeypatch)
    with pytest.raises(SystemError):
        syntax_tree("x = 1")
