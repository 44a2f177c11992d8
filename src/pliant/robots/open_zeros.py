"""Joints at the ends of the model's ranges, and zeros that recordings do not contradict.

At a stop, a joint stands still while its goal continues beyond it. A goal that was clipped when it was sent, or an
obstacle, looks the same; so a stop elsewhere than the model's is reported, and only one at the model's counts as known.

A joint's zero (of positions and goals together) may have any value that keeps the joint within its range, the arm out
of fixed parts of the model, its presses on the table, and its stops where the model has them. Gravity does not help:
it changes too little.
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
"""[rad, m] Distance within which a stop counts as the model's: plastic yields, and ranges are rounded."""
FARTHEST = 0.6
"""[rad, m] Distance from the model's end beyond which it does not count as a stop."""


@dataclass(frozen=True)
class Stop:
    """Position at which a joint was stopped, and the shift from there to the model's end [rad, m]."""

    joint: str
    place: float
    shift: float


def stops(
    clearance: Clearance,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> Iterator[Stop]:
    """Ends of motions at which a servo stood while its goal continued, away from all fixed parts."""
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
    """Whether the arm is near a fixed part at that time."""
    columns = [log.column(joint) for joint in joints]
    poses = log.position[there][:, columns]
    return bool(clearance(poses[:: max(1, len(poses) // 10)]).min() < NEAR)


def doubtful_stops(found: Sequence[Stop]) -> Iterator[Doubt]:
    """The farthest stop of each joint that is not where the model has it, and the zero that corrects it."""
    worst: dict[str, Stop] = {}
    for stop in found:
        if abs(stop.shift) > max(ROUGH, abs(worst[stop.joint].shift) if stop.joint in worst else 0):
            worst[stop.joint] = stop
    for joint, stop in worst.items():
        yield Doubt(
            "zero",
            (joint,),
            f"{joint} stands at {stop.place:.3g} while its goal continues; the model's stop is "
            f"{stop.shift:+.2g} from there: its zero is off (add {stop.shift:+.2g} to its positions and goals), "
            "or its goal was clipped when it was sent, or something was in the way",
        )


def known_by_stops(found: Sequence[Stop]) -> Mapping[str, tuple[float, float]]:
    """Map of joint to the shifts of its zero [rad, m] that keep its known stops where the model has them."""
    known: dict[str, tuple[float, float]] = {}
    for stop in found:
        low, high = known.get(stop.joint, (-np.inf, np.inf))
        if abs(stop.shift) <= ROUGH:
            known[stop.joint] = max(low, stop.shift - ROUGH), min(high, stop.shift + ROUGH)
    return known


POSES = 100
"""Poses examined in all recordings together."""
INSIDE = 0.02
"""Fraction of them that may be 2 cm inside fixed parts."""
STEP, FINE = 0.1, 0.01
"""[rad, m] Steps of the search, and the accuracy of the ends it finds."""
WIDE = 0.3
"""[rad, m] Width from which an undetermined zero is reported."""

Interval = tuple[float, float]


def zeros_and_stops(
    clearance: Clearance,
    pressed: Presses,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> tuple[dict[str, Interval], list[Doubt]]:
    """The shifts of each joint's zero that these recordings allow, and stops elsewhere than the model's.

    Args:
        clearance: of the model. pressed: on it, in these recordings (`presses`).
        logs: recordings. joints: all that are recorded.
        servos: those of them commanded by angle.

    Returns:
        Smallest and largest number [rad, m] that may be added to a joint's positions and goals; infinite for a joint
        without a range and anything to touch. A joint that contradicts the model without a shift is left out.
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
    """One line about the joints whose zeros are poorly determined."""
    wide = {joint: ends for joint, ends in zeros.items() if ends[1] - ends[0] > WIDE}
    if wide:
        text = (
            f"shifts of zeros that fit these recordings equally well [rad, m]: {written(wide)}; compare a pose with the "
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
    """[rad, m] Largest shift of a zero in that direction, up to `most`; infinite if nothing stops it within a turn."""
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
