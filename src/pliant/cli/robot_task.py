"""Task of `pliant identify` for a whole robot, and the timing of its recorder."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pliant.assemble import Actuator, with_laws
from pliant.cli.choices import joints_of, of_all, robot_prior, task_of
from pliant.cli.fit_plan import FitPlan
from pliant.cli.searching import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError
from pliant.identification.fit import fit
from pliant.identification.problem.hold_out import divided
from pliant.identification.problem.task import FitTask
from pliant.io.actuator_file import load_actuator
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.identify import RobotIdentification, robot_rig
from pliant.robots.recorder_times import (
    PASSES,
    evenly_timed,
    frame_times,
    frames_of,
    uneven,
    without_recorder,
)
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot


@dataclass(frozen=True)
class RobotAsked:
    """A plan, the facts on its recordings, and the robot by its file, with the plan's changes."""

    plan: FitPlan
    facts: RecordingFacts
    robot: RecordedRobot

    @classmethod
    def of(cls, plan: FitPlan, facts: RecordingFacts) -> "RobotAsked":
        """Read the robot's file, if it is one, and see that all actuators exist.

        Raises:
            PliantError: a file cannot be used, or no actuator is chosen.
        """
        assert plan.robot is not None
        if plan.robot.suffix.lower() == ".toml":
            said = read_recorded_robot(plan.robot)
        else:
            said = RecordedRobot(model=plan.robot, actuators={})
        if (
            plan.actuator or not said.actuators
        ):  # before recordings are read, which may take a minute
            for name in joints_of(plan.actuator, "--actuator", None).values():
                load_actuator(name)
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
            chosen = joints_of(self.plan.actuator, "--actuator", joints)
            known |= {joint: load_actuator(name) for joint, name in chosen.items()}
        laws = of_all(self.plan.law)
        return {joint: with_laws(actuator, laws) for joint, actuator in known.items()}

    def names(self, joints: Sequence[str]) -> list[str]:
        """Names or files of the actuators that it begins at."""
        names: dict[str, object] = {j: a.name for j, a in self.robot.actuators.items()}
        chosen = self.plan.actuator
        names |= joints_of(chosen, "--actuator", joints) if chosen else {}
        return list(dict.fromkeys(map(str, names.values())))

    def task(self, begin: Mapping[str, Actuator], logs: Sequence[RobotLog]) -> FitTask[RobotLog]:
        """The task of a fit; for a choice of models, with shorter searches and nothing held out."""
        plan, facts = self.plan, self.facts
        rig = robot_rig(self.robot.model, begin, logs, plan.how, self.settings)
        return task_of(rig, plan, facts, robot_prior(plan.prior, list(begin)))


def check_output_is_folder(plan: FitPlan) -> None:
    """Refuse an --output that names a file, as of one joint."""
    if plan.output is not None and plan.output.suffix.lower() == ".toml":
        accepted = "a folder, for a file of each joint and robot.toml"
        raise PliantError(
            "is one file", field="--output", found=plan.output.name, accepted=accepted
        )


def in_time(
    asked: RobotAsked,
    terminal: Terminal,
    found: RobotIdentification,
    task: FitTask[RobotLog],
    logs: Sequence[RobotLog],
) -> tuple[RobotIdentification, FitTask[RobotLog], Sequence[RobotLog]]:
    """The fit at the actual times of the frames, if asked for, with the task and logs that judge it.

    Otherwise the fit as it is, with a note if the joints agree that frames came unevenly.
    """
    counted = all(map(evenly_timed, logs))
    if found.interrupted or not (counted or asked.plan.frame_times):
        return found, task, logs
    jitter = uneven(frames_of(found))
    if not asked.plan.frame_times:
        if jitter is not None:
            terminal.note(
                f"all joints agree that frame times have a jitter of {1e3 * jitter:.1f} ms (standard deviation) about "
                "the recorded times; --plan frame_times=yes fits again at the estimated times"
            )
        return found, task, logs
    said = "not clearly uneven" if jitter is None else f"uneven by {1e3 * jitter:.1f} ms"
    terminal.note(f"the frames came {said}; fitting again at the estimated times ...")
    recorded = logs
    for number in range(1, PASSES + 1):
        logs = _timed(found, recorded)
        # From the start: the first fit may be in a valley of wrong times. A search that ends worse than the
        # previous fit has at these times has failed: search again from that fit.
        known, found = found, _again(asked, task.rig.actuators, logs, number, terminal)
        if found.interrupted:
            break
        at_once = number == 1 or asked.plan.prior  # a prior says where fits begin
        if not at_once and found.fitted.mae > _error(known, logs):
            found = _again(asked, known.actuators, logs, number, terminal)
    return found, asked.task(task.rig.actuators, logs), logs


def _again(
    asked: RobotAsked,
    begin: Mapping[str, Actuator],
    logs: Sequence[RobotLog],
    number: int,
    terminal: Terminal,
) -> RobotIdentification:
    """A fit from these actuators on."""
    show = SearchProgress(terminal, f"times {number}")
    return fit(asked.task(begin, logs), logs, report=show, note=terminal.note)


def _error(found: RobotIdentification, logs: Sequence[RobotLog]) -> float:
    """Mean absolute error [rad] of a fit on its logs at these times."""
    return found.rig.evaluate(divided(logs, found.task.hold_out).fitted).mae


def _timed(found: RobotIdentification, logs: Sequence[RobotLog]) -> list[RobotLog]:
    """All logs as recorded; those of the fit with the frame times estimated from it."""
    fitted = divided(logs, found.task.hold_out).fitted
    timed = {id(log): new for log, new in zip(fitted, frame_times(found, fitted), strict=True)}
    return [
        replace(log, time=new.time, digest=new.digest) if (new := timed.get(id(log))) else log
        for log in logs
    ]


def without_its_delay(
    asked: RobotAsked, found: RobotIdentification, terminal: Terminal
) -> RobotIdentification:
    """The fit, with the recorder's extra delay over another recorder, if given, removed from its actuators.

    Raises:
        PliantError: an actuator has no command delay, or the other's recordings are refused.
    """
    other = asked.plan.other_recorder
    if other is None:
        return found
    model, logs = asked.robot.model, read_robot_logs(other)
    delay, actuators = without_recorder(model, found.actuators, logs, settings=asked.settings)
    terminal.note(f"delay of the recorder: {1e3 * delay:.1f} ms, removed from the actuators")
    return replace(found, rig=found.rig.with_actuators(actuators))
