"""Six friction models identified, and their errors on held-out logs: Duclusaud et al. 2025, Fig. 5.

The paper's protocol: 75 % of the logs are fitted and 25 % held out, three times; here each time with a new random split. In
addition, a harder test: every P-gain is held out in turn, so that the fit has no log of that gain.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pliant.experiments.support.recipe import Outcome, Row, new_figure, save_figure, side_by_side
from pliant.identification.fit import identify
from pliant.identification.problem.hold_out import HOLD_OUT
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_logs

NAME = "identification"
TITLE = "Six friction models, held-out error of each (Duclusaud 2025, Fig. 5)"

SOURCES = {
    "logs, actuators": "assumed: another servo than the paper's, whose recordings are not public; six models as in Fig. 5",
    "held, repetitions": "section V-B",
    "seed, starts": "assumed: the paper does not say how it draws, and searches longer",
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Choices of the experiment; `SOURCES` says where each is from.

    Attributes:
        logs: files; those of the XL330 that come with Pliant, if none are given.
        actuators: laws and starting values of each fit.
        held: fraction of the logs that is held out. repetitions, seed: of the random splits.
        starts: of each search.
    """

    logs: tuple[Path, ...] = ()
    actuators: tuple[str, ...] = tuple(f"xl330_bam_m{k}" for k in range(1, 7))
    held: float = 0.25
    repetitions: int = 3
    seed: int = 0
    starts: int = 2


@dataclass(frozen=True)
class Split:
    """Logs to fit and logs to test on, with the name of the way of splitting."""

    how: str
    fit: tuple[Log, ...]
    judge: tuple[Log, ...]


@dataclass(frozen=True)
class Found:
    """Mean absolute errors [rad] of one model on one split."""

    actuator: str
    split: Split
    fitted: float
    held_out: float


def drawn(logs: Sequence[Log], settings: Settings) -> list[Split]:
    """The paper's splits."""
    rng = np.random.default_rng(settings.seed)
    count = max(1, round(settings.held * len(logs)))
    splits: list[Split] = []
    for _ in range(settings.repetitions):
        shuffled: list[int] = rng.permutation(len(logs)).tolist()
        order = [logs[k] for k in shuffled]
        splits.append(Split("drawn at random", tuple(order[count:]), tuple(order[:count])))
    return splits


def by_gain(logs: Sequence[Log]) -> list[Split]:
    """Each P-gain held out in turn."""
    gain = HOLD_OUT["gain"]
    return [
        Split(
            "by gain",
            tuple(log for log in logs if gain(log) != one),
            tuple(log for log in logs if gain(log) == one),
        )
        for one in sorted({gain(log) for log in logs}, key=float)
    ]


def fitted(actuator: str, split: Split, settings: Settings) -> Found:
    """One model fitted to one split."""
    search = SearchSettings(starts=settings.starts, seed=settings.seed)
    found = identify(
        load_actuator(actuator), split.fit, held_out=split.judge, search_settings=search
    )
    assert found.held_out is not None
    return Found(actuator, split, found.fitted.mae, found.held_out.mae)


def run(settings: Settings | None, folder: Path) -> Outcome:
    """Every model on every split."""
    settings = settings or Settings()
    logs = read_logs(list(settings.logs) or example_logs())
    splits = [*drawn(logs, settings), *by_gain(logs)]
    jobs = [(actuator, split) for split in splits for actuator in settings.actuators]
    found = side_by_side(lambda job: fitted(*job, settings), jobs)
    rows = [row for how in ("drawn at random", "by gain") for row in _rows(found, how)]
    notes = (NOTES[0], told(found), *NOTES[1:])
    return Outcome(rows=rows, figures=[_figure(found, folder)], notes=notes)


def told(found: Sequence[Found]) -> str:
    """A note on how clearly these splits rank the models."""
    parts: list[str] = []
    for how in ("drawn at random", "by gain"):
        of = _errors(found, how)
        names, errors = list(of), np.array(list(of.values()))
        best: list[int] = errors.argmin(axis=0).tolist()
        scatter, apart = np.ptp(errors, axis=1).max(), np.ptp(errors.mean(axis=1))
        parts.append(
            f"{how}: the best of each split is {', '.join(names[k] for k in best)}; one model's errors differ by up to {scatter:.0f} "
            f"mrad from split to split, the models' means by {apart:.0f} mrad"
        )
    return f"How clearly this many logs and one search seed rank the models: {'; '.join(parts)}."


def _rows(found: Sequence[Found], how: str) -> list[Row]:
    of = _errors(found, how)
    rows = [
        Row(
            f"{name}, {how}: held-out error",
            "figure only",
            f"{np.mean(errors):.1f} mrad",
            "each: " + ", ".join(f"{x:.1f}" for x in errors),
        )
        for name, errors in of.items()
    ]
    first, means = next(iter(of)), {name: float(np.mean(errors)) for name, errors in of.items()}
    best = min(means, key=lambda name: means[name])
    rows.append(
        Row(
            f"best model against {first}, {how}",
            "2.93 MX-64, 2.02 MX-106, 2.34 eRob80:100, 1.51 eRob80:50",
            f"{means[first] / means[best]:.2f}",
            f"{best}; another servo than the paper's",
        )
    )
    return rows


def _errors(found: Sequence[Found], how: str) -> dict[str, list[float]]:
    """Actuator to its held-out errors [mrad]."""
    errors: dict[str, list[float]] = {}
    for one in found:
        if one.split.how == how:
            errors.setdefault(one.actuator, []).append(1e3 * one.held_out)
    return errors


def _figure(found: Sequence[Found], folder: Path) -> Path:
    figure, axis = new_figure(1, 1, width=8.0, height=4.5)
    for shift, how in ((-0.2, "drawn at random"), (0.2, "by gain")):
        of = _errors(found, how)
        places = np.arange(len(of)) + shift
        axis.bar(places, [np.mean(errors) for errors in of.values()], 0.4, alpha=0.6, label=how)
        for place, errors in zip(places, of.values(), strict=True):
            axis.plot([place] * len(errors), errors, "k.", ms=4)
    names = list(dict.fromkeys(one.actuator for one in found))
    axis.set_xticks(range(len(names)), names, fontsize=8)
    axis.set(ylabel="held-out error [mrad]")
    figure.legend(
        title="mean of the errors on logs held out (points: each)",
        loc="outside upper center",
        ncols=2,
    )
    return save_figure(figure, folder, NAME)


NOTES = (
    "Given by the paper: 75 % of the logs to fit, 25 % held out, three times; mean absolute error "
    "of the position, open loop. The recordings of its servos are not public: these are of an "
    "XL330.",
    "Each search is short (assumed), so that all take minutes, and fits neither delay nor "
    "supply: `pliant identify` with --law does, and its errors are far smaller.",
)
