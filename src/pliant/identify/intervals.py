"""How sure an identification is of its numbers: block bootstrap over its own logs."""

import dataclasses

import numpy as np
from numpy.typing import NDArray

from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identify.fit import SEARCH_STEP, Identification
from pliant.identify.uncertainty import Uncertainty, UncertaintySettings, uncertainty

Floats = NDArray[np.float64]


def with_intervals(identification: Identification, sure: Uncertainty) -> Identification:
    """The same, with the intervals in the record of its actuator."""
    low, high = sure.low.tolist(), sure.high.tolist()
    boxes = {
        name: list(box) for name, *box in zip(identification.space.names, low, high, strict=True)
    }
    actuator = identification.actuator
    record = {**actuator.identification, "intervals_90": boxes, "open": list(sure.words)}
    return dataclasses.replace(
        identification, actuator=dataclasses.replace(actuator, identification=record)
    )


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
    coarse = dataclasses.replace(settings or JointSettings(), max_step=SEARCH_STEP)
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
