"""Repeatability: distance between runs of the same command, recorded several times.

No model can predict the next run better than the runs agree with each other.
"""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from pliant.identification.problem.simulation import AnyLog
from pliant.io.log import Log
from pliant.io.robot_log import RobotLog
from pliant.words import counted, mrad

SAME = 2e-3
"""[rad] Mean distance up to which two commands count as the same."""
FARTHEST = 0.2
"""[rad, m] Largest difference between two zeros: each at an end of its search range."""
SHARE = 0.9
"""Part of the longer run that the shorter one must cover."""


def repeatability(logs: Sequence[Log]) -> dict[str, float]:
    """Map of the first log of each repeated command to the mean distance [rad] of its runs.

    Runs of one command have the same gain, load and torque-off times. Each pair is compared at the samples
    of the first, position with position, with their mounting zeros applied.
    """
    return {runs[0].name: _apart(runs) for (runs,) in _repeated([(log,) for log in logs])}


def each_joint(logs: Sequence[AnyLog]) -> dict[str, dict[str, float]]:
    """The same for each joint; "" on a bench. A robot repeats a command only if all its joints do."""
    robot = [log for log in logs if isinstance(log, RobotLog)]
    if not robot:
        return {"": repeatability([log for log in logs if isinstance(log, Log)])}
    joints = [j for j in robot[0].joints if all(j in x.joints and x.commanded(j) for x in robot)]
    found = _repeated([tuple(_of_joint(log, joint) for joint in joints) for log in robot])
    return {
        joint: {groups[k][0].name: _apart(groups[k]) for groups in found}
        for k, joint in enumerate(joints)
    }


def floor(found: Mapping[str, Mapping[str, float]]) -> float | None:
    """[rad] Mean of `each_joint` over joints and commands; None if nothing was repeated."""
    each = [apart for commands in found.values() for apart in commands.values()]
    return float(np.mean(each)) if each else None


def in_words(found: Mapping[str, Mapping[str, float]]) -> str:
    """Message on what repetitions mean for all errors; empty if nothing was repeated."""
    mean = floor(found)
    if mean is None:
        return ""
    commands = max(len(each) for each in found.values())
    parts = ", ".join(
        f"{joint} {mrad(floor({joint: each}))}" for joint, each in found.items() if joint and each
    )
    return (
        f"repetitions of {counted(commands, 'command')} differ from each other by {mrad(mean)} mrad "
        f"on average{f' ({parts})' if parts else ''}: errors below that say nothing"
    )


def _of_joint(log: RobotLog, joint: str) -> Log:
    """One joint of a recording, with the fields compared here; a robot's load is not stated and does not change."""
    k = log.column(joint)
    return Log(
        name=log.name,
        path=log.path or Path(log.name),
        digest=log.digest,
        device="",
        trajectory="",
        mass=0.0,
        length=0.0,
        arm_mass=None,
        gain=0.0,
        supply=None,
        time=log.time,
        position=log.position[:, k],
        goal=log.goal[:, k],
        enabled=log.enabled[:, k],
        velocity=None,
        voltage=None,
    )


def _repeated(runs: Sequence[tuple[Log, ...]]) -> list[list[list[Log]]]:
    """Groups of runs, joint by joint, with the same commands in all joints."""
    found: list[list[list[Log]]] = []
    rest = [run for run in runs if run]
    while rest:
        first = rest[0]
        alike = [k for k, run in enumerate(rest) if not k or all(map(same_command, first, run))]
        if len(alike) > 1:
            found.append([list(joint) for joint in zip(*(rest[k] for k in alike), strict=True)])
        rest = [run for k, run in enumerate(rest) if k not in alike]
    return found


def _apart(runs: Sequence[Log]) -> float:
    """[rad] Mean distance of all pairs of runs."""
    return float(np.mean([_distance(a, b) for a, b in itertools.combinations(runs, 2)]))


def same_command(a: Log, b: Log) -> bool:
    """Whether two logs are runs of one command."""
    bench = ("mass", "length", "arm_mass", "gain", "derivative_gain", "driven")
    if any(getattr(a, name) != getattr(b, name) for name in bench):
        return False
    ends = sorted((float(a.time[-1]), float(b.time[-1])))
    if ends[0] < SHARE * ends[1] or (a.torque is not None and a.driven == "torque"):
        return False
    inside = a.time <= b.time[-1]
    goal = np.interp(a.time[inside], b.time, b.goal)
    on = np.interp(a.time[inside], b.time, b.enabled.astype(float))
    off = float(np.mean(np.abs(on - a.enabled[inside])))
    return float(np.mean(np.abs(goal - a.goal[inside]))) < SAME and off < 0.02


def same_motion(a: AnyLog, b: AnyLog) -> bool:
    """Whether two logs are runs of one command; for a robot, in all joints commanded in both.

    After a recalibration in between, the same command is counted from another zero.
    """
    if isinstance(a, Log) and isinstance(b, Log):
        return same_command(a, b)
    if not (isinstance(a, RobotLog) and isinstance(b, RobotLog)):
        return False
    joints = [j for j in a.joints if j in b.joints and a.commanded(j) and b.commanded(j)]
    return bool(joints) and all(
        same_command(one, _counted_alike(one, _of_joint(b, joint)))
        for joint in joints
        for one in [_of_joint(a, joint)]
    )


def _counted_alike(a: Log, b: Log) -> Log:
    """The second run with commands counted from the zero of the first, if that shift is within range."""
    inside = a.time <= b.time[-1]
    by = float(np.mean(a.goal[inside] - np.interp(a.time[inside], b.time, b.goal)))
    return b if abs(by) > FARTHEST else replace(b, goal=b.goal + by)


def _distance(a: Log, b: Log) -> float:
    """[rad] Mean distance of two runs, at the samples of the first."""
    inside = a.time <= b.time[-1]
    there = np.interp(a.time[inside], b.time, b.position) + (b.zero or 0.0)
    return float(np.mean(np.abs(there - a.position[inside] - (a.zero or 0.0))))
