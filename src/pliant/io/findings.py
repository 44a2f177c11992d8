"""Faults found in a log, with figures and possible repairs."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal

from pliant.errors import PliantError
from pliant.io.table import Header, Table
from pliant.words import counted

Kind = Literal[
    "unreadable",
    "missing",
    "given",
    "length",
    "time",
    "range",
    "off",
    "nan",
    "gap",
    "cut",
    "dropout",
    "wrap",
    "jump",
    "voltage-unit",
    "supply",
    "position-unit",
    "goal-unit",
    "velocity-unit",
    "velocity-lag",
    "resolution",
    "still",
    "lag",
    "zero",
    "clipped",
    "rate",
    "held",
    "order",
    "sources",
    "command",
    "beyond",
    "saturation",
    "sign",
    "exchanged",
]
Cut = tuple[float | None, float | None]
"""Start and end [s] of the part of a recording to read; None: its own."""
Severity = Literal["note", "warning", "error"]

REPAIRS: Mapping[str, str] = {
    "length": "incomplete rows are dropped",
    "time": "rows are sorted by time; repeated times and rows without a time are dropped",
    "nan": "each is interpolated from its neighbours",
    "stretch": "only the longest stretch without lost values and gaps is kept",
    "dropout": "each is interpolated from its neighbours",
    "wrap": "missing turns, or the missing sign, are restored",
    "voltage-unit": "the channel is rescaled to volts, or dropped if no unit fits",
    "velocity-unit": "the channel is rescaled to rad/s, or derived from position if no unit fits",
    "velocity-lag": "the channel is replaced by the derivative of position, smoothed over 10 ms",
}
"""The available repairs; each repairs findings of the kind it is named after."""


@dataclass(frozen=True)
class Finding:
    """One fault, or one thing worth knowing, about one log.

    An "error" makes the log unusable unless repaired: its numbers are not what they claim to
    be. With a "warning" it is still usable. A "note" is information.
    """

    kind: Kind
    field: str
    """The channel or constant, as the file calls it."""
    message: str
    """The fault, with figures; no final stop."""
    severity: Severity
    where: tuple[str, ...] = ()
    """The places in the file, as the file counts them."""
    repair: str | None = None
    """The name of the repair for it (a key of `REPAIRS`)."""
    repaired: bool = False
    values: Mapping[str, tuple[float, float]] | None = None
    """Its figures for programs, such as the interval of each joint's zero [rad, m]."""

    @property
    def count(self) -> int:
        """Number of places concerned."""
        return len(self.where)

    @property
    def blocks(self) -> bool:
        """Whether the log cannot be used as it stands."""
        return self.severity == "error" and not self.repaired

    def __str__(self) -> str:
        done = f" (repaired: {REPAIRS[self.repair]})" if self.repaired and self.repair else ""
        return f"{self.severity}: {self.field}: {self.message}{done}"

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values, for `--json`."""
        return {**asdict(self), "where": list(self.where), "count": self.count}


Fix = Callable[[Table], Table]
Fault = tuple[Finding, Fix | None]
Check = Callable[[Table, Header], list[Fault]]


def spots(table: Table, rows: Collection[int]) -> tuple[tuple[str, ...], str]:
    """The rows as the file names them, and the first as text: `entries[17], t = 0.093 s`."""
    where = tuple(table.row(row) for row in rows)
    first = next(iter(rows))
    return where, f"{where[0]}, t = {table.time[first]:.3f} s"


def chosen_repairs(repair: Collection[str] | str) -> frozenset[str]:
    """The repairs asked for by name, or by "all", which never discards a sound stretch."""
    names = {repair} if isinstance(repair, str) else set(repair)
    for name in sorted(names - {"all"}):
        if name not in REPAIRS:
            raise PliantError(
                "is not a repair", field="repair", found=name, accepted=[*REPAIRS, "all"]
            )
    everything = set(REPAIRS) - {"stretch"} if "all" in names else set[str]()
    return frozenset(names - {"all"} | everything)


def refusal(findings: Collection[Finding], file: str) -> PliantError | None:
    """The error for the first finding that blocks the use of a log, if there is one."""
    blocking = [finding for finding in findings if finding.blocks]
    if not blocking:
        return None
    first, more = blocking[0], len(blocking) - 1
    problem = first.message
    if more:
        problem += f" (and {counted(more, 'more error')}, see `pliant check`)"
    remedy = f"repair {first.repair!r}: {REPAIRS[first.repair]}" if first.repair else None
    return PliantError(problem, file=file, field=first.field, accepted=remedy)
