"""The parts of the report that are words and tables."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identify.fit import Identification
from pliant.identify.problem.evaluation import LogError
from pliant.identify.problem.hold_out import HOLD_OUT
from pliant.identify.search.timing_first import in_words
from pliant.io.log import Log
from pliant.report.derived import derived, has_budget
from pliant.report.diagram import diagram
from pliant.report.table import Cell, Markup, joined, table, tag
from pliant.words import apart, mrad, number, unit

DOTS = 4000
"""Operating points in the diagram: what a print shows and a file of this size bears."""


def mae(a: Floats, b: Floats) -> float:
    """Mean absolute difference [rad]."""
    return float(np.mean(np.abs(a - b)))


def headline(identification: Identification, mujoco: Mapping[str, Floats]) -> str:
    """What was done in one sentence, and its figures."""
    actuator, fitted = identification.actuator, identification.fitted
    laws = ", ".join(f"{law.name} ({port})" for port, law in actuator.laws.items())
    count, seconds = len(fitted.logs), sum(float(e.log.time[-1]) for e in fitted.logs)
    sentence = (
        f"{len(identification.space.names)} parameters of a {actuator.topology.name} "
        f"({laws}) fitted to {count} recorded {'log' if count == 1 else 'logs'} of "
        f"{escape(actuator.device)}, {seconds:.0f} s of motion."
    )
    tiles = [(mrad(fitted.mae) + " mrad", "mean error, logs fitted, joint engine")]
    if identification.held_out is not None:
        tiles.append((mrad(identification.held_out.mae) + " mrad", "mean error, logs held out"))
    runs = [e for e in fitted.logs if e.log.name in mujoco]
    if runs:
        error = float(np.mean([mae(mujoco[e.log.name], e.log.position) for e in runs]))
        between = float(np.mean([mae(mujoco[e.log.name], e.simulated) for e in runs]))
        tiles.append((mrad(error) + " mrad", "mean error, logs fitted, in MuJoCo"))
        tiles.append((apart(between) + " mrad", "mean difference, joint engine and MuJoCo"))
    steps = f"{identification.steps / 1e6:.0f} million steps"
    tiles.append((f"{identification.seconds:.0f} s", f"search, {steps}"))
    boxes = "".join(f'<div class="panel"><b>{a}</b><small>{b}</small></div>' for a, b in tiles)
    return (
        f'<p class="soft">{sentence}</p><div class="figures">{boxes}</div>{_first(identification)}'
    )


def _first(identification: Identification) -> str:
    """Timing and supply, before all else."""
    look = identification.look
    if look is None:
        return ""
    units = {name: field.unit for name, field in identification.actuator.fields.items()}
    words = in_words(look, units)
    return f'<p class="soft">{escape(words[:1].upper() + words[1:])}.</p>'


def summary_table(identification: Identification, mujoco: Mapping[str, Floats]) -> str:
    """Per log: error in the joint engine, in MuJoCo, and the difference of the two."""
    rows = [_summary(entry, mujoco, None) for entry in identification.fitted.logs]
    rows.append(_mean(identification.fitted.logs, mujoco, "mean of the logs fitted"))
    total = len(rows) - 1
    if identification.held_out is not None:
        rows += [_summary(entry, mujoco, tag("held out")) for entry in identification.held_out.logs]
        rows.append(_mean(identification.held_out.logs, mujoco, "mean of the logs held out"))
    head = ["log", "trajectory", "gain", "load", "joint engine [mrad]"]
    if mujoco:
        head += ["MuJoCo [mrad]", "difference [mrad]"]
    return table(head, [row[: len(head)] for row in rows], numbers=(2, 4, 5, 6), total=total)


def group_tables(identification: Identification) -> str:
    """The same errors by gain, load and trajectory, where there are several."""
    parts = {"fitted": identification.fitted}
    if identification.held_out is not None:
        parts["held out"] = identification.held_out
    made: list[str] = []
    for kind in ("gain", "load", "trajectory"):
        found = {name: part.by(HOLD_OUT[kind]) for name, part in parts.items()}
        groups = list(dict.fromkeys(group for errors in found.values() for group in errors))
        if len(groups) > 1:
            rows = [
                [group, *(mrad(errors.get(group)) for errors in found.values())] for group in groups
            ]
            head = [kind, *(f"{name} [mrad]" for name in found)]
            made.append(table(head, rows, numbers=range(1, len(head))))
    return f'<div class="groups">{"".join(made)}</div>' if made else ""


def _summary(entry: LogError, mujoco: Mapping[str, Floats], mark: Markup | None) -> list[Cell]:
    log = entry.log
    run = mujoco.get(log.name)
    return [
        joined(log.name, mark),
        log.trajectory,
        f"{log.gain:g}",
        f"{log.mass:g} kg at {log.length:g} m",
        mrad(entry.mae),
        mrad(None if run is None else mae(run, log.position)),
        apart(None if run is None else mae(run, entry.simulated)),
    ]


def _mean(entries: Sequence[LogError], mujoco: Mapping[str, Floats], title: str) -> list[Cell]:
    runs = [(e, mujoco[e.log.name]) for e in entries if e.log.name in mujoco]
    error = float(np.mean([mae(run, e.log.position) for e, run in runs])) if runs else None
    between = float(np.mean([mae(run, e.simulated) for e, run in runs])) if runs else None
    mean = float(np.mean([entry.mae for entry in entries]))
    return [title, "", "", "", mrad(mean), mrad(error), apart(between)]


def drive_diagram(identification: Identification) -> str:
    """The diagram of the friction, with the operating points of the logs, and how to read it."""
    actuator = identification.actuator
    if not has_budget(actuator):
        return friction_figure(actuator, 1.0, 1.0, None)
    fitted = identification.fitted.logs
    visited = _visited(identification)
    reach = 1.1 * float(np.quantile(np.abs(visited), 0.999))
    speed = float(np.quantile(np.abs(np.concatenate([_speed(e.log) for e in fitted])), 0.9))
    return friction_figure(actuator, reach, speed, visited[:: max(len(visited) // DOTS, 1)])


def friction_figure(
    actuator: Actuator, reach: float, speed: float, visited: Floats | None, name: str = "diagram"
) -> str:
    """The diagram, how to read it, and what a data sheet would say.

    Args:
        actuator: whose friction. reach: [N m] half the width of the axes.
        speed: [rad/s] of the dashed boundary. visited: (N, 2) torques [N m] to be dotted, or None.
        name: of the figure, unlike others on the page.
    """
    rows = [
        (name, number(value), unit(u) if value is not None else "")
        for name, value, u in derived(actuator).rows()
    ]
    figures = table(["from the laws", "", ""], rows, numbers=(1,), soft=(2,))
    if not has_budget(actuator):
        return f"<p>This actuator's friction has a memory, and no budget to draw.</p>{figures}"
    speed = float(f"{max(speed, 0.1):.1g}")
    drawing = diagram(actuator, reach, speed, visited, name)
    dots = "" if visited is None else _DOTS
    return f"""<div class="split"><figure class="panel">{drawing}</figure><div>
<p>At rest, the joint <b>stays</b> where |τ<sub>m</sub> + τ<sub>e</sub>| is within the friction
budget. Outside it moves: <b>driven</b> by the motor, or <b>back-driven</b> by the load against
it.</p>
<div class="key"><span><i style="color:var(--ink)"></i>boundary at rest</span>
<span><i style="color:var(--ink);border-top-style:dashed"></i>motion at {speed:g} rad/s is
kept</span>{dots}</div>
{figures}</div></div>"""


_DOTS = """
<span><i class="box" style="background:var(--simulated);width:6px;height:6px;border-radius:3px"></i>
where the fitted logs went; elsewhere the law extrapolates</span>"""


def _visited(identification: Identification) -> Floats:
    """(N, 2) Motor and external torque [N m] in the simulated logs that were fitted."""
    record = identification.actuator.identification
    supply = "measured" if record.get("supply") == "measured" else "nominal"
    engine = JointEngine(identification.actuator, settings=JointSettings(supply=supply))
    runs = [engine.rollout(entry.log).torque[:, :2] for entry in identification.fitted.logs]
    points = np.concatenate(runs)
    return points[np.isfinite(points).all(axis=1)]


def _speed(log: Log) -> Floats:
    return np.gradient(log.position, log.time)


def how_to_run(actuator_file: Path | None) -> str:
    """The lines that put the actuator on a robot."""
    file = "xl330_identified.toml" if actuator_file is None else actuator_file.name
    return lines_to_run("robot.xml", {"elbow": file})


def lines_to_run(model: str, files: Mapping[str, str]) -> str:
    """The lines that put actuators on a robot: joint to file."""
    attached = ", ".join(f'"{joint}": "{file}"' for joint, file in files.items())
    words = ",".join(f"{joint}={file}" for joint, file in files.items())
    code = f'''import mujoco
import pliant

spec = mujoco.MjSpec.from_file("{model}")
print(pliant.attach(spec, {{{attached}}}))  # joint: actuator; says what it set
model = spec.compile()
data = mujoco.MjData(model)
while data.time < 5.0:
    data.ctrl[:] = 0.5  # goal [rad]
    mujoco.mj_step(model, data)'''
    line = f"pliant simulate {model} --attach {words} --goal {next(iter(files))}=0.5"
    return f"<pre>{escape(code)}</pre><p>or, from the terminal:</p><pre>{escape(line)}</pre>"
