"""Sections that the pages of a servo and of a robot share: their bench, parameters, models tried, and the record of the fit."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from pliant.assemble import Actuator
from pliant.identification.result.record import FitRecord
from pliant.identification.selection.choice import Choice, Trial
from pliant.io.log import Log
from pliant.report.document import Cell, ReportTable, table
from pliant.report.words import bounds, interval, meaning, unit_of
from pliant.words import mrad, number

SHARES = {
    "samples": "samples inside",
    "held_out": "of logs held out of the fit itself",
    "alone": "inside the draws alone",
    "spread_holds": "inside the spread draws",
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
    """Coverage of each group held out in turn; None if it was not measured."""
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


_GROUPS = {"own": "the actuator itself", "plant": "the bench"}
_TITLES = {
    "own": "parameters of no single law",
    "plant": "the bench that the logs were recorded on; not part of the joint",
}
_INTERVALS = (
    "90 % intervals of the posterior: the values that these logs and the prior allow for this model. "
    "They do not cover a model that is wrong."
)
_NO_INTERVALS = "No intervals were asked for: the uncertainty of these numbers is not known."


def parameter_tables(actuator: Actuator, ends: Mapping[str, str]) -> dict[str, Any]:
    """The table, its sources, and what its intervals mean.

    Args:
        actuator: with its record. ends: parameter to the bound it ended at, "lower" or "upper".
    """
    rows: list[list[str | Cell]] = []
    group = ""
    for name, entry in actuator.all_numbers.items():
        port, _, symbol = name.partition(".")
        if port != group:
            group = port
            law = actuator.laws.get(port)
            title = law.title if law else _TITLES.get(port, "")
            rows.append([f"{port}: {law.name if law else _GROUPS.get(port, '')} — {title}"])
        rows.append(
            [
                Cell(symbol, code=True),
                Cell(meaning(symbol), tag=f"at its {ends[name]} bound" if name in ends else ""),
                number(entry.value),
                unit_of(entry),
                interval(actuator, name),
                bounds(entry),
                entry.how,
                entry.source,
            ]
        )
    head = ["symbol", "meaning", "value", "unit", "90 % interval", "bounds", "how", "source"]
    known: object = actuator.identification.get("correlations", [])
    pairs = cast("list[tuple[str, str, float]]", known)
    return {
        "intervals": _INTERVALS if "intervals_90" in actuator.identification else _NO_INTERVALS,
        "table": table(head, rows, numbers=(2,), soft=(3, 5)),
        "together": ", ".join(f"{a} and {b} {r:+.2f}" for a, b, r in pairs),
        "sources": table(["source", "what it is"], [[k, v] for k, v in actuator.sources.items()]),
    }


def model_table(choice: Choice) -> dict[str, Any]:
    """Every candidate, best first by the error on logs held out, and how to read it."""
    groups = list(choice.trials[0].of_each_fold())
    head = ["model", "parameters", "fitted [mrad]", "held out [mrad]", *groups, "weight", "verdict"]
    each = zip(choice.trials, choice.weights, strict=True)
    rows = [_row(choice, trial, weight, groups) for trial, weight in each]
    return {
        "about": f"Each model was fitted to all logs, and from there to all but each of {len(groups)} groups by "
        f"{choice.by}. Held out is the mean of the errors on these groups, given in the columns after it. "
        "The error on the logs fitted does not decide. The weight is that of the model in the mixture "
        "that best predicts the groups left out.",
        "table": table(head, rows, numbers=range(1, len(head) - 1)),
    }


def _row(choice: Choice, trial: Trial, weight: float, groups: list[str]) -> list[str | Cell]:
    folds = trial.of_each_fold()
    return [
        Cell(trial.name, tag="taken" if trial is choice.chosen else ""),
        str(trial.parameters),
        mrad(trial.train),
        mrad(trial.held_out),
        *(mrad(folds[group][1]) for group in groups),
        f"{weight:.2f}",
        choice.verdict(trial),
    ]


def findings(logs: Sequence[Log]) -> ReportTable | None:
    """Faults found in the logs; one that occurs in several logs is listed once."""
    seen: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for log in logs:
        for finding in log.findings:
            key = (finding.severity, finding.kind, finding.field)
            done = " (repaired)" if finding.repaired else ""
            seen.setdefault(key, []).append((log.name, finding.message + done))
    rows: list[list[str | Cell]] = []
    order = {"error": 0, "warning": 1, "note": 2}
    for (severity, _, field), places in sorted(seen.items(), key=lambda item: order[item[0][0]]):
        messages = list(dict.fromkeys(message for _, message in places))
        where = "all logs" if len(places) == len(logs) else ", ".join(name for name, _ in places)
        more = f" (and {len(messages) - 1} similar)" if len(messages) > 1 else ""
        kind = Cell("", tag=severity) if severity != "note" else severity
        rows.append([kind, Cell(field, code=True), messages[0] + more, where])
    return table(["", "field", "what was found", "in"], rows) if rows else None


def record_tables(
    record: Mapping[str, object], logs: Iterable[tuple[str, Path | None, str]]
) -> list[ReportTable]:
    """The single entries of a record; and name, file and hash of every log."""
    rows: list[list[str]] = [
        [_RECORD.get(str(key), str(key).replace("_", " ")), _shown(value)]
        for key, value in record.items()
        if not isinstance(value, Mapping) and key not in _ELSEWHERE
    ]
    digests: list[list[str | Cell]] = [
        [name, "" if path is None else str(path), Cell(digest, small=True)]
        for name, path, digest in logs
    ]
    return [table(["", ""], rows), table(["log", "file", "SHA-256"], digests)]


_ELSEWHERE = ("open", "beforehand", "correlations")
"""Said above."""
_RECORD = {
    "evaluations": "candidates tried",
    "step": "integration step [s]",
    "mae_mrad": "mean error, logs fitted [mrad]",
    "held_out_mae_mrad": "mean error, logs held out [mrad]",
    "starts_mrad": "best of each start of the search [mrad]",
}


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip("[]")
