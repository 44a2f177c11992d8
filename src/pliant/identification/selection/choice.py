"""Choice of a model by its error on logs not seen: the simplest that is as good as the best.

    1. every candidate is fitted, from several starts, for each group held out; its first start is
       where the best of the simpler models that it contains ended, on the same logs
    2. of the starts, the one that fits best is taken: the logs held out have no say
    3. their errors are compared log by log with those of the best candidate
    4. of those whose mean excess is within its standard error, the one with the fewest parameters
       is taken
    5. what this choice is worth is measured: each group is predicted by the model that the other
       groups would have chosen

Training error never decides: a model with more parameters always fits better.
"""

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pliant.assemble import Actuator, with_law
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
CLEAR = 2.0
"""Standard errors by which a fit must be worse than the best to be set aside."""
FINALISTS = 2
"""Candidates of the last round, at most: a third took 1.4 minutes more of 24 models, and changed nothing."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One candidate, fitted with each group of logs held out in turn.

    Attributes:
        name: friction model and extensions.
        folds: group held out ("gain=800") to what each start came to.
        aside: why it was set aside before the last round; "" if it was not.
    """

    name: str
    folds: Mapping[str, tuple[JobResult, ...]]
    aside: str = ""

    @property
    def parameters(self) -> int:
        """Number of searched parameters."""
        return len(self._taken()[0].values)

    @property
    def train(self) -> float:
        """Mean over the folds of the error on the logs fitted [rad]."""
        return float(np.mean([_mean(fold.fitted) for fold in self._taken()]))

    @property
    def held_out(self) -> float:
        """Mean over the folds of the error on the logs held out [rad]."""
        return float(np.mean([_mean(fold.held_out) for fold in self._taken()]))

    @property
    def train_spread(self) -> float:
        """Standard deviation over the starts of the error on the logs fitted [rad]."""
        return self._spread([[_mean(one.fitted) for one in fold] for fold in self.folds.values()])

    @property
    def held_out_spread(self) -> float:
        """Standard deviation over the starts of the error on the logs held out [rad]."""
        return self._spread([[_mean(one.held_out) for one in fold] for fold in self.folds.values()])

    @property
    def evaluations(self) -> int:
        """Candidates simulated in all its fits."""
        return sum(one.evaluations for fold in self.folds.values() for one in fold)

    @property
    def seconds(self) -> float:
        """Time of all its fits [s]."""
        return sum(one.seconds for fold in self.folds.values() for one in fold)

    @property
    def cpu(self) -> float:
        """[s] Processor time of all its fits."""
        return sum(one.cpu for fold in self.folds.values() for one in fold)

    def of_each_fold(self) -> dict[str, tuple[float, float]]:
        """Group held out to the error [rad] on the logs fitted, and on those held out."""
        taken = zip(self.folds, self._taken(), strict=True)
        return {group: (_mean(fold.fitted), _mean(fold.held_out)) for group, fold in taken}

    def of_each_log(self) -> dict[str, float]:
        """Log to its error [rad] while it was held out."""
        return {log: mae for fold in self._taken() for log, mae in fold.held_out.items()}

    def without(self, group: str) -> "Trial":
        """The same without one of the groups."""
        return replace(self, folds={g: fold for g, fold in self.folds.items() if g != group})

    def _taken(self) -> list[JobResult]:
        """Best start of each fold."""
        return [min(fold, key=lambda one: one.cost) for fold in self.folds.values()]

    def _spread(self, errors: list[list[float]]) -> float:
        """Mean over the folds; NaN with a single start."""
        if any(len(fold) < 2 for fold in errors):
            return math.nan
        return float(np.mean([np.std(fold, ddof=1) for fold in errors]))


@dataclass(frozen=True, eq=False)
class Choice:
    """The trials, best first by held-out error, and the one to take.

    Attributes:
        by: what the groups share.
        trials: the candidates, those that were set aside last. chosen: one of them.
        held_out: [rad] mean error on each group of the model that the other groups alone would have
            chosen: the error of the one chosen is a little too good, because it was chosen by it.
            The shape of each model was set without the group; which were set aside, was not.
    """

    by: str
    trials: tuple[Trial, ...]
    chosen: Trial
    held_out: float

    def as_good(self) -> list[Trial]:
        """Those as good as the best, log by log, beside the one taken; the best first."""
        return [t for t in self.trials if t is not self.chosen and self._good(t)]

    def verdict(self, trial: Trial) -> str:
        """Reason why a trial was taken, or not, in words."""
        best = self.trials[0]
        if trial is self.chosen:
            return "taken: the best" if trial is best else "taken: as good as the best, and simpler"
        if trial.aside:
            return f"set aside {trial.aside}"
        if self._good(trial):
            more = trial.parameters > self.chosen.parameters
            return "as good as the best, " + (
                "with more parameters" if more else "but not as good as the one taken"
            )
        excess, error = _excess(trial, best)
        return f"worse than the best by {1e3 * excess:.1f} +- {1e3 * error:.1f} mrad a log"

    def _good(self, trial: Trial) -> bool:
        return not trial.aside and _is_good(trial, self.trials[0])


def candidates(
    actuator: Actuator,
    models: Iterable[str] = MODELS,
    extensions: Iterable[Mapping[str, str]] = EXTENSIONS,
) -> list[Actuator]:
    """`actuator` with each friction model and each extension."""
    made: list[Actuator] = []
    for model, extension in itertools.product(models, [*extensions]):
        candidate = with_law(actuator, "friction", model)
        for port, law in extension.items():
            candidate = with_law(candidate, port, law)
        made.append(candidate)
    return made


def usual_extensions(actuator: Actuator) -> list[Mapping[str, str]]:
    """`EXTENSIONS` that this actuator can have."""
    duty = takes_duty(actuator)
    return [one for one in EXTENSIONS if duty or "driver" not in one]


def candidate_rigs(
    rig: Rig[LogT],
    models: Iterable[str] = MODELS,
    extensions: Iterable[Mapping[str, str]] = EXTENSIONS,
) -> list[Rig[LogT]]:
    """A joint or robot with each friction model and each extension, the same at every joint."""
    listed = [*models], [*extensions]
    each = {joint: candidates(actuator, *listed) for joint, actuator in rig.actuators.items()}
    return [
        rig.with_actuators(dict(zip(each, chosen, strict=True)))
        for chosen in zip(*each.values(), strict=True)
    ]


def names_of(rigs: Sequence[Rig[LogT]]) -> list[str]:
    """Names of the candidates by their differences: the friction model, and laws that not all of them have.

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
    """The simplest trial that is as good as the best, log by log."""
    ranked = sorted(trials, key=lambda trial: (bool(trial.aside), trial.held_out))
    whole = [trial for trial in ranked if not trial.aside]
    errors: list[float] = []
    for group in ranked[0].folds:
        others = [trial.without(group) for trial in whole]
        name = _simplest_good(others if len(ranked[0].folds) > 1 else whole).name
        errors += [trial.of_each_fold()[group][1] for trial in whole if trial.name == name]
    return Choice(by, tuple(ranked), _simplest_good(whole), float(np.mean(errors)))


def going_on(trials: Sequence[Trial]) -> list[str]:
    """Names of the candidates worth a whole fit, after a short one of each.

    Those whose excess over the best is not clear, log by log; at least a third of all, at most half.
    """
    ranked = sorted(trials, key=lambda trial: trial.held_out)
    least, most = math.ceil(len(ranked) / 3), math.ceil(len(ranked) / 2)
    excesses = [_excess(trial, ranked[0]) for trial in ranked]
    close = sum(excess <= CLEAR * error for excess, error in excesses)
    return [trial.name for trial in ranked[: min(max(close, least), most)]]


def close(trials: Sequence[Trial]) -> list[str]:
    """Names of the best candidate and of those not clearly worse, the best first."""
    ranked = sorted(trials, key=lambda trial: trial.held_out)
    excesses = [_excess(trial, ranked[0]) for trial in ranked]
    return [t.name for t, (x, error) in zip(ranked, excesses, strict=True) if x <= CLEAR * error]


def finalists(trials: Sequence[Trial]) -> list[str]:
    """Names of the candidates worth a search as long as that of `identify`.

    A short search of many parameters ends higher than one of few, so that it cannot tell which of
    these is better.
    """
    return close(trials)[:FINALISTS]


def set_aside(trials: Sequence[Trial], going: Sequence[str], after: str) -> list[Trial]:
    """Those of a round that do not go on, and why: what they were worse by in this round."""
    best = min(trials, key=lambda trial: trial.held_out)
    return [
        replace(trial, aside=f"{after}: {1e3 * _excess(trial, best)[0]:.1f} mrad worse")
        for trial in trials
        if trial.name not in going
    ]


def _simplest_good(trials: Sequence[Trial]) -> Trial:
    """The trial with the fewest parameters of those as good as the best, log by log."""
    best = min(trials, key=lambda trial: trial.held_out)
    good = [trial for trial in trials if _is_good(trial, best)]
    return min(good, key=lambda trial: (trial.parameters, trial.held_out))


def _is_good(trial: Trial, best: Trial) -> bool:
    """Whether it is as good as the best: its mean excess is within its standard error."""
    excess, error = _excess(trial, best)
    return excess <= error


def _mean(errors: Mapping[str, float]) -> float:
    return float(np.mean([*errors.values()]))


def _excess(trial: Trial, best: Trial) -> tuple[float, float]:
    """Excess error over the best, mean over the logs and its standard error [rad]."""
    mine, other = trial.of_each_log(), best.of_each_log()
    differences = np.array([mine[log] - other[log] for log in other])
    if len(differences) < 2 or trial is best:
        return float(differences.mean()), 0.0
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences)))
