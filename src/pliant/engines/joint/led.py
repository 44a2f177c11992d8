"""One joint of a robot whose other joints follow their recording, laid out for the joint engine."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, Laid
from pliant.io.table import AMBIENT


@dataclass(frozen=True, eq=False)
class LedLog:
    """One joint in one recording of N samples.

    Attributes:
        time: (N,) [s]. position: (N,) [rad, m]. goal: (N,) what the device was told.
        enabled: (N,) 1 while the motor is powered, else 0. supply: (N,) [V], or None: nominal.
        around: (N, 3) what the rest of the robot does to the joint: inertia [kg m^2], torque [N m]
            at angle 0, and the slope [N m/rad] of that torque in the joint's own angle.
        speed: [rad/s] at the beginning. warmth: [K] of the winding there; None: as the actuator has it.
        courses: parameter to (N,) its values, where it changes with the commands.
    """

    time: Floats
    position: Floats
    goal: Floats
    enabled: Floats
    supply: Floats | None
    around: Floats
    speed: float = 0.0
    warmth: float | None = None
    courses: Mapping[str, Floats] = field(default_factory=dict[str, Floats])


class LedBatch(Laid):
    """Recordings of one joint of a robot, laid out; the engine's plant is "led"."""

    def __init__(self, logs: Sequence[LedLog], engine: JointEngine) -> None:
        self.count = len(logs)
        self.span = sum(float(log.time[-1]) for log in logs)
        self.time = np.concatenate([log.time for log in logs])
        self.goal = np.concatenate([log.goal for log in logs])
        self.on = np.concatenate([log.enabled for log in logs])
        self.measured = np.concatenate([log.position for log in logs])
        self.around = np.concatenate([log.around for log in logs])
        given = [name for name in engine.names if any(name in log.courses for log in logs)]
        self.followed = np.array([engine.names.index(name) for name in given], dtype=np.int64)
        self.courses = np.ascontiguousarray(np.concatenate([_courses(x, given) for x in logs]))
        nominal = engine.actuator.value("own.voltage")
        supply = [np.full(len(x.time), nominal) if x.supply is None else x.supply for x in logs]
        self.supply = np.concatenate(supply)
        self.starts = np.cumsum([0, *(len(log.time) for log in logs)]).astype(np.int64)
        self.first = np.array([[log.position[0], log.speed] for log in logs])
        known = [np.nan if log.warmth is None else log.warmth for log in logs]
        read = AMBIENT in engine.names and not np.isnan(known).all()
        self.columns = np.array([engine.names.index(AMBIENT)] if read else [], dtype=np.int64)
        self.settings = np.array(known)[:, None] if read else np.empty((self.count, 0))


def _courses(log: LedLog, names: Sequence[str]) -> Floats:
    """(N, F) values of some parameters; NaN where the log does not say."""
    unsaid = np.full(len(log.time), np.nan)
    courses = [log.courses.get(name, unsaid) for name in names]
    return np.array(courses).reshape(len(names), len(log.time)).T
