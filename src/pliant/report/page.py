"""The report on an identified joint: verdict, how to use it, plots, open questions."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identification.fit import Identification
from pliant.identification.problem.evaluation import LogError, TraceError, mean_absolute
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.repeatability import each_joint, floor
from pliant.identification.problem.simulation import LogT
from pliant.identification.selection.choice import Choice
from pliant.io.encoder_steps import resolution
from pliant.report.document import Cell, Figure, ReportTable, rendered, table
from pliant.report.friction import friction, reach_of, usual_speed
from pliant.report.motion import HEAD as FIGURES
from pliant.report.motion import ROLES, Curves, figure_rows, motion, parting, reach
from pliant.report.sections import (
    bands,
    findings,
    model_table,
    parameter_tables,
    record_tables,
    recorders,
    zeros,
)
from pliant.report.verdict import Verdict, motion_range
from pliant.report.words import at_bounds, carried, lines_to_run, open_questions
from pliant.robots.log_energy import energies, energy_sums
from pliant.words import apart, counted, mrad


def report_text(
    identification: Identification,
    mujoco: Mapping[str, Floats] | None = None,
    *,
    verdict: Verdict | None = None,
    actuator_file: Path | None = None,
    choice: Choice | None = None,
) -> str:
    """The HTML of the report.

    Args:
        identification: the fit.
        mujoco: log name to (N,) positions [rad] of the same actuator in MuJoCo, at the log's
            samples; None if it was not run there.
        verdict: errors beside those of the starting actuator; by default only the fit's own.
        actuator_file: path of the actuator written, for the lines that show how to use it.
        choice: the models it was chosen from.
    """
    actuator, runs = identification.actuator, mujoco or {}
    logs = [entry.log for entry in entries(identification)]
    file = f"{actuator.name}.toml" if actuator_file is None else actuator_file.name
    roles = {role: text for role, text in ROLES.items() if runs or role != "mujoco"}
    return rendered(
        "joint.html",
        title=actuator.title,
        about=_about(identification),
        plotted=True,
        verdict=verdict or own_verdict(identification),
        use=lines_to_run("robot.xml", {"elbow": file}),
        key=plot_key(roles, any(not log.enabled.all() for log in logs)),
        plots=_plots(identification, runs),
        questions=open_questions(identification),
        logs=log_table(identification, runs),
        groups=_groups(identification),
        friction=_friction(identification),
        figures=_figures(identification),
        bands=bands(actuator),
        zeros=zeros(actuator),
        recorders=recorders(actuator),
        models=None if choice is None else model_table(choice),
        energies=_energies(identification),
        parameters=parameter_tables(actuator, at_bounds(identification)),
        findings=findings(logs),
        provenance=record_tables(
            actuator.identification, [(log.name, log.path, log.digest) for log in logs]
        ),
    )


def entries(identification: Identification[LogT]) -> list[TraceError[LogT]]:
    """All traces, those fitted first."""
    held_out = identification.held_out.entries if identification.held_out else ()
    return [*identification.fitted.entries, *held_out]


def own_verdict(identification: Identification[LogT]) -> Verdict:
    """The errors of a fit, of all joints together, without what to compare them with."""
    positions = [entry.measured for entry in identification.fitted.entries]
    out = identification.held_out
    unseen = {e.log.name for e in out.entries} if out is not None else ()
    return Verdict(
        fitted=identification.fitted.mae,
        held_out=None if out is None else out.mae,
        unseen=counted(len(unseen), "held-out log"),
        step=resolution(np.concatenate(positions)),
        motion=motion_range(positions),
        again=floor(each_joint(identification.logs)),
    )


def plot_key(roles: Mapping[str, str], off: bool) -> list[dict[str, Any]]:
    """Legend: what the colours mean; those of curves can be switched off in all plots."""
    shapes = {"measured": "broad", "mujoco": "dashed"}
    made = [
        {"role": role, "text": text, "shape": shapes.get(role, ""), "toggles": True}
        for role, text in roles.items()
    ]
    if off:
        made.append({"role": "off", "text": "motor off", "shape": "box", "toggles": False})
    return made


def titled(figure: Figure, title: str, caption: str, tag: str = "") -> dict[str, Any]:
    """A figure with its heading."""
    return {"figure": figure, "title": title, "caption": caption, "tag": tag}


def _about(identification: Identification) -> str:
    actuator, logs = identification.actuator, identification.fitted.entries
    laws = ", ".join(f"{law.name} ({port})" for port, law in actuator.laws.items())
    seconds = sum(float(entry.log.time[-1]) for entry in logs)
    return (
        f"{len(identification.space.names)} parameters of a {actuator.topology.name} ({laws}) "
        f"fitted to {len(logs)} recorded {'log' if len(logs) == 1 else 'logs'} of "
        f"{actuator.device}, {seconds:.0f} s of motion.{carried(identification.carrying)}"
    )


def _energies(identification: Identification) -> ReportTable | None:
    """Sums over all logs; None where the topology does not say its power."""
    found = energies(identification.actuator, identification.fitted, identification.held_out)
    sums = energy_sums(found)
    head = [f"[J] over {counted(len(found), 'log')}", *sums]
    row: list[str | Cell] = ["simulated", *sums.values()]
    return table(head, [row], numbers=tuple(range(1, len(head)))) if sums else None


def _plots(identification: Identification, runs: Mapping[str, Floats]) -> list[dict[str, Any]]:
    shown = entries(identification)
    half = reach(entry.residual for entry in shown)
    seen = len(identification.fitted.entries)
    parted = parting(identification, [entry.log for entry in shown])
    made: list[dict[str, Any]] = []
    for index, entry in enumerate(shown):
        log = entry.log
        ways = parted.get(log.name)
        trace = Curves(
            log.time,
            log.goal,
            log.position,
            entry.simulated,
            log.enabled,
            runs.get(log.name),
            {} if ways is None else {name: one.motion for name, one in ways.curves.items()},
        )
        title = f"{log.trajectory}, gain {log.gain:g}"
        caption = f"{log.name}: {mrad(entry.mae)} mrad"
        caption += f"; {ways}" if ways else ""
        made.append(titled(motion(trace, half), title, caption, "" if index < seen else "held out"))
    return made


def log_table(identification: Identification, runs: Mapping[str, Floats]) -> ReportTable:
    """Per log: error in the joint engine, in MuJoCo, and the difference of the two."""
    fitted, out = identification.fitted.entries, identification.held_out
    rows = [_log(entry, runs, "") for entry in fitted]
    total = len(rows)
    rows.append(_mean(fitted, runs, "mean of the logs fitted"))
    if out is not None:
        rows += [_log(entry, runs, "held out") for entry in out.entries]
        rows.append(_mean(out.entries, runs, "mean of the logs held out"))
    head = ["log", "trajectory", "gain", "load", "joint engine [mrad]"]
    if runs:
        head += ["MuJoCo [mrad]", "difference [mrad]"]
    return table(head, [row[: len(head)] for row in rows], numbers=(2, 4, 5, 6), total=total)


def _log(entry: LogError, runs: Mapping[str, Floats], tag: str) -> list[str | Cell]:
    log, run = entry.log, runs.get(entry.log.name)
    return [
        Cell(log.name, tag=tag),
        log.trajectory,
        f"{log.gain:g}",
        f"{log.mass:g} kg at {log.length:g} m",
        mrad(entry.mae),
        mrad(None if run is None else mean_absolute(run, log.position)),
        apart(None if run is None else mean_absolute(run, entry.simulated)),
    ]


def _mean(logs: Sequence[LogError], runs: Mapping[str, Floats], title: str) -> list[str | Cell]:
    both = [(e, runs[e.log.name]) for e in logs if e.log.name in runs]
    error = (
        float(np.mean([mean_absolute(run, e.log.position) for e, run in both])) if both else None
    )
    between = float(np.mean([mean_absolute(run, e.simulated) for e, run in both])) if both else None
    mean = float(np.mean([entry.mae for entry in logs]))
    return [title, "", "", "", mrad(mean), mrad(error), apart(between)]


def _groups(identification: Identification) -> list[ReportTable]:
    """The same errors by gain, load and trajectory, where there are several."""
    parts = {"fitted": identification.fitted}
    if identification.held_out is not None:
        parts["held out"] = identification.held_out
    made: list[ReportTable] = []
    for kind in ("gain", "load", "trajectory"):
        found = {name: part.by(HOLD_OUT[kind]) for name, part in parts.items()}
        groups = list(dict.fromkeys(group for errors in found.values() for group in errors))
        if len(groups) > 1:
            rows = [
                [group, *(mrad(errors.get(group)) for errors in found.values())] for group in groups
            ]
            head = [kind, *(f"{name} [mrad]" for name in found)]
            made.append(table(head, rows, numbers=range(1, len(head))))
    return made


def _friction(identification: Identification) -> dict[str, Any]:
    """The diagram of the friction, with the operating points of the logs."""
    visited = _visited(identification)
    speeds = [np.gradient(e.log.position, e.log.time) for e in identification.fitted.entries]
    speed = usual_speed(np.concatenate(speeds))
    return friction(identification.actuator, reach_of(visited), speed, visited)


def _figures(identification: Identification) -> ReportTable | None:
    """Data-sheet figures predicted by the fit; None if its laws define none."""
    rows = figure_rows(identification.actuator)
    return table(FIGURES, rows, numbers=(1, 3, 4), soft=(2,)) if rows else None


def _visited(identification: Identification) -> Floats:
    """(N, 2) Motor and external torque [N m] in the simulated logs that were fitted."""
    record = identification.actuator.identification
    supply = "measured" if record.get("supply") == "measured" else "nominal"
    engine = JointEngine(identification.actuator, settings=JointSettings(supply=supply))
    runs = [engine.rollout(entry.log).torque[:, :2] for entry in identification.fitted.entries]
    points = np.concatenate(runs)
    return points[np.isfinite(points).all(axis=1)]
