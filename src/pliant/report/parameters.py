"""Every number of an actuator: what it means, how sure it is, and where it comes from."""

from collections.abc import Mapping
from typing import Any, cast

from pliant.assemble import Actuator
from pliant.report.table import Cell, table
from pliant.report.words import bounds, interval, meaning, parameters, unit_of
from pliant.words import number

_GROUPS = {"own": "the actuator itself", "plant": "the bench"}
_TITLES = {
    "own": "what belongs to no single law",
    "plant": "what the logs were recorded on; not part of the joint",
}
_INTERVALS = (
    "90 % intervals of the posterior: other values that these logs, and what was known before, allow "
    "this model. They do not cover a model that is wrong."
)
_NO_INTERVALS = "No intervals were asked for: how sure these numbers are is not known."


def parameter_tables(actuator: Actuator, ends: Mapping[str, str]) -> dict[str, Any]:
    """The table, its sources, and what its intervals mean.

    Args:
        actuator: with its record. ends: parameter to the bound it ended at, "lower" or "upper".
    """
    rows: list[list[str | Cell]] = []
    group = ""
    for name, entry in parameters(actuator).items():
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
