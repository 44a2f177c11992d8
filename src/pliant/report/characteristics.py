"""Picture of an actuator as a data sheet has it: torque and efficiency over speed, drive and backdrive."""

import io
import textwrap
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.errors import PliantError
from pliant.io.output import write_whole
from pliant.report.derived import FrictionBudget, at_full_command, derived, has_budget, zero
from pliant.report.still import new_figure

POINTS = 200
WIDTH = 75
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
    friction = FrictionBudget(actuator).budget(speed, motor, 0.0)
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
    friction = FrictionBudget(actuator)

    def budget(tau: float, load: float) -> float:
        return float(friction.budget(0.0, tau, -load))

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
    figure.suptitle(textwrap.fill(actuator.title, WIDTH * parts), fontsize=9)
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
