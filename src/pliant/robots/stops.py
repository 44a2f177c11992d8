"""Joints at a mechanical stop in a recording, compared with the ends of the model's ranges: their zeros.

At a stop a joint stands still while its goal goes on beyond it. A goal that was clipped as it was sent, or something in
the way, looks alike; so a stop elsewhere than the model's is told, and only one at its place counts as known.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pliant.engines.mujoco.batch.surroundings import NEAR
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_findings import stood
from pliant.io.robot_log import Bools, RobotLog
from pliant.robots.pressed import Clearance

ROUGH = 0.1
"""[rad, m] Within which a stop is at the model's end: plastic gives, and ranges are rounded."""
FARTHEST = 0.6
"""[rad, m] Farther from the model's end it is no stop."""


@dataclass(frozen=True)
class Stop:
    """Place at which a joint stood against something, and what its positions lack to the model's end [rad, m]."""

    joint: str
    place: float
    shift: float


def stops(
    clearance: Clearance,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> Iterator[Stop]:
    """Ends of motions at which a servo stood while its goal went on, away from all that is fixed."""
    for joint in joints:
        low, high = (float(x) for x in clearance.model.joint(joint).range)
        if joint not in servos or not low < high:
            continue
        for log in logs:
            column = log.column(joint)
            line = log.position[:, column]
            goal = np.where(log.enabled[:, column], log.goal[:, column], line)
            for sign, end, there in stood(log.time, line, goal):
                shift = (high if sign > 0.0 else low) - sign * end
                if abs(shift) < FARTHEST and not _held(clearance, log, joints, there):
                    yield Stop(joint, sign * end, shift)


def _held(clearance: Clearance, log: RobotLog, joints: Sequence[str], there: Bools) -> bool:
    """Whether the arm is at something fixed meanwhile."""
    columns = [log.column(joint) for joint in joints]
    poses = log.position[there][:, columns]
    return bool(clearance(poses[:: max(1, len(poses) // 10)]).min() < NEAR)


def doubtful_stops(found: Sequence[Stop]) -> Iterator[Doubt]:
    """The farthest stop of each joint that is not where the model has it, and the zero that brings it there."""
    worst: dict[str, Stop] = {}
    for stop in found:
        if abs(stop.shift) > max(ROUGH, abs(worst[stop.joint].shift) if stop.joint in worst else 0):
            worst[stop.joint] = stop
    for joint, stop in worst.items():
        yield Doubt(
            "zero",
            (joint,),
            f"{joint} stands at {stop.place:.3g} while its goal goes on; the model's stop is "
            f"{stop.shift:+.2g} from there: its zero is off (add {stop.shift:+.2g} to its positions and goals), "
            "or its goal was clipped as it was sent, or something was in the way",
        )


def known_by_stops(found: Sequence[Stop]) -> Mapping[str, tuple[float, float]]:
    """Joint to the shifts of its zero [rad, m] that leave its stops where the model has them, as far as they are."""
    known: dict[str, tuple[float, float]] = {}
    for stop in found:
        low, high = known.get(stop.joint, (-np.inf, np.inf))
        if abs(stop.shift) <= ROUGH:
            known[stop.joint] = max(low, stop.shift - ROUGH), min(high, stop.shift + ROUGH)
    return known
