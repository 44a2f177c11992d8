"""Recordings of a robot laid out for comparison."""

from collections.abc import Sequence

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.io.robot_log import RobotLog


class Recordings:
    """Logs laid out for comparison: log by log, in each joint by joint, M samples in all.

    Args:
        logs: the logs. joints: those that are compared.

    Attributes:
        measured: (M,) [rad, m]. time: (M,) [s]. starts: (B + 1,) where each joint of each log
            begins. blocks: (B,) their log and joint.

    Raises:
        PliantError: no logs, two of one name, or one of the joints is not recorded.
    """

    def __init__(self, logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
        if not logs:
            raise PliantError("no logs", accepted="at least one")
        names = [log.name for log in logs]
        for k, log in enumerate(logs):
            if log.name in names[:k]:
                raise PliantError("two logs have the same name", file=log.path, found=log.name)
        self.logs, self.joints = tuple(logs), tuple(joints)
        self.joint_count = len(self.joints)
        self.blocks = [(log, joint) for log in logs for joint in joints]
        parts = [log.position[:, log.column(joint)] for log, joint in self.blocks]
        self.measured = np.concatenate(parts)
        self.time = np.concatenate([log.time for log, _ in self.blocks])
        self.starts = np.cumsum([0, *map(len, parts)]).astype(np.int64)

    def per_block(self, samples: Floats) -> list[Floats]:
        """(…, M) samples, cut into one array per joint of each log."""
        return np.split(samples, self.starts[1:-1], axis=-1)
