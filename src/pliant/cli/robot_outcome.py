"""Results of a robot's identification on the terminal."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pliant.cli import searching
from pliant.cli.comparison import as_plain as models_as_plain
from pliant.cli.energy_tables import robot_table
from pliant.cli.judging import as_figures, say_questions, say_robot_use, say_use, say_verdict
from pliant.cli.terminal import Terminal, columns
from pliant.identification.problem.evaluation import JointError, RobotEvaluation
from pliant.identification.problem.repeatability import each_joint, in_words
from pliant.identification.result.record import FitRecord
from pliant.identification.selection.choice import Choice
from pliant.identification.selection.cross_validation import Fold
from pliant.io.robot_log import RobotLog
from pliant.report.unknown import questions
from pliant.report.verdict import Verdict
from pliant.report.words import HEAD, Kind
from pliant.robots.identify import RobotIdentification
from pliant.robots.robot_energies import Energies, energies_of_logs
from pliant.robots.robot_energies import as_plain as energies_as_plain
from pliant.words import mrad


@dataclass(frozen=True, kw_only=True)
class RobotOutcome:
    """A robot's fit, and what was written of it.

    Attributes:
        found: the fit. verdict: on it. model: the robot's.
        files: joint to its file. report: the page, if one was wanted.
        robot_file: of all its joints and settings, if files are written.
        kinds: devices of which the robot has several units.
        turns: groups held out in turn. choice: the models it was chosen from.
        interrupted: something ended early.
    """

    found: RobotIdentification
    verdict: Verdict
    model: Path
    files: Mapping[str, Path]
    kinds: Sequence[Kind] = ()
    report: Path | None = None
    robot_file: Path | None = None
    turns: Mapping[str, Fold] = field(default_factory=dict[str, Fold])
    choice: Choice | None = None
    interrupted: bool = False

    @cached_property
    def spent(self) -> Energies:
        """The energy of each joint in each log [J]."""
        held_out = self.found.held_out
        entries = [*self.found.fitted.entries, *(held_out.entries if held_out else ())]
        return energies_of_logs(self.found.rig, [entry.log for entry in entries])

    def say(self, terminal: Terminal) -> None:
        """The result, for people: is it good, can I use it, what is not known."""
        found = self.found
        wanted = terminal.verbose or terminal.as_json
        spent = self.spent if wanted else {}
        say_verdict(self.verdict, terminal)
        if said := in_words(each_joint(found.logs)):
            terminal.paragraph(said, indent=2)
        if self.turns:
            terminal.say("\n" + searching.turn_table(self.turns))
        if said := bands(found):
            terminal.say("")
            terminal.paragraph(said)
        for kind in self.kinds:
            terminal.say("\n" + units(kind))
        if terminal.verbose:
            terminal.say("\n" + _parameters(found))
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
        if self.interrupted:
            terminal.note(f"interrupted: this is the best so far ({mrad(found.fitted.mae)} mrad)")
        terminal.result(self.as_plain() | {"energy_J": energies_as_plain(spent)})

    def as_plain(self) -> dict[str, Any]:
        """The result for `--json`."""
        found, choice = self.found, self.choice
        out = found.held_out.entries if found.held_out else ()
        logs = [_plain(entry, held_out=False) for entry in found.fitted.entries]
        chosen = {"chosen": choice.chosen.name, "models": models_as_plain(choice)} if choice else {}
        report = {} if self.report is None else {"report": str(self.report)}
        return {
            "mae_mrad": 1e3 * found.fitted.mae,
            "verdict": as_figures(self.verdict),
            "held_out_mae_mrad": 1e3 * found.held_out.mae if found.held_out else None,
            "logs": logs + [_plain(entry, held_out=True) for entry in out],
            "repeatability_mrad": apart_as_plain(found.logs),
            "held_out_in_turn": searching.turns_as_plain(self.turns),
            **chosen,
            "identified": dict(found.values),
            "parameters": {
                joint: {name: asdict(number) for name, number in a.numbers.items()}
                for joint, a in found.actuators.items()
            },
            "intervals_90": _intervals(found) or None,
            "coverage": _coverage(found) or None,
            "units": {kind.device: [asdict(unit) for unit in kind.units] for kind in self.kinds},
            "evaluations": found.evaluations,
            "seconds": found.seconds,
            "steps": found.steps,
            "warnings": [f"{question.text}." for question in questions(found.doubts)],
            "files": {joint: str(path) for joint, path in self.files.items()} | report,
            "interrupted": self.interrupted,
        }


def _parameters(found: RobotIdentification) -> str:
    """Every number that was searched."""
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
    return columns(head, rows, numbers=(1,))


def _intervals(found: RobotIdentification) -> dict[str, list[float]]:
    """Parameter to the ends of its interval."""
    said: dict[str, list[float]] = {}
    for joint, actuator in found.actuators.items():
        own: Any = actuator.identification.get("intervals_90", {})
        said |= {f"{joint}.{name}": box for name, box in own.items()}
    return said


def _coverage(found: RobotIdentification) -> dict[str, Any]:
    """Joint to what its bands hold, and the margin that they have."""
    held = {j: FitRecord.of(a).coverage for j, a in found.actuators.items()}
    return {joint: one for joint, one in held.items() if one is not None}


def apart_as_plain(logs: Sequence[RobotLog]) -> dict[str, dict[str, float]]:
    """Joint to the first log of each repeated command, to how far its runs are apart [mrad]."""
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
    """Table of each unit's friction and stall torque as parts of the device's, and what stands out."""
    rows = [list(unit.cells) for unit in kind.units]
    said = [unit.sentence for unit in kind.units if unit.sentence]
    text = columns([kind.title, *HEAD[1:]], rows, numbers=(1, 2))
    return "\n".join([text, *said])


def bands(found: RobotIdentification) -> str:
    """Share that the bands hold of logs that had no part in a fit; empty where it was not measured."""
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
