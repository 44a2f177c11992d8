"""Every number of an actuator: what it means, how sure it is, and where it comes from."""

from collections.abc import Mapping
from html import escape
from typing import cast

from pliant.assemble import Actuator
from pliant.report.table import Cell, Markup, joined, table, tag
from pliant.report.words import bounds, interval, meaning, parameters
from pliant.words import number, unit


def parameter_table(actuator: Actuator, ends: Mapping[str, str]) -> str:
    """The table, and its sources.

    Args:
        actuator: with its record. ends: parameter to the bound it ended at, "lower" or "upper".
    """
    rows: list[list[Cell]] = []
    group = ""
    for name, entry in parameters(actuator).items():
        port, _, symbol = name.partition(".")
        if port != group:
            group = port
            law = actuator.laws.get(port)
            rows.append(
                [
                    f"{port}: {law.name if law else _GROUPS.get(port, '')} "
                    f"— {law.title if law else _TITLES.get(port, '')}"
                ]
            )
        mark = tag(f"at its {ends[name]} bound") if name in ends else None
        rows.append(
            [
                Markup(f"<code>{escape(symbol)}</code>"),
                joined(meaning(symbol), mark),
                number(entry.value),
                unit(entry.unit),
                interval(actuator, name),
                bounds(entry),
                entry.how,
                entry.source,
            ]
        )
    head = ["symbol", "meaning", "value", "unit", "90 % interval", "bounds", "how", "source"]
    sources = [[name, text] for name, text in actuator.sources.items()]
    return (
        _of_intervals(actuator)
        + table(head, rows, numbers=(2,), soft=(3, 5))
        + _together(actuator)
        + "<h3 style='margin-top:14px'>Sources</h3>"
        + table(["source", "what it is"], sources)
    )


def _together(actuator: Actuator) -> str:
    """Which parameters go together in the draws."""
    known = cast("list[tuple[str, str, float]]", actuator.identification.get("correlations", []))
    if not known:
        return ""
    said = ", ".join(f"{a} and {b} {r:+.2f}" for a, b, r in known)
    return f'<p class="soft">Correlations beyond 0.7: {escape(said)}.</p>'


def _of_intervals(actuator: Actuator) -> str:
    """What the intervals mean, or that there are none."""
    if "intervals_90" not in actuator.identification:
        return (
            '<p class="soft">No intervals were asked for: how sure these numbers are is not '
            "known.</p>"
        )
    return (
        '<p class="soft">90 % intervals from refits to resampled blocks of the logs: what else '
        "these logs would have allowed this model. They say nothing of a model that is "
        "wrong.</p>"
    )


_GROUPS = {"own": "the actuator itself", "plant": "the bench"}
_TITLES = {
    "own": "what belongs to no single law",
    "plant": "what the logs were recorded on; not part of the joint",
}
