"""`pliant identify-robot`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional

from pliant.cli.options import RARE, Output, check_step, flag, shown
from pliant.cli.several import Repeated
from pliant.cli.terminal import INTERRUPTED, Terminal

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.identify.robot.fit import RobotIdentification
    from pliant.identify.search.search import SearchSettings
    from pliant.io.robot_log import RobotLog


@dataclass(frozen=True, kw_only=True)
class RobotSearch:
    """How long and how widely to search. The same seed gives the same result.

    Attributes:
        starts: Independent searches.
        generations: Generations of each search before least squares refines its best.
        rounds: Small searches around the best of all, each refined likewise.
        objective: What is minimised; the error reported is always the mean absolute one.
        seed: Random seed.
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
                raise PliantError(
                    "out of range",
                    field=f"--{name}",
                    found=getattr(self, name),
                    accepted=f"≥ {low}",
                )
        return dataclasses.replace(SEARCH, **{name: getattr(self, name) for name in least})


@dataclass(frozen=True, kw_only=True)
class IdentifyRobot:
    """Fit the actuators of an assembled robot to recorded motions, and write a file for each joint.

    The robot's own model is the plant. If its masses and lengths are all wrong by one factor, the
    torques and frictions found are wrong by the same factor, and no motion shows it.

    Logs are CSV in SI units: time, for each joint position_NAME, goal_NAME and, if known,
    speed_NAME and enabled_NAME; supply. A recorded joint without an actuator follows its recording.

    Ctrl-C ends the search early and keeps the best so far. After a crash or a kill, the same
    command resumes, if it has an --output or a --checkpoint.

    Example: pliant identify-robot arm.xml runs/ --attach shoulder=mx106_bam_m6,elbow=mx64_bam_m6
    --law timing=command_delay --hold-out log=last_run --output my_arm/ --report my_arm.html

    Attributes:
        model: MJCF or URDF of the robot.
        logs: Log files (*.csv), or folders of them.
        attach: Actuators to start from, joint=actuator: names (`pliant actuators`) or TOML files.
        law: Other laws of every joint, port=law.
        fit: More parameters to identify, or other bounds (=low:high): joint.port.symbol,
            joint.position_offset, mass.BODY (a factor); * stands for anything (in quotes:
            '*.motor.R').
        fix: Parameters to keep as they are.
        hold_out: Logs the fit does not see, to judge it by: log=NAME.
        how: Fit all joints together, each separately while the others follow their recording, or
            separately first and then together (both).
        step: Timestep of the simulation [s]; by default the model's own.
        supply: Supply voltage: nominal, or as measured where a log has it.
        output: Folder for the actuator files, one for each joint. Without it, nothing is kept.
        report: Report to write (*.html): verdict, every joint in every log, parameters.
        checkpoint: Where the search saves its progress, to resume from; by default beside --output.
            Removed at the end, and, if not named here, after Ctrl-C.
        no_intervals: Skip the 90 % intervals (refits to resampled logs, about as long as the
            search).
        overwrite: Replace files that exist.
    """

    model: Annotated[Positional[Path], shown("MODEL")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME")] = ()
    hold_out: Annotated[tuple[str, ...], Repeated, shown("log=NAME")] = ()
    how: Annotated[Literal["together", "separately", "both"], RARE] = "together"
    step: Annotated[float | None, RARE, shown("S")] = None
    supply: Annotated[Literal["nominal", "measured"], RARE] = "nominal"
    output: Annotated[Path | None, shown("FOLDER")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    checkpoint: Annotated[Path | None, RARE, shown("FILE")] = None
    no_intervals: Annotated[bool, RARE, flag()] = False
    overwrite: Annotated[bool, flag()] = False
    search: RobotSearch = field(default_factory=RobotSearch)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        from pliant.cli.choices import fitted
        from pliant.cli.outcome import check_outputs
        from pliant.cli.progress import SearchProgress
        from pliant.cli.robot_outcome import show
        from pliant.engines.mujoco.batch.candidates import ManySettings
        from pliant.io.output import check_output
        from pliant.io.robot_log import read_robot_logs
        from pliant.robots.identify import identify_robot

        if self.step is not None:
            check_step(self.step)
        begin = self._begin()
        files = {j: self.output / f"{j}.toml" for j in begin} if self.output is not None else {}
        for path in files.values():
            check_output(path, overwrite=self.overwrite)
        check_outputs(None, self.report, overwrite=self.overwrite)
        kept, out = _divided(read_robot_logs(self.logs), self.hold_out)
        path = self._checkpoint()
        if path is not None and path.exists():
            terminal.note(f"continues the search of which {path} tells")
        if self.output is None:
            terminal.note("no --output is given: what is found will be shown, not kept")
        terminal.note(
            f"{len(kept)} logs to fit, {len(out)} held out; compiling, then searching "
            "(Ctrl-C keeps the best so far) ..."
        )
        says: dict[str, SearchProgress] = {}
        try:
            found = identify_robot(
                self.model,
                begin,
                kept,
                held_out=out,
                fit=fitted(self.fit),
                fix=self.fix,
                how=self.how,
                objective=self.search.objective,
                search_settings=self.search.settings(),
                settings=ManySettings(timestep=self.step, supply=self.supply),
                report=lambda part, p: says.setdefault(part, SearchProgress(terminal, part))(p),
                checkpoint=path,
                keep_checkpoint=True,
            )
        except KeyboardInterrupt:
            self._forget(path, interrupted=True)
            raise
        found = self._sure(found, terminal)
        whole = self._write(found, files, terminal)
        self._forget(path, interrupted=found.interrupted)
        show(found, files, self.report, terminal)
        return INTERRUPTED if found.interrupted else 0 if whole else 1

    def _begin(self) -> "dict[str, Actuator]":
        from pliant.cli.choices import pairs, with_laws
        from pliant.errors import PliantError
        from pliant.io.actuator_file import load_actuator

        form = "joint=actuator, such as elbow=xl330_bam_m6"
        chosen = pairs(self.attach, "attach", form)
        if not chosen:
            raise PliantError("is needed", field="--attach", accepted=form)
        return {joint: with_laws(load_actuator(name), self.law) for joint, name in chosen.items()}

    def _checkpoint(self) -> Path | None:
        if self.checkpoint is not None or self.output is None:
            return self.checkpoint
        return self.output.with_name(f"{self.output.name}.checkpoint")

    def _forget(self, path: Path | None, *, interrupted: bool) -> None:
        """What was found is safe, or was not wanted; one that was asked for stays after Ctrl-C."""
        if path is not None and not (interrupted and self.checkpoint is not None):
            path.unlink(missing_ok=True)

    def _sure(self, found: "RobotIdentification", terminal: Terminal) -> "RobotIdentification":
        """With intervals, if they are wanted; Ctrl-C leaves them out."""
        from pliant.engines.mujoco.batch.candidates import ManySettings
        from pliant.identify.robot.intervals import with_intervals
        from pliant.robots.identify import intervals_of_robot

        if self.no_intervals or found.interrupted:
            return found
        terminal.note("intervals: refitting to resampled blocks of the logs ...")
        settings = ManySettings(timestep=self.step, supply=self.supply)
        try:
            return with_intervals(found, intervals_of_robot(self.model, found, settings=settings))
        except KeyboardInterrupt:
            terminal.note("interrupted: no intervals")
            return found

    def _write(
        self, found: "RobotIdentification", files: Mapping[str, Path], terminal: Terminal
    ) -> bool:
        """Whether every file is where it should be; what was found is somewhere in any case."""
        from pliant.io.actuator_file import write_or_rescue

        problems: list[object] = []
        for joint, path in files.items():
            if problem := write_or_rescue(found.robot.actuators[joint], path):
                problems.append(problem)
        if self.report is not None:
            from pliant.report.robot_page import write_robot_report

            terminal.note("drawing the report ...")
            try:
                write_robot_report(self.report, found, self.model, files)
            except Exception as error:  # noqa: BLE001 - what was found is worth more
                problems.append(f"a file is missing: {error}; what was found is in {self.output}")
        for problem in problems:
            terminal.note(f"pliant: {problem}")
        return not problems


def _divided(
    logs: "Sequence[RobotLog]", texts: Sequence[str]
) -> "tuple[list[RobotLog], list[RobotLog]]":
    from pliant.cli.choices import named
    from pliant.errors import PliantError

    held: list[str] = []
    for kind, name in named(texts, "hold-out", "log=NAME"):
        if kind != "log" or name not in [log.name for log in logs]:
            raise PliantError(
                "cannot be held out",
                field="--hold-out",
                found=f"{kind}={name}",
                accepted=[f"log={log.name}" for log in logs],
            )
        held.append(name)
    kept = [log for log in logs if log.name not in held]
    if not kept:
        raise PliantError("holds out every log", field="--hold-out", accepted="some left to fit")
    return kept, [log for log in logs if log.name in held]
