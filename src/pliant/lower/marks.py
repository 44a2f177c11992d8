"""Marks that a kernel puts on its functions for the compiler; in Python they change nothing."""

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def apart(function: F) -> F:
    """Not to be inlined: large, and called seldom or from many places."""
    return function


def any_order(function: F) -> F:
    """Its sums may be added up in any order, several terms at once."""
    return function
