"""Everything in recordings that may not be of the model: goals, signs, zeros, and the zeros that they leave open."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

import mujoco

from pliant.identify.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog
from pliant.robots.goal_match import doubtful_goals
from pliant.robots.gravity import doubtful_signs
from pliant.robots.model_fit import doubtful_zeros
from pliant.robots.open_zeros import Interval, zeros_and_stops
from pliant.robots.pressed import doubtful_presses
from pliant.robots.sunken import doubtful_places


def doubts_and_zeros(
    path: Path,
    model: mujoco.MjModel,
    logs: Sequence[RobotLog],
    joints: Sequence[str],
    servos: Collection[str],
) -> tuple[tuple[Doubt, ...], Mapping[str, Interval]]:
    """Doubts about recordings, and joint to the shifts of its zero that they allow (see `zeros_and_stops`).

    Args:
        path: of the model. model: as simulated. logs: recordings, in the model's units.
        joints: all that are recorded. servos: those of them that are told an angle.
    """
    zeros, stopped = zeros_and_stops(path, logs, joints, servos)
    doubts = (
        *doubtful_goals(logs, [joint for joint in joints if joint in servos]),
        *doubtful_zeros(model, logs, joints),
        *doubtful_signs(path, logs, joints, servos),
        *doubtful_places(path, logs, joints),
        *doubtful_presses(path, logs, joints, servos),
        *stopped,
    )
    return doubts, zeros
