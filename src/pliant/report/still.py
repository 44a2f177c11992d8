"""Still figures by matplotlib: of logs, actuators, fits, and of any table over time.

Transparent, with lines of middle brightness: a notebook or a page of documentation may be light or dark.
"""

import io
import textwrap
from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.identification.problem.evaluation import evaluate
from pliant.io.log import Log
from pliant.io.output import write_whole
from pliant.report.derived import (
    at_full_command,
    derived,
    friction_budget,
    has_budget,
    torque_at_full_command,
    zero,
)

if TYPE_CHECKING:
    from pliant.identification.result.identification import Identification
    from pliant.robots.tuning import Tuning

GREY = "#7d8792"
COLOURS = {"goal": "#8a6fc0", "measured": GREY, "simulated": "#1f8fd0", "other": "#d97b00"}
WIDTH, PANEL = 7.2, 2.1
"""[in] Of a figure, and the height of a panel."""
MOST = 9
"""Panels of a figure; more are left out, and said to be."""
SPEEDS = 121


def log_figure(log: Log, simulated: Floats | None = None) -> Any:
    """Goal and position of a log, with a simulation (N,) [rad] and its error, if there is one."""
    figure, axes = panels(1 if simulated is None else 2)
    top = axes[0]
    if log.driven == "goal":
        top.plot(log.time, log.goal, color=COLOURS["goal"], label="goal")
    top.plot(log.time, log.position, color=COLOURS["measured"], lw=3.0, label="measured")
    for off in stretches(log.time, ~log.enabled):
        top.axvspan(*off, color="#8a6fc0", alpha=0.15, lw=0)
    title = f"{log.name}: {log.device}, {log.trajectory}"
    if simulated is not None:
        top.plot(log.time, simulated, color=COLOURS["simulated"], label="simulated")
        error = 1e3 * (simulated - log.position)
        axes[1].plot(log.time, error, color=COLOURS["simulated"])
        axes[1].set_ylabel("error [mrad]")
        title += f"; mean absolute error {np.mean(np.abs(error)):.1f} mrad"
    top.set_ylabel("position [rad]")
    return finished(figure, axes, "time [s]", title)


def fit_figure(logs: Sequence[Log], simulated: Sequence[Floats], title: str) -> Any:
    """Measured and simulated position of several logs, a panel each."""
    figure, axes = panels(min(len(logs), MOST))
    for axis, log, found in zip(axes, logs, simulated, strict=False):
        axis.plot(log.time, log.position, color=COLOURS["measured"], lw=3.0, label="measured")
        axis.plot(log.time, found, color=COLOURS["simulated"], label="simulated")
        error = 1e3 * float(np.mean(np.abs(found - log.position)))
        axis.set_ylabel(f"{log.trajectory} [rad]\n{error:.1f} mrad", fontsize=8)
    if len(logs) > MOST:
        title += f" (the first {MOST} of {len(logs)} logs)"
    return finished(figure, axes, "time [s]", title)


def actuator_figure(actuator: Actuator) -> Any:
    """Torque over speed at full command, with friction; of a spring, torque over deflection."""
    springs = [port for port, law in actuator.laws.items() if _is_spring(law)]
    figure, axes = panels(1 + bool(springs))
    _torque_over_speed(axes[0], actuator)
    if springs:
        _springs(axes[1], actuator, springs)
    return finished(figure, axes, None, actuator.title)


def table_figure(columns: Mapping[str, Floats], x: str, title: str) -> Any:
    """Each column over column `x`, a panel each; those of one unit in brackets share one."""
    groups: dict[str, list[str]] = {}
    for name in columns:
        if name != x:
            groups.setdefault(_unit(name), []).append(name)
    figure, axes = panels(min(len(groups), MOST))
    for axis, (unit, names) in zip(axes, groups.items(), strict=False):
        for name in names[:MOST]:
            axis.plot(columns[x], columns[name], label=name.partition("[")[0].strip())
        axis.set_ylabel(f"[{unit}]" if unit else "")
    return finished(figure, axes, x, title)


def bytes_of(figure: Any, kind: str) -> bytes:
    """A figure as "png" or "svg"; the same figure gives the same bytes."""
    drawn, settings = BytesIO(), extra_module("matplotlib", "plots").rc_context
    more: dict[str, Any] = {"metadata": {"Date": None}} if kind == "svg" else {"dpi": 150}
    with settings({"svg.hashsalt": "pliant", "svg.fonttype": "none"}):
        figure.savefig(drawn, format=kind, transparent=kind == "svg", **more)
    return drawn.getvalue()


def simulated_by(actuator: Actuator, logs: Sequence[Log]) -> list[Floats]:
    """(N,) [rad] each: the positions that an actuator simulates for logs."""
    return [entry.simulated for entry in evaluate(actuator, logs).entries]


def fitted(identification: "Identification[Any]") -> Any:
    """The figure of a fit."""
    entries = identification.fitted.entries
    title = f"{identification.actuator.name}: {1e3 * identification.fitted.mae:.1f} mrad"
    return fit_figure([e.log for e in entries], [e.simulated for e in entries], title)


def _torque_over_speed(axis: Any, actuator: Actuator) -> None:
    torque = torque_at_full_command(actuator)
    fastest = derived(actuator).no_load_speed or 10.0
    speeds = np.linspace(0.0, 1.05 * fastest, SPEEDS)
    tau = np.array([torque(float(v)) for v in speeds])
    axis.plot(speeds, tau, color=COLOURS["simulated"], label="motor, full command")
    if has_budget(actuator):
        budget = friction_budget(actuator, speeds, tau, 0.0)
        axis.plot(speeds, budget, color=COLOURS["other"], label="friction budget")
        axis.plot(speeds, tau - budget, "--", color=COLOURS["simulated"], label="at the joint")
    axis.set(xlabel="speed [rad/s]", ylabel="torque [N m]")


def _is_spring(law: Any) -> bool:
    return law.path.parent.name == "compliance" and law.name != "none"


def _springs(axis: Any, actuator: Actuator, ports: Sequence[str]) -> None:
    from pliant.lower.law import lower_law

    for port in ports:
        law = lower_law(actuator.laws[port], "python")
        fields = actuator.laws[port].parameters
        p = [actuator.numbers[f"{port}.{field.name}"].value for field in fields]
        limit = port.replace("elastic", "limit") + ".max_def"
        far = actuator.numbers[limit].value if limit in actuator.numbers else 0.5
        phi = np.linspace(-1.0, 1.0, SPEEDS) * (far if np.isfinite(far) else 0.5)
        rows = np.column_stack([phi, np.tile(p, (len(phi), 1))])
        axis.plot(phi, law.evaluate("torque", rows)[:, 0], label=port.replace("_", " "))
    axis.set(xlabel="deflection [rad]", ylabel="torque [N m]")


def stretches(time: Floats, inside: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """Begin and end [s] of each stretch of times (N,) in which `inside` (N,) holds."""
    edges = np.flatnonzero(np.diff(np.r_[0, inside.astype(int), 0])).tolist()
    last = len(time) - 1
    return [
        (float(time[begin]), float(time[min(end, last)]))
        for begin, end in zip(edges[::2], edges[1::2], strict=True)
    ]


def _unit(name: str) -> str:
    return name.rpartition("[")[2].rstrip("]") if name.endswith("]") else name


def new_figure(width: float, height: float) -> Any:
    """An empty figure of matplotlib [in], drawn without a display."""
    figure = extra_module("matplotlib.figure", "plots").Figure(
        (width, height), layout="constrained"
    )
    extra_module("matplotlib.backends.backend_agg", "plots").FigureCanvasAgg(figure)
    return figure


def panels(count: int) -> tuple[Any, Any]:
    """A figure of so many panels below each other, and its axes."""
    figure = new_figure(WIDTH, PANEL * count + 0.7)
    return figure, figure.subplots(count, 1, squeeze=False)[:, 0]


def finished(figure: Any, axes: Any, x: str | None, title: str) -> Any:
    """The figure with its title, grey lines and, below, the name of x."""
    figure.suptitle(title, fontsize=10, color=GREY)
    for axis in axes:
        axis.tick_params(colors=GREY)
        axis.grid(color=GREY, alpha=0.25, lw=0.6)
        for side in axis.spines.values():
            side.set_color(GREY)
        for label in (axis.xaxis.label, axis.yaxis.label):
            label.set_color(GREY)
        if axis.get_legend_handles_labels()[0]:
            axis.legend(fontsize=8, frameon=False, labelcolor=GREY)
    if x is not None:
        axes[-1].set_xlabel(x)
    return figure


ACROSS = 3
"""Panels beside each other."""


def tuning_figure(tuning: "Tuning") -> Any:
    """Overshoot over settling gap, means over the draws [mrad]; crosses have limit cycles."""
    across = min(ACROSS, len(tuning.joints))
    down = -(-len(tuning.joints) // across)
    figure = new_figure(2.4 * across + 0.6, 2.0 * down + 0.7)
    panels = figure.subplots(down, across, squeeze=False).ravel()
    for j, (axis, joint) in enumerate(zip(panels, tuning.joints, strict=False)):
        _joint(axis, tuning, j)
        axis.set_title(joint, fontsize=9, color=GREY)
        axis.tick_params(colors=GREY, labelsize=8)
        axis.grid(color=GREY, alpha=0.25, lw=0.6)
        for side in axis.spines.values():
            side.set_color(GREY)
    for axis in panels[len(tuning.joints) :]:
        axis.set_visible(False)
    figure.supxlabel("settling gap [mrad]", fontsize=9, color=GREY)
    figure.supylabel("overshoot [mrad]", fontsize=9, color=GREY)
    drawn = [axis.get_legend_handles_labels() for axis in panels]
    kept = {label: h for handles, labels in drawn for h, label in zip(handles, labels, strict=True)}
    figure.legend(
        kept.values(), kept, ncols=4, loc="outside upper center", fontsize=8, frameon=False,
        labelcolor=GREY,
    )  # fmt: skip
    return figure


def _joint(axis: Any, tuning: "Tuning", j: int) -> None:
    from pliant.robots.tuning import cycles, figures

    for k, (_, measured) in enumerate(tuning.tried):
        found = figures(measured, j)
        at = 1e3 * found["gap"], 1e3 * found["overshoot"]
        rings = cycles(measured)[j] > 0
        colour = COLOURS["other"] if rings else GREY
        label = "limit cycle" if rings else "tried"
        axis.plot(*at, "x" if rings else ".", color=colour, label=label, zorder=1)
        if k == 0:
            axis.plot(*at, "s", color=COLOURS["goal"], label="the file's", zorder=2)
        if k == tuning.choice[j]:
            axis.plot(*at, "*", ms=11, color=COLOURS["simulated"], label="recommended", zorder=3)


POINTS = 200
TITLE = 75
"""Characters of the title over each diagram."""
SUFFIXES = (".png", ".svg", ".pdf")


def torque_speed(actuator: Actuator) -> dict[str, Floats] | None:
    """Curves at full command and nominal supply, (N,) each; None without a no-load speed above 0.

    Returns:
        "speed" [rad/s] up to no load, "motor" and "joint" torque [N m] (friction deducted), "efficiency"
        from the terminals of the motor to the joint.
    """
    top = derived(actuator).no_load_speed if has_budget(actuator) else None
    if not top:
        return None
    speed = np.linspace(0.0, top, POINTS)
    motor, power = np.array([at_full_command(actuator)(float(v)) for v in speed]).T
    friction = friction_budget(actuator, speed, motor, 0.0)
    joint = np.maximum(motor - friction, 0.0)
    share = np.divide(joint * speed, power, out=np.zeros(POINTS), where=power > 0.0)
    return {"speed": speed, "motor": motor, "joint": joint, "efficiency": np.clip(share, 0.0, 1.0)}


def drive_backdrive(actuator: Actuator) -> dict[str, Floats] | None:
    """Loads at rest over the motor's torque, (N,) each [N m]; None without a friction budget.

    Returns:
        "motor"; "driven": the largest load that it begins to lift; "backdriving": the smallest that
        begins to turn it back, NaN where none does.
    """
    if not has_budget(actuator):
        return None

    def budget(tau: float, load: float) -> float:
        return float(friction_budget(actuator, 0.0, tau, -load))

    motor = np.linspace(0.0, derived(actuator).motor_torque, 50)
    lifted = [zero(lambda x, t=t: x - t + budget(t, x), max(t, 1e-12)) for t in motor.tolist()]
    highest = 100.0 * max(float(motor[-1]), 1e-3)
    back = [zero(lambda x, t=t: x - t - budget(t, x), highest) for t in motor.tolist()]
    return {
        "motor": motor,
        "driven": np.array([0.0 if x is None else x for x in lifted]),
        "backdriving": np.array([np.nan if x is None else x for x in back]),
    }


def write_characteristics(actuator: Actuator, path: Path) -> None:
    """Draw both and write the picture.

    Raises:
        PliantError: the actuator has neither curve, or the file is of another kind.
    """
    if path.suffix.lower() not in SUFFIXES:
        raise PliantError("is not a picture", file=path, accepted=SUFFIXES)
    speeds, loads = torque_speed(actuator), drive_backdrive(actuator)
    if speeds is None and loads is None:
        raise PliantError("has no curve to draw: no friction budget", found=actuator.name)
    parts = (speeds is not None) + (loads is not None)
    figure = new_figure(5.0 * parts, 4.0)
    axes: Any = np.atleast_1d(np.asarray(figure.subplots(1, parts)))
    if speeds is not None:
        _draw_speeds(axes[0], speeds)
    if loads is not None:
        _draw_loads(axes[-1], loads)
    figure.suptitle(textwrap.fill(actuator.title, TITLE * parts), fontsize=9)
    data = io.BytesIO()
    figure.savefig(data, format=path.suffix[1:].lower(), dpi=120)
    write_whole(path, data.getvalue())


def _draw_speeds(axes: Any, curves: dict[str, Floats]) -> None:
    axes.plot(curves["speed"], curves["motor"], "--", label="motor")
    axes.plot(curves["speed"], curves["joint"], label="joint")
    axes.set(xlabel="speed [rad/s]", ylabel="torque [N m]", title="full command, nominal supply")
    axes.legend(loc="upper right")
    other = axes.twinx()
    other.plot(curves["speed"], 100.0 * curves["efficiency"], color="tab:green")
    other.set_ylabel("efficiency [%]", color="tab:green")
    other.set_ylim(0.0, 100.0)


def _draw_loads(axes: Any, curves: dict[str, Floats]) -> None:
    known = not np.allclose(curves["driven"], curves["motor"])
    title = "at rest" if known else "at rest: the file has no friction"
    axes.plot(curves["motor"], curves["driven"], label="lifts")
    axes.plot(curves["motor"], curves["backdriving"], label="is driven back by")
    axes.plot(curves["motor"], curves["motor"], ":", color="grey", label="without friction")
    axes.set(xlabel="torque of the motor [N m]", ylabel="load [N m]", title=title)
    axes.legend(loc="upper left")
