"""The report on an identified robot: each joint in each log, and its actuator."""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.engines.mujoco.film import portrait
from pliant.identification.problem.evaluation import JointError
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.space import OFFSETS
from pliant.identification.selection.choice import Choice
from pliant.io.robot_log import RobotLog
from pliant.report.derived import derived
from pliant.report.document import Cell, ReportTable, rendered, table
from pliant.report.friction import friction, usual_speed
from pliant.report.motion import Curves, motion, reach
from pliant.report.page import own_verdict, plot_key, titled
from pliant.report.sections import SHARES, model_table, parameter_tables, record_tables, recorders
from pliant.report.unknown import questions
from pliant.report.verdict import Verdict
from pliant.report.words import Kind, lines_to_run, unit_table
from pliant.robots.identify import RobotIdentification
from pliant.robots.robot_energies import SHOWN, Energies, energy_rows
from pliant.words import counted, mrad, number

POSES = 4
"""Poses that the picture shows side by side."""
_ROLES = {"measured": "measured", "simulated": "simulated, MuJoCo", "goal": "goal"}


def robot_report_text(
    found: RobotIdentification,
    model: Path,
    files: Mapping[str, Path],
    *,
    verdict: Verdict | None = None,
    kinds: Sequence[Kind] = (),
    choice: Choice | None = None,
    energies: Energies | None = None,
) -> str:
    """The HTML of the report.

    Args:
        found: what `identify_robot` returned.
        model: the robot's. files: joint to where its actuator was written.
        verdict: errors beside those of the starting actuators; by default the fit's own alone.
        kinds: devices of which the robot has several units, see `pliant.report.words.kinds`.
        choice: the models it was chosen from. energies: of its logs, see
            `pliant.robots.energies_of_logs`.
    """
    names = {
        joint: files[joint].name if joint in files else f"{joint}.toml" for joint in found.actuators
    }
    return rendered(
        "robot.html",
        title=f"{model.name}: {', '.join(names)}",
        about=_about(found),
        picture=_picture(found, model),
        plotted=True,
        verdict=verdict or own_verdict(found),
        use=lines_to_run(model.name, names),
        key=plot_key(_ROLES, off=True),
        plots=_plots(found),
        questions=questions(found.doubts),
        logs=_errors(found),
        models=None if choice is None else model_table(choice),
        energies=_energies(energies or {}),
        zeros=_zeros(found),
        recorders=recorders(next(iter(found.actuators.values()))),
        bands=_bands(found),
        kinds=[_kind(one) for one in kinds],
        joints=[_joint(found, joint) for joint in found.actuators],
        others=_others(found),
        provenance=_provenance(found),
    )


def _entries(found: RobotIdentification) -> list[tuple[JointError, bool]]:
    """All, and whether they were fitted."""
    out = [] if found.held_out is None else [(e, False) for e in found.held_out.entries]
    return [(entry, True) for entry in found.fitted.entries] + out


def _about(found: RobotIdentification) -> str:
    logs = {id(e.log): e.log for e in found.fitted.entries}
    seconds = sum(float(log.time[-1]) for log in logs.values())
    return (
        f"{len(found.space.names)} parameters of {counted(len(found.actuators), 'joint')} "
        f"fitted to {counted(len(logs), 'log')}, {seconds:.0f} s of motion."
    )


def _picture(found: RobotIdentification, model: Path) -> dict[str, str] | None:
    """The robot in poses of a recording that lie far apart, the last of those that judge it."""
    log = _entries(found)[-1][0].log
    drawn = portrait(model, [dict(zip(log.joints, pose, strict=True)) for pose in _poses(log)])
    about = f"{counted(POSES, 'pose')} of {log.name}, drawn from {model.name}"
    return None if drawn is None else {"data": b64encode(drawn).decode("ascii"), "about": about}


def _poses(log: RobotLog) -> list[list[float]]:
    """The first pose, and then always the one that is farthest from all taken."""
    taken = [0]
    while len(taken) < POSES:
        apart = [np.abs(log.position - log.position[k]).sum(axis=1) for k in taken]
        taken.append(int(np.argmax(np.min(apart, axis=0))))
    return [log.position[k].tolist() for k in sorted(taken)]


def _errors(found: RobotIdentification) -> ReportTable:
    rows: list[list[str | Cell]] = [
        [Cell(e.log.name, tag="" if fitted else "held out"), e.joint, mrad(e.mae)]
        for e, fitted in _entries(found)
    ]
    rows.append(["mean of the logs fitted", "", mrad(found.fitted.mae)])
    if found.held_out is not None:
        rows.append(["mean of the logs held out", "", mrad(found.held_out.mae)])
    return table(["log", "joint", "error [mrad]"], rows, numbers=(2,))


def _plots(found: RobotIdentification) -> list[dict[str, Any]]:
    half = reach(e.residual for e, _ in _entries(found))
    made: list[dict[str, Any]] = []
    for entry, fitted in _entries(found):
        log, column = entry.log, entry.log.column(entry.joint)
        trace = Curves(
            log.time,
            log.goal[:, column],
            entry.measured,
            entry.simulated,
            log.enabled[:, column],
        )
        title = f"{log.name}, {entry.joint}"
        tag = "" if fitted else "held out"
        made.append(titled(motion(trace, half), title, f"{mrad(entry.mae)} mrad", tag))
    return made


def _joint(found: RobotIdentification, joint: str) -> dict[str, Any]:
    """Section of one joint: its friction and its numbers."""
    actuator = found.actuators[joint]
    speeds = [np.gradient(e.measured, e.log.time) for e in found.fitted.entries if e.joint == joint]
    reach = 1.1 * abs(derived(actuator).motor_torque)
    ends = {
        name.removeprefix(f"{joint}."): doubt.kind.removesuffix(" bound")
        for doubt in found.space.at_bounds(found.point)
        for name in doubt.parameters
        if name.startswith(f"{joint}.")
    }
    return {
        "title": f"{joint}: {actuator.title}",
        "friction": friction(actuator, reach, usual_speed(np.concatenate(speeds))),
        "parameters": parameter_tables(actuator, ends),
    }


def _bands(found: RobotIdentification) -> ReportTable | None:
    """Each joint's bands on logs held out in turn; None where they were not measured."""
    held = {j: FitRecord.of(a).coverage for j, a in found.actuators.items()}
    known: dict[str, dict[str, Any]] = {j: one for j, one in held.items() if one is not None}
    shares = {key: title for key, title in SHARES.items() if any(key in x for x in known.values())}
    rows: list[list[str | Cell]] = []
    for joint, one in known.items():
        inside = [f"{100 * one[key]:.0f} %" for key in shares]
        rows.append([joint, *inside, f"{one['factor']:g}", f"{one['margin_mrad']:.1f}"])
    head = ["joint", *shares.values(), "draws times", "margin [mrad]"]
    return table(head, rows, numbers=tuple(range(1, len(head)))) if rows else None


def _zeros(found: RobotIdentification) -> ReportTable | None:
    """Zero of each joint in each calibration; None where there is one for all recordings."""
    records = {j: FitRecord.of(actuator).zeros or {} for j, actuator in found.actuators.items()}
    groups = list(dict.fromkeys(group for one in records.values() for group in one))
    rows: list[list[str | Cell]] = [
        [joint, *(f"{1e3 * one[group]:.1f}" for group in groups)]
        for joint, one in records.items()
        if one
    ]
    head = ["zero [mrad]", *(group or "without" for group in groups)]
    return table(head, rows, numbers=tuple(range(1, len(head)))) if rows else None


def _energies(spent: Energies) -> ReportTable | None:
    """Each joint and the robot over all logs; None where nothing is known."""
    shown, texts = energy_rows(spent)
    rows: list[list[str | Cell]] = [[joint, *parts] for joint, parts in texts.items()]
    head = [f"[J] over {counted(len(spent), 'log')}", *(SHOWN[name] for name in shown)]
    return table(head, rows, numbers=tuple(range(1, len(head)))) if shown else None


def _kind(kind: Kind) -> dict[str, Any]:
    """Units of one device, for the template."""
    told = [unit.sentence for unit in kind.units if unit.sentence]
    return {"title": kind.title, "table": unit_table(kind), "sentences": told}


def _others(found: RobotIdentification) -> ReportTable | None:
    """Table of searched parameters that belong to no actuator: offsets and masses."""
    values = found.values
    rows = [
        [n, number(x)] for n, x in values.items() if n.endswith(OFFSETS) or n.startswith("mass.")
    ]
    return table(["", "[rad, m], or factor"], rows, numbers=(1,)) if rows else None


def _provenance(found: RobotIdentification) -> list[ReportTable]:
    record = next(iter(found.actuators.values())).identification
    logs = {e.log.name: e.log for e, _ in _entries(found)}
    own = ("joint", "mae_mrad")
    return record_tables(
        {key: value for key, value in record.items() if key not in own},
        [(log.name, log.path, log.digest) for log in logs.values()],
    )
