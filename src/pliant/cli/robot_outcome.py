"""Results of a robot's identification: its files and its output on the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pliant.cli import searching
from pliant.cli.choices import ROBOT_FILE
from pliant.cli.comparison import as_plain as models_as_plain
from pliant.cli.evaluated import robot_table
from pliant.cli.fit_plan import FitPlan
from pliant.cli.judging import (
    as_figures,
    intervals_of,
    numbers_table,
    say_questions,
    say_robot_use,
    say_use,
    say_verdict,
)
from pliant.cli.outcome import FitOutcome
from pliant.cli.terminal import Terminal, columns
from pliant.errors import PliantError, is_interrupt
from pliant.identification.problem.evaluation import JointError, RobotEvaluation
from pliant.identification.problem.repeatability import each_joint, in_words
from pliant.identification.result.record import FitRecord
from pliant.identification.robot.device import device_actuator, device_of
from pliant.identification.robot.space import OFFSETS
from pliant.identification.uncertainty.intervals import write_draws
from pliant.io.actuator_file import write_actuator, write_or_rescue
from pliant.io.output import way_to, write_whole
from pliant.io.robot_log import RobotLog
from pliant.report.page import entries, own_verdict
from pliant.report.robot_page import robot_report_text
from pliant.report.unknown import questions
from pliant.report.verdict import Verdict
from pliant.report.words import HEAD, Kind
from pliant.robots.identify import RobotIdentification
from pliant.robots.robot_energies import Energies, energies_of_logs, totals
from pliant.robots.robot_energies import as_plain as energies_as_plain
from pliant.robots.robot_file import RecordedRobot, robot_file_text
from pliant.words import counted, mrad


@dataclass(frozen=True, kw_only=True)
class RobotOutcome:
    """A robot's fit, and the files written for it.

    Attributes:
        fit: its outcome. model: the robot's.
        files: joint to its file. report: the page, if asked for.
        robot_file: with all joints and settings, if files are written.
        kinds: devices of which the robot has several units.
    """

    fit: FitOutcome[RobotLog]
    model: Path
    files: Mapping[str, Path]
    kinds: Sequence[Kind] = ()
    report: Path | None = None
    robot_file: Path | None = None

    @property
    def found(self) -> RobotIdentification:
        """The fit itself."""
        return self.fit.identification

    @property
    def verdict(self) -> Verdict:
        """Verdict on the fit."""
        return self.fit.verdict or own_verdict(self.found)

    @cached_property
    def spent(self) -> Energies:
        """The energy of each joint in each log [J]."""
        return energies_of_logs(self.found.rig, [entry.log for entry in entries(self.found)])

    def write(self, plan: FitPlan, robot: RecordedRobot, terminal: Terminal) -> bool:
        """Write what `plan` asks for; False if a file could not be written in its place and was kept elsewhere."""
        problems: list[object] = []
        for joint, path in self.files.items():
            if problem := write_or_rescue(self.found.actuators[joint], path):
                problems.append(problem)
        try:
            if plan.output is not None:
                self._write_robot(plan.output, robot)
            if plan.draws is not None and self.fit.sure is not None:
                write_draws(plan.draws, self.fit.sure)
            if plan.device_output is not None:
                self._write_device(plan.device_output, overwrite=plan.overwrite)
        except PliantError as error:
            problems.append(error)
        if self.report is not None:
            terminal.note("drawing the report ...")
            try:
                page = robot_report_text(
                    self.found,
                    self.model,
                    self.files,
                    verdict=self.verdict,
                    kinds=self.kinds,
                    choice=self.fit.choice,
                    energies=self.spent,
                )
                write_whole(self.report, page)
            except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - the result matters more
                if is_interrupt(error):
                    raise KeyboardInterrupt(f"the result is in {plan.output}") from None
                problems.append(f"a file is missing: {error}; the result is in {plan.output}")
        for problem in problems:
            terminal.note(f"pliant: {problem}")
        return not problems

    def _write_robot(self, folder: Path, robot: RecordedRobot) -> None:
        """Write the robot's file, with the zeros of its recordings, beside its actuators."""
        model = way_to(self.model.resolve(), folder.resolve())
        names = {joint: path.name for joint, path in self.files.items()}
        zeros = {n: x for n, x in self.found.values.items() if n.endswith(OFFSETS)}
        energies = {
            joint: {name: float(f"{x:.4g}") for name, x in parts.items() if x is not None}
            for joint, parts in totals(self.spent).items()
        }
        passed = any(doubt.kind == "base" and doubt.parameters for doubt in self.found.doubts)
        exclude = passed or robot.wishes.exclude_base_collision
        wishes = replace(robot.wishes, exclude_base_collision=exclude)
        text = robot_file_text(model, names, zeros, robot.timestep, wishes, energies)
        write_whole(folder / ROBOT_FILE, text)

    def _write_device(self, path: Path, *, overwrite: bool) -> None:
        """Write the device whose units the joints have."""
        found = self.found
        first, *_ = found.actuators.values()
        device = device_of(found, list(found.actuators))
        logs = {entry.log.name: entry.log for entry in found.fitted.entries}
        seconds = sum(float(log.time[-1]) for log in logs.values())
        units = counted(len(device.units), "unit")
        text = (
            f"{units} on {self.model.name}, {counted(len(logs), 'recording')}, {seconds:.0f} s; "
            "std is how far units differ"
        )
        title = f"{first.title.partition(' at ')[0]}, mean of {units}"
        write_actuator(
            device_actuator(device, first, path.stem, title, text), path, overwrite=overwrite
        )

    def say(self, terminal: Terminal) -> None:
        """The result, for people: is it good, can I use it, what is not known."""
        found = self.found
        wanted = terminal.verbose or terminal.as_json
        spent = self.spent if wanted else {}
        say_verdict(self.verdict, terminal)
        if said := in_words(each_joint(found.logs)):
            terminal.paragraph(said, indent=2)
        if self.fit.turns:
            terminal.say("\n" + searching.turn_table(self.fit.turns))
        if said := bands(found):
            terminal.say("")
            terminal.paragraph(said)
        for kind in self.kinds:
            terminal.say("\n" + units(kind))
        if terminal.verbose:
            terminal.say("\n" + numbers_table(found))
            terminal.say("\n" + errors(found.fitted))
            if found.held_out is not None:
                terminal.say("\nheld out:\n" + errors(found.held_out))
            if table := robot_table(spent):
                terminal.say("\n" + table)
        if self.robot_file is not None:
            say_robot_use(self.robot_file, terminal)
        else:
            say_use(self.files, terminal, str(self.model))
        say_questions(questions(found.doubts), terminal)
        for joint, path in self.files.items():
            terminal.say(f"wrote {joint} {path}")
        if self.report is not None:
            terminal.say(f"wrote report {self.report}")
        if self.fit.interrupted:
            terminal.note(f"interrupted: this is the best so far ({mrad(found.fitted.mae)} mrad)")
        terminal.result(self.as_plain() | {"energy_J": energies_as_plain(spent)})

    def as_plain(self) -> dict[str, Any]:
        """The result for `--json`."""
        found, choice = self.found, self.fit.choice
        out = found.held_out.entries if found.held_out else ()
        logs = [_plain(entry, held_out=False) for entry in found.fitted.entries]
        chosen = {"chosen": choice.chosen.name, "models": models_as_plain(choice)} if choice else {}
        report = {} if self.report is None else {"report": str(self.report)}
        return {
            "mae_mrad": 1e3 * found.fitted.mae,
            "verdict": as_figures(self.verdict),
            "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
            "logs": logs + [_plain(entry, held_out=True) for entry in out],
            "repeatability_mrad": repeatability_as_plain(found.logs),
            "held_out_in_turn": searching.turns_as_plain(self.fit.turns),
            **chosen,
            "identified": dict(found.values),
            "parameters": {
                joint: {name: asdict(number) for name, number in a.numbers.items()}
                for joint, a in found.actuators.items()
            },
            "intervals_90": intervals_of(found) or None,
            "coverage": _coverage(found) or None,
            "units": {kind.device: [asdict(unit) for unit in kind.units] for kind in self.kinds},
            "evaluations": found.evaluations,
            "seconds": found.seconds,
            "steps": found.steps,
            "warnings": [f"{question.text}." for question in questions(found.doubts)],
            "files": {joint: str(path) for joint, path in self.files.items()} | report,
            "interrupted": self.fit.interrupted,
        }


def _coverage(found: RobotIdentification) -> dict[str, Any]:
    """Map of joint to the coverage and the margin of its bands."""
    held = {j: FitRecord.of(a).coverage for j, a in found.actuators.items()}
    return {joint: one for joint, one in held.items() if one is not None}


def repeatability_as_plain(logs: Sequence[RobotLog]) -> dict[str, dict[str, float]]:
    """Map of joint to the first log of each repeated command, to the distance between its runs [mrad]."""
    return {
        joint: {name: 1e3 * apart for name, apart in each.items()}
        for joint, each in each_joint(logs).items()
        if each
    }


def errors(evaluation: RobotEvaluation) -> str:
    """Table of every joint in every log."""
    rows = [[e.log.name, e.joint, mrad(e.mae)] for e in evaluation.entries]
    rows.append(["mean", "", mrad(evaluation.mae)])
    return columns(["log", "joint", "MAE [mrad]"], rows, numbers=(2,))


def units(kind: Kind) -> str:
    """Table of each unit's friction and stall torque relative to the device's, and outliers."""
    rows = [list(unit.cells) for unit in kind.units]
    said = [unit.sentence for unit in kind.units if unit.sentence]
    text = columns([kind.title, *HEAD[1:]], rows, numbers=(1, 2))
    return "\n".join([text, *said])


def bands(found: RobotIdentification) -> str:
    """Coverage of the bands on held-out logs; empty if it was not measured."""
    held = _coverage(found)
    if not held:
        return ""
    by = {FitRecord.of(actuator).coverage_by for actuator in found.actuators.values()}
    of = "parts of the one recording" if "part" in by else "logs"
    said = f"Bands of 90 % hold {_shares(held, 'samples')} of the samples of {of} held out in turn."
    if all("held_out" in one for one in held.values()):
        said += f" Of the logs held out of the fit itself: {_shares(held, 'held_out')}."
    return said


def _shares(held: Mapping[str, Any], key: str) -> str:
    """Mean over the joints, and each."""
    shares = {joint: 100 * float(one[key]) for joint, one in held.items()}
    each = ", ".join(f"{joint} {share:.0f}" for joint, share in shares.items())
    return f"{sum(shares.values()) / len(shares):.0f} % ({each})"


def _plain(entry: JointError, *, held_out: bool) -> dict[str, Any]:
    return {
        "log": entry.log.name,
        "joint": entry.joint,
        "mae_mrad": 1e3 * entry.mae,
        "held_out": held_out,
    }
