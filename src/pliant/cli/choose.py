"""`pliant choose`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.fitting import ChoiceSearch, Fitting, facts, searched
from pliant.cli.options import RARE, Integration, LogOptions, Output, check_step, flag, shown
from pliant.cli.reading_options import RobotReading
from pliant.cli.several import Repeated
from pliant.cli.terminal import INTERRUPTED, Terminal
from pliant.cli.watch import watchable
from pliant.errors import PliantError

if TYPE_CHECKING:
    from pliant.assemble import Actuator
    from pliant.cli.outcome import FitOutcome
    from pliant.identification.problem.task import FitTask
    from pliant.identification.selection.choice import Choice
    from pliant.identification.selection.sweep import Sweep
    from pliant.io.log import Log


@dataclass(frozen=True, kw_only=True)
class Choose:
    """Compare models and take the one that best predicts logs its fit has not seen.

    Each candidate (a friction model with extensions) is fitted to all logs, and from there to all but
    each group of them. The one that errs least on the groups left out is taken. With --output it is then fitted like `pliant identify` does,
    with 90 % intervals, and written.

    After a crash, a kill or Ctrl-C, the same command resumes with the models that are missing, if it has
    an --output or a --checkpoint. --cluster distributes the fits; the result is the same.

    Example: pliant choose my_logs/ --actuator xl330_bam_m6 --model m1,m4,m6 --by gain --cluster
    local:2 --output my_xl330.toml --report my_xl330.html

    Attributes:
        logs: Log files (*.json, *.csv), or folders of them, in at least two groups.
        actuator: Actuators to start from: names or TOML files. By default that of
            the device which the logs name.
        device: Device to find it by where the logs name none: STS3032, AK80-6.
        joint: Joint to fit, if the logs are recordings of a robot.
        law: Other laws for all candidates, port=law.
        model: Friction models to compare; by default m1 to m6.
        extension: Laws to combine each model with, port=law, or several joined by +
            (timing=command_delay+driver=pulsed_supply). By default command delay, pulsed supply,
            and both; of an actuator that is given torque or current, the delay alone.
        plain: Compare the models alone, without extensions.
        by: Groups to hold out in turn: the logs of one gain, load, length or trajectory, or single logs (log).
        zero_by: Find one encoder zero for each length, mass, load or day, where the bench was mounted
            anew in between. By default for each length and day, where the logs differ in
            them; none: one for all. The zeros are written to the file's record of the fit, not into the
            actuator.
        fit: More parameters to identify, port.symbol, or other bounds, port.symbol=low:high, in the
            candidates that have them.
        fix: Parameters to keep as they are, port.symbol, or at a value, port.symbol=value, in the
            candidates that have them.
        with_equals: Fit the models that add to the mixture (weight from 0.05) to all logs too, and write the fits
            of all into one file, as a set: the one taken is attached, `pliant evaluate` predicts by the
            median. Each of them takes as long as the one taken.
        recorder_by: Find the recorder delay, supply and temperature of each day, folder or log apart; they
            are written to the file's record of the fit. By default of each day whose gains and loads another
            has too; none: never.
        datasheet: Data-sheet values to pull the fit towards; a tolerance counts as a standard deviation:
            stall_torque=0.93@7.4V [N m], no_load_speed=9.2@7.4V~0.1 [rad/s],
            stall_current=2.4@7.4V [A], winding_resistance=3.1 [Ohm], gear_ratio=345,
            rotor_inertia=2e-7 [kg m^2]; or file: those of the actuator's file. By default none: on
            the logs tested they made predictions worse.
        hold_out: Logs to keep from both the choice and the fit, and judge the result by: gain=800,
            load=0.49kg@0.1m, length=0.1m, trajectory=sin_sin or log=NAME.
        cluster: Where to run the fits: in local:2 processes here, or by a Dask scheduler,
            tls://host:8786 (pip install "pliant[cluster]").
        output: Actuator file to write (*.toml). It is the model taken, fitted to all logs.
        report: Report to write (*.html). It has that fit, and the table of all models.
        checkpoint: File in which finished fits and running searches are saved, to resume from; by
            default beside --output. Removed at the end.
        no_intervals: Skip the 90 % intervals of the model taken.
        draws: Table to write (*.csv): parameter sets of the model taken that fit these logs as
            well, one per line, in SI units.
        watch: Show the comparison in the browser: models, errors, parameters and bands. Needs pip install
            "pliant[view]".
        overwrite: Replace files that exist.
    """

    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    actuator: Annotated[tuple[str, ...], Repeated, shown("NAME|FILE.toml")] = ()
    device: Annotated[str | None, RARE, shown("NAME")] = None
    joint: Annotated[str | None, RARE, shown("NAME")] = None
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    model: Annotated[tuple[str, ...], Repeated, shown("LAW")] = ()
    extension: Annotated[tuple[str, ...], RARE, Repeated, shown("PORT=LAW[+PORT=LAW]")] = ()
    plain: Annotated[bool, RARE, flag()] = False
    by: Annotated[str, shown("WHAT")] = "gain"
    zero_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    recorder_by: Annotated[str, RARE, shown("WHAT")] = "auto"
    fit: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME[=VALUE]")] = ()
    with_equals: Annotated[bool, RARE, flag()] = False
    datasheet: Annotated[tuple[str, ...], Repeated, RARE, shown("FACT=VALUE[@V][~TOLERANCE]")] = ()
    hold_out: Annotated[tuple[str, ...], RARE, Repeated, shown("WHAT=VALUE")] = ()
    cluster: Annotated[str | None, shown("local:N|ADDRESS")] = None
    output: Annotated[Path | None, shown("FILE.toml")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    checkpoint: Annotated[Path | None, RARE, shown("FILE")] = None
    no_intervals: Annotated[bool, RARE, flag()] = False
    draws: Annotated[Path | None, RARE, shown("FILE.csv")] = None
    watch: Annotated[bool, RARE, flag()] = False
    overwrite: Annotated[bool, flag()] = False
    fitting: Fitting = field(default_factory=Fitting)
    search: ChoiceSearch = field(default_factory=ChoiceSearch)
    integration: Integration = field(default_factory=Integration)
    recording: LogOptions = field(default_factory=LogOptions)
    robot_recording: RobotReading = field(default_factory=RobotReading)
    printing: Output = field(default_factory=Output)

    @watchable
    def run(self, terminal: Terminal) -> int:
        """Compare, and show the table."""
        from pliant.cli.comparison import as_plain, compared, in_set, table
        from pliant.cli.logs import read, say_findings
        from pliant.cli.outcome import check_outputs
        from pliant.cli.search_file import SearchFile
        from pliant.identification.problem.hold_out import divided
        from pliant.identification.selection.sweep import Sweep
        from pliant.identification.selection.workers import cluster, here

        check_outputs(self.output, self.report, self.draws, overwrite=self.overwrite)
        self._check()
        place = here if self.cluster is None else cluster(self.cluster)
        # What is given is checked before anything is read.
        given = self._given() if self.actuator else []
        tasks = self._tasks(given) if given else []
        logs = read(self.logs, self.recording, self.robot_recording, self.joint)
        bases = given or self._by_device(logs, terminal)
        tasks = tasks or self._tasks(bases)
        division = divided(logs, self.hold_out)
        if division.turns:
            accepted = f"{division.turns[0]}; --by {self.hold_out[0]} holds out each in turn"
            raise PliantError("has no value", field="--hold-out", accepted=accepted)
        say_findings(logs, terminal)
        sweep = Sweep(
            tasks,
            division.fitted,
            by=self.by,
            note=terminal.note,
        )
        path = SearchFile.beside(self.output, self.checkpoint).path
        choice = compared(sweep, place, path, terminal)
        if choice is None:
            return INTERRUPTED
        terminal.say(table(choice))
        outcome = self._write(sweep, choice, bases[0], division.held_out, path, terminal)
        if outcome is not None and not outcome.files:
            terminal.note("interrupted; the same command resumes")
            return INTERRUPTED
        if path is not None:
            sweep.forget(path)
        judged = None if outcome is None else outcome.identification.held_out
        files = {} if outcome is None else {kind: str(at) for kind, at in outcome.files.items()}
        terminal.result(
            {
                "by": self.by,
                "chosen": choice.chosen.name,
                "held_out_mae_mrad": 1e3 * choice.held_out,
                "unseen_mae_mrad": None if judged is None else 1e3 * judged.mae,
                "models": as_plain(choice),
                "set": None if outcome is None else in_set(outcome.identification),
                "files": files,
            }
        )
        return INTERRUPTED if outcome is not None and outcome.interrupted else 0

    def _check(self) -> None:
        """Refuse options that do not go together, or are out of range."""
        if self.draws is not None and self.no_intervals:
            raise PliantError("needs intervals", field="--draws", accepted="no --no-intervals")
        if self.with_equals and self.output is None and self.report is None:
            raise PliantError("needs a file", field="--with-equals", accepted="--output FILE.toml")
        check_step(self.integration.step)

    def _given(self) -> "list[Actuator]":
        """The actuators that were asked for, with their other laws."""
        from pliant.cli.choices import with_laws
        from pliant.io.actuator_file import load_actuator

        if self.device is not None:
            raise PliantError("one of two", field="--device", accepted="no --actuator")
        return [with_laws(load_actuator(name), self.law) for name in self.actuator]

    def _by_device(self, logs: "list[Log]", terminal: Terminal) -> "list[Actuator]":
        """The actuator of the device; without a delay or supply that only some candidates are to have."""
        from pliant.cli.choices import with_laws
        from pliant.cli.comparison import extensions_of
        from pliant.identification.problem.starting_actuator import starting_actuator

        found, said = starting_actuator(logs, self.device)
        terminal.note(said)
        extensions = extensions_of(self.extension, found, plain=self.plain)
        none = {"timing": "immediate", "driver": "ideal_supply"}
        own = [
            f"{port}={none[port]}"
            for port in none
            if port in found.laws and any(port in one for one in extensions)
        ]
        return [with_laws(with_laws(found, own), self.law)]

    def _tasks(self, bases: "Sequence[Actuator]") -> "list[FitTask]":
        """One for each candidate."""
        from pliant.cli.choices import fitted, fixed, mounting
        from pliant.cli.comparison import extensions_of
        from pliant.engines.joint.engine import JointSettings
        from pliant.identification.problem.joint_rig import JointRig
        from pliant.identification.problem.task import fit_task
        from pliant.identification.selection.choice import MODELS, candidate_rigs
        from pliant.identification.selection.sweep import candidate_tasks

        joint = JointSettings(max_step=self.integration.step, supply=self.integration.supply)
        rigs = [
            one
            for base in bases
            for one in candidate_rigs(
                JointRig(base, joint),
                self.model or MODELS,
                extensions_of(self.extension, base, plain=self.plain),
            )
        ]
        task = fit_task(
            rigs[0],
            {
                "fit": fitted(self.fit),
                "fix": fixed(self.fix),
                "search_settings": searched(self.search, rigs[0].fold_search),
                "zero_by": mounting(self.zero_by),
                "recorder_by": mounting(self.recorder_by),
                "datasheet": facts(self.datasheet, bases[0]),
                **self.fitting.options(),
            },
        )
        return candidate_tasks(task, rigs)

    # Seven arguments: a choice, what it was made from, and where its work is kept.
    def _write(
        self,
        sweep: "Sweep",
        choice: "Choice",
        begun: "Actuator",
        held_out: "Sequence[Log]",
        path: Path | None,
        terminal: Terminal,
    ) -> "FitOutcome | None":
        """The model taken, fitted to all logs but those held out of everything."""
        if self.output is None and self.report is None:
            return None
        from pliant.cli.comparison import chosen_verdict, fitted_as_good
        from pliant.cli.outcome import FitOutcome
        from pliant.cli.progress import SearchProgress
        from pliant.cli.result import say
        from pliant.engines.joint.engine import JointSettings
        from pliant.identification.problem.joint_rig import JointRig
        from pliant.identification.selection.as_good import with_others
        from pliant.identification.selection.fit_job import Listeners
        from pliant.report.words import carried

        terminal.note(f"fitting {choice.chosen.name} to all logs ...")
        name = self.output.stem if self.output else None
        told = Listeners(SearchProgress(terminal), terminal.note)
        search = searched(self.search, sweep.tasks[0].rig.search)
        found = sweep.fitted_to_all(
            choice.chosen, name, path, search=search, held_out=held_out, listeners=told
        )
        outcome = FitOutcome(found, interrupted=found.interrupted, choice=choice)
        others = {}
        if self.with_equals and not outcome.interrupted:
            others = fitted_as_good(sweep, choice, found, path, search, terminal)
            outcome.interrupted = any(one.interrupted for one in others.values())
        if outcome.interrupted:
            return outcome
        if not self.no_intervals:
            outcome.find_intervals(terminal)
        if others:
            taken = choice.chosen.name
            outcome.identification = with_others(outcome.identification, taken, others)
        first = self.actuator[0] if self.actuator else begun.path.stem if begun.path else begun.name
        joint = JointSettings(max_step=self.integration.step, supply=self.integration.supply)
        outcome.verdict = chosen_verdict(found, choice, JointRig(begun, joint), [first])
        outcome.write(self.output, self.report, terminal, draws=self.draws)
        say(outcome, terminal)
        if others:
            terminal.say(carried(outcome.identification.carrying).strip())
        return outcome
