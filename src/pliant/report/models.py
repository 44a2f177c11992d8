"""The table of the models that were compared, and why one of them was taken."""

from typing import Any

from pliant.identification.selection.choice import Choice, Trial
from pliant.report.table import Cell, table
from pliant.words import mrad


def model_table(choice: Choice) -> dict[str, Any]:
    """Every candidate, best first by the error on logs held out, and how to read it."""
    groups = list(choice.trials[0].of_each_fold())
    head = ["model", "parameters", "fitted [mrad]", "held out [mrad]", *groups, "weight", "verdict"]
    each = zip(choice.trials, choice.weights, strict=True)
    rows = [_row(choice, trial, weight, groups) for trial, weight in each]
    return {
        "about": f"Each model was fitted to all logs, and from there to all but each of {len(groups)} groups by "
        f"{choice.by}. Held out is the mean of the errors on these, which the columns after it give. "
        "The error on logs fitted does not decide. The weight is that of the model in the mixture which "
        "is most likely on the groups left out.",
        "table": table(head, rows, numbers=range(1, len(head) - 1)),
    }


def _row(choice: Choice, trial: Trial, weight: float, groups: list[str]) -> list[str | Cell]:
    folds = trial.of_each_fold()
    return [
        Cell(trial.name, tag="taken" if trial is choice.chosen else ""),
        str(trial.parameters),
        mrad(trial.train),
        mrad(trial.held_out),
        *(mrad(folds[group][1]) for group in groups),
        f"{weight:.2f}",
        choice.verdict(trial),
    ]
