"""A whole robot that `pliant identify` is asked for, and the task of its fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pliant.assemble import Actuator, with_laws
from pliant.cli.choices import fitted, fixed, mounting
from pliant.cli.fit_plan import FitPlan
from pliant.cli.fitting import joints_of, robot_prior, searched
from pliant.cli.laws_asked import is_choice, of_all
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.identification.problem.task import FitTask, fit_task
from pliant.identification.robot.mounting_offsets import check_calibration
from pliant.io.actuator_file import load_actuator
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_log import RobotLog
from pliant.robots.identify import robot_rig
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot


@dataclass(frozen=True)
class RobotAsked:
    """A plan, facts of its recordings, and the robot by its file, after what the plan says."""

    plan: FitPlan
    facts: RecordingFacts
    robot: RecordedRobot

    @classmethod
    def of(cls, plan: FitPlan, facts: RecordingFacts) -> "RobotAsked":
        """Read the robot's file, if it is one.

        Raises:
            PliantError: it cannot be used, or data-sheet values are given, which are of one device.
        """
        assert plan.robot is not None
        if plan.robot.suffix.lower() == ".toml":
            said = read_recorded_robot(plan.robot)
        else:
            said = RecordedRobot(model=plan.robot, actuators={})
        wishes = replace(said.wishes, replace=plan.replace or said.wishes.replace)
        step = said.timestep if plan.step is None else plan.step
        return cls(plan, facts, replace(said, timestep=step, wishes=wishes))

    @property
    def settings(self) -> ManySettings:
        """Settings of its simulation."""
        robot = self.robot
        return ManySettings(timestep=robot.timestep, supply=self.facts.supply, wishes=robot.wishes)

    def beginning(self, joints: Sequence[str]) -> dict[str, Actuator]:
        """Joint to the actuator that its fit begins at, with the laws that all models share."""
        known = dict(self.robot.actuators)
        if self.plan.actuator or not known:
            chosen = joints_of(self.plan.actuator, "actuator", joints)
            known |= {joint: load_actuator(name) for joint, name in chosen.items()}
        laws = of_all(self.plan.law)
        return {joint: with_laws(actuator, laws) for joint, actuator in known.items()}

    def names(self, joints: Sequence[str]) -> list[str]:
        """Names or files of the actuators that it begins at."""
        names: dict[str, object] = {j: a.name for j, a in self.robot.actuators.items()}
        chosen = self.plan.actuator
        names |= joints_of(chosen, "actuator", joints) if chosen else {}
        return list(dict.fromkeys(map(str, names.values())))

    def task(self, begin: Mapping[str, Actuator], logs: Sequence[RobotLog]) -> FitTask[RobotLog]:
        """The task of a fit; of a choice with shorter searches, and without what is held out.

        Raises:
            PliantError: a setting that cannot be, or does not go with another.
        """
        plan, facts = self.plan, self.facts
        zero_by, recorder_by = mounting(facts.zero_by), mounting(facts.recorder_by)
        check_calibration(zero_by, "zero_by")
        check_calibration(recorder_by, "recorder_by")
        rig = robot_rig(self.robot.model, begin, logs, plan.how, self.settings)
        choice = is_choice(plan)
        return fit_task(
            rig,
            {
                "fit": fitted(plan.fit),
                "fix": fixed(plan.fix),
                "search_settings": searched(plan, rig.fold_search if choice else rig.search),
                "zero_by": zero_by,
                "recorder_by": recorder_by,
                "sampling": facts.sampling,
                "sample_age": facts.sample_age or 0.0,
                "hold_out": () if choice else plan.hold_out,
                "prior": robot_prior(plan.prior, list(begin)),
            },
        )


def check_output_is_folder(plan: FitPlan) -> None:
    """Refuse an --output that names a file, as of one joint.

    Raises:
        PliantError: so.
    """
    if plan.output is not None and plan.output.suffix.lower() == ".toml":
        accepted = "a folder, for a file of each joint and robot.toml"
        raise PliantError(
            "is one file", field="--output", found=plan.output.name, accepted=accepted
        )
