"""The zero of each joint's encoder in recordings of a calibration of their own, with nothing of the actuators moved.

1. one descent moves the zero of each joint and group, and nothing else
2. how far the halves of the recordings disagree on each zero is its uncertainty
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from pliant.arrays import Floats
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.space import Space
from pliant.identification.problem.zero import ZeroFound
from pliant.identification.robot.mounted import CALIBRATIONS, calibrations, with_zeros, zeroed
from pliant.identification.robot.space import OFFSET
from pliant.identification.search.least_squares import PROBE, polish
from pliant.io.robot_log import RobotLog

if TYPE_CHECKING:
    from pliant.identification.robot.rig import RobotRig

JACOBIANS = 8


def clear_zeros(rig: "RobotRig", found: Sequence[ZeroFound]) -> dict[str, float]:
    """Those that are clear [rad, m], "<joint>.<group>", beside those of the robot's file."""
    return {one.mounting: one.zero - given_zero(rig, one.mounting) for one in found if one.clear}


def given_zero(rig: "RobotRig", mounting: str) -> float:
    """The zero [rad, m] that the robot's file has of a joint, and its recordings need not."""
    joint = next(joint for joint in rig.actuators if mounting.startswith(f"{joint}."))
    return float(rig.robot.offsets.get(f"{joint}.{OFFSET}", 0.0))


def zeros_of(
    rig: "RobotRig", logs: Sequence[RobotLog], kind: str, known: Mapping[str, float]
) -> list[ZeroFound]:
    """The zero of each joint ("<joint>.<group>") in each group of recordings.

    Args:
        known: such zeros that the fit found, beside those of the robot's file.
    """
    groups = calibrations(logs, kind)
    joints, coarse, none = list(rig.actuators), rig.coarse().mounted(kind), np.empty(0)
    own = {j: float(rig.robot.offsets.get(f"{j}.{OFFSET}", 0.0)) for j in joints}
    space = with_zeros(Space((), none, none, none), joints, list(groups))
    owners = [(joint, group) for joint in joints for group in groups]
    given = [own[j] + known.get(f"{j}.{g}", 0.0) for j, g in owners]
    begin = dict(zip(space.names, given, strict=True))
    goal = Posterior(coarse.residuals(logs, space))
    start = space.to_cube(space.starting_at(begin).start)
    end = polish(goal, start, JACOBIANS)
    zeros, spreads = space.from_cube(end[None])[0], _spreads(goal, end, space)
    by = {f"{j}.{g}": float(x) - own[j] for (j, g), x in zip(owners, zeros, strict=True)}
    before, after = (_errors(rig, zeroed(logs, kind, values), kind) for values in ({**known}, by))
    return [
        ZeroFound(
            mounting=f"{joint}.{group}",
            logs=len(groups[group]),
            given=given[k],
            zero=float(zeros[k]),
            before=before[joint, group],
            after=after[joint, group],
            spread=float(spreads[k]),
        )
        for k, (joint, group) in enumerate(owners)
    ]


def _errors(
    rig: "RobotRig", logs: Sequence[RobotLog], kind: str
) -> Mapping[tuple[str, str], float]:
    """Joint and group to the mean error [rad, m]."""
    each: dict[tuple[str, str], list[float]] = {}
    for entry in rig.evaluate(logs).entries:
        each.setdefault((entry.joint, CALIBRATIONS[kind](entry.log)), []).append(entry.mae)
    return {key: float(np.mean(errors)) for key, errors in each.items()}


def _spreads(goal: Posterior, at: Floats, space: Space) -> Floats:
    """(D,) [rad, m] standard error of each zero, from how far the halves of the recordings disagree.

    Along the slope at `at`, with the other zeros held.
    """
    residual = goal.misfit(at[None])[0]
    steps = np.where(at < 0.5, PROBE, -PROBE)
    slopes = (goal.misfit(at + np.diag(steps)) - residual) / steps[:, None]
    blocks = goal.misfit.samples.per_block(residual)
    out = np.full(len(at), np.inf)
    for k, slope in enumerate(slopes):
        each: list[float] = []
        for r, s in zip(blocks, goal.misfit.samples.per_block(slope), strict=True):
            for half, own in zip(np.array_split(r, 2), np.array_split(s, 2), strict=True):
                if np.any(own):
                    each.append(-float(own @ half) / float(own @ own))
        if len(each) > 1:
            out[k] = np.std(each, ddof=1) / np.sqrt(len(each)) * (space.high[k] - space.low[k])
    return out
