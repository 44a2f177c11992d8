"""Times of a recorder, found by a fit: when its frames came, and how much of the delays is its own.

A data set that stamps frames by their number has lost when they were read, and its reading and writing
are late together. Neither belongs to the actuators:

    found = identify_robot(model, actuators, logs, fit=["*.timing.delay"])
    found = identify_robot(model, found.actuators, frame_times(found), fit=["*.timing.delay"])
    delay, actuators = without_recorder(model, found.actuators, logs_of_another_recorder)
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.optimize

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.identify.result.identification import Identification
from pliant.io.formats.runs import digest_of
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import evaluate_robot

JITTER = 3e-3
"""[s] Standard deviation of a frame's time."""
NOISE = 1e-3
"""[rad, m] Of a position, by other causes: the step of a 12-bit encoder is 1.5 mrad."""
SHORTEST = 1e-4
"""[s] From one frame to the next."""
LONGEST = 0.04
"""[s] Delay of a recorder, at most."""
APART, EXACT = 2.5e-3, 1e-4
"""[s] Delays that are tried first, and the accuracy at the best."""
DELAY = "timing.delay"


def frame_times(
    found: Identification[RobotLog], *, jitter: float = JITTER, noise: float = NOISE
) -> list[RobotLog]:
    """Logs of a fit with the times at which their frames came, as far as the motion tells.

    All joints of a frame are read at once: one that came late is off in each joint by that joint's
    speed. Its time is the most likely one, of normal distributions. A second fit to these logs is more exact;
    a third takes errors of the model for times.

    Args:
        found: of the fit. jitter: [s] standard deviation of a frame's time.
        noise: [rad, m] of a position, by other causes.

    Raises:
        PliantError: a number is not above 0.
    """
    for name, value in (("jitter", jitter), ("noise", noise)):
        if not 0.0 < value < np.inf:
            raise PliantError("is out of range", field=name, found=value, accepted="above 0")
    entries = found.fitted.entries
    logs: list[RobotLog] = []
    for log in dict.fromkeys(entry.log for entry in entries):
        mine = [entry for entry in entries if entry.log is log]
        off = np.column_stack([entry.measured - entry.simulated for entry in mine])
        line = np.column_stack([entry.simulated for entry in mine])
        late = _late(off, np.gradient(line, log.time, axis=0), noise / jitter)
        time = np.maximum.accumulate(log.time + late - SHORTEST * np.arange(len(late)))
        time = time + SHORTEST * np.arange(len(late)) - time[0]
        digest = digest_of([time, log.position, log.goal, log.speed])
        logs.append(replace(log, time=time, digest=digest))
    return logs


def _late(off: Floats, speed: Floats, ratio: float) -> Floats:
    """(N,) [s] how late frames came, from (N, J) positions that are `off` at these speeds."""
    return (speed * off).sum(axis=1) / ((speed * speed).sum(axis=1) + ratio * ratio)


def without_recorder(
    model: Path | str,
    actuators: Mapping[str, Actuator],
    logs: Sequence[RobotLog],
    *,
    settings: ManySettings | None = None,
    replace: bool = False,
) -> tuple[float, dict[str, Actuator]]:
    """Delay [s] of the recorder that actuators were fitted to, and the actuators without it.

    Motion alone tells only the sum of a servo's delay and its recorder's. Logs of a recorder without delay, or of
    one that counts as such, tell the difference: it is the same in all joints.

    Args:
        model: MJCF or URDF file. actuators: joint to actuator, as fitted, each with a command delay.
        logs: of the other recorder. settings, replace: as of `evaluate_robot`.

    Raises:
        PliantError: an actuator has no delay; as `evaluate_robot`.
    """
    for joint, actuator in actuators.items():
        if DELAY not in actuator.all_numbers:
            raise PliantError(
                "has no command delay", field=joint, accepted="the law command_delay for timing"
            )

    def error(delay: float) -> float:
        return evaluate_robot(
            model, _earlier(actuators, delay), logs, settings=settings, replace=replace
        ).mae

    longest = min(LONGEST, *(actuator.value(DELAY) for actuator in actuators.values()))
    tried = np.arange(0.0, longest, APART)
    best = float(tried[int(np.argmin([error(delay) for delay in tried]))])
    ends = max(0.0, best - APART), min(longest, best + APART)
    optimize: Any = scipy.optimize
    found = optimize.minimize_scalar(error, bounds=ends, method="bounded", options={"xatol": EXACT})
    delay = float(found.x) if found.fun < error(0.0) else 0.0
    return delay, _earlier(actuators, delay)


def _earlier(actuators: Mapping[str, Actuator], by: float) -> dict[str, Actuator]:
    """Actuators whose command delays are shorter [s]."""
    return {
        joint: actuator.with_values(
            {DELAY: actuator.value(DELAY) - by},
            "the fit, without its recorder's delay",
            "identified",
        )
        for joint, actuator in actuators.items()
    }
