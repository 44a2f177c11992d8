"""Response of recordings to a motor a tenth stronger or weaker: what the margin of a band goes with.

What a fit misses at a gain that it has not seen is torque that its laws have wrong, and how far torque moves the
joint differs from gain to gain: one servo sags at the low ones, another is at its limit at the high ones.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from math import ceil, log2

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.identification.problem.residuals import LOST
from pliant.io.log import Log

STRONGER = (1.1, 0.9)
BEYOND = 8.0
"""Factor on the least and the largest gain up to which it is known how a margin grows."""


def torque_response(engine: JointEngine, values: Floats, logs: Sequence[Log]) -> float:
    """[rad] mean over the logs, and over a motor that is a tenth stronger and one that is as much weaker.

    Where motion overflows, as at a gain far too high, a sample counts `LOST`.

    Args:
        engine: of a joint. values: (P,) its numbers. logs: with what they command, whatever was measured.
    """
    runs = [_positions(engine, values, logs, times) for times in (1.0, *STRONGER)]
    batch = LogBatch(logs, engine)
    with np.errstate(invalid="ignore"):
        moved = np.mean([np.fmin(np.abs(run - runs[0]), LOST) for run in runs[1:]], axis=0)
    return float(np.mean([one.mean() for one in batch.per_block(moved)]))


def at_gain(logs: Sequence[Log], gain: float) -> list[Log]:
    """The same commands under another P-gain."""
    return [replace(log, gain=gain) for log in logs]


def octaves(gains: Collection[float]) -> list[float]:
    """Gains an octave apart, from far below the least to far above the largest; none above 0: none."""
    there = [gain for gain in gains if gain > 0.0]
    if not there:
        return []
    least = min(there) / BEYOND
    return [least * 2.0**k for k in range(ceil(log2(max(there) * BEYOND / least)) + 1)]


def factor_at(by_gain: Mapping[float, float], gain: float) -> float:
    """Factor on a margin at a gain, between those that are known; 1 where none is, or torque drives."""
    if gain <= 0.0 or not by_gain:
        return 1.0
    known = sorted(by_gain)
    return float(np.interp(log2(gain), np.log2(known), [by_gain[one] for one in known]))


def _positions(engine: JointEngine, values: Floats, logs: Sequence[Log], times: float) -> Floats:
    """(M,) [rad] with so many times the torque of the motor."""
    constants = _torque_constants(engine)
    if constants:
        values = values.copy()
        values[constants] *= times
    else:
        logs = [_commanding(log, times) for log in logs]
    return engine.batch(values[None], LogBatch(logs, engine))[0][0]


def _torque_constants(engine: JointEngine) -> list[int]:
    """Places of the torque constants that drive; none where torque is what the motor is told."""
    if any(_told_torque(engine.actuator, port) for port in engine.actuator.laws):
        return []
    return [k for k, name in enumerate(engine.names) if name.endswith(".k_t")]


def _told_torque(actuator: Actuator, port: str) -> bool:
    return getattr(actuator.laws[port].module, "COMMAND", None) == "N m"


def _commanding(log: Log, times: float) -> Log:
    """A log whose gains, or torque, ask for so many times the torque."""
    kd, torque = log.derivative_gain, log.torque
    return replace(
        log,
        gain=log.gain * times,
        derivative_gain=None if kd is None else kd * times,
        torque=None if torque is None else torque * times,
    )
