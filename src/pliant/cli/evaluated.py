"""Text and JSON of an evaluation: errors of a joint's logs, and their nuisance parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pliant.assemble import Actuator
from pliant.cli.terminal import columns
from pliant.engines.joint.engine import JointSettings
from pliant.identification.problem.evaluation import (
    Evaluation,
    LogError,
    branches,
    evaluate,
    mean_absolute,
)
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.problem.nuisances import Nuisance
from pliant.identification.problem.repeatability import in_words as repeated
from pliant.identification.result.known import Held
from pliant.io.log import Log
from pliant.report.motion import in_words
from pliant.robots.log_energy import Energies as BenchEnergies
from pliant.robots.log_energy import energy_sums
from pliant.robots.robot_energies import SHOWN, Energies, energy_rows
from pliant.words import counted, mrad

GROUPS = ("gain", "trajectory")
"""Kinds of groups whose mean errors are shown."""


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """Errors of an actuator on logs, and the nuisance parameters found for these recordings.

    Attributes:
        as_found: errors with the nuisance parameters. as_recorded: without them.
        members: errors of the median motion of the fits that the actuator carries.
        held: share of the logs within the bands of the actuator's file; None where it has no bands.
        found: zeros, ages, supplies and temperatures of the recordings.
        again: group of repetitions to their distance from each other [rad].
        energy: log to the energy that the actuator spends on it [J].
        models: number of the carried fits of each model, if they are of several models.
    """

    as_found: Evaluation
    as_recorded: Evaluation
    members: Evaluation
    held: Held | None
    found: Sequence[Nuisance]
    again: dict[str, float]
    energy: BenchEnergies
    models: Mapping[str, int] | None = None

    def paragraphs(self) -> list[str]:
        """Tables of errors, then what was found."""
        parts = [errors(self.as_found)]
        if self.again:
            parts.append(repeated({"": self.again}))
        if table := bench_table(self.energy):
            parts.append(table)
        if self.members is not self.as_found:
            parts.append(predicted(self.members, self.models))
        if self.held is not None:
            parts.append(str(self.held))
        if self.found:
            parts.append(found_table(self.found))
            parts.append(
                "estimated from these logs, with the actuator unchanged; without them: "
                f"{mrad(self.as_recorded.mae)} mrad"
            )
        return parts

    def as_plain(self) -> dict[str, Any]:
        """The same for `--json`."""
        return {
            **as_plain(self.as_found),
            "energy_J": self.energy,
            "mae_mrad_as_recorded": 1e3 * self.as_recorded.mae,
            "mae_mrad_median": 1e3 * self.members.mae,
            "mae_mrad_members": [1e3 * error for error in member_errors(self.members)],
            "bands": self.held and asdict(self.held) | {"samples": self.held.samples},
            "branches": branches_as_plain(self.members),
            "repeatability_mrad": {name: 1e3 * apart for name, apart in self.again.items()},
            "found": {one.name: asdict(one) for one in self.found},
        }


def errors(evaluation: Evaluation) -> str:
    """Tables: each log, all, by gain, by trajectory."""
    rows = [
        [e.log.name, e.log.trajectory, f"{e.log.gain:g}", mrad(e.mae)] for e in evaluation.entries
    ]
    rows.append(["mean over logs", "", "", mrad(evaluation.mae)])
    parts = [columns(["log", "trajectory", "gain", "MAE [mrad]"], rows, numbers=(2, 3))]
    for title in GROUPS:
        groups = evaluation.by(HOLD_OUT[title])
        if len(groups) > 1:
            rows = [[name, mrad(error)] for name, error in groups.items()]
            parts.append(columns([title, "MAE [mrad]"], rows, numbers=(1,)))
    return "\n\n".join(parts)


def by_members(
    actuator: Actuator, logs: Sequence[Log], settings: JointSettings
) -> Evaluation | None:
    """Errors of the median motion of the fits that an actuator carries; None where there is one fit."""
    if actuator.ensemble is None or actuator.ensemble.fits < 2:
        return None
    return evaluate(actuator, logs, settings=settings, members=True)


def predicted(every: Evaluation, models: Mapping[str, int] | None = None) -> str:
    """The prediction of a set of fits, and the logs in which their motions branch.

    Args:
        every: errors of their median motion. models: number of fits of each model, if of several.
    """
    errors, lines = member_errors(every), list[str]()
    for entry in every.entries:
        ways = branches(entry.members, entry.measured)
        if ways:
            lines.append(f"{entry.log.name}: {in_words(ways)}")
    alike = "they are equally good on the logs they were fitted to"
    if models:
        each = (f"{counted(fits, 'fit')} of {name}" for name, fits in models.items())
        alike = f"{', '.join(each)}, which are equally good as models"
    head = (
        f"{mrad(every.mae)} mrad by the median motion of the {len(errors)} fits in this file "
        f"({mrad(min(errors))} to {mrad(max(errors))} for each fit; {alike}); the errors above are "
        "those of the fit that is attached"
    )
    return "\n".join([head, *lines])


def member_errors(evaluation: Evaluation) -> list[float]:
    """(K,) [rad] mean error over the logs of each fit of a set; empty without one."""
    each = [
        [mean_absolute(one, entry.measured) for one in entry.members]
        for entry in evaluation.entries
        if entry.members is not None
    ]
    return [sum(column) / len(each) for column in zip(*each, strict=True)] if each else []


def branches_as_plain(evaluation: Evaluation) -> dict[str, list[dict[str, float]]]:
    """Log to its branches, where there are any."""
    found = {e.log.name: branches(e.members, e.measured) for e in evaluation.entries}
    return {
        name: [{"share": one.share, "mae_mrad": 1e3 * one.error} for one in ways]
        for name, ways in found.items()
        if ways
    }


def found_table(found: Sequence[Nuisance]) -> str:
    """Table of the nuisance parameters found."""
    rows: list[list[str]] = []
    for one in found:
        before, now, std, unit = one.in_unit()
        rows.append([one.name, f"{before:.1f}", f"{now:.1f}", f"{std:.1f}", unit])
    return columns(["of these recordings", "expected", "found", "±", ""], rows, numbers=(1, 2, 3))


def as_plain(evaluation: Evaluation) -> dict[str, Any]:
    """The same for `--json`."""
    return {
        "mae_mrad": 1e3 * evaluation.mae,
        "logs": {entry.log.name: figures(entry) for entry in evaluation.entries},
        **{
            f"by_{title}": {name: 1e3 * mae for name, mae in evaluation.by(HOLD_OUT[title]).items()}
            for title in GROUPS
        },
    }


def figures(entry: LogError) -> dict[str, Any]:
    """One log's error for `--json`."""
    log = entry.log
    named = {name: getattr(log, name) for name in ("trajectory", "gain", "mass", "length")}
    return {"mae_mrad": 1e3 * entry.mae, **named}


def bench_table(found: BenchEnergies) -> str:
    """Energies of all logs together, what is known of them; "" where nothing is."""
    sums = energy_sums(found)
    return _energies(len(found), [*sums], [["simulated", *sums.values()]]) if sums else ""


def robot_table(spent: Energies) -> str:
    """Energies of each joint and the robot over all logs, what is known; "" where nothing is."""
    shown, rows = energy_rows(spent)
    titles = [SHOWN[name] for name in shown]
    return _energies(len(spent), titles, [[j, *x] for j, x in rows.items()]) if shown else ""


def _energies(logs: int, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = f"energy of {logs} logs [J]" if logs > 1 else "energy [J]"
    return columns([head, *titles], rows, numbers=tuple(range(1, len(titles) + 1)))
