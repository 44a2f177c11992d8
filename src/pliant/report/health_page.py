"""Health of a robot's servos as a table, and as a page with its course over the recordings."""

from collections.abc import Mapping, Sequence
from math import exp
from typing import Any

import numpy as np

from pliant.report.document import rendered
from pliant.report.health import JointHealth
from pliant.report.page import titled
from pliant.report.plots import band, figure, line
from pliant.report.table import table

FACTORS = ("friction", "torque", "play")
HEAD = [
    "recordings",
    "joint",
    "against",
    *(f"{name} [×]" for name in FACTORS),
    "zero [mrad]",
    "told",
]


def rows(found: Sequence[JointHealth]) -> list[list[str]]:
    """A row for each joint and group: each quantity, and how many standard deviations it is off."""
    return [
        [
            one.group,
            one.joint,
            one.against,
            *(_factor(one, name) for name in FACTORS),
            _zero(one),
            ", ".join(one.kinds) or "-",
        ]
        for one in found
    ]


def _factor(one: JointHealth, name: str) -> str:
    if name not in one.now or name in one.unseen:
        return "not seen" if name in one.now else "-"
    return f"{exp(one.now[name].value):.2f} ({one.deviations[name]:+.1f})"


def _zero(one: JointHealth) -> str:
    if "zero" not in one.now or abs(one.deviations["zero"]) < 1.0:
        return "not seen" if "zero" in one.now else "-"
    return f"{1e3 * one.now['zero'].value:+.1f} ({one.deviations['zero']:+.1f})"


def health_page(found: Sequence[JointHealth], against: Sequence[str], said: Sequence[str]) -> str:
    """The HTML of the report; with plots where there are three groups of recordings or more."""
    groups = list(dict.fromkeys(one.group for one in found))
    courses: dict[str, list[JointHealth]] = {}
    for one in found:
        if one.group != groups[0]:
            courses.setdefault(one.joint, []).append(one)
    plots = [_plot(courses, name) for name in FACTORS] if len(groups) > 2 else []
    return rendered(
        "health.html",
        title=f"Health of servos, {', '.join(against)}",
        about=f"recordings: {', '.join(groups)}",
        plotted=True,
        said=said or ["Nothing is told."],
        table=table(HEAD, rows(found), numbers=tuple(range(3, len(HEAD) - 1))),
        plots=plots,
    )


def _plot(courses: Mapping[str, Sequence[JointHealth]], name: str) -> Any:
    """A quantity of every joint, as a factor of its first recording's."""
    data: list[Any] = []
    for joint, every in courses.items():
        seen = [(k + 2.0, one.now[name]) for k, one in enumerate(every) if name in one.now]
        if not seen:
            continue
        number = [1.0, *(k for k, _ in seen)]
        value = np.array([0.0, *(x.value for _, x in seen)])
        width = np.array([0.0, *(x.width for _, x in seen)])
        data += band(number, np.exp(value - width), np.exp(value + width), "band", joint)
        data.append(line(number, np.exp(value), "simulated", joint or name, width=2.0))
    label = f"{name} of each joint over its recordings"
    made = figure(data, "recordings", f"{name}, of the first", label=label, height=240)
    return titled(made, name, "")
