"""Which model: by the error on logs that the fit has not seen, the simplest that is as good.

    1. every candidate is fitted once for each group held out
    2. their errors are compared log by log with those of the best
    3. of those whose mean excess is within its standard error, the one with the fewest parameters
       is taken

Training error never decides: a model with more parameters always fits better.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.assemble import Actuator, with_law
from pliant.errors import PliantError
from pliant.identify.fit import HOLD_OUT, Identification, hold_out, identify
from pliant.identify.search import SearchSettings
from pliant.io.log import Log

MODELS = ("m1", "m2", "m3", "m4", "m5", "m6")
EXTENSIONS: tuple[Mapping[str, str], ...] = (
    {},
    {"timing": "command_delay"},
    {"driver": "supply_resistance"},
    {"timing": "command_delay", "driver": "supply_resistance"},
)
"""What is added to each friction model by default: law by port."""


@dataclass(frozen=True, eq=False)
class Trial:
    """One candidate, fitted with each group of logs held out in turn."""

    actuator: Actuator
    folds: Mapping[str, Identification]
    """Group held out ("gain=800") to its fit."""

    @property
    def name(self) -> str:
        """Friction model and extensions."""
        laws = self.actuator.laws
        extra = [laws[port].name for port in ("timing", "driver") if laws[port].parameters]
        return " + ".join([laws["friction"].name, *extra])

    @property
    def parameters(self) -> int:
        """How many parameters were searched."""
        return len(next(iter(self.folds.values())).space.names)

    @property
    def train(self) -> float:
        """Mean over the folds of the error on the logs fitted [rad]."""
        return float(np.mean([fold.fitted.mae for fold in self.folds.values()]))

    @property
    def held_out(self) -> float:
        """Mean over the folds of the error on the logs held out [rad]."""
        return float(np.mean([mae for _, mae in self._fold_errors()]))

    @property
    def spread(self) -> float:
        """Standard error of that mean over the folds [rad]; infinite with one."""
        errors = [mae for _, mae in self._fold_errors()]
        return (
            float(np.std(errors, ddof=1) / math.sqrt(len(errors))) if len(errors) > 1 else math.inf
        )

    @property
    def seconds(self) -> float:
        """Of all its fits."""
        return sum(fold.seconds for fold in self.folds.values())

    def of_each_log(self) -> dict[str, float]:
        """Log to its error [rad] while it was held out."""
        evaluations = [fold.held_out for fold in self.folds.values()]
        return {e.log.name: e.mae for each in evaluations if each is not None for e in each.logs}

    def _fold_errors(self) -> list[tuple[str, float]]:
        return [(k, f.held_out.mae) for k, f in self.folds.items() if f.held_out is not None]


@dataclass(frozen=True, eq=False)
class Choice:
    """The trials, best first by held-out error, and the one to take."""

    trials: tuple[Trial, ...]
    chosen: Trial

    def verdict(self, trial: Trial) -> str:
        """Why a trial was taken, or not, in words."""
        best = self.trials[0]
        excess, error = _excess(trial, best)
        if trial is self.chosen:
            return "taken: the best" if trial is best else "taken: as good as the best, and simpler"
        if excess <= error:
            return "as good as the best, with more parameters"
        return f"worse than the best by {1e3 * excess:.1f} +- {1e3 * error:.1f} mrad a log"


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


def choose(
    actuators: Sequence[Actuator],
    logs: Sequence[Log],
    *,
    by: str = "gain",
    search_settings: SearchSettings | None = None,
    report: Callable[[int, int, str], None] | None = None,
) -> Choice:
    """Fit every candidate with each group of logs held out in turn, and take one.

    Args:
        actuators: the candidates.
        logs: in at least two groups.
        by: what the groups share: "gain", "load", "trajectory" or "log".
        search_settings: of every fit.
        report: called before each fit with how many are done, how many there are, and its name.

    Raises:
        PliantError: no candidates, an unknown kind of group, or a single group.
    """
    if by not in HOLD_OUT:
        raise PliantError("cannot be held out", field="by", found=by, accepted=HOLD_OUT)
    groups = list(dict.fromkeys(HOLD_OUT[by](log) for log in logs))
    if len(groups) < 2 or not actuators:
        raise PliantError("nothing to compare", field="by", found=by,
                          accepted="candidates, and logs of at least two groups")  # fmt: skip
    trials: list[Trial] = []
    for actuator in actuators:
        folds: dict[str, Identification] = {}
        for group in groups:
            if report is not None:
                done = len(trials) * len(groups) + len(folds)
                report(
                    done, len(actuators) * len(groups), f"{actuator.name}, {by} {group} held out"
                )
            kept, other = hold_out(logs, f"{by}={group}")
            folds[f"{by}={group}"] = identify(
                actuator, kept, held_out=other, search_settings=search_settings
            )
        trials.append(Trial(actuator, folds))
    return take(trials)


def take(trials: Sequence[Trial]) -> Choice:
    """The simplest trial that is as good as the best, log by log."""
    ranked = sorted(trials, key=lambda trial: trial.held_out)
    best = ranked[0]
    good = [trial for trial in ranked if _excess(trial, best)[0] <= _excess(trial, best)[1]]
    chosen = min(good, key=lambda trial: (trial.parameters, trial.held_out))
    return Choice(tuple(ranked), chosen)


def _excess(trial: Trial, best: Trial) -> tuple[float, float]:
    """How much worse than the best a trial is, mean over the logs and its standard error [rad]."""
    mine, other = trial.of_each_log(), best.of_each_log()
    differences = np.array([mine[log] - other[log] for log in other])
    if len(differences) < 2 or trial is best:
        return float(differences.mean()), 0.0
    return float(differences.mean()), float(differences.std(ddof=1) / math.sqrt(len(differences)))
