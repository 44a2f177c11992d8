"""Identify the actuators of a robot from motions of it, with its own MJCF as the plant.

found = identify_robot("arm.xml", {"shoulder": "mx106_bam_m6", "elbow": "mx64_bam_m6"},
                       read_robot_logs("runs/"), fit=["*.timing.delay"])
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Unpack

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.assemble.checks import check_range
from pliant.engines.mujoco.batch.candidates import ARMATURE, ManyRobots, ManySettings
from pliant.errors import PliantError
from pliant.identification.fit import Report, fit
from pliant.identification.problem.evaluation import RobotEvaluation
from pliant.identification.problem.mounting_offsets import AUTO
from pliant.identification.problem.starting_actuator import with_something_to_fit
from pliant.identification.problem.task import FitOptions, fit_task
from pliant.identification.result.identification import Identification
from pliant.identification.result.known import judged
from pliant.identification.robot.rig import How, RobotRig, takes_angles
from pliant.identification.robot.space import RobotCandidate
from pliant.io.actuator_file import load_actuator
from pliant.io.robot_log import RobotLog, gain_courses
from pliant.robots.doubts import check_goals, doubtful_bases, doubts_and_zeros
from pliant.robots.led_joints import LedBuild
from pliant.robots.model_fit import check_fits, check_joints
from pliant.robots.open_zeros import doubtful_open_zeros

SOURCE = "recorded with its commands"
VOLTAGE = "own.voltage"
EQUAL = 1e-3
"""Relative spread within which a gain counts as constant."""


def with_recorded_gains(
    actuators: Mapping[str, Actuator], logs: Sequence[RobotLog]
) -> tuple[dict[str, Actuator], list[str]]:
    """The actuators with the median of the commanded gains, and a note on each change.

    Simulations of a recording follow its gains sample by sample; the median is what is written.

    Args:
        actuators: joint to actuator; one whose controller takes no such gains stays. logs: recordings.
    """
    found: dict[str, Actuator] = {}
    said: list[str] = []
    for joint, actuator in actuators.items():
        courses = stated_gains(joint, actuator, logs)
        for name, course in courses.items():
            for end in (course.min(), course.max()):
                check_range(name, float(end), actuator.fields[name])
        new = {name: float(np.median(course)) for name, course in courses.items()}
        new = {name: x for name, x in new.items() if actuator.numbers[name].value != x}
        found[joint] = actuator.with_values(new, SOURCE, "firmware") if new else actuator
        changes = [
            _gain_text(name, x) for name, x in courses.items() if name in new or np.ptp(x) > 0.0
        ]
        if changes:
            said.append(f"{joint}: {', '.join(changes)}, as recorded with its commands")
    return found, said


def supplied(actuators: Mapping[str, Actuator], voltage: float | None) -> dict[str, Actuator]:
    """The actuators with the supply [V] stated for their recordings; None: with that of their files."""
    if voltage is None:
        return dict(actuators)
    return {
        joint: actuator.with_values({VOLTAGE: voltage}, "given with the recordings", "convention")
        if VOLTAGE in actuator.fields
        else actuator
        for joint, actuator in actuators.items()
    }


def stated_gains(joint: str, actuator: Actuator, logs: Sequence[RobotLog]) -> dict[str, Floats]:
    """Each gain of the actuator's controller that recordings state, to all its values."""
    units = {name: field.unit for name, field in actuator.fields.items()}
    each = [gain_courses(log, joint, units) for log in logs]
    names = dict.fromkeys(name for courses in each for name in courses)
    return {n: np.concatenate([some[n] for some in each if n in some]) for n in names}


def _gain_text(name: str, values: Floats) -> str:
    low, high = float(values.min()), float(values.max())
    if high - low <= EQUAL * max(abs(high), abs(low)):
        return f"{name} {np.median(values):g}"
    return f"{name} {low:g} to {high:g} (sample by sample; written is {np.median(values):g})"


RobotIdentification = Identification[RobotLog]


# Many keyword arguments: a caller reads them in the signature.
def identify_robot(
    model: Path | str,
    actuators: Mapping[str, Actuator | str | Path],
    logs: Sequence[RobotLog],
    *,
    held_out: Sequence[RobotLog] = (),
    how: How = "both",
    replace: bool = False,
    settings: ManySettings | None = None,
    name: str | None = None,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
    checkpoint: Path | None = None,
    keep_checkpoint: bool = False,
    **options: Unpack[FitOptions],
) -> RobotIdentification:
    """Fit the actuators of an assembled robot to recorded motions of it.

    Args:
        model: MJCF or URDF; masses and lengths are taken from it.
        actuators: joint to the actuator that the fit starts from: a name of the catalogue, a file, or
            an `Actuator`.
        logs: to fit. Recorded joints without an actuator here follow their recording.
            held_out: to test on.
        how: "together", "separately" or "both"; see `RobotRig`.
        replace: replace actuators that the model has on recorded joints, as `pliant.attach` does.
        settings: timestep, supply and threads of the simulations.
        name, report, note, checkpoint, keep_checkpoint: see `pliant.identification.fit.fit`.
        options: `fit`, `fix`, `prior`, `search_settings`, `sampling`, `sample_age`,
            `hold_out`, as for one joint (see `FitTask`); `zero_by`, `recorder_by`: "day", "folder", "log",
            None, by default "auto": day, else folder, if the recordings are from several and show
            that they differ. Parameters are "shoulder.motor.R",
            "*.friction.*", "elbow.position_offset", "mass.<body>"; hold_out is "log=NAME"
            or "motion=NAME", all logs whose names differ only by a number at the end.

    Raises:
        PliantError: the model or a log is refused, a joint is not in both, or has an actuator that is
            not to be replaced; an unknown parameter; a checkpoint of another task, or one that cannot
            be written.
        KeyboardInterrupt: before anything was found.
    """
    begin = _loaded(actuators)
    for text in [] if options.get("fit") else begin_with_something(begin):
        if note is not None:
            note(text)
    return fit(
        fit_task(
            robot_rig(model, begin, [*logs, *held_out], how, settings, replace=replace), options
        ),
        logs,
        held_out=held_out,
        name=name,
        report=report,
        note=note,
        checkpoint=checkpoint,
        keep_checkpoint=keep_checkpoint,
    )


def begin_with_something(actuators: dict[str, Actuator]) -> list[str]:
    """A note on each joint whose actuator was given friction, because its file leaves a fit nothing to search.

    Args:
        actuators: joint to actuator; these are replaced.
    """
    said: list[str] = []
    for joint, actuator in actuators.items():
        actuators[joint], text = with_something_to_fit(actuator)
        said += [f"{joint}: {text}"] if text else []
    return said


def _loaded(actuators: Mapping[str, Actuator | str | Path]) -> dict[str, Actuator]:
    return {
        joint: actuator if isinstance(actuator, Actuator) else load_actuator(actuator)
        for joint, actuator in actuators.items()
    }


def evaluate_robot(
    model: Path | str,
    actuators: Mapping[str, Actuator | str | Path],
    logs: Sequence[RobotLog],
    *,
    offsets: Mapping[str, float] | None = None,
    replace: bool = False,
    settings: ManySettings | None = None,
    zero_by: str | None = AUTO,
    recorder_by: str | None = AUTO,
) -> RobotEvaluation:
    """Error of a robot with these actuators on recorded motions, open loop.

    Args:
        model: MJCF or URDF file. actuators: joint to actuator. logs: recorded motions.
        offsets: "<joint>.command_offset" and "<joint>.position_offset" [rad, m] of the recordings.
        replace: replace actuators that the model has on recorded joints, as `pliant.attach` does.
        settings: step and supply of the simulations.
        zero_by: property shared by recordings of one calibration, see `judged`.
        recorder_by: property shared by recordings of one recorder, see `judged`.

    Raises:
        PliantError: as `identify_robot`.
    """
    rig = robot_rig(model, actuators, logs, settings=settings, replace=replace)
    rig = rig.holding(offsets) if offsets else rig
    return rig.evaluate(judged(rig, logs, zero_by=zero_by, recorder_by=recorder_by).logs)


def robot_rig(
    model: Path | str,
    actuators: Mapping[str, Actuator | str | Path],
    logs: Sequence[RobotLog],
    how: How = "both",
    settings: ManySettings | None = None,
    *,
    replace: bool = False,
) -> RobotRig:
    """A robot as a fit takes it (`FitTask.rig`); see `identify_robot`.

    Args:
        model: MJCF or URDF file. actuators: joint to actuator. logs: recorded motions.
        how: joints "together", "separately" or "both".
        settings: step and supply of the simulations.
        replace: replace actuators that the model has on recorded joints, as `pliant.attach` does.

    Raises:
        PliantError: the model is refused, there is nothing to compare, a log has no commands of
            a joint with an actuator, or a joint has one that is not to be replaced.
    """
    path = Path(model)
    if not path.is_file():
        raise PliantError("no such model", file=path)
    if not actuators or not logs:
        raise PliantError("nothing to compare", accepted="at least one actuator and one log")
    loaded, _ = with_recorded_gains(_loaded(actuators), logs)
    common = [j for j in logs[0].joints if all(j in log.joints for log in logs)]
    robot = RobotCandidate(loaded, led=tuple(joint for joint in common if joint not in loaded))
    every = [*robot.actuators, *robot.led]
    check_joints(path, logs, every)
    settings = settings or ManySettings()
    wishes = dataclasses.replace(settings.wishes, replace=replace or settings.wishes.replace)
    build = MujocoBuild(path, dataclasses.replace(settings, wishes=wishes))
    gains = tuple(f"{j}.{n}" for j, a in loaded.items() for n in stated_gains(j, a, logs))
    rig = RobotRig(robot, build, LedBuild(build.path, build.settings), how, held=gains)
    rig.check(logs)
    simulation = build(robot, {})
    bases = tuple(doubtful_bases(path, simulation.robot.attachment))
    if any(one.parameters for one in bases):
        wishes = dataclasses.replace(wishes, exclude_base_collision=True)
        build = MujocoBuild(path, dataclasses.replace(settings, wishes=wishes))
        rig = dataclasses.replace(rig, build=build, led=LedBuild(build.path, build.settings))
        simulation = build(robot, {})
    if wishes.keep_armature:
        rig = _with_armatures_kept(rig, simulation)
    about = {
        "model": path.name,
        "model_sha256": simulation.robot.digest,
        "step": simulation.timestep,
        "supply": simulation.settings.supply,
    }
    servos = [joint for joint, a in loaded.items() if takes_angles(a)]
    check_goals(logs, servos)
    check_fits(simulation.robot.model, logs, every)
    doubts, zeros = doubts_and_zeros(path, simulation.robot.model, logs, every, servos)
    suspected = (*doubts, *bases, *doubtful_open_zeros(zeros))
    return dataclasses.replace(rig, about=about, suspected=suspected)


def _with_armatures_kept(rig: RobotRig, simulation: ManyRobots) -> RobotRig:
    """The rig with the armatures of the model's joints taken over by the actuators; they are not searched."""
    given = rig.actuators
    kept = {entry.joint: entry.actuator for entry in simulation.robot.attachment.joints}
    held = tuple(f"{joint}.{ARMATURE}" for joint in kept if kept[joint] is not given[joint])
    return dataclasses.replace(rig.with_actuators(kept), held=(*rig.held, *held))


@dataclass(frozen=True)
class MujocoBuild:
    """Simulations of the model in a file; another process can load it too.

    Attributes:
        path: MJCF or URDF. settings: of the simulations.
    """

    path: Path
    settings: ManySettings

    def __call__(self, robot: RobotCandidate, longest_delay: Mapping[str, float]) -> ManyRobots:
        """Candidates of `robot`, whose joints may have delays up to these [s]."""
        return ManyRobots(
            self.path,
            robot.actuators,
            led=robot.led,
            masses=robot.masses,
            offsets=robot.offsets,
            longest_delay=longest_delay,
            settings=dataclasses.replace(self.settings, hold=robot.hold and self.settings.hold),
        )
