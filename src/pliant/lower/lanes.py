"""Functions for lanes, several candidates side by side, called by kernels and `branchless`.

The typed tree knows these functions by name. The versions here are for a width of one, with which a
kernel runs in plain Python and is compiled for a single candidate.
"""

import math
import struct
from typing import Any

WIDTH = 1
"""Lanes of a vector; in compiled code the program's width."""


def wide(x: Any) -> Any:
    """A number broadcast to lanes; lanes are unchanged."""
    return x


def select(test: Any, yes: Any, no: Any) -> Any:
    """`yes` in lanes where the test holds, else `no`; structures field by field."""
    return yes if test else no


def both(one: Any, other: Any) -> Any:
    """`and` of two computed values."""
    return bool(one) and bool(other)


def either(one: Any, other: Any) -> Any:
    """`or` of two computed values."""
    return bool(one) or bool(other)


def opposite(one: Any) -> Any:
    """`not`."""
    return not one


def some(test: Any) -> Any:
    """Whether it holds in any lane."""
    return bool(test)


def row(array: Any, i: int) -> Any:
    """Row i of (N WIDTH,) numbers as lanes."""
    return array[i]


def put(array: Any, i: int, x: Any) -> None:
    """Write lanes into row i of (N WIDTH,) numbers."""
    array[i] = x


def room(rows: int) -> Any:
    """(rows WIDTH,) uninitialised floats, local to the caller."""
    return [math.nan] * rows


def whole_room(rows: int) -> Any:
    """(rows WIDTH,) uninitialised integers, local to the caller."""
    return [0] * rows


def library_sin(x: Any) -> Any:
    """Sine by the C library, lane by lane."""
    return math.sin(x)


def library_cos(x: Any) -> Any:
    """Cosine by the C library, lane by lane."""
    return math.cos(x)


def _bits(x: float) -> int:
    return struct.unpack("<q", struct.pack("<d", x))[0]


def _float(bits: int) -> float:
    return struct.unpack("<d", struct.pack("<Q", bits & (2**64 - 1)))[0]


def two_to(k: Any) -> Any:
    """2^k from k + 1.5 2^52, whose last bits are the integer k."""
    return _float((_bits(k) + 1023) << 52)


def exponent(x: Any) -> Any:
    """Exponent of a positive float, as a float."""
    return float((_bits(x) >> 52) - 1023)


def mantissa(x: Any) -> Any:
    """Mantissa of a positive float: the float over 2^exponent, from 1 to 2."""
    return _float((_bits(x) & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000)


def coarse(x: Any) -> Any:
    """The leading 26 bits of a float; two of these have an exact product."""
    return _float(_bits(x) & ~0x7FFFFFF)
