"""The page of a robot's identification: each joint in each log, and its actuator."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from pliant.identify.robot.evaluation import JointError
from pliant.identify.robot.fit import RobotIdentification
from pliant.identify.robot.space import OFFSET
from pliant.io.output import write_whole
from pliant.report.derived import derived
from pliant.report.document import document, key, tiles, warned
from pliant.report.motion import Trace, drawn
from pliant.report.parameters import parameter_table
from pliant.report.record import record_table
from pliant.report.sections import friction_figure, lines_to_run
from pliant.report.table import Cell, joined, table, tag
from pliant.words import mrad, number


def write_robot_report(
    path: Path, found: RobotIdentification, model: Path, files: Mapping[str, Path]
) -> None:
    """Write the report, whole or not at all.

    Args:
        path: of the HTML file. found: what `identify_robot` returned.
        model: the robot's. files: joint to where its actuator was written.

    Raises:
        PliantError: the file cannot be written.
    """
    write_whole(path, robot_report_text(found, model, files))


def robot_report_text(found: RobotIdentification, model: Path, files: Mapping[str, Path]) -> str:
    """The HTML of the report; see `write_robot_report`."""
    names = {
        joint: files[joint].name if joint in files else f"{joint}.toml"
        for joint in found.robot.actuators
    }
    body = [
        f"<h1>{escape(model.name)}: {escape(', '.join(names))}</h1>",
        _headline(found),
        warned([word.rstrip(".") for word in found.open]),
        "<h2>Error of each joint in each log</h2>",
        '<p class="soft">Mean absolute position error of an open-loop simulation of the whole '
        "robot in MuJoCo from the first sample: the recorded commands in, nothing fed back.</p>",
        _errors(found),
        "<h2>Measured and simulated</h2>",
        key(
            [
                ("measured", "measured", "line"),
                ("simulated, MuJoCo", "simulated", "line"),
                ("goal", "goal", "line"),
                ("motor off", "off", "box"),
                ("below each: simulated − measured", "grid", "line"),
            ]
        ),
        _plots(found),
        *(part for joint in found.robot.actuators for part in _joint(found, joint)),
        _others(found),
        "<h2>Run it in MuJoCo</h2>",
        lines_to_run(model.name, names),
        "<h2>Where this comes from</h2>",
        _provenance(found),
    ]
    return document(model.name, [part for part in body if part])


def _entries(found: RobotIdentification) -> list[tuple[JointError, bool]]:
    """All, and whether they were fitted."""
    out = [] if found.held_out is None else [(e, False) for e in found.held_out.entries]
    return [(entry, True) for entry in found.fitted.entries] + out


def _headline(found: RobotIdentification) -> str:
    logs = {id(e.log): e.log for e in found.fitted.entries}
    seconds = sum(float(log.time[-1]) for log in logs.values())
    joints = len(found.robot.actuators)
    figures = [(f"{mrad(found.fitted.mae)} mrad", "mean error, logs fitted")]
    if found.held_out is not None:
        figures.append((f"{mrad(found.held_out.mae)} mrad", "mean error, logs held out"))
    figures.append((f"{found.seconds:.0f} s", f"search, {found.steps / 1e6:.1f} million steps"))
    return (
        f'<p class="soft">{len(found.space.names)} parameters of {joints} '
        f"{'joint' if joints == 1 else 'joints'} fitted to {len(logs)} "
        f"{'log' if len(logs) == 1 else 'logs'}, {seconds:.0f} s of motion.</p>{tiles(figures)}"
    )


def _errors(found: RobotIdentification) -> str:
    rows: list[list[Cell]] = [
        [joined(e.log.name, None if fitted else tag("held out")), e.joint, mrad(e.mae)]
        for e, fitted in _entries(found)
    ]
    rows.append(["mean of the logs fitted", "", mrad(found.fitted.mae)])
    if found.held_out is not None:
        rows.append(["mean of the logs held out", "", mrad(found.held_out.mae)])
    return table(["log", "joint", "error [mrad]"], rows, numbers=(2,))


def _plots(found: RobotIdentification) -> str:
    entries = _entries(found)
    largest = [float(np.nanquantile(np.abs(e.residual), 0.995)) for e, _ in entries]
    reach = 1.15e3 * max([*(x for x in largest if np.isfinite(x)), 1e-3])
    figures: list[str] = []
    for k, (entry, fitted) in enumerate(entries):
        log, column = entry.log, entry.log.column(entry.joint)
        trace = Trace(
            log.time,
            log.goal[:, column],
            log.position[:, column],
            entry.simulated,
            log.enabled[:, column],
        )
        mark = "" if fitted else ' <span class="tag">held out</span>'
        figures.append(
            f'<figure class="panel"><h3>{escape(log.name)}, {escape(entry.joint)}{mark}</h3>'
            f"<figcaption>{mrad(entry.mae)} mrad</figcaption>"
            f"{drawn(trace, None, f'log{k}', reach)}</figure>"
        )
    return f'<div class="plots">{"".join(figures)}</div>'


def _joint(found: RobotIdentification, joint: str) -> list[str]:
    """Its friction and its numbers."""
    actuator = found.robot.actuators[joint]
    speeds = [
        np.gradient(e.log.position[:, e.log.column(joint)], e.log.time)
        for e in found.fitted.entries
        if e.joint == joint
    ]
    speed = float(np.quantile(np.abs(np.concatenate(speeds)), 0.9))
    reach = 1.1 * abs(derived(actuator).motor_torque)
    ends = {
        word.split()[0].removeprefix(f"{joint}."): word.split()[-2]
        for word in found.space.at_bounds(found.values)
        if word.startswith(f"{joint}.")
    }
    number_of = list(found.robot.actuators).index(joint)
    return [
        f"<h2>{escape(joint)}: {escape(actuator.title)}</h2>",
        friction_figure(actuator, reach, speed, None, f"friction{number_of}"),
        parameter_table(actuator, ends),
    ]


def _others(found: RobotIdentification) -> str:
    """What was searched and belongs to no actuator: offsets and masses."""
    values = dict(zip(found.space.names, map(float, found.values), strict=True))
    rows = [
        [n, number(x)]
        for n, x in values.items()
        if n.endswith(f".{OFFSET}") or n.startswith("mass.")
    ]
    if not rows:
        return ""
    return "<h2>Of the robot itself</h2>" + table(["", "[rad, m], or factor"], rows, numbers=(1,))


def _provenance(found: RobotIdentification) -> str:
    record = next(iter(found.robot.actuators.values())).identification
    logs = {e.log.name: e.log for e, _ in _entries(found)}
    own = ("joint", "mae_mrad")
    return record_table(
        {key: value for key, value in record.items() if key not in own},
        [(log.name, log.path, log.digest) for log in logs.values()],
    )
