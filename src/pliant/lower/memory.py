"""Memory at an address given as an integer, and hints for the compiler; only for compiled code."""

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from pliant.lower.types import Type


class Symbol(NamedTuple):
    """A function of the process that compiled code calls: with integers, pointers and arrays."""

    name: str
    address: int
    returns: Type

    def __call__(self, *arguments: Any) -> Any:
        """Call it from a kernel; arrays are passed by address."""
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
    """Mark as not to be inlined: large, and called rarely or from many places."""
    return function


def any_order(function: F) -> F:
    """Allow its sums to be reordered, to add several terms at once."""
    return function
