"""`pliant identify-robot`."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional

from pliant.cli.options import Output, Repeated, check_step, shown
from pliant.cli.terminal import INTERRUPTED, Terminal, columns

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.identify.robot.evaluation import RobotEvaluation
    from pliant.identify.robot.fit import RobotIdentification
    from pliant.identify.search import SearchSettings
    from pliant.io.robot_log import RobotLog


@dataclass(frozen=True, kw_only=True)
class RobotSearch:
    """How long and how widely to search. The result is the same for the same seed.

    Attributes:
        starts: Independent searches.
        generations: Generations of each start, before least squares takes it on.
        rounds: Small populations around the best, each taken on likewise.
        objective: What is minimised; what is reported is the mean absolute error.
        seed: Of the random numbers.
    """

    starts: int = 3
    generations: int = 20
    rounds: int = 2
    objective: Literal["absolute", "squared", "huber"] = "absolute"
    seed: int = 1

    def settings(self) -> "SearchSettings":
        """For the search.

        Raises:
            PliantError: a number is out of range.
        """
        import dataclasses

        from pliant.errors import PliantError
        from pliant.identify.robot.fit import SEARCH

        least = {"starts": 1, "generations": 1, "rounds": 0, "seed": 0}
        for name, low in least.items():
            if getattr(self, name) < low:
                raise PliantError("out of range", field=f"--{name}", found=getattr(self, name),
                                  accepted=f"≥ {low}")  # fmt: skip
        return dataclasses.replace(SEARCH, **{name: getattr(self, name) for name in least})


@dataclass(frozen=True, kw_only=True)
class IdentifyRobot:
    """Fit the actuators of an assembled robot to recorded motions of it, with its own model as the
    plant, and write an actuator file for each joint.

    Logs are CSV: time, and for each joint position_NAME, goal_NAME and, if known, speed_NAME,
    enabled_NAME; supply. SI units. A joint that is recorded but not attached here is led along its
    recording. Masses and lengths are the model's: if they are all wrong by a factor, torque and
    friction are wrong by the same, and no motion shows it.

    Example: pliant identify-robot arm.xml runs/ --attach shoulder=mx106_bam_m6 elbow=mx64_bam_m6
    --law timing=command_delay --hold-out log=last_run --output my_arm/

    Attributes:
        model: MJCF or URDF of the robot.
        logs: Log files (*.csv), or folders of them.
        attach: Where to begin, joint=actuator: a name (`pliant actuators`), or a TOML file.
        law: Another law at a port of every joint, port=law.
        fit: A parameter to identify as well, or within other bounds: joint.port.symbol,
            joint.position_offset, mass.BODY (a factor), each also =low:high; * stands for anything
            (quote it: '*.motor.R').
        fix: A parameter to leave as it is.
        hold_out: Logs to judge by, log=NAME.
        how: All joints together, each separately while the others follow their recording, or both,
            one after the other.
        step: Timestep of the simulation [s]; by default the model's own.
        supply: Supply voltage: what is nominal, or what was measured where a log has it.
        output: Folder for the actuator files, one for each joint. Without it nothing is kept.
        overwrite: Replace files that exist.
    """

    model: Annotated[Positional[Path], shown("MODEL")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    hold_out: Annotated[tuple[str, ...], Repeated, shown("log=NAME")] = ()
    how: Literal["together", "separately", "both"] = "together"
    step: Annotated[float | None, shown("S")] = None
    supply: Literal["nominal", "measured"] = "nominal"
    output: Annotated[Path | None, shown("FOLDER")] = None
    overwrite: bool = False
    search: RobotSearch = field(default_factory=RobotSearch)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        from pliant.cli.choices import fitted, pairs, with_laws
        from pliant.cli.progress import SearchProgress
        from pliant.engines.mujoco.many import ManySettings
        from pliant.errors import PliantError
        from pliant.io.actuator_file import load_actuator, write_actuator
        from pliant.io.output import check_output
        from pliant.io.robot_log import read_robot_logs
        from pliant.robots.identify import identify_robot

        if self.step is not None:
            check_step(self.step)
        form = "joint=actuator, such as elbow=xl330_bam_m6"
        chosen = pairs(self.attach, "attach", form)
        if not chosen:
            raise PliantError("is needed", field="--attach", accepted=form)
        begin: dict[str, Actuator] = {
            joint: with_laws(load_actuator(name), self.law) for joint, name in chosen.items()
        }
        files = {j: self.output / f"{j}.toml" for j in begin} if self.output is not None else {}
        for path in files.values():
            check_output(path, overwrite=self.overwrite)
        kept, out = _divided(read_robot_logs(self.logs), self.hold_out)
        terminal.note(f"{len(kept)} logs to fit, {len(out)} held out; compiling, then searching "
                      "(Ctrl-C keeps the best so far) ...")  # fmt: skip
        says: dict[str, SearchProgress] = {}
        found = identify_robot(
            self.model, begin, kept, held_out=out, fit=fitted(self.fit), fix=self.fix,
            how=self.how, objective=self.search.objective,
            search_settings=self.search.settings(),
            settings=ManySettings(timestep=self.step, supply=self.supply),
            report=lambda part, p: says.setdefault(part, SearchProgress(terminal, part))(p),
        )  # fmt: skip
        for joint, path in files.items():
            write_actuator(found.robot.actuators[joint], path, overwrite=True)
        _show(found, files, terminal)
        return INTERRUPTED if found.interrupted else 0


def _divided(
    logs: "Sequence[RobotLog]", texts: Sequence[str]
) -> "tuple[list[RobotLog], list[RobotLog]]":
    from pliant.cli.choices import named
    from pliant.errors import PliantError

    held: list[str] = []
    for kind, name in named(texts, "hold-out", "log=NAME"):
        if kind != "log" or name not in [log.name for log in logs]:
            raise PliantError("cannot be held out", field="--hold-out", found=f"{kind}={name}",
                              accepted=[f"log={log.name}" for log in logs])  # fmt: skip
        held.append(name)
    kept = [log for log in logs if log.name not in held]
    if not kept:
        raise PliantError("holds out every log", field="--hold-out", accepted="some left to fit")
    return kept, [log for log in logs if log.name in held]


def _show(found: "RobotIdentification", files: Mapping[str, Path], terminal: Terminal) -> None:
    from pliant.cli.evaluate import mrad

    rows = [
        [name, f"{value:.5g}", f"{low:.4g} to {high:.4g}"]
        for name, value, low, high in zip(
            found.space.names, found.values, found.space.low, found.space.high, strict=True
        )
    ]
    terminal.say(columns(["identified", "value", "bounds"], rows, numbers=(1,)) + "\n")
    terminal.say(_errors(found.fitted))
    if found.held_out is not None:
        terminal.say("\nheld out:\n" + _errors(found.held_out))
    for word in found.open:
        terminal.say(f"warning: {word}")
    for joint, path in files.items():
        terminal.say(f"wrote {joint} {path}")
    if found.interrupted:
        terminal.note(f"interrupted: this is the best so far ({mrad(found.fitted.mae)} mrad)")
    terminal.result({
        "mae_mrad": 1e3 * found.fitted.mae,
        "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
        "logs": [_plain(entry, held_out=False) for entry in found.fitted.entries]
        + [_plain(e, held_out=True) for e in (found.held_out.entries if found.held_out else ())],
        "identified": dict(zip(found.space.names, map(float, found.values), strict=True)),
        "parameters": {joint: {name: asdict(number) for name, number in a.numbers.items()}
                       for joint, a in found.robot.actuators.items()},
        "seconds": found.seconds, "steps": found.steps, "warnings": list(found.open),
        "files": {joint: str(path) for joint, path in files.items()},
        "interrupted": found.interrupted,
    })  # fmt: skip


def _errors(evaluation: "RobotEvaluation") -> str:
    from pliant.cli.evaluate import mrad

    rows = [[e.log.name, e.joint, mrad(e.mae)] for e in evaluation.entries]
    rows.append(["mean", "", mrad(evaluation.mae)])
    return columns(["log", "joint", "MAE [mrad]"], rows, numbers=(2,))


def _plain(entry: Any, *, held_out: bool) -> dict[str, Any]:
    return {"log": entry.log.name, "joint": entry.joint, "mae_mrad": 1e3 * entry.mae,
            "held_out": held_out}  # fmt: skip
