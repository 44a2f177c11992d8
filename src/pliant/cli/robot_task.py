"""The task of `pliant identify-robot`, from its options."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pliant.assemble import Actuator
from pliant.cli.choices import fitted, fixed, mounting, with_laws
from pliant.cli.fitting import joints_of, searched
from pliant.cli.options import check_step
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.identification.problem.task import FitTask, fit_task
from pliant.identification.robot.mounted import check_calibration
from pliant.identification.robot.rig import RobotRig
from pliant.identification.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import robot_rig
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot

if TYPE_CHECKING:
    from pliant.cli.identify_robot import IdentifyRobot


def robot_asked(asked: "IdentifyRobot") -> RecordedRobot:
    """The model, and what a robot's file says of it; options go before."""
    if asked.model.suffix.lower() == ".toml":
        said = read_recorded_robot(asked.model)
    else:
        said = RecordedRobot(model=asked.model, actuators={})
    wishes = replace(said.wishes, replace=asked.replace or said.wishes.replace)
    step = said.timestep if asked.step is None else asked.step
    return replace(said, timestep=step, wishes=wishes)


def actuators_to_begin(asked: "IdentifyRobot", joints: Sequence[str]) -> dict[str, Actuator]:
    """Joint to the actuator that its fit begins at, with the laws asked for."""
    known = dict(asked.robot.actuators)
    if asked.attach or not known:
        chosen = joints_of(asked.attach, "attach", joints)
        known |= {joint: load_actuator(name) for joint, name in chosen.items()}
    return {joint: with_laws(actuator, asked.law) for joint, actuator in known.items()}


def robot_task(
    asked: "IdentifyRobot", begin: Mapping[str, Actuator], logs: Sequence[RobotLog]
) -> FitTask[RobotLog]:
    """The task of a fit, from the options.

    Raises:
        PliantError: an option that cannot be, or does not go with another.
    """
    if asked.step is not None:
        check_step(asked.step)
    turns = [choice for choice in asked.hold_out if "=" not in choice]
    if asked.choose and turns:
        raise PliantError(
            "each in turn does not go with --choose, which holds groups out in turn itself",
            field="--hold-out",
            found=asked.hold_out,
            accepted=f"{turns[0]}=NAME, to judge what was chosen; or --by {turns[0]}",
        )
    zero_by = mounting(asked.zero_by)
    check_calibration(zero_by, "--zero-by")
    recorder_by = mounting(asked.recorder_by)
    check_calibration(recorder_by, "--recorder-by")
    robot = asked.robot
    settings = ManySettings(timestep=robot.timestep, supply=asked.supply, wishes=robot.wishes)
    rig = robot_rig(robot.model, begin, logs, asked.how, settings)
    return fit_task(
        rig,
        {
            "fit": fitted(asked.fit),
            "fix": fixed(asked.fix),
            "search_settings": _search(asked, rig),
            "zero_by": zero_by,
            "recorder_by": recorder_by,
            "hold_out": asked.hold_out,
            **asked.fitting.options(robot=True, joints=list(begin)),
        },
    )


def _search(asked: "IdentifyRobot", rig: RobotRig) -> SearchSettings:
    """Search settings as asked for; by default, each of the many fits of a choice is shorter."""
    return searched(asked.search, rig.fold_search if asked.choose else rig.search)
