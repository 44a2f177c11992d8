"""Numbers as the toolbox's URDF files write them. Nothing is evaluated."""

import re
from math import inf, isfinite

from pliant.errors import PliantError

__all__ = ["toolbox_number"]


def toolbox_number(text: str, field: str, *, unbounded: bool = False) -> float:
    """A number as the toolbox's files write it: `0.8`, `-1e-3`, `inf`, `1.21*pow(10,-6)`.

    Raises:
        PliantError: it is another text, or infinite where that is not `unbounded`.
    """
    digits = r"[+-]?(?:\d+\.?\d*|\.\d+)"
    powers = re.fullmatch(rf"({digits})\s*\*\s*pow\(\s*10\s*,\s*([+-]?\d+)\s*\)", text)
    value = None
    if powers:
        value = float(f"{powers[1]}e{powers[2]}")
    elif re.fullmatch(rf"{digits}(?:[eE][+-]?\d+)?", text):
        value = float(text)
    elif unbounded and re.fullmatch(r"[+-]?inf", text, re.IGNORECASE):
        return -inf if text.startswith("-") else inf
    if value is None or not isfinite(value):
        raise PliantError(
            "is not a number",
            field=field,
            found=text,
            accepted="a number, such as 0.8, 1e-3 or 1.21*pow(10,-6)"
            + (", or inf" if unbounded else ""),
        )
    return value
