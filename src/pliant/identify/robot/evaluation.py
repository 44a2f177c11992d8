"""How far a robot with its actuators is from recorded motions: each joint of each log."""

from dataclasses import dataclass

import numpy as np

from pliant.arrays import Floats
from pliant.io.recordings import Recordings
from pliant.io.robot_log import RobotLog


@dataclass(frozen=True, eq=False)
class JointError:
    """One joint in one log, all joints simulated together from the first sample, open loop.

    Attributes:
        simulated: (N,) [rad, m]. mae: mean absolute position error.
    """

    log: RobotLog
    joint: str
    simulated: Floats
    mae: float

    @property
    def residual(self) -> Floats:
        """(N,) simulated - measured."""
        return self.simulated - self.log.position[:, self.log.column(self.joint)]


@dataclass(frozen=True, eq=False)
class RobotEvaluation:
    """Errors of every joint in every log."""

    entries: tuple[JointError, ...]

    @property
    def mae(self) -> float:
        """Mean over logs and joints of their mean absolute error [rad, m]."""
        return float(np.mean([entry.mae for entry in self.entries]))

    def of_joint(self, joint: str) -> float:
        """Mean over the logs."""
        return float(np.mean([entry.mae for entry in self.entries if entry.joint == joint]))

    def of_log(self, name: str) -> float:
        """Mean over the joints."""
        return float(np.mean([entry.mae for entry in self.entries if entry.log.name == name]))


def compare(logs: Recordings, positions: Floats) -> RobotEvaluation:
    """The errors of simulated positions (M,)."""
    parts, measured = logs.per_log(positions), logs.per_log(logs.measured)
    return RobotEvaluation(
        tuple(
            JointError(log, joint, part, float(np.mean(np.abs(part - real))))
            for (log, joint), part, real in zip(logs.blocks, parts, measured, strict=True)
        )
    )
