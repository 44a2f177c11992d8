"""`pliant identify`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.fitting import Fitting, Search, facts, searched
from pliant.cli.options import RARE, Integration, LogOptions, Output, check_step, flag, shown
from pliant.cli.reading_options import RobotReading
from pliant.cli.search_file import SearchFile, beside
from pliant.cli.several import Repeated
from pliant.cli.terminal import Terminal
from pliant.cli.watch import watchable

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.cli.outcome import FitOutcome
    from pliant.identification.problem.task import FitTask
    from pliant.io.log import Log


@dataclass(frozen=True, kw_only=True)
class Identify:
    """Fit an actuator to recorded logs and write it as an actuator file.

    Each candidate is simulated open loop through all logs, and the position's error is minimised:
    all parameters from several starts, then 90 % intervals.
    Before the search it says what these logs cannot determine.

    Ctrl-C ends the search early and keeps the best so far. After a crash or a kill, the same
    command resumes. `pliant choose` compares models; `pliant identify-robot` fits an assembled
    robot.

    Example: pliant identify my_logs/ --actuator xl330_bam_m6 --law
    timing=command_delay,driver=pulsed_supply --hold-out gain=800 --output my_xl330.toml --report my_xl330.html

    Attributes:
        logs: Log files (*.json, *.csv), or folders of them.
        actuator: Actuator to start from: a name (`pliant actuators`) or a TOML file. It gives laws,
            first guess and bounds. By default that of the device which the logs name.
        device: Device to find it by where the logs name none: STS3032, AK80-6.
        joint: Joint to fit, if the logs are recordings of a robot.
        law: Other laws than the actuator's, port=law (friction=m4). A law may be a file
            (friction=mine.py); `pliant actuators --laws` lists the others. Their parameters are
            identified too.
        fit: More parameters to identify, or other bounds (=low:high).
        fix: Parameters to keep as they are, or at =value.
        zero_by: Find one encoder zero for each length, mass, load or day, where the bench was mounted
            anew in between. By default for each length and day, where the logs differ in
            them; none: one for all. The zeros are written to the file's record of the fit, not into the
            actuator.
        recorder_by: Find the recorder delay, supply and temperature of each day, folder or log apart; they
            are written to the file's record of the fit. By default of each day whose gains and loads another
            has too; none: never.
        datasheet: Data-sheet values to pull the fit towards; a tolerance counts as a standard deviation:
            stall_torque=0.93@7.4V [N m], no_load_speed=9.2@7.4V~0.1 [rad/s],
            stall_current=2.4@7.4V [A], winding_resistance=3.1 [Ohm], gear_ratio=345,
            rotor_inertia=2e-7 [kg m^2]; or file: those of the actuator's file. By default none: on
            the logs tested they made predictions worse.
        hold_out: Logs kept out, to judge by: gain=800, load=0.49kg@0.1m, length=0.1m,
            trajectory=sin_sin, log=NAME. Without a value (gain), each group in turn: one more fit
            for each, and the file is the fit to all logs.
        output: Actuator file to write (*.toml). Without it, the result is printed but not saved.
        report: Report to write (*.html). It has the verdict, plots, and what is not known.
        checkpoint: File in which the search saves its progress, to resume from; by default beside
            --output. Removed at the end, and, if not named here, after Ctrl-C.
        no_intervals: Skip the 90 % intervals, which take some seconds, and the bands.
        no_test: Skip the second, shorter fit that tests the first on a group of logs left out. It is
            made where nothing is held out and the logs have groups.
        draws: Table to write (*.csv): parameter sets that fit these logs as well, one per line, in SI
            units. Drawing one for each simulation gives domain randomisation.
        watch: Show the search in the browser: errors of the candidates, their parameters, and the
            bands. Needs pip install "pliant[view]".
        overwrite: Replace files that exist.
    """

    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    actuator: Annotated[str | None, shown("NAME|FILE.toml")] = None
    device: Annotated[str | None, RARE, shown("NAME")] = None
    joint: Annotated[str | None, RARE, shown("NAME")] = None
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME[=VALUE]")] = ()
    zero_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    recorder_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    datasheet: Annotated[tuple[str, ...], Repeated, RARE, shown("FACT=VALUE[@V][~TOLERANCE]")] = ()
    hold_out: Annotated[tuple[str, ...], Repeated, shown("WHAT[=VALUE]")] = ()
    output: Annotated[Path | None, shown("FILE.toml")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    checkpoint: Annotated[Path | None, RARE, shown("FILE")] = None
    no_intervals: Annotated[bool, RARE, flag()] = False
    no_test: Annotated[bool, RARE, flag()] = False
    draws: Annotated[Path | None, RARE, shown("FILE.csv")] = None
    watch: Annotated[bool, RARE, flag()] = False
    overwrite: Annotated[bool, flag()] = False
    fitting: Fitting = field(default_factory=Fitting)
    search: Search = field(default_factory=Search)
    integration: Integration = field(default_factory=Integration)
    recording: LogOptions = field(default_factory=LogOptions)
    robot_recording: RobotReading = field(default_factory=RobotReading)
    printing: Output = field(default_factory=Output)

    @watchable
    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        from pliant.cli.hold_out import turned
        from pliant.cli.logs import read, say_findings
        from pliant.cli.outcome import check_outputs
        from pliant.cli.result import show
        from pliant.errors import PliantError
        from pliant.identification.problem.hold_out import divided
        from pliant.words import counted

        check_outputs(self.output, self.report, self.draws, overwrite=self.overwrite)
        if self.draws is not None and self.no_intervals:
            raise PliantError("needs intervals", field="--draws", accepted="no --no-intervals")
        check_step(self.integration.step)
        # What is given is checked before anything is read.
        given = None if self.actuator is None else self._given(self.actuator, terminal)
        logs = read(self.logs, self.recording, self.robot_recording, self.joint)
        task, begun = (given, self.actuator) if given else self._by_device(logs, terminal)
        if given and not self.fitting.prior:
            self._say_laws_not_taken(given, logs, terminal)
        division = divided(logs, self.hold_out)
        terminal.note(
            f"{counted(len(division.fitted), 'log')} to fit, {len(division.held_out)} held out"
        )
        say_findings(logs, terminal)
        if self.output is None:
            terminal.note("no --output: the result will be printed, not saved")
        # Turns first: killed, they go on; the search's own checkpoint ends with its file.
        turns_file = beside(self.output, ".turns") if self.output else None
        turns = turned(task, logs, terminal, turns_file)
        outcome = self._search(task, logs, terminal)
        if not self.no_intervals and not outcome.interrupted:
            outcome.find_intervals(terminal)
        outcome.judge(task, logs, terminal, turns, began_at=str(begun), test=not self.no_test)
        outcome.write(self.output, self.report, terminal, draws=self.draws)
        self._saved().forget(interrupted=outcome.identification.interrupted)
        if turns_file is not None and not outcome.interrupted:
            turns_file.unlink(missing_ok=True)
        return show(outcome, terminal, turns)

    def _given(self, name: str, terminal: Terminal) -> "FitTask":
        """The task with the actuator that was asked for, and its other laws."""
        from pliant.cli.choices import with_laws
        from pliant.errors import PliantError
        from pliant.identification.problem.starting_actuator import with_something_to_fit
        from pliant.io.actuator_file import load_actuator

        if self.device is not None:
            raise PliantError("one of two", field="--device", accepted="no --actuator")
        found = with_laws(load_actuator(name), self.law)
        if not self.fit:
            found, said = with_something_to_fit(found)
            if said:
                terminal.note(said)
        return self._task(found)

    def _say_laws_not_taken(self, task: "FitTask", logs: "list[Log]", terminal: Terminal) -> None:
        """Tell laws that the fit would begin with if no actuator were given."""
        from pliant.identification.problem.starting_actuator import laws_not_taken

        (actuator,) = task.rig.actuators.values()
        laws = laws_not_taken(actuator, logs, self.law)
        if laws:
            terminal.note(
                f"as given, {actuator.name} lacks what usually predicts other logs better: --law {laws}"
            )

    def _by_device(self, logs: "list[Log]", terminal: Terminal) -> "tuple[FitTask, str]":
        """The task with the actuator of the device, and the name of its file."""
        from pliant.cli.choices import with_laws
        from pliant.identification.problem.starting_actuator import starting_actuator

        found, said = starting_actuator(logs, self.device)
        terminal.note(said)
        name = found.path.stem if found.path else found.name
        return self._task(with_laws(found, self.law)), name

    def _task(self, actuator: "Actuator") -> "FitTask":
        from pliant.cli.choices import fitted, fixed, mounting
        from pliant.engines.joint.engine import JointSettings
        from pliant.identification.problem.joint_rig import JointRig
        from pliant.identification.problem.task import fit_task

        step, supply = self.integration.step, self.integration.supply
        rig = JointRig(actuator, JointSettings(max_step=step, supply=supply))
        return fit_task(
            rig,
            {
                "fit": fitted(self.fit),
                "fix": fixed(self.fix),
                "search_settings": searched(self.search, rig.search),
                "zero_by": mounting(self.zero_by),
                "recorder_by": mounting(self.recorder_by),
                "datasheet": facts(self.datasheet, actuator),
                "hold_out": self.hold_out,
                **self.fitting.options(),
            },
        )

    def _search(self, task: "FitTask", logs: "list[Log]", terminal: Terminal) -> "FitOutcome":
        """Fit with a checkpoint; one that was not asked for is removed after Ctrl-C."""
        from pliant.cli.outcome import FitOutcome

        saved = self._saved()
        saved.announce(terminal)
        try:
            name = self.output.stem if self.output else None
            return FitOutcome.of(task, logs, name, terminal, checkpoint=saved.path)
        except KeyboardInterrupt:
            saved.forget(interrupted=True)
            raise

    def _saved(self) -> "SearchFile":
        return SearchFile.beside(self.output, self.checkpoint)
