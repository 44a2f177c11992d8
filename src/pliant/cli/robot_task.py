"""The task of `pliant identify-robot`, from its options."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pliant.assemble import Actuator
from pliant.cli.choices import fitted, fixed, mounting, with_laws
from pliant.cli.fitting import RobotSearch, joints_of, searched
from pliant.cli.options import check_step
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.identify.problem.task import FitTask, fit_task
from pliant.identify.robot.rig import RobotRig
from pliant.identify.search.search import SearchSettings
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import robot_rig

if TYPE_CHECKING:
    from pliant.cli.identify_robot import IdentifyRobot


def actuators_to_begin(asked: "IdentifyRobot", joints: Sequence[str]) -> dict[str, Actuator]:
    """Joint to the actuator that its fit begins at, with the laws asked for."""
    chosen = joints_of(asked.attach, "attach", joints)
    return {joint: with_laws(load_actuator(name), asked.law) for joint, name in chosen.items()}


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
    settings = ManySettings(timestep=asked.step, supply=asked.supply)
    rig = robot_rig(asked.model, begin, logs, asked.how, settings, replace=asked.replace)
    return fit_task(
        rig,
        {
            "fit": fitted(asked.fit),
            "fix": fixed(asked.fix),
            "objective": asked.search.objective,
            "search_settings": _search(asked, rig),
            "zero_by": mounting(asked.zero_by),
            "hold_out": asked.hold_out,
            **asked.fitting.options(robot=True, joints=list(begin)),
        },
    )


def _search(asked: "IdentifyRobot", rig: RobotRig) -> SearchSettings:
    """Search settings as asked for; by default, each of the many fits of a choice is shorter."""
    plain = RobotSearch(seed=asked.search.seed, objective=asked.search.objective)
    if asked.choose and asked.search == plain:
        return replace(rig.fold_search, seed=asked.search.seed)
    return searched(asked.search, rig.search)
