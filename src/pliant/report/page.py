"""The page: what was fitted to what, how well it fits, what it says, and how to use it."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.identify.fit import Identification
from pliant.identify.problem.evaluation import LogError
from pliant.identify.selection.choice import Choice
from pliant.io.output import write_whole
from pliant.report.document import document
from pliant.report.models import model_table
from pliant.report.motion import motion
from pliant.report.parameters import parameter_table
from pliant.report.record import findings, provenance
from pliant.report.sections import drive_diagram, group_tables, headline, how_to_run, summary_table
from pliant.report.words import at_bounds, warnings
from pliant.words import mrad

_KEY = """<div class="key">
<span><i style="color:var(--measured)"></i>measured</span>
<span><i style="color:var(--simulated)"></i>simulated, joint engine</span>
{mujoco}<span><i style="color:var(--goal)"></i>goal</span>
<span><i class="box" style="background:var(--off)"></i>motor off</span>
<span>below each: simulated − measured</span></div>"""
_MUJOCO_KEY = """<span><i style="color:var(--mujoco);border-top-style:dashed"></i>simulated,
MuJoCo</span>
"""


def write_report(
    path: Path,
    identification: Identification,
    mujoco: Mapping[str, Floats] | None = None,
    *,
    actuator_file: Path | None = None,
    choice: Choice | None = None,
) -> None:
    """Write the report, whole or not at all.

    Args:
        path: of the HTML file.
        identification: what was found.
        mujoco: log name to (N,) positions [rad] of the same actuator in MuJoCo, at the log's
            samples; None if it was not run there.
        actuator_file: where the actuator was written, for the lines that show how to use it.
        choice: the models it was chosen from.

    Raises:
        PliantError: the file cannot be written.
    """
    text = report_text(identification, mujoco, actuator_file=actuator_file, choice=choice)
    write_whole(path, text)


def report_text(
    identification: Identification,
    mujoco: Mapping[str, Floats] | None = None,
    *,
    actuator_file: Path | None = None,
    choice: Choice | None = None,
) -> str:
    """The HTML of the report; see `write_report`."""
    actuator = identification.actuator
    in_mujoco = mujoco or {}
    body = [
        f"<h1>{escape(actuator.title)}</h1>",
        headline(identification, in_mujoco),
        _warnings(identification),
        "<h2>Error of each log</h2>",
        '<p class="soft">Mean absolute position error of an open-loop simulation from the first '
        "sample: the recorded commands in, nothing fed back.</p>",
        summary_table(identification, in_mujoco),
        group_tables(identification),
        "<h2>Measured and simulated</h2>",
        _KEY.format(mujoco=_MUJOCO_KEY if in_mujoco else ""),
        _plots(identification, in_mujoco),
        "<h2>Drive and backdrive</h2>",
        drive_diagram(identification),
        *(() if choice is None else ("<h2>Models compared</h2>", model_table(choice))),
        "<h2>Parameters</h2>",
        parameter_table(actuator, at_bounds(identification)),
        "<h2>Run it in MuJoCo</h2>",
        how_to_run(actuator_file),
        "<h2>What the logs themselves show</h2>",
        findings(identification),
        "<h2>Where this comes from</h2>",
        provenance(identification),
    ]
    return document(actuator.name, body)


def _warnings(identification: Identification) -> str:
    words = warnings(identification)
    if not words:
        return ""
    items = "".join(f"<li>{escape(word)}</li>" for word in words)
    return f'<div class="warnings"><b>To know before you trust it</b><ul>{items}</ul></div>'


def _plots(identification: Identification, mujoco: Mapping[str, Floats]) -> str:
    held_out = identification.held_out.logs if identification.held_out else ()
    entries = [*identification.fitted.logs, *held_out]
    reach = _reach(entries)
    figures: list[str] = []
    for index, entry in enumerate(entries):
        log = entry.log
        seen = index < len(identification.fitted.logs)
        mark = "" if seen else ' <span class="tag">held out</span>'
        drawing = motion(entry, mujoco.get(log.name), f"log{index}", reach)
        figures.append(
            f'<figure class="panel"><h3>{escape(log.trajectory)}, gain {log.gain:g}{mark}</h3>'
            f"<figcaption>{escape(log.name)}: {mrad(entry.mae)} mrad</figcaption>{drawing}</figure>"
        )
    return f'<div class="plots">{"".join(figures)}</div>'


def _reach(entries: list[LogError]) -> float:
    """[mrad] What holds all residuals but the odd peak, the same for all logs."""
    largest = [float(np.nanquantile(np.abs(entry.residual), 0.995)) for entry in entries]
    finite = [value for value in largest if np.isfinite(value)]
    return 1e3 * max([*finite, 1e-3]) * 1.15
