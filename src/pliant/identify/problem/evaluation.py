"""How far an actuator is from recorded logs: the open-loop error that the field reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.io.log import Log


@dataclass(frozen=True, eq=False)
class LogError:
    """One log, simulated open loop from its first sample."""

    log: Log
    simulated: Floats
    """(N,) [rad] at the log's samples."""
    mae: float
    """Mean absolute position error [rad]."""

    @property
    def residual(self) -> Floats:
        """(N,) simulated - measured [rad]."""
        return self.simulated - self.log.position


@dataclass(frozen=True, eq=False)
class Evaluation:
    """Errors of one actuator on several logs."""

    logs: tuple[LogError, ...]

    @property
    def mae(self) -> float:
        """Mean over the logs of their mean absolute error [rad]."""
        return float(np.mean([entry.mae for entry in self.logs]))

    def by(self, key: Callable[[Log], object]) -> dict[str, float]:
        """Mean absolute error [rad] of the logs that share a value of `key`."""
        groups: dict[str, list[float]] = {}
        for entry in self.logs:
            groups.setdefault(str(key(entry.log)), []).append(entry.mae)
        return {name: float(np.mean(errors)) for name, errors in groups.items()}


def evaluate(
    actuator: Actuator,
    logs: Sequence[Log],
    *,
    changes: Mapping[str, float] | None = None,
    settings: JointSettings | None = None,
) -> Evaluation:
    """Simulate every log with `actuator` and compare.

    Args:
        actuator: with its own numbers, and those of its bench.
        logs: the recordings.
        changes: parameters (`port.symbol`, `plant.symbol`) to set otherwise.
        settings: step, command convention and supply of the joint engine.
    """
    engine = JointEngine(actuator, settings=settings)
    batch = LogBatch(logs, engine)
    positions, _ = engine.batch(engine.values(changes)[None], batch)
    return compare(batch, positions[0])


def compare(batch: LogBatch, positions: Floats) -> Evaluation:
    """The errors of simulated positions (M,) at the samples of a batch."""
    parts = batch.per_log(positions)
    errors = [
        LogError(log, part, float(np.mean(np.abs(part - log.position))))
        for log, part in zip(batch.logs, parts, strict=True)
    ]
    return Evaluation(tuple(errors))
