"""Everything in recordings that may not be of the model: goals, signs, zeros, and the zeros that they leave open."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import mujoco

from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.engines.spec.attachment import Attachment
from pliant.identify.problem.doubt import Doubt
from pliant.io.robot_log import RobotLog
from pliant.robots.goal_match import doubtful_goals
from pliant.robots.gravity import doubtful_signs
from pliant.robots.model_fit import doubtful_zeros
from pliant.robots.open_zeros import Interval, zeros_and_stops
from pliant.robots.pressed import Clearance, doubtful_presses, presses
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


def doubtful_bases(attachment: Attachment) -> Iterator[Doubt]:
    """Links within the base that carries them: contact pushes them all along, in simulations and in fits."""
    for one in attachment.warnings:
        if one.kind == "base_collision" and one.joint is not None:
            yield Doubt("base collision", (one.joint,), str(one))
