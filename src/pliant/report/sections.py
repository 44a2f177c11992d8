"""The parts of the report that are words and tables."""

from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings
from pliant.identify.evaluation import LogError
from pliant.identify.fit import Identification
from pliant.io.log import Log
from pliant.report.derived import derived, has_budget
from pliant.report.diagram import diagram
from pliant.report.table import Cell, Markup, joined, table, tag
from pliant.report.words import (
    apart,
    at_bounds,
    bounds,
    interval,
    meaning,
    mrad,
    number,
    parameters,
    unit,
)

Floats = NDArray[np.float64]

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
    return f'<p class="soft">{sentence}</p><div class="figures">{boxes}</div>'


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


def _summary(entry: LogError, mujoco: Mapping[str, Floats], mark: Markup | None) -> list[Cell]:
    log = entry.log
    run = mujoco.get(log.name)
    return [
        joined(log.name, mark), log.trajectory, f"{log.gain:g}",
        f"{log.mass:g} kg at {log.length:g} m", mrad(entry.mae),
        mrad(None if run is None else mae(run, log.position)),
        apart(None if run is None else mae(run, entry.simulated)),
    ]  # fmt: skip


def _mean(entries: Sequence[LogError], mujoco: Mapping[str, Floats], title: str) -> list[Cell]:
    runs = [(e, mujoco[e.log.name]) for e in entries if e.log.name in mujoco]
    error = float(np.mean([mae(run, e.log.position) for e, run in runs])) if runs else None
    between = float(np.mean([mae(run, e.simulated) for e, run in runs])) if runs else None
    mean = float(np.mean([entry.mae for entry in entries]))
    return [title, "", "", "", mrad(mean), mrad(error), apart(between)]


def drive_diagram(identification: Identification) -> str:
    """The diagram of the friction, with the operating points of the logs, and how to read it."""
    actuator = identification.actuator
    rows = [
        (name, number(value), unit(u) if value is not None else "")
        for name, value, u in derived(actuator).rows()
    ]
    figures = table(["from the laws", "", ""], rows, numbers=(1,), soft=(2,))
    if not has_budget(actuator):
        return f"<p>This actuator's friction has a memory, and no budget to draw.</p>{figures}"
    fitted = identification.fitted.logs
    visited = _visited(identification)
    reach = 1.1 * float(np.quantile(np.abs(visited), 0.999))
    speed = float(np.quantile(np.abs(np.concatenate([_speed(e.log) for e in fitted])), 0.9))
    speed = float(f"{max(speed, 0.1):.1g}")
    drawing = diagram(actuator, reach, speed, visited[:: max(len(visited) // DOTS, 1)])
    return f"""<div class="split"><figure class="panel">{drawing}</figure><div>
<p>At rest, the joint <b>stays</b> where |τ<sub>m</sub> + τ<sub>e</sub>| is within the friction
budget. Outside it moves: <b>driven</b> by the motor, or <b>back-driven</b> by the load against
it.</p>
<div class="key"><span><i style="color:var(--ink)"></i>boundary at rest</span>
<span><i style="color:var(--ink);border-top-style:dashed"></i>motion at {speed:g} rad/s is
kept</span>
<span><i class="box" style="background:var(--simulated);width:6px;height:6px;border-radius:3px"></i>
where the fitted logs went; elsewhere the law extrapolates</span></div>
{figures}</div></div>"""


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


def parameter_table(identification: Identification) -> str:
    """Every number, what it means, and where it comes from."""
    actuator = identification.actuator
    ends = at_bounds(identification)
    rows: list[list[Cell]] = []
    group = ""
    for name, entry in parameters(actuator).items():
        port, _, symbol = name.partition(".")
        if port != group:
            group = port
            law = actuator.laws.get(port)
            rows.append([f"{port}: {law.name if law else _GROUPS.get(port, '')} "
                         f"— {law.title if law else _TITLES.get(port, '')}"])  # fmt: skip
        mark = tag(f"at its {ends[name]} bound") if name in ends else None
        rows.append([Markup(f"<code>{escape(symbol)}</code>"), joined(meaning(symbol), mark),
                     number(entry.value), unit(entry.unit), interval(actuator, name),
                     bounds(entry), entry.how, entry.source])  # fmt: skip
    head = ["symbol", "meaning", "value", "unit", "90 % interval", "bounds", "how", "source"]
    sources = [[name, text] for name, text in actuator.sources.items()]
    return (
        _of_intervals(actuator)
        + table(head, rows, numbers=(2,), soft=(3, 5))
        + "<h3 style='margin-top:14px'>Sources</h3>"
        + table(["source", "what it is"], sources)
    )


def _of_intervals(actuator: Actuator) -> str:
    """What the intervals mean, or that there are none."""
    if "intervals_90" not in actuator.identification:
        return ('<p class="soft">No intervals were asked for: how sure these numbers are is not '
                "known (<code>--intervals</code>).</p>")  # fmt: skip
    return ('<p class="soft">90 % intervals from refits to resampled blocks of the logs: what else '
            "these logs would have allowed this model. They say nothing of a model that is "
            "wrong.</p>")  # fmt: skip


_GROUPS = {"own": "the actuator itself", "plant": "the bench"}
_TITLES = {
    "own": "what belongs to no single law",
    "plant": "what the logs were recorded on; not part of the joint",
}


def how_to_run(actuator_file: Path | None) -> str:
    """The lines that put the actuator on a robot."""
    file = "xl330_identified.toml" if actuator_file is None else actuator_file.name
    code = f'''import mujoco
import pliant

spec = mujoco.MjSpec.from_file("robot.xml")
print(pliant.attach(spec, {{"elbow": "{file}"}}))  # joint: actuator; says what it set
model = spec.compile()
data = mujoco.MjData(model)
while data.time < 5.0:
    data.ctrl[:] = 0.5  # goal [rad]
    mujoco.mj_step(model, data)'''
    line = f"pliant simulate robot.xml --attach elbow={file} --goal elbow=0.5"
    return f"<pre>{escape(code)}</pre><p>or, from the terminal:</p><pre>{escape(line)}</pre>"


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
    record = identification.actuator.identification
    rows: list[list[Cell]] = [
        [_RECORD.get(str(key), str(key).replace("_", " ")), _shown(value)]
        for key, value in record.items()
        if not isinstance(value, Mapping)
    ]
    digests = [
        [entry.log.name, str(entry.log.path), _digest(entry.log)]
        for part in (identification.fitted, identification.held_out)
        if part is not None
        for entry in part.logs
    ]
    return table(["", ""], rows) + table(["log", "file", "SHA-256"], digests)


_RECORD = {
    "evaluations": "candidates tried",
    "step": "integration step [s]",
    "mae_mrad": "mean error, logs fitted [mrad]",
    "held_out_mae_mrad": "mean error, logs held out [mrad]",
    "starts_mrad": "best of each start of the search [mrad]",
}


def _digest(log: Log) -> Markup:
    return Markup(f'<span class="digest mono">{escape(log.digest)}</span>')


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value).strip("[]")
