"""Where the numbers come from: faults of the logs, settings, hashes."""

from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path
from typing import Any

from pliant.identify.fit import Identification
from pliant.report.table import Cell, Markup, table, tag


def findings(identification: Identification) -> str:
    """Faults that were seen in the logs; the same one in several logs stands once."""
    entries = [*identification.fitted.logs]
    entries += identification.held_out.logs if identification.held_out else ()
    seen: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for entry in entries:
        for finding in entry.log.findings:
            key = (finding.severity, finding.kind, finding.field)
            done = " (repaired)" if finding.repaired else ""
            seen.setdefault(key, []).append((entry.log.name, finding.message + done))
    if not seen:
        return "<p>Nothing out of the ordinary.</p>"
    rows: list[list[Cell]] = []
    order = {"error": 0, "warning": 1, "note": 2}
    for (severity, _, field), places in sorted(seen.items(), key=lambda item: order[item[0][0]]):
        messages = list(dict.fromkeys(message for _, message in places))
        where = "all logs" if len(places) == len(entries) else ", ".join(name for name, _ in places)
        more = f" (and {len(messages) - 1} more like it)" if len(messages) > 1 else ""
        kind = tag(severity) if severity != "note" else severity
        rows.append([kind, Markup(f"<code>{escape(field)}</code>"), messages[0] + more, where])
    return table(["", "field", "what was found", "in"], rows)


def provenance(identification: Identification) -> str:
    """Version, date, seed, settings and the hash of every log."""
    parts = (identification.fitted, identification.held_out)
    logs = [entry.log for part in parts if part is not None for entry in part.logs]
    return record_table(
        identification.actuator.identification, [(log.name, log.path, log.digest) for log in logs]
    )


def record_table(record: Mapping[str, object], logs: Iterable[tuple[str, Path | None, str]]) -> str:
    """The single entries of a record, and name, file and hash of every log."""
    rows: list[list[Cell]] = [
        [_RECORD.get(str(key), str(key).replace("_", " ")), _shown(value)]
        for key, value in record.items()
        if not isinstance(value, Mapping) and key not in _ELSEWHERE
    ]
    digests = [
        [name, "" if path is None else str(path), _digest(digest)] for name, path, digest in logs
    ]
    return table(["", ""], rows) + table(["log", "file", "SHA-256"], digests)


_ELSEWHERE = ("open", "beforehand", "correlations")
"""Said above."""
_RECORD = {
    "evaluations": "candidates tried",
    "step": "integration step [s]",
    "mae_mrad": "mean error, logs fitted [mrad]",
    "held_out_mae_mrad": "mean error, logs held out [mrad]",
    "starts_mrad": "best of each start of the search [mrad]",
}


def _digest(digest: str) -> Markup:
    return Markup(f'<span class="digest mono">{escape(digest)}</span>')


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip("[]")
