"""Identify the actuators of a robot from motions of it, with its own MJCF as the plant.

found = identify_robot("arm.xml", {"shoulder": "mx106_bam_m6", "elbow": "mx64_bam_m6"},
                       read_robot_logs("runs/"), fit=["*.timing.delay"])
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManyRobots, ManySettings
from pliant.errors import PliantError
from pliant.identify.problem.objective import Kind
from pliant.identify.robot.evaluation import RobotEvaluation, compare
from pliant.identify.robot.fit import How, RobotIdentification, fit_robot
from pliant.identify.robot.intervals import robot_intervals
from pliant.identify.robot.robot import Robot
from pliant.identify.robot.space import Bounds
from pliant.identify.search.progress import Progress
from pliant.identify.search.search import SearchSettings
from pliant.identify.uncertainty.bootstrap import Uncertainty, UncertaintySettings
from pliant.io.actuator_file import load_actuator
from pliant.io.recordings import Recordings
from pliant.io.robot_log import RobotLog

__all__ = ["evaluate_robot", "identify_robot", "intervals_of_robot"]


def identify_robot(
    model: Path | str,
    actuators: Mapping[str, Actuator | str | Path],
    logs: Sequence[RobotLog],
    *,
    held_out: Sequence[RobotLog] = (),
    fit: Mapping[str, Bounds] | Iterable[str] | None = None,
    fix: Iterable[str] = (),
    how: How = "together",
    objective: Kind = "absolute",
    search_settings: SearchSettings | None = None,
    settings: ManySettings | None = None,
    report: Callable[[str, Progress], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
) -> RobotIdentification:
    """Fit the actuators of an assembled robot to recorded motions of it.

    Args:
        model: MJCF or URDF; masses and lengths are taken from it.
        actuators: joint to where to begin: a name of the catalogue, a file, an `Actuator`.
        logs: to fit. Joints that are recorded and have no actuator here are led along their
            recording. held_out: to judge by.
        fit, fix: parameters to add to the search (with bounds or None), or to take out:
            "shoulder.motor.R", "*.friction.*", "elbow.position_offset", "mass.<body>".
        how: "together", "separately" or "both"; see `fit_robot`.
        objective, search_settings: as for one joint.
        settings: timestep, supply and threads of the simulations.
        report: called with what is being searched, after every generation.
        checkpoint, keep_checkpoint: as for one joint.

    Raises:
        PliantError: the model or a log is refused, a joint is not in both, an unknown parameter, a
            checkpoint of another task, or one that cannot be written.
        KeyboardInterrupt: before anything was found.
    """
    path = Path(model)
    robot = _robot(path, actuators, [*logs, *held_out])
    build = _build(path, settings)
    simulation = build(robot, {})
    about = {
        "model": path.name,
        "model_sha256": simulation.robot.digest,
        "step": simulation.timestep,
        "supply": simulation.settings.supply,
    }
    return fit_robot(
        robot,
        build,
        logs,
        held_out=held_out,
        fit=fit,
        fix=fix,
        how=how,
        objective=objective,
        search_settings=search_settings,
        report=report,
        about=about,
        checkpoint=checkpoint,
        keep_checkpoint=keep_checkpoint,
    )


def evaluate_robot(
    model: Path | str,
    actuators: Mapping[str, Actuator | str | Path],
    logs: Sequence[RobotLog],
    *,
    settings: ManySettings | None = None,
) -> RobotEvaluation:
    """How far a robot with these actuators is from recorded motions, open loop.

    Args:
        model: MJCF or URDF. actuators: joint to actuator, its file or its name.
        logs: from `read_robot_logs`. settings: how the robot is simulated.

    Raises:
        PliantError: as `identify_robot`.
    """
    path = Path(model)
    robot = _robot(path, actuators, logs)
    recordings = Recordings(logs, list(robot.actuators))
    simulation = _build(path, settings)(robot, {})
    return compare(recordings, simulation.batch(simulation.values()[None], recordings)[0][0])


def intervals_of_robot(
    model: Path | str,
    found: RobotIdentification,
    *,
    settings: ManySettings | None = None,
    uncertainty_settings: UncertaintySettings | None = None,
) -> Uncertainty:
    """90 % intervals of what `identify_robot` found in `model`; see `robot_intervals`.

    Args:
        model: MJCF or URDF, as it was identified in. found: from `identify_robot`.
        settings: how the robot is simulated. uncertainty_settings: blocks and draws.
    """
    return robot_intervals(
        found, _build(Path(model), settings), uncertainty_settings=uncertainty_settings
    )


def _robot(
    path: Path, actuators: Mapping[str, Actuator | str | Path], logs: Sequence[RobotLog]
) -> Robot:
    if not path.is_file():
        raise PliantError("no such model", file=path)
    if not actuators or not logs:
        raise PliantError("nothing to compare", accepted="at least one actuator and one log")
    loaded = {
        joint: actuator if isinstance(actuator, Actuator) else load_actuator(actuator)
        for joint, actuator in actuators.items()
    }
    for log in logs:
        for joint in loaded:
            if not log.commanded(joint):
                raise PliantError(
                    "has no commands of a joint that an actuator is to drive",
                    file=log.path or log.name,
                    field=f"goal_{joint}",
                )
    common = [j for j in logs[0].joints if all(j in log.joints for log in logs)]
    return Robot(loaded, led=tuple(joint for joint in common if joint not in loaded))


def _build(
    path: Path, settings: ManySettings | None
) -> Callable[[Robot, Mapping[str, float]], ManyRobots]:
    def build(robot: Robot, longest_delay: Mapping[str, float]) -> ManyRobots:
        return ManyRobots(
            path,
            robot.actuators,
            led=robot.led,
            masses=robot.masses,
            offsets=robot.offsets,
            longest_delay=longest_delay,
            settings=settings,
        )

    return build
