"""Recording of a robot: several joints that move at the same time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, check_known
from pliant.io.findings import Finding
from pliant.io.table import ZERO_CELSIUS, possible, unread
from pliant.io.velocity import derivative

Bools = NDArray[np.bool_]

OTHERS: Mapping[str, str] = {
    "torque": "N m",
    "duty": "1",
    "voltage": "V",
    "temperature": "degC",
    "kp": "N m/rad",
    "kd": "N m s/rad",
}
"""Channels that are kept for each joint beside those a fit uses: name and unit."""
LEAST = 5
"""Samples of a piece of a log."""


@dataclass(frozen=True, eq=False)
class RobotLog:
    """One run of a robot: N samples of J joints.

    Attributes:
        name: stem of the file's name. path: the file, if it was read from one. digest: SHA-256.
        joints: (J,) names. time: (N,) [s] strictly increasing from 0.
        position: (N, J) [rad, m]. goal: (N, J) commands, in the device's unit; NaN if a joint has no
            such column. speed: (N, J) [rad/s, m/s], NaN likewise.
        enabled: (N, J) whether the motor was powered. supply: (N,) [V]; None: not recorded.
        supply_ratio: ratio of the supply to the actuators' nominal one, if none is measured [1].
        current: (N, J) [A], or in a unit of its own; NaN for a joint without; None: not recorded.
        others: further channels, (N, J) each, NaN likewise; keys and units of `OTHERS`. A fit uses the
            temperature, where an actuator has a thermal law, and the gains, where its controller takes them.
        findings: of the reader about the recording.
        rows, where: (N,) number [1] of each sample in the file, and the file's term for one.
        also: names of commands in the file, which may differ from those of the positions.
        in_unit: joints whose unit was stated, by the file or the caller.
        piece_of: recording of which it is a piece, and the index of its first sample there.
    """

    name: str
    joints: tuple[str, ...]
    time: Floats
    position: Floats
    goal: Floats
    speed: Floats
    enabled: Bools
    supply: Floats | None = None
    current: Floats | None = None
    path: Path | None = None
    digest: str = ""
    others: Mapping[str, Floats] = field(default_factory=dict[str, Floats])
    findings: tuple[Finding, ...] = ()
    supply_ratio: float = 1.0
    rows: NDArray[np.int64] | None = None
    where: str = "sample {}"
    also: tuple[str, ...] = ()
    in_unit: frozenset[str] = frozenset()
    piece_of: "tuple[RobotLog, int] | None" = None

    def keep(self, rows: Bools | NDArray[np.intp]) -> "RobotLog":
        """The same recording of some samples: a mask (N,), or places (n,) in a new order."""
        numbers = np.arange(len(self.time)) if self.rows is None else self.rows
        return replace(
            self,
            time=self.time[rows],
            position=self.position[rows],
            goal=self.goal[rows],
            speed=self.speed[rows],
            enabled=self.enabled[rows],
            supply=None if self.supply is None else self.supply[rows],
            current=None if self.current is None else self.current[rows],
            others={kind: values[rows] for kind, values in self.others.items()},
            rows=numbers[rows],
            piece_of=None,
        )

    def column(self, joint: str) -> int:
        """Index of a joint in the arrays.

        Raises:
            PliantError: it is not recorded.
        """
        place = self.path or self.name
        check_known(joint, self.joints, "this joint is not recorded", file=place, field="joint")
        return self.joints.index(joint)

    def only(self, joints: Sequence[str]) -> "RobotLog":
        """The same recording of these joints alone."""
        at = [self.column(joint) for joint in joints]
        current = None if self.current is None else self.current[:, at]
        return replace(
            self,
            joints=tuple(joints),
            position=self.position[:, at],
            goal=self.goal[:, at],
            speed=self.speed[:, at],
            enabled=self.enabled[:, at],
            current=current,
            others={kind: values[:, at] for kind, values in self.others.items()},
        )

    def warmth(self, joint: str) -> float | None:
        """[K] Initial temperature of a joint's winding: its servo's first reading.

        None if it is not recorded, is 0 throughout, or is impossible for a servo.
        """
        every = self.others.get("temperature")
        if every is None:
            return None
        readings = every[:, self.column(joint)]
        if unread(readings) or not possible(readings):
            return None
        return ZERO_CELSIUS + float(readings[0])

    def commanded(self, joint: str) -> bool:
        """Whether the joint's command is recorded, and is one of a position servo."""
        return self.has_goals(joint) and not self.why_no_command(joint)

    def has_goals(self, joint: str) -> bool:
        """Whether the joint has a column of goals, whatever its content."""
        return not bool(np.isnan(self.goal[0, self.column(joint)]))

    def why_no_command(self, joint: str) -> str:
        """Reason why it is not one; empty if it is."""
        said = (
            f.message for f in self.findings if (f.kind, f.field) == ("command", f"goal_{joint}")
        )
        return next(said, "")


def pieces(log: RobotLog, seconds: float) -> list[RobotLog]:
    """All of `log` in pieces of about so many seconds, with its name, each starting at its recorded speed."""
    places = even_pieces(log.time, seconds)
    if len(places) == 1:
        return [log]
    speed: Floats = np.array([derivative(log.time, line) for line in log.position.T]).T
    whole = replace(log, speed=speed)
    made = list[RobotLog]()
    for place in places:
        rows: Bools = np.zeros(len(log.time), bool)
        rows[place] = True
        piece = whole.keep(rows)
        made.append(replace(piece, time=piece.time - piece.time[0], piece_of=(log, place.start)))
    return made


def even_pieces(time: Floats, seconds: float) -> list[slice]:
    """Even pieces of `time` (N,) of about so many seconds, each of LEAST samples or more."""
    count = max(1, min(round(float(time[-1]) / seconds), len(time) // LEAST))
    even: Floats = np.linspace(0.0, float(time[-1]), count + 1)
    edges: list[int] = np.searchsorted(time, even[:-1]).tolist()
    return [slice(a, b) for a, b in pairwise([*edges, len(time)]) if b - a >= LEAST]


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
        names = [(log.name, log.piece_of and log.piece_of[1]) for log in logs]
        for k, log in enumerate(logs):
            if names[k] in names[:k]:
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


NAMES = (("kp", "control.kp"), ("kp", "control.k_p"), ("kd", "control.kd"), ("kd", "control.k_d"))
"""Recorded gains, and their names in laws of controllers."""


def gain_courses(log: RobotLog, joint: str, units: Mapping[str, str]) -> dict[str, Floats]:
    """(N,) Time series of each gain that the log has for a joint, from the sample of its command on.

    While the motor is off, the last gain is kept (at the start, the first one to come).

    Args:
        units: of the actuator's parameters; a gain in another unit does not belong to its controller.
    """
    if joint not in log.joints:
        return {}
    k = log.column(joint)
    on = np.flatnonzero(log.enabled[:, k])
    last = np.searchsorted(on, np.arange(len(log.time)), side="right") - 1
    return {
        name: log.others[gain][on[np.maximum(last, 0)], k]
        for gain, name in NAMES
        if units.get(name) == OTHERS[gain]
        and gain in log.others
        and len(on)
        and not np.isnan(log.others[gain][:, k]).any()
    }
