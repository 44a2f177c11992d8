"""Choice of a model by its error on held-out logs.

    1. every candidate is fitted to all logs, and from there to all but each group of them (`fit_job`)
    2. the one with the smallest mean error on the groups left out is chosen. No rule favours simple models:
       priors already hold parameters that the logs do not require
    3. the choice itself is tested: each group is predicted by the model that the other groups would have
       chosen

Training error never decides: a model with more parameters always fits better. A candidate's contribution is
its weight in the mixture that is most likely on the logs left out (`stacked`).
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.assemble import Actuator, with_laws
from pliant.errors import PliantError
from pliant.identification.problem.rig import Rig
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.starting_actuator import takes_duty
from pliant.identification.selection.fit_job import JobResult

MODELS = ("m1", "m2", "m3", "m4", "m5", "m6")
EXTENSIONS: tuple[Mapping[str, str], ...] = (
    {},
    {"timing": "command_delay"},
    {"driver": "pulsed_supply"},
    {"timing": "command_delay", "driver": "pulsed_supply"},
)
"""Laws that are added to each friction model by default, by port; see `usual_extensions`."""
SHARE = 0.05
"""Weight from which a model counts as adding to the mixture: one in twenty of its motions."""
ROUNDS = 1000
"""Steps of expectation and maximisation for the weights: a few milliseconds."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One candidate, fitted to all logs and to all but each group of them.

    Attributes:
        name: friction model and extensions. by: property that the logs of a group share. result: of the fits.
    """

    name: str
    by: str
    result: JobResult

    @property
    def parameters(self) -> int:
        """Number of searched parameters."""
        return len(self.result.values)

    @property
    def train(self) -> float:
        """Error on all logs, fitted to them [rad]."""
        return _mean(self.result.fitted)

    @property
    def held_out(self) -> float:
        """Mean over the groups of the error on the logs left out [rad]."""
        return float(np.mean([_mean(fold.held_out) for fold in self.result.folds.values()]))

    def of_each_fold(self) -> dict[str, tuple[float, float]]:
        """Group left out ("gain=800") to the error [rad] on the logs fitted, and on those left out."""
        folds = self.result.folds.items()
        return {f"{self.by}={group}": (one.fitted, _mean(one.held_out)) for group, one in folds}

    def of_each_log(self) -> dict[str, float]:
        """Log to its error [rad] while it was left out."""
        return {
            log: mae for fold in self.result.folds.values() for log, mae in fold.held_out.items()
        }

    def densities(self) -> dict[str, float]:
        """Log to the logarithm of its density while it was left out."""
        return {log: x for fold in self.result.folds.values() for log, x in fold.density.items()}

    def without(self, group: str) -> "Trial":
        """The same without one of the groups."""
        folds = {g: fold for g, fold in self.result.folds.items() if f"{self.by}={g}" != group}
        return replace(self, result=replace(self.result, folds=folds))


@dataclass(frozen=True, eq=False)
class Choice:
    """The trials, best first by held-out error, and the one to take.

    Attributes:
        by: what the groups share.
        trials: the candidates. chosen: one of them. weights: of each in the mixture that is most likely
            on the logs left out, see `stacked`.
        held_out: [rad] mean error on each group by the model that the other groups alone would have chosen;
            the chosen model's own error is a little optimistic, because it was selected by it.
    """

    by: str
    trials: tuple[Trial, ...]
    chosen: Trial
    held_out: float
    weights: tuple[float, ...]

    def as_good(self) -> list[Trial]:
        """Those with a share in the mixture, besides the chosen one; largest weight first."""
        beside = [
            (-weight, k, trial)
            for k, (trial, weight) in enumerate(zip(self.trials, self.weights, strict=True))
            if weight >= SHARE and trial is not self.chosen
        ]
        return [trial for _, _, trial in sorted(beside)]

    def verdict(self, trial: Trial) -> str:
        """Reason why a trial was taken, or not, in words."""
        if trial is self.chosen:
            return "taken: the best"
        if any(trial is one for one in self.as_good()):
            return "adds to the mixture"
        excess, error = _excess(trial, self.chosen)
        return f"worse by {1e3 * excess:.1f} +- {1e3 * error:.1f} mrad a log"


def combined(
    models: Iterable[str] = MODELS, extensions: Iterable[Mapping[str, str]] = EXTENSIONS
) -> list[dict[str, str]]:
    """Port to law, of each friction model with each extension."""
    return [{"friction": one, **more} for one, more in itertools.product(models, [*extensions])]


def usual_extensions(actuator: Actuator) -> list[Mapping[str, str]]:
    """`EXTENSIONS` that this actuator can have."""
    duty = takes_duty(actuator)
    return [one for one in EXTENSIONS if duty or "driver" not in one]


def candidate_rigs(
    rig: Rig[LogT], laws: Iterable[Mapping[str, str]] | None = None
) -> list[Rig[LogT]]:
    """A joint or robot with the laws of each model, by port, at every joint; by default `combined`."""
    return [
        rig.with_actuators({j: with_laws(a, one) for j, a in rig.actuators.items()})
        for one in (combined() if laws is None else laws)
    ]


def names_of(rigs: Sequence[Rig[LogT]]) -> list[str]:
    """Names of the candidates by what distinguishes them: the friction model, and laws that not all have.

    Raises:
        PliantError: two are the same.
    """
    each = {joint: _names([rig.actuators[joint] for rig in rigs]) for joint in rigs[0].actuators}
    names: list[str] = []
    for k in range(len(rigs)):
        own = {joint: listed[k] for joint, listed in each.items()}
        alike = len(set(own.values())) == 1
        apart = ", ".join(f"{joint}: {name}" for joint, name in own.items())
        names.append(next(iter(own.values())) if alike else apart)
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise PliantError("two candidates are the same", field="actuators", found=twice)
    return names


def _names(actuators: Sequence[Actuator]) -> list[str]:
    """Names of one joint's candidates."""
    shared = {
        (port, law.name)
        for port, law in actuators[0].laws.items()
        if all(port in a.laws and a.laws[port].name == law.name for a in actuators)
    }
    devices = {actuator.device for actuator in actuators}
    names: list[str] = []
    for actuator in actuators:
        extra = [
            law.name
            for port, law in actuator.laws.items()
            if port != "friction" and (port, law.name) not in shared and law.parameters
        ]
        friction = [actuator.laws["friction"].name] if "friction" in actuator.laws else []
        name = " + ".join([*friction, *extra]) or actuator.name
        names.append(name if len(devices) == 1 else f"{actuator.device}: {name}")
    return names


def take(by: str, trials: Sequence[Trial]) -> Choice:
    """The trial that errs least on the logs left out."""
    ranked = sorted(trials, key=lambda trial: trial.held_out)
    groups, errors = list(ranked[0].of_each_fold()), list[float]()
    for group in groups:
        others = [trial.without(group) for trial in ranked] if len(groups) > 1 else ranked
        name = min(others, key=lambda trial: trial.held_out).name
        errors += [trial.of_each_fold()[group][1] for trial in ranked if trial.name == name]
    weights = stacked([trial.densities() for trial in ranked])
    return Choice(by, tuple(ranked), ranked[0], float(np.mean(errors)), tuple(weights))


def stacked(densities: Sequence[Mapping[str, float]]) -> list[float]:
    """Weights that make the mixture of candidates most likely on logs that none of them has seen.

    Stacking of predictive distributions (Yao, Vehtari, Simpson and Gelman, Bayesian Analysis 2018), by
    expectation and maximisation.

    Args:
        densities: of each candidate, log to the logarithm of its density.
    """
    logs = list(densities[0])
    table = np.array([[one[log] for log in logs] for one in densities])  # (K, L)
    likely = np.exp(table - table.max(axis=0))
    weights = np.full(len(table), 1.0 / len(table))
    for _ in range(ROUNDS):
        shares = weights[:, None] * likely
        weights = (shares / shares.sum(axis=0)).mean(axis=1)
    return weights.tolist()


def _mean(errors: Mapping[str, float]) -> float:
    return float(np.mean([*errors.values()]))


def _excess(trial: Trial, best: Trial) -> tuple[float, float]:
    """Excess error over the best, mean over the logs and its standard error [rad]."""
    mine, other = trial.of_each_log(), best.of_each_log()
    differences = np.array([mine[log] - other[log] for log in other])
    if len(differences) < 2 or trial is best:
        return float(differences.mean()), 0.0
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences)))
