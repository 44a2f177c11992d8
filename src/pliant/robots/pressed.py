"""Recordings in which an arm presses on a fixed part of the model, such as a table, or stands inside it.

An arm that rests farther from the table than its goals is held up by something: with load and friction alone it
mostly rests below its goals. If the zeros are right, that something is the table's surface.

While a joint touches something, its fit leaves the samples out; a recording that is inside throughout would be
left out completely, and nothing would be fitted.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import NEAR, plain_model
from pliant.identification.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog
from pliant.robots.model_fit import ends_of

EVERY = 0.1
"""[s] Between the poses examined."""
MOST = 20_000
"""Largest number of poses of one recording; a longer one is sampled more coarsely."""
DEEPER = 0.006
"""[m] Least distance by which goals are nearer than the arm. Of 20 recordings of an SO-101, only the five that press exceed it."""
STILL, AROUND = 0.01, 0.3
"""[m/s, s] The arm rests while the distance changes more slowly than this, for this long before and after."""
BRIEF = 3
"""Smallest number of consecutive poses that count as a rest."""
ROOM = 1.0
"""[m] Distances beyond are not distinguished."""
SHIFTS = np.ravel([(x, -x) for x in np.arange(0.02, 0.81, 0.02)])
"""[rad, m] Zeros tried, the least first."""

HEIGHTS = int(mujoco.mjtGeom.mjGEOM_HFIELD)

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Presses:
    """Mean poses (N, J) of the stretches in which the arm presses, and the clearance (N,) [m] in the model."""

    poses: Floats
    gaps: Floats


class Clearance:
    """Smallest distance between moving and fixed parts of a model, for poses of some joints."""

    def __init__(self, model: mujoco.MjModel, joints: Sequence[str]) -> None:
        self.model, self._data = model, mujoco.MjData(model)
        self._at = [int(model.joint(joint).qposadr[0]) for joint in joints]
        self.pairs = _pairs(model)

    def __call__(self, poses: Floats) -> Floats:
        """(N,) [m], negative inside; of poses (N, J)."""
        found = np.full(len(poses), ROOM)
        for n, pose in enumerate(poses):
            self._data.qpos[self._at] = pose
            mujoco.mj_kinematics(self.model, self._data)
            for still, moves in self.pairs:
                gap = mujoco.mj_geomDistance(
                    self.model, self._data, still, moves, float(found[n]), None
                )
                found[n] = min(found[n], gap)
        return found


def _pairs(model: mujoco.MjModel) -> Pairs:
    """Pairs of a fixed and a moving geom that collide, without links next to the base, which are always near it.

    Height fields are excluded, because MuJoCo's distance to them is wrong: 0.47 m instead of 0.35.
    """
    fixed = (model.body_weldid[model.geom_bodyid] == 0) & (model.geom_type != HEIGHTS)
    carried = model.body_weldid[model.body_parentid[model.body_weldid[model.geom_bodyid]]] == 0
    kind, other = model.geom_contype, model.geom_conaffinity
    return [
        (a, b)
        for a in np.flatnonzero(fixed).tolist()
        for b in np.flatnonzero(~fixed & ~carried).tolist()
        if kind[a] & other[b] or kind[b] & other[a]
    ]


def presses(
    clearance: Clearance,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> Presses:
    """Stretches in which the arm rests while its servos' goals are nearer to a fixed part."""
    angles = np.array([joint in servos for joint in joints])
    poses, gaps = [np.empty((0, len(joints)))], [np.empty(0)]
    for log in logs if clearance.pairs else ():
        columns = [log.column(joint) for joint in joints]
        step = max(EVERY, float(log.time[-1]) / MOST)
        stride = max(1, round(step * (len(log.time) - 1) / float(log.time[-1])))
        position, time = log.position[::stride, columns], log.time[::stride]
        told = log.goal[::stride, columns]
        powered = log.enabled[::stride, columns] & angles & ~np.isnan(told)
        goal = np.where(powered, told, position)
        gap = clearance(position)
        if len(gap) < BRIEF or gap.min() >= ROOM:
            continue
        reach = max(1, round(AROUND / float(np.median(np.diff(time)))))
        pace = np.pad(np.abs(np.gradient(gap, time)), reach, mode="edge")
        calm = np.flatnonzero(sliding_window_view(pace, 2 * reach + 1).max(axis=1) < STILL)
        on = calm[clearance(goal[calm]) < gap[calm] - DEEPER]
        for run in np.split(on, np.flatnonzero(np.diff(on) > BRIEF) + 1):
            if len(run) >= BRIEF:
                poses.append(position[run].mean(axis=0)[None])
                gaps.append(np.array([gap[run].mean()]))
    return Presses(np.concatenate(poses), np.concatenate(gaps))


def doubtful_presses(
    clearance: Clearance, found: Presses, joints: Sequence[str]
) -> Iterator[Doubt]:
    """Doubt about an arm that presses 2 cm or more away from fixed parts of the model, and zeros that would explain it."""
    if not len(found.gaps) or abs(gap := float(found.gaps.mean())) < NEAR:
        return
    sign = float(np.sign(gap))
    ways = [
        *_ways(
            clearance.model,
            found.poses,
            joints,
            SHIFTS,
            lambda moved: sign * clearance(moved).mean() <= 0.0,
        )
    ]
    hint = f"a joint's zero is off ({' or '.join(ways)} would do), " if ways else ""
    side = "above" if gap > 0.0 else "inside"
    yield Doubt(
        "zero",
        (),
        f"the arm presses on something {1e3 * abs(gap):.0f} mm {side} the fixed parts of the model, "
        f"{len(found.gaps)} times: {hint}the table is elsewhere, or an object lay there",
    )


def _ways(
    model: mujoco.MjModel,
    poses: Floats,
    joints: Sequence[str],
    shifts: Floats,
    is_right: Callable[[Floats], bool],
) -> Iterator[str]:
    """For each joint, the smallest shift of its positions that is within its range and resolves the doubt, if any."""
    for k, joint in enumerate(joints):
        low, high = ends_of(model, joint)
        for shift in shifts:
            moved = poses + shift * np.eye(len(joints))[k]
            allowed = moved[:, k].min() >= low and moved[:, k].max() <= high
            if allowed and is_right(moved):
                yield f"{shift:+.2g} at {joint}"
                break


POSES = 200
"""Poses examined in all recordings together."""
SHARE = 0.5
"""Fraction of a recording from which it is reported."""
FAR_SHIFTS = np.ravel([(x, -x) for x in np.arange(0.05, 1.6, 0.05)])
"""[rad, m] Zeros tried, the least first."""


def doubtful_places(path: Path, logs: Sequence[RobotLog], joints: Sequence[str]) -> Iterator[Doubt]:
    """Doubts about recordings mostly more than 2 cm inside fixed geometry, and zeros that would correct them.

    Args:
        path: of the model. logs: recordings. joints: all that are recorded.
    """
    # A link that overlaps its base does so in all poses, because of the model; `attach` warns of that.
    model = plain_model(path, joints, exclude_base_collision=True)
    if not model.ngeom:
        return
    every = max(1, sum(len(log.time) for log in logs) // POSES)
    at = [int(model.joint(joint).qposadr[0]) for joint in joints]
    for log in logs:
        poses = log.position[::every, [log.column(joint) for joint in joints]]
        share = _sunken(model, at, poses)
        if share < SHARE:
            continue
        few = poses[:: max(1, len(poses) // 10)]
        out = [*_ways(model, few, joints, FAR_SHIFTS, lambda x: _sunken(model, at, x) == 0.0)]
        hint = f"; {' or '.join(out)} would correct it" if out else ""
        yield Doubt(
            "zero",
            (),
            f"in {100 * share:.0f} % of {log.name} the arm stands more than {100 * NEAR:g} cm inside a fixed part of "
            f"the model: a joint's zero or the part's position is wrong{hint}",
        )


def _sunken(model: mujoco.MjModel, at: Sequence[int], poses: Floats) -> float:
    """Share of the poses that are inside."""
    data = mujoco.MjData(model)
    inside = 0
    for pose in poses:
        data.qpos[at] = pose
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_collision(model, data)
        still = model.body_weldid[model.geom_bodyid[data.contact.geom]] == 0
        inside += bool((data.contact.dist[still[:, 0] != still[:, 1]] < -NEAR).any())
    return inside / len(poses)
