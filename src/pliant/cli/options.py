"""Options that several commands share, and how options are shown in the help."""

from dataclasses import dataclass
from typing import Annotated, Any

import tyro

from pliant.errors import PliantError


class Rare:
    """See `RARE`."""


RARE = Rare()
"""Marks an option that only `--help-all` explains. So are groups of options, but for `Output`."""


def shown(metavar: str) -> Any:
    """Option value as the help writes it."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=_hint)


def flag() -> Any:
    """A switch; the help does not say that it is off by default."""
    return tyro.conf.arg(help_behavior_hint="")


def _hint(default: str) -> str:
    """Name a default only where there is one; the parser's own mark says that there is none."""
    if "MISSING" in default:
        return "(required)"
    return "" if default in ("", "None") else f"(default: {default})"


@dataclass(frozen=True, kw_only=True)
class Output:
    """Form of the output.

    Attributes:
        json: Print the result, or the error, as one JSON object. Names that end in _mrad are in
            mrad, everything else is in SI units.
        verbose: Print everything that was found, not only what matters most.
        debug: Print the traceback of an error (or set PLIANT_DEBUG=1).
    """

    json: Annotated[bool, flag()] = False
    verbose: Annotated[bool, flag()] = False
    debug: Annotated[bool, flag()] = False


@dataclass(frozen=True, kw_only=True)
class Integration:
    """Step of the simulation.

    Attributes:
        step: Longest integration step [s]; where samples are closer, it is shorter.
    """

    step: Annotated[float, shown("S")] = 1e-3


SHORTEST_STEP = 1e-5
"""[s] A shorter one takes hours and changes no digit that counts."""


def check_step(step: float) -> None:
    """Refuse an integration step [s] that makes no sense."""
    check_range("--step", step, SHORTEST_STEP, 1.0, "s")


def check_range(option: str, value: float | None, low: float, high: float, unit: str = "") -> None:
    """Refuse a number that was given and is not between `low` and `high`.

    Raises:
        PliantError: with the option, the number and the range.
    """
    if value is not None and not low <= value <= high:
        accepted = f"{low:g} to {high:g} {unit}".strip()
        raise PliantError("out of range", field=option, found=value, accepted=accepted)
