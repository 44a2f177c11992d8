"""Export of an actuator, or a robot of them, to hosts in which Pliant does not run."""

from collections.abc import Callable, Mapping, Sequence, Sized
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pliant.assemble import Actuator
from pliant.engines.hosts.c_header import c_header
from pliant.engines.hosts.fmu import fmu
from pliant.engines.mujoco.batch.candidates import ManySettings
from pliant.errors import PliantError, check_kind, check_known, located
from pliant.identification.problem.hold_out import recorded
from pliant.io.actuator_file import load_actuator
from pliant.io.output import prepare_place, write_whole
from pliant.io.robot_log import RobotLog
from pliant.io.robot_logs import read_robot_logs
from pliant.io.validated import read_toml
from pliant.plain import forms, mjcf
from pliant.plain.fit import Reduced, reduced_robot, reduced_to_itself, reduced_to_logs, with_lacks
from pliant.plain.servo import KP
from pliant.plain.sheet import Sheet
from pliant.plain.use import Load, joint_loads, usual_loads
from pliant.robots.robot_file import RecordedRobot, read_recorded_robot

STEP = 0.005
"""[s] Default step of simulators that count delays in steps."""
Logs = Sequence[Any] | str | Path


@dataclass(frozen=True)
class Target:
    """A file format for plain numbers.

    Attributes:
        text: writer for single joints. robot: writer for a robot's model with the numbers, and its kind.
        fields: those of "armature" and "delay" that it has.
    """

    text: Callable[[Sheet], str]
    fields: frozenset[str]
    robot: tuple[str, Callable[[Sheet, Path], str]] | None = None


_ALL = frozenset({"armature", "delay"})
PLAIN: Mapping[str, Target] = {
    "mjcf": Target(mjcf.of_actuator, _ALL, (".xml", mjcf.of_robot)),
    "urdf": Target(forms.urdf_of_actuator, frozenset(), (".urdf", forms.urdf_of_robot)),
    "usd": Target(forms.usd, _ALL),
    "isaaclab": Target(forms.isaaclab, _ALL),
    "genesis": Target(forms.genesis, _ALL - {"delay"}),
    "numbers": Target(forms.numbers, _ALL),
}
WHOLE: Mapping[str, Callable[[Actuator, str | None], str | bytes]] = {
    "c": c_header,
    "fmu2": lambda actuator, name: fmu(actuator, name, 2),
    "fmu3": lambda actuator, name: fmu(actuator, name, 3),
}
"""Formats for the actuator itself, with all its laws."""
TARGETS = (*WHOLE, *PLAIN)


@dataclass(frozen=True, eq=False)
class Exported:
    """A file for another program.

    Attributes:
        path: of the file. joints: joint to its plain numbers, "" for a single actuator; none in C.
        sheet: lines about them: their source, their error, and what they cannot do.
    """

    path: Path
    joints: Mapping[str, Reduced] = field(default_factory=dict[str, Reduced])
    sheet: tuple[str, ...] = ()


# Many options, all but three by name: for the output, and for its use.
def export(
    actuator: str | Path | Actuator,
    to: str,
    path: str | Path,
    *,
    name: str | None = None,
    loads: Sequence[str] = (),
    gain: float | None = None,
    logs: Logs = (),
    step: float = STEP,
    overwrite: bool = False,
) -> Exported:
    """Write an actuator as source text, or as the plain numbers of another simulator.

    Args:
        actuator: name in the catalogue, a TOML file, an `Actuator`, or a robot's TOML file.
        to: "c": one header of C99 and C++, without allocation, float or double. "fmu2", "fmu3": an FMU
            for co-simulation. Plain numbers of a position servo: "mjcf", "urdf", "usd" (Newton's schemas), "isaaclab", "genesis", "numbers".
        path: the file. name: prefix of its names, or the joint; None: the actuator's.
        loads: "KG@M" on the joint, to fit plain numbers for; none: a light and a heavy one, and in a
            robot what each joint carries.
        gain: P-gain of the firmware, in its unit; None: the actuator's.
        logs: recordings to fit them to instead, or their files or folders; for a robot, its own.
        step: of the simulator [s], if delays are counted in steps. overwrite: an existing file.

    Raises:
        PliantError: no such target or actuator, one that the target cannot express, a load, gain, step or
            recording that cannot be used, an option without effect, a joint missing in the robot's model, or a file that exists.
    """
    check_known(to, TARGETS, "no such target", "to")
    place = Path(path)
    prepare_place(place, overwrite=overwrite)
    file = actuator if isinstance(actuator, str | Path) and _is_robot(actuator) else None
    if to in WHOLE:
        _no_use(f"with {to}, which contains the actuator itself", load=loads, logs=logs)
        if file is not None:
            accepted = f"the file of one joint's actuator; or --to {', '.join(PLAIN)}"
            raise PliantError(
                f"{to} is for one actuator, and this is a robot",
                found=str(file),
                accepted=accepted,
            )
        write_whole(place, WHOLE[to](_at_gain(load_actuator(actuator), gain), name))
        return Exported(place)
    if _given(logs):
        _no_use("together with logs, to which the numbers are fitted", load=loads)
    check_kind(step, (int, float), "step", "seconds")
    if not 1e-5 <= step <= 1.0:
        raise PliantError("not a step", field="step", found=step, accepted="1e-5 to 1 s")
    target, known = PLAIN[to], [Load.read(text) for text in loads]
    if file is not None:
        _no_use("for a robot, whose joints have names", name=name)
        robot = read_recorded_robot(file)
        writes = _model_writer(target, to, robot.model)
        joints = _of_robot(robot, known, gain, logs, target.fields)
    else:
        one = _at_gain(load_actuator(actuator), gain)
        writes, joints = target.text, {name or "": _of_actuator(one, known, logs, target.fields)}
    sheet = Sheet(joints=joints, step=step)
    write_whole(place, writes(sheet))
    return Exported(place, joints, tuple(sheet.lines()))


def _model_writer(target: Target, to: str, model: Path) -> Callable[[Sheet], str]:
    """The writer of a robot's joints."""
    if target.robot is None:
        return target.text
    suffix, write = target.robot
    if model.suffix.lower() != suffix:
        other = next(k for k, x in PLAIN.items() if x.robot and x.robot[0] != suffix)
        accepted = f"a model *{suffix}; or --to {other}"
        raise PliantError(f"cannot become {to}", field="model", found=model.name, accepted=accepted)
    return lambda sheet: write(sheet, model)


def _no_use(here: str, **options: Any) -> None:
    """Refuse options that are given but would have no effect."""
    for option, given in options.items():
        if given is not None and (not isinstance(given, Sized) or len(given) > 0):
            raise PliantError(f"has no effect {here}", field=option, found=given)


def _is_robot(path: str | Path) -> bool:
    path = Path(path)
    return path.suffix == ".toml" and path.is_file() and "joints" in read_toml(path)


def _at_gain(actuator: Actuator, gain: float | None) -> Actuator:
    """The actuator at another P-gain."""
    if gain is None:
        return actuator
    with located(field="gain"):
        if KP not in actuator.fields:
            accepted = "an actuator with control.kp"
            raise PliantError("its firmware has no P-gain", found=actuator.name, accepted=accepted)
        return actuator.with_values({KP: gain}, "requested P-gain", "convention")


def _of_actuator(
    whole: Actuator, loads: Sequence[Load], logs: Logs, fields: frozenset[str]
) -> Reduced:
    if _given(logs):
        return with_lacks(reduced_to_logs(whole, recorded(logs), fields), fields)
    return with_lacks(reduced_to_itself(whole, loads or usual_loads(whole), fields), fields)


def _of_robot(
    robot: RecordedRobot,
    loads: Sequence[Load],
    gain: float | None,
    logs: Logs,
    fields: frozenset[str],
) -> dict[str, Reduced]:
    actuators = {joint: _at_gain(one, gain) for joint, one in robot.actuators.items()}
    if _given(logs):
        settings = ManySettings(timestep=robot.timestep, wishes=robot.wishes)
        read = _robot_logs(logs)
        found = reduced_robot(robot.model, actuators, read, fields, settings, robot.offsets)
    else:
        carried = joint_loads(robot.model, list(actuators))
        found = {
            joint: reduced_to_itself(one, loads or [carried[joint]], fields)
            for joint, one in actuators.items()
        }
    told: dict[str, Reduced] = {}
    seen: set[str] = set()
    for joint, one in found.items():  # the same for all joints with the same actuator
        told[joint] = one if one.whole.name in seen else with_lacks(one, fields)
        seen.add(one.whole.name)
    return told


def _given(logs: Logs) -> bool:
    return isinstance(logs, str | Path) or len(logs) > 0


def _robot_logs(logs: Logs) -> list[RobotLog]:
    paths = [logs] if isinstance(logs, str | Path) else logs
    files = [Path(one) for one in paths if isinstance(one, str | Path)]
    return [
        *(read_robot_logs(files) if files else []),
        *(x for x in paths if isinstance(x, RobotLog)),
    ]
