"""HTML that a notebook shows of a log, an actuator, a fit, a robot: a table and a plot."""

import math
from collections.abc import Sequence
from typing import Any

from pliant.assemble import Actuator
from pliant.identification.result.identification import Identification
from pliant.io.log import Log
from pliant.report.document import rendered
from pliant.report.still import actuator_figure, bytes_of, fitted, log_figure
from pliant.report.words import PARAMETERS, parameter_rows
from pliant.robots.robot import Robot
from pliant.words import mrad, number

MANY = 60
"""Rows that are shown."""


def actuator_html(actuator: Actuator) -> str:
    """Parameters with unit, bounds and source, and torque over speed."""
    about = f"{actuator.device}; {actuator.topology.name}: " + ", ".join(
        f"{port} {law.name}" for port, law in actuator.laws.items() if law.name != "none"
    )
    title, rows = f"{actuator.name}: {actuator.title}", parameter_rows(actuator)
    return _html(title, about, PARAMETERS, rows, actuator_figure(actuator))


def log_html(log: Log) -> str:
    """Recording, its findings, and the motion."""
    supply = "" if log.supply is None else f"{log.supply:g} V"
    rows = [
        ["samples", f"{len(log.time)}, {log.time[-1]:.2f} s"],
        ["load", f"{log.mass:g} kg at {log.length:g} m"],
        ["gain", f"{log.gain:g}"],
        ["supply", supply or "not stated"],
        *([finding.kind, str(finding)] for finding in log.findings),
    ]
    about = f"{log.device}, {log.trajectory}"
    return _html(log.name, about, ["", ""], rows, log_figure(log))


def identification_html(found: Identification[Any]) -> str:
    """Errors, numbers found and doubts, and measured beside simulated."""
    units = {n: f.unit for one in found.actuators.values() for n, f in one.all_fields.items()}
    out = found.held_out
    held = "" if out is None else f", {mrad(out.mae)} mrad on what was held out"
    rows = [
        [
            name,
            number(value),
            "" if (unit := units.get(name.rpartition(":")[2], "")) == "1" else unit,
        ]
        for name, value in found.values.items()
    ]
    about = f"mean absolute error {mrad(found.fitted.mae)} mrad{held}, in {found.seconds:.0f} s"
    figure = fitted(found) if len(found.actuators) == 1 else None
    title = ", ".join(one.name for one in found.actuators.values())
    return _html(title, about, ["parameter", "value", "unit"], rows, figure, found.warnings)


def robot_html(robot: Robot) -> str:
    """The joints as they are now."""
    link, stiffness = robot.link, robot.stiffness
    values = (
        robot.reference_1,
        robot.reference_2,
        link.position,
        link.velocity,
        link.torque,
        stiffness,
    )
    rows = [
        [joint, robot.actuators[joint].name, *(_cell(float(v[k])) for v in values)]
        for k, joint in enumerate(robot.joints)
    ]
    head = ["joint", "actuator", "reference 1", "reference 2", "position [rad]", "speed [rad/s]"]
    head += ["torque [N m]", "stiffness [N m/rad]"]
    return _html(f"Robot at {robot.data.time:.3f} s", "", head, rows, None)


def _cell(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.4g}"


def _html(
    title: str,
    about: str,
    head: Sequence[str],
    rows: list[list[str]],
    figure: Any,
    warnings: Any = (),
) -> str:
    return rendered(
        "notebook.html",
        title=title,
        about=about,
        head=head,
        rows=rows[:MANY],
        more=max(len(rows) - MANY, 0),
        warnings=list(warnings),
        figure=None if figure is None else _inline(bytes_of(figure, "svg")),
    )


def _inline(svg: bytes) -> str:
    """An SVG to stand in HTML: without the header of a file."""
    text = svg.decode("utf-8")
    return text[text.index("<svg") :]
