"""Signs that recordings do not match the model: units of goals, signs, zeros; and zeros that remain undetermined.

A servo that carries a load rests short of its command, on the side that gravity pulls to. If the signs agree
with the model's, the error of joint j follows gravity's torque g_j on it,

    goal_j - q_j = a g_j + b + c sign(v_j) + d v_j + e acceleration_j,  a > 0

and if the sign of one joint is reversed it does not. The gain from reversing a sign is summed over the joints that
gravity loads with either sign; otherwise a wrong zero could hide a joint's load, and another joint's sign would win by
restoring it. A wrong zero is not detected this way: it changes g_j too little. Nor is a sign if no joint carries a
load. b is the zero of the commands. If gravity hardly varies, b absorbs the whole load, so a joint that rests on the
wrong side by more than usual zero errors is reported too.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.robot_model import hold_bases
from pliant.engines.mujoco.batch.surroundings import inverse_dynamics, plain_model, smoothed
from pliant.engines.mujoco.model_file import load_measured
from pliant.engines.spec.attachment import Attachment
from pliant.errors import PliantError
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import doubtful_zeros
from pliant.robots.open_zeros import Interval, zeros_and_stops
from pliant.robots.pressed import Clearance, doubtful_places, doubtful_presses, presses

SAMPLES = 1500
"""Samples examined in all recordings together; their order does not matter."""
CLEAR = 0.2
"""Log reduction of the error that the other sign must give, summed over joints. In 16 sets of 3 to 20
recordings of an SO-101 the right signs lost at most 0.12 to a wrong one, and mostly gained 0.2 to 0.9
over a reversed lift or elbow: not every wrong sign is reported, and no right one was doubted."""
FAST, AWAY = 0.3, 0.15
"""[rad/s, rad] While any joint moves faster, or is farther from its command, inertia is most of the load."""
FEWEST = 100
"""Samples left, at least."""
TURNED, RESTED = 0.1, 2e-3
"""[rad] Range of a joint, and standard deviation of its error, from which it is examined."""
TURNING = 0.03
"""[rad/s] Within which dry friction turns its direction."""
LOADED = 0.03
"""[N m] Gravity torque that varies less does not count as a load."""
AGAINST = 0.02
"""[rad] A servo rests on the side that gravity pulls from only because of its zero, by some 10 mrad. Of 20 recordings
of an SO-101, taken singly, none has a loaded joint on that side at all; with lift or elbow reversed, 11 and 17 have."""
STEADY = 0.1
"""[N m] Smallest mean load for which this is checked."""
MOST = -1.0
"""Lower limit of one joint's logarithm, so that a single joint does not decide."""

Motion = tuple[Floats, Floats, Floats, Floats]
"""(N, J) position, error, speed and acceleration."""


def doubtful_signs(
    path: Path, logs: Sequence[RobotLog], joints: Sequence[str], servos: Collection[str]
) -> Iterator[Doubt]:
    """The joint whose other sign fits gravity better, and joints that rest where gravity cannot hold them.

    Args:
        path: of the model. logs: recordings. joints: all that are recorded.
        servos: those of them commanded by angle.
    """
    if not any(joint in servos for joint in joints):
        return
    model = plain_model(path, joints)
    motion = _motion(logs, joints, servos)
    if len(motion[0]) < FEWEST:
        return
    one = np.ones(len(joints))
    given = _unexplained(model, joints, motion, one)
    turned = [_unexplained(model, joints, motion, one - 2.0 * row) for row in np.eye(len(joints))]
    gains = [float(np.nansum(given - left)) for left in turned]
    wrong = _wrong_side(model, joints, motion)
    best = int(np.argmax(gains))
    doubted = joints[best] if gains[best] > CLEAR else None
    if doubted is not None and wrong.get(doubted, 0.0) > -AGAINST:
        yield Doubt(
            "sign",
            (doubted,),
            f"gravity fits these recordings better with the sign of {doubted} reversed: compare it with the model's "
            "axis (this follows from other joints' loads, so it may be a neighbour's sign, or a zero far off)",
        )
    for joint, rest in wrong.items():
        if rest > AGAINST and joint != doubted:
            yield Doubt(
                "sign",
                (joint,),
                f"{joint} rests {rest:.2g} rad from its command on the side that gravity pulls from: compare "
                "its sign with the model's axis, and the zero of its commands",
            )


def _wrong_side(model: mujoco.MjModel, joints: Sequence[str], motion: Motion) -> dict[str, float]:
    """Map of joint to its rest error on the side away from gravity's pull [rad]; only joints with one-sided load."""
    position, error, _, _ = motion
    gravity = _gravity(model, joints, position)
    mean = gravity.mean(axis=0)
    steady = np.abs(mean) > np.maximum(STEADY, 0.5 * np.ptp(gravity, axis=0))
    wrong = -np.sign(mean) * error.mean(axis=0)
    return {j: float(w) for j, w, s in zip(joints, wrong, steady, strict=True) if s}


def _motion(logs: Sequence[RobotLog], joints: Sequence[str], servos: Collection[str]) -> Motion:
    parts: list[Motion] = []
    told = np.array([joint in servos for joint in joints])
    every = max(1, sum(len(log.time) for log in logs) // SAMPLES)
    for log in logs:
        columns = [log.column(joint) for joint in joints]
        lines = [smoothed(log.time, log.position[:, k]) for k in columns]
        smooth = [np.column_stack(x)[::every] for x in zip(*lines, strict=True)]
        position, speed, acceleration = smooth
        error = (log.goal - log.position)[::every, columns]
        parts.append((position, np.where(told, error, 0.0), speed, acceleration))
    position, error, speed, acceleration = (
        np.concatenate(part) for part in zip(*parts, strict=True)
    )
    slow = (np.abs(speed).max(axis=1) < FAST) & (np.abs(error).max(axis=1) < AWAY)
    return position[slow], error[slow], speed[slow], acceleration[slow]


def _unexplained(
    model: mujoco.MjModel, joints: Sequence[str], motion: Motion, signs: Floats
) -> Floats:
    """(J,) log ratio of the error residual with gravity to that without; 0: no improvement, NaN: no load."""
    position, error, speed, acceleration = (part * signs for part in motion)
    gravity = _gravity(model, joints, position)
    found = np.full(len(joints), np.nan)
    for k in range(len(joints)):
        v = speed[:, k]
        if not _asked(position[:, k], error[:, k]) or np.ptp(gravity[:, k]) < LOADED:
            continue
        others = np.column_stack([np.ones(len(v)), np.tanh(v / TURNING), v, acceleration[:, k]])
        _, without = _solved(others, error[:, k])
        slope, left = _solved(np.column_stack([gravity[:, k], others]), error[:, k])
        helps = slope > 0.0 and without > 0.0
        found[k] = max(MOST, 0.5 * np.log(max(left / without, 1e-12))) if helps else 0.0
    return found


def _asked(position: Floats, error: Floats) -> bool:
    return bool(np.ptp(position) > TURNED and error.std() > RESTED)


def _solved(columns: Floats, wanted: Floats) -> tuple[float, float]:
    """First coefficient of a least-squares fit, and its mean square residual."""
    found = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    return float(found[0]), float(np.mean((wanted - columns @ found) ** 2))


def _gravity(model: mujoco.MjModel, joints: Sequence[str], position: Floats) -> Floats:
    """(N, J) [N m, N] effort that each joint needs to stay where it is."""
    data = mujoco.MjData(model)
    at = [int(model.joint(joint).qposadr[0]) for joint in joints]
    dof = [int(model.joint(joint).dofadr[0]) for joint in joints]
    out = np.empty_like(position)
    for n, pose in enumerate(position):
        data.qpos[at] = pose
        out[n] = inverse_dynamics(model, data, accelerated=False)[dof]
    return out


MOVED = 0.02
"""[rad] The unit of a joint that moves less cannot be checked."""
ALIKE = 0.7
"""Nearness of a ratio to 180 / pi, or pi / 180."""
PLACED = 0.3
"""[rad] Nearness of goals to positions, once both are in rad."""
SPAN = 2.0
"""[s] Over which motion is averaged: longer than any lag of a joint behind its goals."""
FOLLOWED = 0.1
"""[rad] Range of the averages from which a joint is checked for following its goals."""
STRANGE, CLOSE = 0.7, 0.3
"""Fractions of a joint's motion left unexplained, by its own goals at least and by another's at most, to be reported."""
ASIDE = 0.1
"""[rad] Median distance from the goals that is reported; loads that a servo can hold mostly cause less."""
ALL_ALONG = 0.5
"""Largest relative spread of that distance: an error due to load varies with the pose."""


def check_goals(logs: Sequence[RobotLog], joints: Sequence[str]) -> None:
    """Refuse recordings whose commands are in another unit than their positions."""
    for log in logs:
        parts = {j: (log.goal[:, k], log.position[:, k]) for j in joints for k in (log.column(j),)}
        ratios = {j: _ratio(goal, line) for j, (goal, line) in parts.items()}
        known = [ratio for ratio in ratios.values() if ratio is not None]
        ratio = float(np.median(known)) if known else 1.0
        if _like_degrees(ratio):
            raise _other_unit(log, "<joint>", ratio, "both in one unit")
        for joint, (goal, line) in parts.items():
            own = ratios[joint]
            if own is not None and _like_degrees(own) and _placed(goal, line, own):
                large = "goal" if own > 1.0 else "position"
                accepted = f"both in one unit; in CSV, {large}_{joint} [deg] as the column's name"
                raise _other_unit(log, joint, own, accepted)


def _ratio(goal: Floats, line: Floats) -> float | None:
    """Range of the goals over that of the positions; None for a joint that does not move."""
    return float(np.ptp(goal) / np.ptp(line)) if np.ptp(line) > MOVED else None


def _like_degrees(ratio: float) -> bool:
    return ALIKE < max(ratio, 1.0 / max(ratio, 1e-9)) * np.pi / 180.0 < 1.0 / ALIKE


def _placed(goal: Floats, line: Floats, ratio: float) -> bool:
    """Whether the larger one, taken as degrees, is near the smaller; as rad it must exceed a turn."""
    large, small = (goal, line) if ratio > 1.0 else (line, goal)
    near = abs(float(np.median(np.radians(large) - small))) < PLACED
    return near and bool(np.abs(large).max() > 2.0 * np.pi)


def _other_unit(log: RobotLog, joint: str, ratio: float, accepted: str) -> PliantError:
    larger, smaller = ("goal", "position") if ratio > 1.0 else ("position", "goal")
    return PliantError(
        f"the {larger}s look like degrees, the {smaller}s like rad",
        file=log.path or log.name,
        field=f"goal_{joint}, position_{joint}",
        found=f"goals move {ratio:.3g} times as far as positions",
        accepted=accepted,
    )


def doubtful_goals(logs: Sequence[RobotLog], joints: Sequence[str]) -> Iterator[Doubt]:
    """Doubts about joints that move against their goals, follow another's, or have a constant offset from them."""
    goals = {j: [_slow(log, log.goal[:, log.column(j)]) for log in logs] for j in joints}
    lines = {j: [_slow(log, log.position[:, log.column(j)]) for log in logs] for j in joints}
    for joint in joints:
        line, own = np.concatenate(lines[joint]), np.concatenate(goals[joint])
        moved = float(line.std())
        if (
            max(float(np.ptp(x)) for x in lines[joint]) > FOLLOWED
            and _left(line, own) > STRANGE * moved
        ):
            yield from _followed(joint, line, {j: np.concatenate(x) for j, x in goals.items()})
            continue
        low, middle, high = np.quantile(line - own, (0.1, 0.5, 0.9))
        if abs(middle) > ASIDE and high - low < ALL_ALONG * abs(middle):
            yield Doubt(
                "zero",
                (joint,),
                f"{joint} is {middle:+.2g} rad from its goals in all poses ({low:+.2g} to {high:+.2g}): the "
                f"zeros of goals and positions differ, or the load is constant. --fit "
                f"{joint}.command_offset={middle - ASIDE:.1g}:{middle + ASIDE:.1g} finds it",
            )


def _followed(joint: str, line: Floats, goals: dict[str, Floats]) -> Iterator[Doubt]:
    """Doubts about a joint that follows reversed or another joint's goals instead of its own."""
    least = CLOSE * float(line.std())
    if _left(line, -goals[joint]) < least:
        text = f"{joint} moves against its goals: its goals or its positions have the wrong sign"
        yield Doubt("sign", (joint,), text)
        return
    other = min(goals, key=lambda name: _left(line, goals[name]))
    if _left(line, goals[other]) < least:
        text = (
            f"{joint} follows goal_{other}, not its own goals: the names of columns are exchanged"
        )
        yield Doubt("exchanged", (joint,), text)


def _left(line: Floats, goal: Floats) -> float:
    """Standard deviation of the motion relative to the goals."""
    return float(np.std(line - goal))


def _slow(log: RobotLog, line: Floats) -> Floats:
    """Means over `SPAN`, so that no lag looks like another sign; no more than the whole recording's mean."""
    count = max(1, round(SPAN / float(np.median(np.diff(log.time)))))
    if count >= len(line):
        return np.full(1, line.mean())
    total = np.concatenate([[0.0], np.cumsum(line)])
    return (total[count:] - total[:-count]) / count


def doubts_and_zeros(
    path: Path,
    model: mujoco.MjModel,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> tuple[tuple[Doubt, ...], Mapping[str, Interval]]:
    """Doubts about recordings, and the shifts of each joint's zero that they allow (see `zeros_and_stops`).

    Args:
        path: of the model. model: as simulated. logs: recordings, in the model's units.
        joints: all that are recorded. servos: those of them that are told an angle.
    """
    clearance = Clearance(plain_model(path, joints), joints)
    pressed = presses(clearance, logs, joints, servos)
    zeros, stopped = zeros_and_stops(clearance, pressed, logs, joints, servos)
    doubts = (
        *doubtful_goals(logs, [joint for joint in joints if joint in servos]),
        *doubtful_zeros(model, logs, joints),
        *doubtful_signs(path, logs, joints, servos),
        *doubtful_places(path, logs, joints),
        *doubtful_presses(clearance, pressed, joints),
        *stopped,
    )
    return doubts, zeros


def doubtful_bases(path: Path, attachment: Attachment) -> Iterator[Doubt]:
    """Notes on floating bases, which are held, and on links that overlap their base, whose contact is ignored.

    Args:
        path: of the model. attachment: to it, without wishes for its bases.
    """
    for name in hold_bases(load_measured(path)[0]):
        yield Doubt(
            "base",
            (),
            f"{name or 'the floating base'} floats in {path.name}, and joint recordings do not state its pose: it is "
            "held in the pose of the model; a robot that stood or walked has other loads on its joints",
        )
    within = [one for one in attachment.warnings if one.kind == "base_collision"]
    joints = tuple(one.joint for one in within if one.joint is not None)
    pairs = ", ".join("{1} in {0}".format(*one.bodies) for one in within if one.bodies)
    if joints:
        yield Doubt(
            "base",
            joints,
            f"in the model's own pose, links overlap the base that carries them ({pairs}): their contacts are ignored here, "
            "and elsewhere with exclude_base_collision = true in the robot's file",
        )
