"""Response of recordings to a motor a tenth stronger or weaker: the margin of a band is proportional to it.

The error of a fit on unseen logs is torque error of its laws, and how far a torque error moves the joint differs from
log to log: one servo sags at low gains, another is at its limit at high gains or under load.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine, LogBatch
from pliant.identification.problem.residuals import LOST
from pliant.io.log import Log

STRONGER = (1.1, 0.9)


def torque_response(engine: JointEngine, values: Floats, logs: Sequence[Log]) -> Floats:
    """(L,) [rad] mean over the samples of each log, with a motor a tenth stronger and one as much weaker.

    Where motion overflows, as at a gain far too high, a sample counts `LOST`.

    Args:
        engine: of a joint. values: (P,) its numbers. logs: whose commands are used; measurements are not.
    """
    runs = [_positions(engine, values, logs, times) for times in (1.0, *STRONGER)]
    batch = LogBatch(logs, engine)
    with np.errstate(invalid="ignore"):
        moved = np.mean([np.fmin(np.abs(run - runs[0]), LOST) for run in runs[1:]], axis=0)
    return np.array([float(one.mean()) for one in batch.per_block(moved)])


def times_usual(usual: float | None, response: float | None) -> float:
    """Factor on a margin: the response of another log over that of the fit's logs; 1 if not known."""
    return response / usual if usual and response is not None else 1.0


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
    """Indices of the torque constants that drive; none if the motor takes a torque command."""
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
