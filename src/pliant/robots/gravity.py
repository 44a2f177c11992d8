"""Signs of a recording's joints against the model, from gravity.

A servo that carries a load rests short of its command, on the side that gravity pulls to. With signs as
the model has them, the error of joint j follows gravity's torque g_j on it,

    goal_j - q_j = a g_j + b + c sign(v_j) + d v_j + e acceleration_j,  a > 0

and with the sign of one joint turned it does not. What a sign gains is summed over the joints that gravity
loads with either sign; else a zero that is off could take a joint's load away, and another joint's sign would
win by bringing it back. A zero itself is not seen so: it changes g_j too little. Nor is a sign where no joint carries a load. b is the zero of the commands: where gravity hardly
varies it would take all of the load, so a joint that rests on the wrong side by more than zeros are off
is told too.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import plain_model, smoothed
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog

SAMPLES = 1500
"""Samples that are looked at, of all recordings together: their order does not matter."""
CLEAR = 0.2
"""Logarithm of the error that the other sign must take away, summed over joints. In 16 sets of 3 to 20
recordings of an SO-101 the right signs lost 0.12 at most to a wrong one, and mostly gained 0.2 to 0.9
over a turned lift or elbow: not every wrong sign is told, and no right one was doubted."""
FAST, AWAY = 0.3, 0.15
"""[rad/s, rad] While any joint moves faster, or is farther from its command, inertia is most of the load."""
FEWEST = 100
"""Samples left, at least."""
MOVED, RESTED = 0.1, 2e-3
"""[rad] Range of a joint, and standard deviation of its error, from which on it is asked."""
TURNING = 0.03
"""[rad/s] Within which dry friction turns its direction."""
LOADED = 0.03
"""[N m] Gravity that varies less is no load."""
AGAINST = 0.02
"""[rad] On the side that gravity pulls from a servo rests by its zero alone, some 10 mrad. Of 20 recordings of an
SO-101, one by one, none has a loaded joint so by any amount; with lift or elbow turned 11 and 17 have."""
STEADY = 0.1
"""[N m] Least mean load that is asked for so."""
MOST = -1.0
"""Least logarithm of one joint, so that one alone does not decide."""

Motion = tuple[Floats, Floats, Floats, Floats]
"""(N, J) position, error, speed and acceleration."""


def doubtful_signs(
    path: Path, logs: Sequence[RobotLog], joints: Sequence[str], servos: Collection[str]
) -> Iterator[Doubt]:
    """The joint whose other sign fits gravity better, and joints that rest where gravity cannot hold them.

    Args:
        path: of the model. logs: recordings. joints: all that are recorded.
        servos: those of them that are told an angle.
    """
    if not any(joint in servos for joint in joints):
        return
    model = plain_model(path, joints)
    motion = _motion(logs, joints, servos)
    if len(motion[0]) < FEWEST:
        return
    one = np.ones(len(joints))
    given = _left(model, joints, motion, one)
    turned = [_left(model, joints, motion, one - 2.0 * row) for row in np.eye(len(joints))]
    gains = [float(np.nansum(given - left)) for left in turned]
    wrong = _wrong_side(model, joints, motion)
    best = int(np.argmax(gains))
    doubted = joints[best] if gains[best] > CLEAR else None
    if doubted is not None and wrong.get(doubted, 0.0) > -AGAINST:
        yield Doubt(
            "sign",
            (doubted,),
            f"gravity fits these recordings better with the other sign of {doubted}: compare it with the "
            "model's axis (other joints' loads tell, so it may be a neighbour's, or a zero that is far off)",
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
    """Joint to how far it rests where gravity does not pull it [rad]; only those of one-sided load."""
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


def _left(model: mujoco.MjModel, joints: Sequence[str], motion: Motion, signs: Floats) -> Floats:
    """(J,) logarithm of what gravity leaves of an error, over what is left without it; 0: no help, NaN: no load."""
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
    return bool(np.ptp(position) > MOVED and error.std() > RESTED)


def _solved(columns: Floats, wanted: Floats) -> tuple[float, float]:
    """First coefficient of a least-squares fit, and the mean square of what it leaves."""
    found = np.linalg.lstsq(columns, wanted, rcond=None)[0]
    return float(found[0]), float(np.mean((wanted - columns @ found) ** 2))


def _gravity(model: mujoco.MjModel, joints: Sequence[str], position: Floats) -> Floats:
    """(N, J) [N m, N] that each joint needs to stay where it is."""
    data = mujoco.MjData(model)
    at = [int(model.joint(joint).qposadr[0]) for joint in joints]
    dof = [int(model.joint(joint).dofadr[0]) for joint in joints]
    out = np.empty_like(position)
    for n, pose in enumerate(position):
        data.qpos[at] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_passive(model, data)
        needed = np.empty(model.nv)
        mujoco.mj_rne(model, data, 0, needed)
        out[n] = (needed - data.qfrc_passive)[dof]
    return out
