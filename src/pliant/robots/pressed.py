"""Recordings in which an arm presses on a fixed part of the model, such as a table, or stands inside it.

An arm that rests farther from the table than its goals are is held up by something: load and friction alone let it
rest below its goals, mostly. With the right zeros that something is the table's surface.

While a joint touches something, its fit leaves the samples out; a recording that is inside all along
would be left out whole, and nothing would be fitted.
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
"""[s] Between the poses that are looked at."""
MOST = 20_000
"""Poses of one recording; a longer one is looked at less often."""
DEEPER = 0.006
"""[m] Goals are nearer than the arm, at least. Of 20 recordings of an SO-101 the five that press show it, no other."""
STILL, AROUND = 0.01, 0.3
"""[m/s, s] While the distance changes more slowly, before and after, for so long."""
BRIEF = 3
"""Poses in a row, at least: fewer are no rest."""
ROOM = 1.0
"""[m] Distances beyond are not distinguished."""
SHIFTS = np.ravel([(x, -x) for x in np.arange(0.02, 0.81, 0.02)])
"""[rad, m] Zeros tried, the least first."""

HEIGHTS = int(mujoco.mjtGeom.mjGEOM_HFIELD)

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, eq=False)
class Presses:
    """Mean poses (N, J) of the stretches in which something is pressed on, and the distance (N,) [m] of model parts."""

    poses: Floats
    gaps: Floats


class Clearance:
    """Least distance between what moves and what is fixed in a model, for poses of some joints."""

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
    """A fixed and a moving geom, which collide; links that the base carries are near it in all poses.

    Without height fields, whose distance MuJoCo does not tell: 0.47 m where it is 0.35.
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
    """Stretches in which the arm rests away from goals of its servos that are nearer to what is fixed."""
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
    """An arm that presses where the model has nothing, 2 cm or more, and the zeros that would bring it there."""
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
        f"the arm presses on something {1e3 * abs(gap):.0f} mm {side} what is fixed in the model, "
        f"{len(found.gaps)} times: {hint}the table is elsewhere, or something lay there",
    )


def _ways(
    model: mujoco.MjModel,
    poses: Floats,
    joints: Sequence[str],
    shifts: Floats,
    is_right: Callable[[Floats], bool],
) -> Iterator[str]:
    """For each joint the least shift of its positions that is within its range and right, if there is one."""
    for k, joint in enumerate(joints):
        low, high = ends_of(model, joint)
        for shift in shifts:
            moved = poses + shift * np.eye(len(joints))[k]
            allowed = moved[:, k].min() >= low and moved[:, k].max() <= high
            if allowed and is_right(moved):
                yield f"{shift:+.2g} at {joint}"
                break


POSES = 200
"""Poses that are looked at, of all recordings together."""
SHARE = 0.5
"""Fraction of a recording, from which on it is told."""
FAR_SHIFTS = np.ravel([(x, -x) for x in np.arange(0.05, 1.6, 0.05)])
"""[rad, m] Zeros tried, the least first."""


def doubtful_places(path: Path, logs: Sequence[RobotLog], joints: Sequence[str]) -> Iterator[Doubt]:
    """Recordings most of whose poses are more than 2 cm inside fixed geometry, and zeros that bring them out.

    Args:
        path: of the model. logs: recordings. joints: all that are recorded.
    """
    # A link within the base that carries it is the model's matter, in all poses; `attach` tells that.
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
        hint = f"; {' or '.join(out)} would bring it out" if out else ""
        yield Doubt(
            "zero",
            (),
            f"in {100 * share:.0f} % of {log.name} the arm stands more than {100 * NEAR:g} cm inside a fixed part of "
            f"the model: a joint's zero is off, or the part's place{hint}",
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
