"""How sure an identification is of its numbers: block bootstrap over its own logs."""

import dataclasses
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identify.fit import SEARCH_STEP, Identification
from pliant.identify.uncertainty.bootstrap import Uncertainty, UncertaintySettings, uncertainty
from pliant.io.output import write_whole

TOGETHER = 0.7
"""Correlation from which on two parameters are said to go together."""


def correlated(sure: Uncertainty) -> dict[tuple[str, str], float]:
    """Pairs of parameters that go together, the closest first."""
    names, r = sure.space.names, sure.correlation
    pairs: dict[tuple[str, str], float] = {}
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            if abs(r[i, j]) > TOGETHER:
                pairs[second, first] = float(r[i, j])
    return dict(sorted(pairs.items(), key=lambda one: -abs(one[1])))


def with_intervals(identification: Identification, sure: Uncertainty) -> Identification:
    """The same, with the intervals in the record of its actuator."""
    low, high = sure.low.tolist(), sure.high.tolist()
    boxes = {
        name: list(box) for name, *box in zip(identification.space.names, low, high, strict=True)
    }
    actuator = identification.actuator
    pairs = [[a, b, round(r, 3)] for (a, b), r in correlated(sure).items()]
    record = {
        **actuator.identification,
        "intervals_90": boxes,
        "correlations": pairs,
        "open": list(sure.words),
    }
    return dataclasses.replace(
        identification, actuator=dataclasses.replace(actuator, identification=record)
    )


def write_draws(path: Path, sure: Uncertainty) -> None:
    """The parameter sets that the data would also have allowed, as CSV: one a line, SI units.

    Raises:
        PliantError: the file cannot be written.
    """
    rows = [
        ",".join(sure.space.names),
        *(",".join(map(repr, row)) for row in sure.samples.tolist()),
    ]
    write_whole(path, "\n".join(rows) + "\n")


def intervals(
    identification: Identification,
    *,
    settings: JointSettings | None = None,
    uncertainty_settings: UncertaintySettings | None = None,
) -> Uncertainty:
    """Intervals of the parameters found, from the logs that they were fitted to.

    Logs of one gain form a group: what is seen in one and not in another widens the bands.

    Args:
        identification: what `identify` returned.
        settings: of the joint engine, as given to `identify`; the step is that of the search.
        uncertainty_settings: replicates, seed.
    """
    coarse = dataclasses.replace(settings or JointSettings(), max_step=SEARCH_STEP, aligned=True)
    if identification.actuator.identification.get("sampling") == "linear":
        coarse = dataclasses.replace(coarse, hold=False)
    logs = [entry.log for entry in identification.fitted.logs]
    space, engine = identification.space, JointEngine(identification.actuator, settings=coarse)
    batch = LogBatch(logs, engine)
    columns = [engine.names.index(name) for name in space.names]
    base = engine.values()

    def residuals(points: Floats) -> Floats:
        candidates = np.repeat(base[None], len(points), axis=0)
        candidates[:, columns] = space.from_cube(points)
        return engine.batch(candidates, batch)[0] - batch.measured

    log_of = np.repeat(np.arange(batch.count), np.diff(batch.starts))
    gains, groups = np.unique([log.gain for log in logs], return_inverse=True)
    return uncertainty(
        residuals,
        space.to_cube(base[columns]),
        space,
        log_of,
        batch.time,
        groups=groups[log_of] if len(gains) > 1 else None,
        settings=uncertainty_settings or UncertaintySettings(),
    )
