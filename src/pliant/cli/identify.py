"""`pliant identify`."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from tyro.conf import Positional

from pliant.cli.options import RARE, Integration, Output, Recording, check_step, flag, shown
from pliant.cli.several import Repeated
from pliant.cli.terminal import Terminal

if TYPE_CHECKING:
    from pliant.cli.outcome import Outcome
    from pliant.identify.fit import Identification
    from pliant.identify.problem.prior import Prior
    from pliant.identify.search.search import SearchSettings
    from pliant.io.log import Log


@dataclass(frozen=True, kw_only=True)
class Search:
    """How long and how widely to search. The same seed gives the same result.

    Attributes:
        starts: Independent searches. The error has many local minima; the spread of the results
            says how reliable one search is.
        generations: Generations of each search before least squares refines its best.
        rounds: Small searches around the best of all, one after the other, each refined likewise.
        final_generations: Generations of each such round.
        population: Candidates in a generation; by default 4 + 3 ln(number of parameters).
        objective: What is minimised: mean absolute error, root mean square, or Huber's mean. The
            error reported is always the mean absolute one.
        seed: Random seed.
    """

    starts: int = 10
    generations: int = 30
    rounds: int = 10
    final_generations: int = 15
    population: Annotated[int | None, shown("INT")] = None
    objective: Literal["absolute", "squared", "huber"] = "absolute"
    seed: int = 1

    def settings(self) -> "SearchSettings":
        """For the search.

        Raises:
            PliantError: a number is out of range.
        """
        from pliant.errors import PliantError
        from pliant.identify.search.search import SearchSettings

        least = {
            "starts": 1,
            "generations": 1,
            "rounds": 0,
            "final_generations": 0,
            "population": 4,
            "seed": 0,
        }
        for name, low in least.items():
            value = getattr(self, name)
            if value is not None and value < low:
                option = "--" + name.replace("_", "-")
                raise PliantError("out of range", field=option, found=value, accepted=f"≥ {low}")
        return SearchSettings(**{name: getattr(self, name) for name in least})


@dataclass(frozen=True, kw_only=True)
class Identify:
    """Fit an actuator to recorded logs and write it as an actuator file.

    Each candidate is simulated open loop through all logs, and the mean absolute position error is
    minimised: timing and supply first, then all parameters from several starts, then 90 %
    intervals. What these logs cannot determine is said before the search.

    Ctrl-C ends the search early and keeps the best so far. After a crash or a kill, the same
    command resumes. `pliant choose` compares models; `pliant identify-robot` fits an assembled
    robot.

    Example: pliant identify my_logs/ --actuator xl330_bam_m6 --law
    timing=command_delay,driver=pulsed_supply --hold-out gain=800 --output my_xl330.toml --report my_xl330.html

    Attributes:
        logs: Log files (*.json, *.csv), or folders of them.
        actuator: Actuator to start from: a name (`pliant actuators`) or a TOML file. It gives the
            laws, the first guess and the bounds.
        law: Other laws, port=law (friction=m4, friction=mine.py). Their new parameters are
            identified; `pliant actuators --laws` lists them.
        fit: More parameters to identify, port.symbol, or their bounds, port.symbol=low:high.
        fix: Parameters to hold as they are, port.symbol, or at port.symbol=value.
        prior: Earlier fit of this device, to start from and be pulled to; a few logs are then
            enough to recalibrate. The result says how far each parameter moved, and whether device,
            voltage and firmware agree.
        prior_weight: Error reduction [mrad] required to move a parameter by one standard deviation
            of the prior. By default, the weight that best predicts logs left out of the fit.
        sampling: When a recorded command acts: at its own sample (hold), the next (next), the one
            before (before), as a ramp to the next (linear), or whichever fits best (best).
        sample_age: Age of a recorded position at its time stamp [s]. Any age not given is absorbed
            into the command delay: no fit can separate the two.
        hold_out: Logs the fit does not see, to judge it by: gain=800, load=0.49kg@0.1m,
            trajectory=sin_sin or log=NAME. Without a value (gain), each group in turn: one more fit
            for each, and the file is the fit to all logs.
        output: Actuator file to write (*.toml). Without it, the result is shown but not kept.
        report: Report to write (*.html). It opens with the verdict, then plots, then what is open.
        checkpoint: Where the search saves its progress, to resume from; by default beside --output.
            Removed at the end, and, if not named here, after Ctrl-C.
        no_intervals: Skip the 90 % intervals (some seconds of refits to resampled logs).
        no_test: Skip the second, shorter fit that tests the result on a group of logs left out; it
            is done where nothing is held out and the logs have groups.
        draws: Table to write (*.csv): parameter sets that fit these logs as well, one a line, in SI
            units; one for each simulation makes domain randomisation.
        overwrite: Replace files that exist.
    """

    logs: Annotated[Positional[tuple[Path, ...]], shown("LOGS [LOGS ...]")]
    actuator: Annotated[str, shown("NAME|FILE.toml")]
    law: Annotated[tuple[str, ...], Repeated, shown("PORT=LAW")] = ()
    fit: Annotated[tuple[str, ...], Repeated, shown("NAME[=LOW:HIGH]")] = ()
    fix: Annotated[tuple[str, ...], Repeated, shown("NAME[=VALUE]")] = ()
    prior: Annotated[str | None, RARE, shown("NAME|FILE.toml")] = None
    prior_weight: Annotated[float | None, RARE, shown("MRAD")] = None
    sampling: Annotated[Literal["hold", "linear", "next", "before", "best"], RARE] = "hold"
    sample_age: Annotated[float, RARE, shown("S")] = 0.0
    hold_out: Annotated[tuple[str, ...], Repeated, shown("WHAT[=VALUE]")] = ()
    output: Annotated[Path | None, shown("FILE.toml")] = None
    report: Annotated[Path | None, shown("FILE.html")] = None
    checkpoint: Annotated[Path | None, RARE, shown("FILE")] = None
    no_intervals: Annotated[bool, RARE, flag()] = False
    no_test: Annotated[bool, RARE, flag()] = False
    draws: Annotated[Path | None, RARE, shown("FILE.csv")] = None
    overwrite: Annotated[bool, flag()] = False
    search: Search = field(default_factory=Search)
    integration: Integration = field(default_factory=Integration)
    recording: Recording = field(default_factory=Recording)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Identify, write, and show what came out."""
        from pliant.cli.choices import fitted, fixed, with_laws
        from pliant.cli.hold_out import divided, in_turn
        from pliant.cli.logs import read, say_findings
        from pliant.cli.outcome import check_outputs
        from pliant.engines.joint.engine import JointSettings
        from pliant.errors import PliantError
        from pliant.io.actuator_file import load_actuator

        check_outputs(self.output, self.report, self.draws, overwrite=self.overwrite)
        if self.draws is not None and self.no_intervals:
            raise PliantError("needs intervals", field="--draws", accepted="no --no-intervals")
        actuator = with_laws(load_actuator(self.actuator), self.law)
        logs = read(self.logs, self.recording)
        kept, out, turns = divided(logs, self.hold_out)
        check_step(self.integration.step)
        task: dict[str, Any] = {
            "actuator": actuator,
            "fit": fitted(self.fit),
            "fix": fixed(self.fix),
            "prior": self._prior(),
            "sampling": self.sampling,
            "sample_age": self.sample_age,
            "search_settings": self.search.settings(),
            "objective": self.search.objective,
            "settings": JointSettings(
                max_step=self.integration.step, supply=self.integration.supply
            ),
        }
        terminal.note(f"{_counted(kept)} to fit, {len(out)} held out")
        say_findings(logs, terminal)
        if self.output is None:
            terminal.note("no --output is given: what is found will be shown, not kept")
        # Turns first: killed, they go on; the search's own checkpoint ends with its file.
        beside = self.output.with_name(f"{self.output.name}.turns") if self.output else None
        turned = in_turn(task, logs, turns, terminal, beside)
        name = self.output.stem if self.output else None
        path = self.checkpoint
        if path is None and self.output is not None:
            path = self.output.with_name(f"{self.output.name}.checkpoint")
        outcome = self._search({**task, "checkpoint": path}, (kept, out, name), terminal)
        if not self.no_intervals and not outcome.interrupted:
            outcome.find_intervals(terminal, task["settings"])
        outcome.judge(task, logs, terminal, turned, began_at=self.actuator, test=not self.no_test)
        outcome.write(self.output, self.report, terminal, draws=self.draws)
        if outcome.identification.samplings:
            terminal.say(_samplings(outcome.identification) + "\n")
        if self.prior is not None:
            terminal.say(_moved(outcome.identification) + "\n")
        # What was found is in its file, or was not wanted there.
        searched = not outcome.identification.search.interrupted
        if path is not None and (searched or self.checkpoint is None):
            path.unlink(missing_ok=True)
        if beside is not None and not outcome.interrupted:
            beside.unlink(missing_ok=True)
        return outcome.show(turned, terminal)

    def _search(
        self,
        task: dict[str, Any],
        what: "tuple[list[Log], list[Log], str | None]",
        terminal: Terminal,
    ) -> "Outcome":
        """With a checkpoint, which stays; one that was not asked for is gone after Ctrl-C."""
        from pliant.cli.outcome import Outcome

        path: Path | None = task["checkpoint"]
        if path is not None and path.exists():
            terminal.note(f"resuming the search saved in {path}")
        try:
            return Outcome.of({**task, "keep_checkpoint": True}, *what, terminal)
        except KeyboardInterrupt:
            if path is not None and self.checkpoint is None:
                path.unlink(missing_ok=True)
            raise

    def _prior(self) -> "Prior | None":
        from pliant.errors import PliantError
        from pliant.identify.problem.prior import Prior
        from pliant.io.actuator_file import load_actuator

        if self.prior is not None:
            return Prior(load_actuator(self.prior), weight=self.prior_weight)
        if self.prior_weight is not None:
            raise PliantError("needs a prior", field="--prior-weight", accepted="--prior ACTUATOR")
        return None


def _counted(logs: "Sequence[Log]") -> str:
    from pliant.words import counted

    return counted(len(logs), "log")


def _samplings(found: "Identification") -> str:
    """The conventions tried, the one taken first."""
    from pliant.cli.terminal import columns

    ranked = sorted(found.samplings.items(), key=lambda one: one[1])
    rows = [[name, f"{1e3 * error:.1f}"] for name, error in ranked]
    return columns(["commands act", "quick search [mrad]"], rows, numbers=(1,))


def _moved(found: "Identification") -> str:
    """What the prior said, what the logs say, and how strongly it pulled."""
    from pliant.cli.terminal import columns
    from pliant.words import number

    weighing = found.weighing
    rows = [
        [move.name, number(move.before), number(move.after), f"{move.widths:+.1f}"]
        for move in found.moved
    ]
    table = columns(["prior", "before", "after", "moved by widths"], rows, numbers=(1, 2, 3))
    record: Any = found.actuator.identification["prior"]
    table += f"\nprior and logs: {'; '.join(record['is'])}"
    if weighing is None or not weighing.errors:
        return table
    tried = ", ".join(f"{1e3 * error:.1f} ({w:g})" for w, error in weighing.errors.items())
    return f"{table}\nweight {weighing.weight:g}; error on logs left out [mrad] (weight): {tried}"
