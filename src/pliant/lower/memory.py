"""Memory behind an address that is a plain integer, and marks for the compiler; only compiled."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pliant.lower.types import Type


class Symbol(NamedTuple):
    """A function of the process that compiled code calls: with integers, pointers and arrays."""

    name: str
    address: int
    returns: Type

    def __call__(self, *arguments: Any) -> Any:
        """Call it from a kernel; arrays are handed over by their address."""
        raise NotImplementedError


def floats_at(address: int) -> Any:
    """The float64 at an address, to be indexed."""
    raise NotImplementedError


def bytes_at(address: int) -> Any:
    """The bytes at an address, to be indexed."""
    raise NotImplementedError


def integers_at(address: int) -> Any:
    """The int64 at an address, to be indexed."""
    raise NotImplementedError


F = TypeVar("F", bound=Callable[..., Any])


def apart(function: F) -> F:
    """Not to be inlined: large, and called seldom or from many places."""
    return function


def any_order(function: F) -> F:
    """Its sums may be added up in any order, several terms at once."""
    return function
