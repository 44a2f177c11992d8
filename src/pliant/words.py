"""Formatting of numbers and counts for people: on the terminal, in reports and in messages."""

import re
from collections.abc import Sequence
from math import inf, isfinite

NO_LIMIT = 1e8
"""Value from which on a limit in an actuator file means no limit."""
HUGE = 1e6
"""[mrad] Larger angles are written with an exponent: the simulation has diverged."""


def number(value: float | None) -> str:
    """Four significant digits; a dash for no number, "none" for no limit."""
    if value is None:
        return "–"
    if NO_LIMIT <= abs(value) < inf:
        return "none"
    return f"{value:.4g}" if isfinite(value) else "∞" if value > 0 else "−∞"


def unit(text: str) -> str:
    """A unit with superscript exponents; empty for a plain number."""
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    return "" if text == "1" else re.sub(r"\^(\d+)", lambda m: m[1].translate(raised), text)


def mrad(value: float | None) -> str:
    """An angle [rad] in mrad, as a table shows it; a dash for no number."""
    if value is None:
        return "–"
    if not isfinite(value):
        return "diverged"
    scaled = 1e3 * value
    if scaled >= HUGE:
        return f"{scaled:.3g}"
    return f"{scaled:.1f}" if scaled >= 1.0 else f"{scaled:.3f}"


def apart(value: float | None) -> str:
    """The difference [rad] of two simulations in mrad, to its last significant digit."""
    if value is None or not isfinite(value):
        return "–" if value is None else "diverged"
    return f"{1e3 * value:.3f}" if 1e3 * value < HUGE else f"{1e3 * value:.3g}"


def one_line(text: str) -> str:
    """`text` with each unprintable character, such as a line break, replaced by a space."""
    return "".join(c if c.isprintable() else " " for c in text)


def counted(number: int, one: str, many: str | None = None) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {one if number == 1 else many or one + 's'}"


_NUMBER = r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
# Not within a name (joint_2), a date or a version.
_FIGURE = re.compile(rf"(?<![\w.-])({_NUMBER})(?: to ({_NUMBER}))?(?!\w|\.\d)")


def without_figures(text: str) -> str:
    """`text` with each number or range replaced by 0, so that texts differing only in numbers become equal."""
    return _FIGURE.sub("0", text)


def ranged(texts: Sequence[str]) -> str:
    """Merge texts that differ only in numbers, giving the range of each: `late by 19.4 to 21.2 ms`."""
    ends = [
        (min((low for low, _ in found), key=float), max((b or a for a, b in found), key=float))
        for found in zip(*map(_FIGURE.findall, texts), strict=True)
    ]
    figures = iter(low if low == high else f"{low} to {high}" for low, high in ends)
    return _FIGURE.sub(lambda _: next(figures), texts[0])
