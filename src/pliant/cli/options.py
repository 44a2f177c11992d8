"""Options that several commands share, and how options are shown in the help."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import tyro

from pliant.cli.several import Repeated
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
class Repairs:
    """Faults to repair in recordings, and the part of them that is used.

    Attributes:
        repair: Faults to repair: length, time, nan, stretch, dropout, wrap, voltage-unit, velocity-unit,
            velocity-lag, or all (but stretch, which keeps only the longest sound part); by default
            none. `pliant check` lists the faults.
        cut: Part of each recording that is read, begin:end in s since its start, 0.2: or :30.
        columns: Meaning and unit of each column of a CSV: a TOML file, or the same on one line
            (time=t[ms],position=q[deg],goal=q_des[deg],mass=0.5; of a robot position_elbow=q2[deg];
            of a file without a header the numbers of columns).
    """

    repair: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    cut: Annotated[str | None, shown("BEGIN:END")] = None
    columns: Annotated[str | None, shown("FILE.toml|TEXT")] = None

    def part(self) -> tuple[float | None, float | None] | None:
        """The ends of `cut` [s]; None where there is none.

        Raises:
            PliantError: it is no range.
        """
        if self.cut is None:
            return None
        from pliant.csv_rows import to_number

        low, colon, high = self.cut.partition(":")
        try:
            ends = tuple(to_number(text) if text.strip() else None for text in (low, high))
        except ValueError:
            ends = (1.0, 0.0)
        first, last = ends
        if (
            not colon
            or first == last is None
            or (first or 0.0) >= (float("inf") if last is None else last)
        ):
            accepted = "begin:end in s, such as 0.2: or 1:30"
            raise PliantError(
                "is no part of a recording", field="--cut", found=self.cut, accepted=accepted
            )
        return first, last


@dataclass(frozen=True, kw_only=True)
class LogOptions(Repairs):
    """Constants that the logs lack, and faults to repair in them.

    Attributes:
        mass: Point mass on the pendulum [kg], instead of the logs' own.
        length: Distance of that mass from the axis [m].
        arm_mass: Mass of the arm, a uniform rod of that length [kg]. If neither this option nor the
            logs give it, it is identified.
        gain: Proportional gain of the servo, in its firmware's unit.
        voltage: Nominal supply voltage [V].
    """

    mass: Annotated[float | None, shown("KG")] = None
    length: Annotated[float | None, shown("M")] = None
    arm_mass: Annotated[float | None, shown("KG")] = None
    gain: Annotated[float | None, shown("NUMBER")] = None
    voltage: Annotated[float | None, shown("V")] = None


@dataclass(frozen=True, kw_only=True)
class Integration:
    """Step and supply of the joint's simulation.

    Attributes:
        step: Longest integration step [s]; where samples are closer, it is shorter.
        supply: Supply voltage: nominal, or as measured where a log has it.
    """

    step: Annotated[float, shown("S")] = 1e-3
    supply: Literal["nominal", "measured"] = "nominal"


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
