"""Tables of a joint's report from the record of its fit: its bands, the zeros of its mountings, its recorders."""

from collections.abc import Callable, Mapping
from typing import Any

from pliant.assemble import Actuator
from pliant.identification.result.record import FitRecord
from pliant.report.table import Cell, ReportTable, table

SHARES = {
    "samples": "samples inside",
    "held_out": "of logs held out of the fit itself",
    "alone": "inside the draws alone",
    "spread_holds": "inside the draws pulled apart",
    "logs": "whole logs inside",
}
"""Key of a coverage to its title."""


SAID: Mapping[str, Callable[[float], str]] = {
    "age": lambda age: f"{1e3 * age:.1f} ms",
    "supply": lambda factor: f"{100 * (factor - 1.0):+.1f} %",
    "temperature": lambda rise: f"{rise:+.1f} K",
}
"""Part of a recorder to a value of it as text."""


def bands(actuator: Actuator) -> dict[str, Any] | None:
    """Share that the bands hold of each group held out in turn; None where it was not measured."""
    record = FitRecord.of(actuator)
    held, by = record.coverage, record.coverage_by or "group"
    if held is None:
        return None
    groups = held.get("groups")
    rows: list[list[str]] = [
        [f"gain {name.removesuffix('.0')}" if by == "gain" else name, _percent(share)]
        for name, share in (groups.items() if isinstance(groups, dict) else ())
    ]
    total = len(rows)
    rows += [[title, _percent(held[key])] for key, title in SHARES.items() if key in held]
    return {
        "by": by,
        "lone": by != "gain",
        "table": table(["held out in turn", "inside the bands"], rows, numbers=(1,), total=total),
    }


def zeros(actuator: Actuator) -> ReportTable | None:
    """Zero of each mounting; None where there is one zero for all logs."""
    record = FitRecord.of(actuator)
    found = {"": record.zeros or {}, "held out": record.zeros_held_out or {}}
    rows: list[list[str | Cell]] = [
        [Cell(name, tag=tag), f"{1e3 * zero:.1f}"]
        for tag, each in found.items()
        for name, zero in each.items()
    ]
    return table(["mounting", "zero [mrad]"], rows, numbers=(1,)) if rows else None


def recorders(actuator: Actuator) -> ReportTable | None:
    """Differences between the recorders of the logs fitted; None where nothing was found."""
    record = FitRecord.of(actuator)
    found = {part: one for part, one in (record.recorders or {}).items() if part in SAID}
    groups = list(dict.fromkeys(group for one in found.values() for group in one))
    rows: list[list[str | Cell]] = [
        [group, *(SAID[part](one[group]) if group in one else "" for part, one in found.items())]
        for group in groups
    ]
    head = [record.recorder_by or "recordings", *found]
    return table(head, rows, numbers=tuple(range(1, len(head)))) if rows else None


def _percent(share: object) -> str:
    return f"{100 * share:.0f} %" if isinstance(share, float | int) else ""
