"""A robot on the command line: its model, and the actuator on each joint with its settings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

import mujoco

from pliant.assemble import Actuator
from pliant.cli.choices import joints_of
from pliant.cli.recording import readable
from pliant.engines.mujoco.model_file import load_model
from pliant.engines.spec.attachment import Attachment
from pliant.engines.spec.placing import Wishes
from pliant.errors import PliantError, located
from pliant.examine.model import load_spec
from pliant.files import check_regular
from pliant.io.actuator_file import load_actuator
from pliant.io.keyed import named
from pliant.io.overrides import overridden
from pliant.io.recording_facts import RecordingFacts
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.robots.attach import attach
from pliant.robots.identify import supplied
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot
from pliant.robots.robot_toml import RobotToml, actuators_of, by_joint, read_robot_toml, with_file

SET = "joint.parameter=value, such as elbow.control.kp=800, or elbow.kp=800"


@dataclass(frozen=True, kw_only=True)
class RobotSetup:
    """A robot to be simulated.

    Attributes:
        path: MJCF, URDF, or a robot's TOML file. chosen: joint or pattern, and actuator.
        values: `joint.parameter=value` texts. wishes: options of `attach`.
        packages, repair: see `load_model`. timestep: [s], if not the model's.
    """

    path: Path
    chosen: Sequence[tuple[str, str]] = ()
    values: Sequence[str] = ()
    wishes: Wishes
    packages: Sequence[str] = ()
    repair: Sequence[str] = ()
    timestep: float | None = None

    def attached(self) -> tuple[mujoco.MjSpec, Attachment, str]:
        """The spec with its actuators, what was attached, and the notes and warnings about both.

        Raises:
            PliantError: the model or an actuator cannot be used, or nothing is attached.
        """
        file = self._file()
        model = self.path if file.model is None else self.path.parent / file.model
        near = [self.path.parent / folder for folder in file.packages]
        # A robot's file defines its actuators; a URDF's own plugins are ignored, as by `load_robot`.
        read = load_spec if file.model is None else load_model
        spec, own = read(
            model,
            replace=self.wishes.replace,
            packages=[*self.packages, *near],
            repair=[*self.repair, *file.repair],
        )
        actuators = self._actuators(file)
        if (timestep := self.timestep or file.timestep) is not None:
            spec.option.timestep = timestep
        with located(model):
            pairs, matched = by_joint(spec, actuators.items())
            wishes = with_file(self.wishes, file, spec)
            attachment = attach(spec, with_set(pairs, self.values), **vars(wishes))
        attachment = replace(attachment, notes=(*matched, *attachment.notes))
        return spec, attachment, "\n".join(filter(None, [str(own), str(attachment)]))

    def _file(self) -> RobotToml:
        if self.path.suffix.lower() != ".toml":
            return RobotToml(joints={})
        file = read_robot_toml(self.path)
        if file.model is None:
            accepted = "MJCF or URDF, relative to the file"
            raise PliantError("is missing", file=self.path, field="model", accepted=accepted)
        return file

    def _actuators(self, file: RobotToml) -> dict[str, Actuator]:
        """Actuator by joint or pattern; those given on the command line override the file."""
        chosen: dict[str, Actuator] = dict(actuators_of(file, self.path))
        for k, (joint, name) in enumerate(self.chosen):
            if joint in [other for other, _ in self.chosen[:k]]:
                raise PliantError("is given twice", field="--attach", found=joint)
            chosen[joint] = load_actuator(name)
        if not chosen:
            raise PliantError("nothing is attached", field="--attach", accepted="joint=actuator")
        return chosen


def with_set(
    pairs: Iterable[tuple[str, Actuator]], texts: Sequence[str]
) -> list[tuple[str, Actuator]]:
    """Joints and actuators, with the numbers that `joint.parameter=value` texts set.

    Raises:
        PliantError: a text has another form, no joint of that name, or no such parameter.
    """
    done = dict(pairs)
    for name, value in named(texts, "--set", SET):
        mine = [(joint, rest) for joint in done if (rest := _parameter(name, joint))]
        if not mine:
            raise PliantError(
                "does not begin with a joint that has an actuator",
                field="--set",
                found=name,
                accepted=[f"{joint}.PARAMETER" for joint in done],
            )
        for joint, parameter in mine:
            with located(field=f"--set: {joint}"):
                done[joint] = overridden(done[joint], [(parameter, value)], "set with --set")
    return list(done.items())


def _parameter(name: str, joint: str) -> str:
    """Parameter behind the joint, or behind a pattern of it; "" if it is of another joint."""
    parts = name.split(".")
    for k in range(1, len(parts)):
        if fnmatchcase(joint, ".".join(parts[:k])):
            return ".".join(parts[k:])
    return ""


def recorded_robot(
    path: Path,
    attach: tuple[str, ...],
    recordings: Sequence[Path],
    facts: RecordingFacts,
    *,
    of: str = "--attach",
    gives_way: bool,
) -> tuple[RecordedRobot, list[RobotLog]]:
    """The robot of a file (*.toml), or of a model and the actuators in `attach`; its recordings.

    Args:
        of: the option that names the actuators. gives_way: replace actuators that the model has there.

    Raises:
        PliantError: a file, an actuator or a pattern cannot be used, or a model gets no actuator.
    """
    check_regular(path)
    if path.suffix.lower() == ".toml":
        robot = read_recorded_robot(path)
        logs = read_robot_logs(recordings, readable(facts, robot.model))
    else:
        # Before the recordings, which may take a minute to read.
        known = {name: load_actuator(name) for name in joints_of(attach, of, None).values()}
        logs = read_robot_logs(recordings, readable(facts, path))
        chosen = joints_of(attach, of, logs[0].joints)
        actuators = {joint: known[name] for joint, name in chosen.items()}
        robot = RecordedRobot(model=path, actuators=actuators)
    wishes = replace(robot.wishes, replace=gives_way or robot.wishes.replace)
    held = supplied(robot.actuators, facts.voltage)
    return replace(robot, wishes=wishes, actuators=held), logs
