"""Results of a robot's identification on the terminal."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pliant.cli import hold_out
from pliant.cli.choose import as_plain as models_as_plain
from pliant.cli.terminal import Terminal, columns
from pliant.identify.problem.evaluation import JointError, RobotEvaluation
from pliant.identify.selection.choice import Choice
from pliant.identify.selection.in_turn import Turn
from pliant.robots.identify import RobotIdentification
from pliant.words import mrad


def show(
    found: RobotIdentification,
    files: Mapping[str, Path],
    report: Path | None,
    terminal: Terminal,
    turns: Mapping[str, Turn] | None = None,
    choice: Choice | None = None,
) -> None:
    """Numbers, errors, warnings, and where it was written."""
    sure = _intervals(found)
    boxes = zip(found.space.names, found.point, found.space.low, found.space.high, strict=True)
    rows = [
        [
            name,
            f"{value:.5g}",
            f"{low:.4g} to {high:.4g}",
            "{:.3g} to {:.3g}".format(*sure[name]) if name in sure else "",
        ]
        for name, value, low, high in boxes
    ]
    head = ["identified", "value", "bounds", "90 % interval" if sure else ""]
    terminal.say(columns(head, rows, numbers=(1,)) + "\n")
    terminal.say(errors(found.fitted))
    if found.held_out is not None:
        terminal.say("\nheld out:\n" + errors(found.held_out))
    if turns:
        terminal.say("\n" + hold_out.table(turns))
    for word in found.warnings:
        terminal.say(f"warning: {word}")
    for joint, path in files.items():
        terminal.say(f"wrote {joint} {path}")
    if report is not None:
        terminal.say(f"wrote report {report}")
    if found.interrupted:
        terminal.note(f"interrupted: this is the best so far ({mrad(found.fitted.mae)} mrad)")
    terminal.result(
        {
            "mae_mrad": 1e3 * found.fitted.mae,
            "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
            "logs": [_plain(entry, held_out=False) for entry in found.fitted.entries]
            + [
                _plain(e, held_out=True) for e in (found.held_out.entries if found.held_out else ())
            ],
            "held_out_in_turn": hold_out.as_plain(turns or {}),
            **({"chosen": choice.chosen.name, "models": models_as_plain(choice)} if choice else {}),
            "identified": dict(found.values),
            "parameters": {
                joint: {name: asdict(number) for name, number in a.numbers.items()}
                for joint, a in found.actuators.items()
            },
            "intervals_90": sure or None,
            "evaluations": found.evaluations,
            "seconds": found.seconds,
            "steps": found.steps,
            "warnings": list(found.warnings),
            "files": {joint: str(path) for joint, path in files.items()}
            | ({} if report is None else {"report": str(report)}),
            "interrupted": found.interrupted,
        }
    )


def _intervals(found: RobotIdentification) -> dict[str, list[float]]:
    """Parameter to the ends of its interval."""
    said: dict[str, list[float]] = {}
    for joint, actuator in found.actuators.items():
        own: Any = actuator.identification.get("intervals_90", {})
        said |= {f"{joint}.{name}": box for name, box in own.items()}
    return said


def errors(evaluation: RobotEvaluation) -> str:
    """Table of every joint in every log."""
    rows = [[e.log.name, e.joint, mrad(e.mae)] for e in evaluation.entries]
    rows.append(["mean", "", mrad(evaluation.mae)])
    return columns(["log", "joint", "MAE [mrad]"], rows, numbers=(2,))


def _plain(entry: JointError, *, held_out: bool) -> dict[str, Any]:
    return {
        "log": entry.log.name,
        "joint": entry.joint,
        "mae_mrad": 1e3 * entry.mae,
        "held_out": held_out,
    }
