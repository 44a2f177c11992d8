"""Origin of the numbers: faults of the logs, settings, hashes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pliant.io.log import Log
from pliant.report.table import Cell, ReportTable, table


def findings(logs: Sequence[Log]) -> ReportTable | None:
    """Faults that were seen in the logs; the same one in several logs stands once."""
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
        more = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
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
