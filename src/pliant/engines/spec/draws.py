"""Parameter sets of actuators, a row for each world or episode: read from a file, or made.

    draws = {"elbow": read_draws("draws.csv", actuator)}          # what `identify --draws` wrote
    draws = {"elbow": spread(actuator, {"motor.k_t": 0.1})}       # within 10 % of the actuator's

Every engine and environment takes them in this form: joint to parameter to values, of which row k is
one set.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.assemble import BENCH, Actuator
from pliant.csv_rows import csv_columns, csv_rows, finite_columns
from pliant.errors import PliantError, located
from pliant.files import read_text

Table = Mapping[str, ArrayLike]
"""Parameter to its K values [SI units]."""
Draws = Mapping[str, Table]
"""Joint to its table."""


def read_draws(path: str | Path, actuator: Actuator) -> dict[str, Floats]:
    """The table that `pliant identify --draws` wrote, without the bench's numbers.

    Args:
        path: of the CSV file. actuator: the one that it was written for.

    Raises:
        PliantError: the file cannot be read, or has a column that is no parameter of `actuator`: it
            is of another one.
    """
    file = Path(path)
    with located(file=file):
        rows = csv_rows(read_text(file))
        columns = csv_columns(rows)
        finite_columns(rows, columns)
        wanted = [name for name in columns if not name.startswith(BENCH)]
        unknown = [name for name in wanted if name not in actuator.fields]
        if unknown or not wanted:
            raise PliantError(
                f"these are not draws of {actuator.name}",
                field="columns",
                found=unknown or list(columns),
                accepted=list(actuator.fields),
            )
    return {name: columns[name] for name in wanted}


def spread(
    actuator: Actuator, within: Mapping[str, float], count: int = 1024, seed: int = 1
) -> dict[str, Floats]:
    """`count` sets whose parameters lie evenly within parts of the actuator's own values.

    Args:
        actuator: whose values are the middle.
        within: parameter to the largest deviation as a part of its value (0.1: within 10 %).
        count: rows. seed: random seed.

    Raises:
        PliantError: the actuator has no such parameter, or a part is not between 0 and 1.
    """
    actuator.check_names(within)
    random = np.random.default_rng(seed)
    table: dict[str, Floats] = {}
    for name, part in within.items():
        if not 0.0 <= part < 1.0:
            raise PliantError("must be a fraction", field=name, found=part, accepted="0 to below 1")
        table[name] = actuator.value(name) * random.uniform(1.0 - part, 1.0 + part, count)
    return table


def rows_of(joint: str, table: Table) -> Floats:
    """(K, C) a table's rows, in the order of its columns.

    Raises:
        PliantError: there are no columns, they differ in length, or a value is not finite.
    """
    columns = [np.asarray(values, np.float64) for values in table.values()]
    if not columns or len({column.shape for column in columns}) > 1 or columns[0].ndim != 1:
        raise PliantError(
            "needs columns of the same length",
            field=f"draws of {joint}",
            found={name: np.shape(values) for name, values in table.items()},
        )
    rows = np.stack(columns, axis=1)
    if not len(rows) or not np.isfinite(rows).all():
        raise PliantError("needs finite numbers", field=f"draws of {joint}")
    return rows
