"""`pliant identify-robot`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional

from pliant.cli.fitting import ROBOT_FILE, ChoiceSearch, Fitting, searched
from pliant.cli.options import RARE, Output, flag, shown
from pliant.cli.reading_options import RobotRecordings
from pliant.cli.search_file import SearchFile, beside
from pliant.cli.several import Repeated
from pliant.cli.terminal import INTERRUPTED, Terminal, printable
from pliant.cli.watch import watchable

if TYPE_CHECKING:
    from pliant.cli.robot_files import RobotFiles
    from pliant.identification.problem.hold_out import Division
    from pliant.identification.problem.task import FitTask
    from pliant.identification.search.progress import Progress
    from pliant.io.robot_log import RobotLog
    from pliant.report.verdict import Verdict
    from pliant.robots.identify import RobotIdentification
    from pliant.robots.robot_file import RecordedRobot


@dataclass(frozen=True, kw_only=True)
class IdentifyRobot:
    """Fit the actuators of an assembled robot to recorded motions.

    All joints are simulated together in the robot's own model. If all its masses are wrong by one
    factor, the torques and frictions found are wrong by the same factor, and no motion shows it.

    Logs are LeRobot data sets, bags, Parquet or CSV with the columns time, position_JOINT, goal_JOINT,
    if known speed_JOINT, enabled_JOINT, supply. A recorded joint without an actuator follows its
    recording.

    Ctrl-C ends the search early and keeps the best so far. After a crash or a kill, the same
    command resumes, if it has an --output or a --checkpoint.

    Example: pliant identify-robot arm.xml runs/ --attach shoulder=mx106_bam_m6,elbow=mx64_bam_m6
    --law timing=command_delay --hold-out log=last_run --output my_arm/ --report my_arm.html

    Attributes:
        model: Robot model (MJCF or URDF), or a robot file (*.toml) with actuators to start from.
        logs: Recordings, or folders of them.
        attach: Actuators to start from, before those of a robot file: names (`pliant actuators`)
            or TOML files. The joint may be a pattern ('*=sts3215_so101'). Or the folder that an earlier run wrote.
        replace: Replace actuators that the model has on recorded joints.
        law: Other laws for every joint, port=law.
        fit: More parameters to identify, joint.port.symbol, or other bounds, =low:high. * matches
            anything ('*.motor.R'). Also joint.position_offset, joint.command_offset and mass.BODY
            (a factor).
        fix: Parameters to keep, as they are or =value.
        zero_by: Find a zero of each joint's encoder for each day, folder or log, where the robot was
            calibrated anew in between; by default for each day, else folder, if the recordings are of
            several and show that the zeros differ. They are written to the files' records.
        recorder_by: Find the recorder delay and supply of each day, folder or log apart; they are kept
            out of the actuators. By default of each day which has a motion that another has too.
        hold_out: Logs to keep from the fit and judge it by: log=NAME, motion=NAME or folder=NAME. A
            motion is all runs whose names differ only by a number at the end. Without a value, each
            in turn: one more fit for each, and the files are the fit to all logs.
        choose: Friction models to compare (m1,m4,m6) by the error on logs not fitted. The best is
            fitted to all logs; a table shows the others.
        extension: Laws to combine each model with, port=law, or several joined by +; by default none.
        by: Groups to hold out in turn when choosing: log, motion or folder.
        cluster: Where to run the fits of --choose: in local:2 processes here, or by a Dask scheduler,
            tls://host:8786 (pip install "pliant[cluster]").
        how: Fit all joints together, each separately while the others follow their recording, or
            separately first and then together (both).
        step: Integration step [s]; by default the model's own.
        supply: Supply voltage: nominal, or as measured where a log has it.
        frame_times: Fit again at the times at which frames came, as far as the joints tell together:
            for data sets stamped by the frame's number.
        other_recorder: Recordings of the same robot by a recorder without delay (`pliant record`): the
            delay that all joints have beyond theirs is taken out of the actuators.
        output: Folder for the actuator files and robot.toml. `pliant evaluate` takes the latter.
            Without --output, the result is printed but not saved.
        report: Report to write (*.html).
        device: Actuator file to write (*.toml), where all joints have units of one device: the mean of
            the units and their spread. It serves as a prior for the next robot (--prior '*=FILE').
        checkpoint: File in which the search saves its progress, to resume from; by default beside
            --output. Removed at the end, and, if not named here, after Ctrl-C.
        no_test: Skip the second, shorter fit that tests the first on a motion left out. It is made
            where nothing is held out and there are several motions, or three runs of one.
        no_intervals: Skip the 90 % intervals and the bands, which take about as long as the search.
        draws: Table to write (*.csv): parameter sets that fit these logs as well, one per line, in SI
            units.
        watch: Show the search in the browser: errors of the candidates, their parameters, and the
            bands. Needs pip install "pliant[view]".
        overwrite: Replace files that exist.
    """

    model: Annotated[Positional[Path], shown("MODEL")]
    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    replace: Annotated[bool, RARE, flag()] = False
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME[=VALUE]")] = ()
    zero_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    recorder_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    hold_out: Annotated[tuple[str, ...], Repeated, shown("WHAT[=NAME]")] = ()
    choose: Annotated[tuple[str, ...], Repeated, shown("LAW")] = ()
    extension: Annotated[tuple[str, ...], RARE, Repeated, shown("PORT=LAW[+PORT=LAW]")] = ()
    by: Annotated[str, RARE, shown("WHAT")] = "log"
    cluster: Annotated[str | None, RARE, shown("local:N|ADDRESS")] = None
    how: Annotated[Literal["together", "separately", "both"], RARE] = "both"
    step: Annotated[float | None, RARE, shown("S")] = None
    supply: Annotated[Literal["nominal", "measured"], RARE] = "nominal"
    frame_times: Annotated[bool, RARE, flag()] = False
    other_recorder: Annotated[Path | None, RARE, shown("LOGS")] = None
    output: Annotated[Path | None, shown("FOLDER")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    device: Annotated[Path | None, RARE, shown("FILE.toml")] = None
    checkpoint: Annotated[Path | None, RARE, shown("FILE")] = None
    no_test: Annotated[bool, RARE, flag()] = False
    no_intervals: Annotated[bool, RARE, flag()] = False
    draws: Annotated[Path | None, RARE, shown("FILE.csv")] = None
    watch: Annotated[bool, RARE, flag()] = False
    overwrite: Annotated[bool, flag()] = False
    recording: RobotRecordings = field(default_factory=RobotRecordings)
    fitting: Fitting = field(default_factory=Fitting)
    search: ChoiceSearch = field(default_factory=ChoiceSearch)
    printing: Output = field(default_factory=Output)

    @cached_property
    def robot(self) -> "RecordedRobot":
        """The model, and what a robot's file says of it; options go before."""
        from pliant.cli.robot_task import robot_asked

        return robot_asked(self)

    # The steps of a command, one after the other.
    @watchable
    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        from pliant.cli.hold_out import turned
        from pliant.cli.judging import judged
        from pliant.cli.recorder_times import in_time, without_its_delay
        from pliant.cli.robot_outcome import RobotOutcome
        from pliant.cli.robot_task import actuators_to_begin, robot_task
        from pliant.identification.problem.hold_out import divided
        from pliant.io.gathered import warnings_in
        from pliant.io.robot_logs import read_robot_logs
        from pliant.report.words import kinds
        from pliant.robots.identify import begin_with_something
        from pliant.robots.recorded_gains import with_recorded_gains
        from pliant.words import counted

        logs = read_robot_logs(self.logs, self.recording.reading(self.robot.model))
        begin = actuators_to_begin(self, logs[0].joints)
        for text in warnings_in(logs):
            terminal.note(printable(text))
        more = [] if self.fit else begin_with_something(begin)
        begin, gains = with_recorded_gains(begin, logs)
        for text in more + gains:
            terminal.note(printable(text))
        files = {j: self.output / f"{j}.toml" for j in begin} if self.output is not None else {}
        self._check_outputs(files)
        division = divided(logs, self.hold_out)
        task = robot_task(self, begin, logs)
        self._say_beforehand(list(begin), terminal)
        terminal.note(
            f"{counted(len(division.fitted), 'log')} to fit, {len(division.held_out)} held out; "
            "compiling, then searching (Ctrl-C keeps the best so far) ..."
        )
        if self.choose:
            return self._chosen(task, division, files, terminal)
        turns_file = beside(self.output, ".turns") if self.output else None
        turns = turned(task, logs, terminal, turns_file)
        found, task, logs = in_time(self, self._fitted(task, logs, terminal), task, logs, terminal)
        found = self._sure(found, terminal)
        verdict, stopped = judged(
            found,
            task,
            logs,
            terminal,
            began_at=self._names(list(begin)),
            turned=turns,
            test=not self.no_test,
        )
        verdict = self.beside(verdict, found)
        found = without_its_delay(self, found, terminal)
        interrupted = (
            stopped or found.interrupted or any(turn.interrupted for turn in turns.values())
        )
        outcome = RobotOutcome(
            found=found,
            verdict=verdict,
            model=self.robot.model,
            files=files,
            kinds=kinds(found),
            report=self.report,
            robot_file=self._robot_file(),
            turns=turns,
            interrupted=interrupted,
        )
        whole = self._files().write(outcome, terminal)
        self._saved().forget(interrupted=found.interrupted)
        if turns_file is not None and not found.interrupted:
            turns_file.unlink(missing_ok=True)
        outcome.say(terminal)
        return INTERRUPTED if interrupted else 0 if whole else 1

    def _check_outputs(self, files: Mapping[str, Path]) -> None:
        """Refuse what cannot be written, before the work."""
        from pliant.cli.outcome import check_outputs
        from pliant.io.output import check_output

        for path in [*files.values(), *([self.output / ROBOT_FILE] if self.output else [])]:
            check_output(path, overwrite=self.overwrite)
        check_outputs(self.device, self.report, self.draws, overwrite=self.overwrite)

    def _say_beforehand(self, joints: "Sequence[str]", terminal: Terminal) -> None:
        """Say what of the model gives way, and that nothing is kept without an output."""
        from pliant.engines.mujoco.batch.robot_model import given_way

        robot = self.robot
        for text in given_way(robot.model, joints) if robot.wishes.replace else ():
            terminal.note(text)
        if self.output is None:
            terminal.note("no --output: the result will be printed, not saved")

    def beside(self, verdict: "Verdict", found: "RobotIdentification") -> "Verdict":
        """The verdict with what others reach, where a subclass knows it."""
        return verdict

    def _names(self, joints: "Sequence[str]") -> list[str]:
        """Names or files of the actuators that it begins at."""
        from pliant.cli.fitting import joints_of

        names: dict[str, object] = {j: a.name for j, a in self.robot.actuators.items()}
        names |= joints_of(self.attach, "attach", joints) if self.attach else {}
        return list(dict.fromkeys(map(str, names.values())))

    def _fitted(
        self, task: "FitTask[RobotLog]", logs: "Sequence[RobotLog]", terminal: Terminal
    ) -> "RobotIdentification":
        """Fit with a checkpoint; one that was not asked for is removed after Ctrl-C."""
        from pliant.cli.progress import SearchProgress
        from pliant.identification.fit import fit

        saved = self._saved()
        saved.announce(terminal)
        says: dict[str, SearchProgress] = {}

        def say(progress: "Progress") -> None:
            says.setdefault(progress.part, SearchProgress(terminal, progress.part))(progress)

        try:
            return fit(
                task,
                logs,
                report=say,
                note=terminal.note,
                checkpoint=saved.path,
                keep_checkpoint=True,
            )
        except KeyboardInterrupt:
            saved.forget(interrupted=True)
            raise

    def _chosen(
        self,
        task: "FitTask[RobotLog]",
        division: "Division[RobotLog]",
        files: Mapping[str, Path],
        terminal: Terminal,
    ) -> int:
        """The friction model that predicts logs best which its fit has not seen.

        What `division` holds out is seen by neither fit nor choice.
        """
        from pliant.cli.comparison import chosen_verdict, compared, extensions_of, table
        from pliant.cli.robot_outcome import RobotOutcome
        from pliant.identification.selection.choice import candidate_rigs
        from pliant.identification.selection.sweep import Sweep, candidate_tasks
        from pliant.identification.selection.workers import cluster, here
        from pliant.report.words import kinds

        extensions = extensions_of(self.extension, plain=not self.extension)
        rigs = candidate_rigs(task.rig, self.choose, extensions)
        final = searched(self.search, task.rig.search)
        tasks = candidate_tasks(task, rigs)
        sweep = Sweep(tasks, division.fitted, by=self.by)
        place = here if self.cluster is None else cluster(self.cluster)
        path = self._saved().path
        choice = compared(sweep, place, path, terminal)
        if choice is None:
            return INTERRUPTED
        terminal.say(table(choice) + "\n")
        terminal.note(f"fitting {choice.chosen.name} to all logs ...")
        found = sweep.fitted_to_all(
            choice.chosen, None, path, search=final, held_out=division.held_out
        )
        if found.interrupted:
            terminal.note("interrupted; the same command resumes")
            return INTERRUPTED
        found = self._sure(found, terminal)
        outcome = RobotOutcome(
            found=found,
            verdict=chosen_verdict(found, choice, task.rig, self._names(list(task.rig.actuators))),
            model=self.robot.model,
            files=files,
            kinds=kinds(found),
            report=self.report,
            robot_file=self._robot_file(),
            choice=choice,
        )
        whole = self._files().write(outcome, terminal)
        if path is not None:
            sweep.forget(path)
        outcome.say(terminal)
        return 0 if whole else 1

    def _saved(self) -> "SearchFile":
        return SearchFile.beside(self.output, self.checkpoint)

    def _sure(self, found: "RobotIdentification", terminal: Terminal) -> "RobotIdentification":
        """Add intervals, if they are wanted; Ctrl-C leaves them out."""
        from pliant.cli.watch import show_bands
        from pliant.identification.uncertainty.intervals import (
            intervals,
            with_intervals,
            write_draws,
        )

        if self.no_intervals or found.interrupted:
            return found
        terminal.note("intervals: drawing from the posterior ...")
        try:
            sure = intervals(found)
        except KeyboardInterrupt:
            terminal.note("interrupted: no intervals")
            return found
        if self.draws is not None:
            write_draws(self.draws, sure)
        with_them = with_intervals(found, sure)
        show_bands(terminal, with_them, sure)
        return with_them

    def _robot_file(self) -> Path | None:
        """The robot's file, of all its joints and settings."""
        return None if self.output is None else self.output / ROBOT_FILE

    def _files(self) -> "RobotFiles":
        from pliant.cli.robot_files import RobotFiles

        return RobotFiles(
            model=self.robot.model,
            output=self.output,
            report=self.report,
            device=self.device,
            timestep=self.robot.timestep,
            overwrite=self.overwrite,
            wishes=self.robot.wishes,
        )
