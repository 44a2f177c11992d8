"""The robot that a page shows: from a model with actuators, or from a robot's file."""

from collections.abc import Callable, Sequence
from pathlib import Path

from pliant.engines.mujoco.attach import attach
from pliant.engines.spec.messages import unlogged
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError, located
from pliant.examine.model import compiled, load_spec
from pliant.io.actuator_file import load_actuator
from pliant.robots.robot import Robot, RobotInfo
from pliant.robots.robot_file import robot_in
from pliant.robots.robot_toml import by_joint

__all__ = ["robot_maker"]


def robot_maker(
    path: Path, chosen: Sequence[tuple[str, str]], wishes: Wishes
) -> Callable[[float | None], Robot]:
    """A function that makes the robot of a file anew, with a timestep [s] or the file's own.

    Args:
        path: MJCF, URDF, or a robot's TOML. chosen: joint and actuator to attach, of a model.

    Raises:
        PliantError: the file or an actuator is refused, or nothing has an actuator.
    """
    if path.suffix.lower() == ".toml" and chosen:
        raise PliantError(
            "already names its actuators", field="--attach", file=path, accepted="a model"
        )
    actuators = [(joint, load_actuator(name)) for joint, name in chosen]

    def made(timestep: float | None) -> Robot:
        if not actuators:
            spec, info = robot_in(path, timestep)
            if not info.attachment.joints:
                raise PliantError(
                    "no joint has an actuator of Pliant",
                    file=path,
                    accepted="--attach joint=actuator",
                )
        else:
            spec, _ = load_spec(path, replace=wishes.replace)
            if timestep is not None:
                spec.option.timestep = timestep
            with located(path), unlogged():
                pairs, _ = by_joint(spec, actuators)
                info = RobotInfo(attachment=attach(spec, pairs, wishes))
        return Robot(compiled(spec, path), info)

    return made
