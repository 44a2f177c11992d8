"""What an identification of a robot came to, on the terminal."""

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pliant.cli.terminal import Terminal, columns
from pliant.identify.robot.evaluation import JointError, RobotEvaluation
from pliant.identify.robot.fit import RobotIdentification
from pliant.words import mrad


def show(
    found: RobotIdentification, files: Mapping[str, Path], report: Path | None, terminal: Terminal
) -> None:
    """Numbers, errors, warnings, and where it was written."""
    sure = _intervals(found)
    boxes = zip(found.space.names, found.values, found.space.low, found.space.high, strict=True)
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
    terminal.say(_errors(found.fitted))
    if found.held_out is not None:
        terminal.say("\nheld out:\n" + _errors(found.held_out))
    for word in found.open:
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
            "identified": dict(zip(found.space.names, map(float, found.values), strict=True)),
            "parameters": {
                joint: {name: asdict(number) for name, number in a.numbers.items()}
                for joint, a in found.robot.actuators.items()
            },
            "intervals_90": sure or None,
            "evaluations": sum(one.evaluations for one in found.searches.values()),
            "seconds": found.seconds,
            "steps": found.steps,
            "warnings": list(found.open),
            "files": {joint: str(path) for joint, path in files.items()}
            | ({} if report is None else {"report": str(report)}),
            "interrupted": found.interrupted,
        }
    )


def _intervals(found: RobotIdentification) -> dict[str, list[float]]:
    """Parameter to the ends of its interval."""
    said: dict[str, list[float]] = {}
    for joint, actuator in found.robot.actuators.items():
        own: Any = actuator.identification.get("intervals_90", {})
        said |= {f"{joint}.{name}": box for name, box in own.items()}
    return said


def _errors(evaluation: RobotEvaluation) -> str:
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
