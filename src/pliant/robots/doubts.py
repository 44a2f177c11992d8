"""Everything in recordings that may not be of the model: goals, signs, zeros, and the zeros that they leave open."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

import mujoco

from pliant.engines.mujoco.batch.robot_model import hold_bases
from pliant.engines.mujoco.batch.surroundings import plain_model
from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.attachment import Attachment
from pliant.identification.problem.doubt import Doubt
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


def doubtful_bases(path: Path, attachment: Attachment) -> Iterator[Doubt]:
    """Floating bases, which are held, and links within the base that carries them, which may pass it.

    Args:
        path: of the model. attachment: to it, without wishes for its bases.
    """
    for name in hold_bases(load_model(path)[0]):
        yield Doubt(
            "base",
            (),
            f"{name or 'the floating base'} floats in {path.name}, and no recording of joints says where it is: it is "
            "held in the pose of the model; a robot that stood or walked has other loads on its joints",
        )
    within = [one for one in attachment.warnings if one.kind == "base_collision"]
    joints = tuple(one.joint for one in within if one.joint is not None)
    pairs = ", ".join("{1} in {0}".format(*one.bodies) for one in within if one.bodies)
    if joints:
        yield Doubt(
            "base",
            joints,
            f"in the model's own pose links are within the base that carries them ({pairs}): they pass each other here, "
            "and elsewhere with exclude_base_collision = true in the robot's file",
        )
