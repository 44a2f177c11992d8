"""The table of the models that were compared, and why one of them was taken."""

from typing import Any

from pliant.identification.selection.choice import Choice, Trial
from pliant.report.table import Cell, table
from pliant.words import mrad


def model_table(choice: Choice) -> dict[str, Any]:
    """Every candidate, best first by the error on logs held out, and how to read it."""
    groups = list(choice.trials[0].folds)
    head = ["model", "parameters", "fitted [mrad]", "held out [mrad]", *groups, "verdict"]
    rows = [_row(choice, trial, groups) for trial in choice.trials]
    starts = len(next(iter(choice.trials[0].folds.values())))
    spread = "; ± is the standard deviation over the starts" if starts > 1 else ""
    return {
        "about": f"Mean errors of {len(groups)} fits of each model, each to the logs of the other "
        f"groups by {choice.by}, the best of {starts} {'start' if starts == 1 else 'starts'}{spread}. "
        "The columns in between are the errors on each group while it was held out. The error on "
        "logs fitted does not decide.",
        "table": table(head, rows, numbers=range(1, len(head) - 1)),
    }


def _row(choice: Choice, trial: Trial, groups: list[str]) -> list[str | Cell]:
    folds = trial.of_each_fold()
    return [
        Cell(trial.name, tag="taken" if trial is choice.chosen else ""),
        str(trial.parameters),
        _with(trial.train, trial.train_spread),
        _with(trial.held_out, trial.held_out_spread),
        *(mrad(folds[group][1]) for group in groups),
        choice.verdict(trial),
    ]


def _with(value: float, spread: float) -> str:
    return mrad(value) if spread - spread != 0.0 else f"{mrad(value)} ± {1e3 * spread:.1f}"
