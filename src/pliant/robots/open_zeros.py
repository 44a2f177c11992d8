"""Joints at the ends of the model's ranges, and zeros that recordings do not contradict.

At a stop a joint stands still while its goal goes on beyond it. A goal that was clipped as it was sent, or something in
the way, looks alike; so a stop elsewhere than the model's is told, and only one at its place counts as known.

A joint's zero, of positions and goals together, may be anywhere that keeps the joint within its range, the arm out of
what is fixed in the model, its presses on the table, and its stops where the model has them. Gravity is no help: it
changes too little.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import NEAR
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_findings import stood
from pliant.io.robot_log import Bools, RobotLog
from pliant.robots.model_fit import BEYOND, ends_of
from pliant.robots.pressed import Clearance, Presses

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
        low, high = ends_of(clearance.model, joint)
        if joint not in servos:
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


POSES = 100
"""Poses that are looked at, of all recordings together."""
INSIDE = 0.02
"""Fraction of them that may be 2 cm inside what is fixed."""
STEP, FINE = 0.1, 0.01
"""[rad, m] Steps of the search, and how exactly it then finds an end."""
WIDE = 0.3
"""[rad, m] From which on what is open is worth a word."""

Interval = tuple[float, float]


def zeros_and_stops(
    clearance: Clearance,
    pressed: Presses,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> tuple[dict[str, Interval], list[Doubt]]:
    """Joint to the shifts of its zero that these recordings allow, and stops that are elsewhere than the model's.

    Args:
        clearance: of the model. pressed: on it, in these recordings (`presses`).
        logs: recordings. joints: all that are recorded.
        servos: those of them that are told an angle.

    Returns:
        Least and largest number [rad, m] that may be added to a joint's positions and goals, infinite for a joint
        without a range and without anything to touch; a joint that contradicts the model as it is is left out.
    """
    seen = [*stops(clearance, logs, joints, servos)]
    stopped = known_by_stops(seen)
    every = max(1, sum(len(log.time) for log in logs) // POSES)
    poses = np.concatenate(
        [log.position[::every, [log.column(joint) for joint in joints]] for log in logs]
    )
    found: dict[str, Interval] = {}
    for k, joint in enumerate(joints):
        lines = np.concatenate([log.position[:, log.column(joint)] for log in logs])
        low, high = _by_range(clearance.model, joint, lines)
        least, most = stopped.get(joint, (-np.inf, np.inf))
        low, high = max(low, least), min(high, most)
        moved = np.eye(len(joints))[k]
        if low <= 0.0 <= high and _allowed(clearance, poses, pressed, 0.0 * moved):
            down = _end(clearance, poses, pressed, -moved, -low)
            found[joint] = -down, _end(clearance, poses, pressed, moved, high)
    return found, [*doubtful_stops(seen)]


def doubtful_open_zeros(zeros: Mapping[str, Interval]) -> Iterator[Doubt]:
    """One line about the joints whose zeros are open by much."""
    wide = {joint: ends for joint, ends in zeros.items() if ends[1] - ends[0] > WIDE}
    if wide:
        text = (
            f"zeros that these recordings would fit as well [rad, m]: {written(wide)}; compare a pose with the "
            "model by eye, or record each joint at its two stops"
        )
        yield Doubt("zero", tuple(wide), text)


def written(zeros: Mapping[str, Interval]) -> str:
    """`elbow -0.31 to +0.22, wrist any`."""
    return ", ".join(
        f"{joint} {low:+.2f} to {high:+.2f}" if np.isfinite(high - low) else f"{joint} any"
        for joint, (low, high) in zeros.items()
    )


def _by_range(model: mujoco.MjModel, joint: str, line: Floats) -> Interval:
    low, high = ends_of(model, joint)
    return low - BEYOND - float(line.min()), high + BEYOND - float(line.max())


def _end(clearance: Clearance, poses: Floats, pressed: Presses, way: Floats, most: float) -> float:
    """[rad, m] How far a zero may go that way, at most `most`; a turn where nothing ends it is endless."""
    turn = min(most, 2.0 * np.pi)
    good, bad = 0.0, turn
    for shift in [*np.arange(STEP, turn, STEP).tolist(), turn]:
        if not _allowed(clearance, poses, pressed, shift * way):
            bad = shift
            break
        good = shift
    else:
        return most
    while bad - good > FINE:
        middle = 0.5 * (good + bad)
        if _allowed(clearance, poses, pressed, middle * way):
            good = middle
        else:
            bad = middle
    return good


def _allowed(clearance: Clearance, poses: Floats, pressed: Presses, shift: Floats) -> bool:
    if not clearance.pairs:
        return True
    if np.mean(clearance(poses + shift) < -NEAR) > INSIDE:
        return False
    return not len(pressed.gaps) or bool(abs(clearance(pressed.poses + shift).mean()) < NEAR)
