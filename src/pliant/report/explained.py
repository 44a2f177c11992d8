"""Error of a recording's simulation, divided by cause.

Each sample belongs to the first of these that holds:

    contact       the recorded robot is within 2 cm of a fixed part, and its goals are deeper in it;
                  or the joint is at an end of its range with its goal beyond
    saturation    the simulated motor gives all that it can at its speed
    settling gap  goal and joint have stood still for a while
    delay         what a shift in time takes from the error of all other samples
    motion        the rest of those

so that the parts of a joint add up to its mean absolute error.

Left out: saturation behind a spring, whose motor torque is not the joint's; contact with what the
model does not have, such as an object in the gripper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.mujoco.batch.candidates import ManyRobots
from pliant.engines.mujoco.batch.pools import FollowedPool
from pliant.engines.mujoco.batch.surroundings import plain_model, touching
from pliant.engines.spec.joints import takes_position
from pliant.identification.problem.evaluation import JointError
from pliant.identification.robot.rig import RobotRig
from pliant.io.robot_log import Bools, RobotLog
from pliant.report.derived import torque_at_full_command
from pliant.report.still import COLOURS, MOST, finished, panels, stretches
from pliant.robots.identify import MujocoBuild
from pliant.robots.joint_groups import places_of
from pliant.robots.mode import motor_numbers
from pliant.robots.model_fit import ends_of
from pliant.robots.pressed import DEEPER, Clearance
from pliant.words import mrad

CAUSES = ("contact", "saturation", "settling gap", "delay", "motion")
AT_REST, STILL = 0.3, 0.005
"""[s, rad or m] Goal and joint are at rest if they have moved by less than this for this long."""
AT_END = 0.02
"""[rad, m] Distance from the end of its range within which a joint counts as at the end."""
FULL = 0.97
"""Share of the available torque from which the motor counts as saturated."""
UNLIMITED = 1e5
"""[N m] A torque limit beyond it counts as none."""
SHIFTS = np.linspace(-0.2, 0.2, 201)
"""[s] Delays tried."""


@dataclass(frozen=True, eq=False)
class Explained:
    """One joint in one recording, or, without samples, over several.

    Attributes:
        joint: its name. log: the recording's name. mae: mean absolute error [rad, m].
        parts: of `CAUSES`, which add up to `mae` [rad, m].
        delay: lag of the joint behind its simulation [s]; 0 if a shift does not reduce the error.
        gaps: mean distance from the goal at which the measured and the simulated joint rest [rad, m]; NaN
            if the joint does not rest, or takes no positions.
    """

    joint: str
    log: str
    mae: float
    parts: Mapping[str, float]
    delay: float
    gaps: tuple[float, float]

    @property
    def main(self) -> str:
        """The cause of the largest part."""
        return max(self.parts, key=lambda cause: self.parts[cause])


@dataclass(frozen=True, eq=False)
class ExplainedTrace(Explained):
    """One joint in one recording of N samples.

    Attributes:
        entry: measured and simulated position. cause: (N,) index of `CAUSES`; none is a delay.
        torque, most: (N,) of the simulated motor, and all that it could give there [N m, N].
    """

    entry: JointError
    cause: "np.ndarray[Any, np.dtype[np.intp]]"
    torque: Floats
    most: Floats


def explained(rig: RobotRig, logs: Sequence[RobotLog]) -> list[ExplainedTrace]:
    """Every joint with an actuator in every recording, in the order of `rig.evaluate(logs).entries`.

    Args:
        rig: of `pliant.robots.robot_rig`. logs: recordings of it, with the zeros of their calibration.
    """
    simulation, build = rig.build(rig.robot, {}), rig.build
    assert isinstance(simulation, ManyRobots) and isinstance(build, MujocoBuild)
    entries = rig.evaluate(logs).entries
    recorded = [*rig.actuators, *rig.robot.led]
    model = plain_model(
        build.path,
        recorded,
        rig.robot.masses,
        exclude_base_collision=build.settings.wishes.exclude_base_collision,
    )
    known = {
        id(log): (_presses(model, rig, log, recorded), _torques(simulation, log)) for log in logs
    }
    found: list[ExplainedTrace] = []
    for entry in entries:
        pressed, torques = known[id(entry.log)]
        ends = ends_of(model, entry.joint)
        found.append(_explained(entry, rig, pressed, torques[entry.joint], ends))
    return found


def of_joint(found: Sequence[Explained], joint: str) -> Explained:
    """A joint over all its recordings, of which each counts the same."""
    mine = [one for one in found if one.joint == joint]
    gaps = np.array([one.gaps for one in mine if not np.isnan(one.gaps).any()])
    between = gaps.mean(axis=0) if len(gaps) else np.full(2, np.nan)
    parts = {cause: float(np.mean([one.parts[cause] for one in mine])) for cause in CAUSES}
    late = sum(one.delay * one.parts["delay"] for one in mine) / len(mine)  # by what it explains
    return Explained(
        joint,
        "",
        float(np.mean([one.mae for one in mine])),
        parts,
        late / parts["delay"] if parts["delay"] else 0.0,
        (float(between[0]), float(between[1])),
    )


def in_words(one: Explained) -> str:
    """The causes of an error, the largest first, in mrad (mm of a slide)."""
    said = {
        "delay": f"the joint is {1e3 * abs(one.delay):.0f} ms {'later' if one.delay > 0 else 'earlier'}",
        "settling gap": f"it rests {mrad(one.gaps[0])} from its goal, simulated {mrad(one.gaps[1])}",
    }
    largest = sorted(one.parts, key=lambda cause: -one.parts[cause])
    shown = [cause for cause in largest if one.parts[cause] >= 0.1 * one.mae]
    texts = [
        f"{cause} {mrad(one.parts[cause])}" + (f" ({said[cause]})" if cause in said else "")
        for cause in shown
    ]
    return ", ".join(texts)


def _explained(
    entry: JointError,
    rig: RobotRig,
    pressed: Bools,
    torques: tuple[Floats, Floats],
    ends: tuple[float, float],
) -> ExplainedTrace:
    log, joint, error = entry.log, entry.joint, np.abs(entry.residual)
    offsets, column = rig.robot.offsets, log.column(joint)
    goal = log.goal[:, column] + offsets.get(f"{joint}.command_offset", 0.0)
    angles = takes_position(rig.actuators[joint])
    torque, most = torques
    held = np.zeros(len(error), bool)
    if angles:
        shown = entry.measured + offsets.get(f"{joint}.position_offset", 0.0)
        held = (shown > ends[1] - AT_END) & (goal > ends[1])
        held |= (shown < ends[0] + AT_END) & (goal < ends[0])
    full = np.abs(torque) >= FULL * most
    rest = _rests(log.time, goal) & _rests(log.time, entry.measured) if angles else held & False
    cause = np.select([pressed | held, full, rest], [0, 1, 2], CAUSES.index("motion"))
    moves = cause == CAUSES.index("motion")
    delay, saved = _delay(log.time, entry, moves)
    parts = {name: float(error[cause == k].sum() / len(error)) for k, name in enumerate(CAUSES)}
    parts |= {"delay": saved, "motion": max(parts["motion"] - saved, 0.0)}
    away = [
        np.abs(line - log.goal[:, column])[cause == 2] for line in (entry.measured, entry.simulated)
    ]
    gaps = [float(one.mean()) if len(one) else float("nan") for one in away]
    return ExplainedTrace(
        joint, log.name, entry.mae, parts, delay, (gaps[0], gaps[1]), entry, cause, torque, most
    )


def _presses(model: mujoco.MjModel, rig: RobotRig, log: RobotLog, joints: Sequence[str]) -> Bools:
    """(N,) whether the robot touches a part while its goals are deeper in it."""
    offsets, columns = rig.robot.offsets, [log.column(joint) for joint in joints]
    pressed = touching(model, log, joints, offsets)
    rows = np.flatnonzero(pressed)
    servos = np.array([j in rig.actuators and takes_position(rig.actuators[j]) for j in joints])
    shift, told = (
        np.array([offsets.get(f"{joint}.{kind}", 0.0) for joint in joints])
        for kind in ("position_offset", "command_offset")
    )
    pose = log.position[rows][:, columns] + shift
    goal = np.where(servos, log.goal[rows][:, columns] + told, pose)
    clearance = Clearance(model, joints)
    pressed[rows] = clearance(goal) < clearance(pose) - DEEPER
    return pressed


def _delay(time: Floats, entry: JointError, moves: Bools) -> tuple[float, float]:
    """The shift [s] of the simulation that explains most of the error while it moves, and that part."""
    if not moves.any():
        return 0.0, 0.0

    def missed(shift: float) -> float:
        line: Floats = np.interp(time[moves] - shift, time, entry.simulated)
        return float(np.abs(line - entry.measured[moves]).sum())

    errors = [missed(float(shift)) for shift in SHIFTS]
    best = int(np.argmin(errors))
    saved = float(np.abs(entry.residual[moves]).sum() - errors[best]) / len(time)
    return (float(SHIFTS[best]), saved) if saved > 0.0 else (0.0, 0.0)


def _rests(time: Floats, line: Floats) -> Bools:
    """(N,) whether a line has stood still."""
    reach = min(max(1, round(AT_REST * (len(time) - 1) / float(time[-1]))), len(time) - 1)
    windows: Floats = sliding_window_view(line, reach + 1)
    still: Bools = windows.max(axis=1) - windows.min(axis=1) < STILL
    return np.concatenate([np.repeat(still[:1], reach), still])


def _torques(simulation: ManyRobots, log: RobotLog) -> dict[str, tuple[Floats, Floats]]:
    """Map of joint to its (N,) motor torque and the largest that it could give at its speed [N m, N]."""
    sim = FollowedPool(simulation.robot.model)
    places = places_of(sim.model, simulation.robot.attachment)
    rows: list[tuple[Floats, Floats]] = []

    def note(data: mujoco.MjData) -> None:
        rows.append((data.actuator_force[places.output], places.gear * data.qvel[places.dof]))

    sim.note = note
    simulation.follow(log, sim)
    # A step's torque is that of the state before it.
    torque = np.array([force for force, _ in rows[1:]])
    speed = np.array([v for _, v in rows[:-1]])
    at = np.minimum((log.time / simulation.timestep).astype(np.int64), len(torque) - 1)
    return {
        joint: (torque[at, k], _most(actuator, log, torque[at, k], speed[at, k]))
        for k, (joint, actuator) in enumerate(zip(places.joints, places.actuators, strict=True))
    }


def _most(actuator: Actuator, log: RobotLog, torque: Floats, speed: Floats) -> Floats:
    """(N,) [N m, N] In the direction of the torque."""
    if motor_numbers(actuator):
        return np.full(len(torque), np.inf)
    supplied = {n: x * log.supply_ratio for n, x in _voltage(actuator).items()}
    limit = torque_at_full_command(actuator.with_values(supplied, log.name, "measured"))
    sign = np.where(torque < 0.0, -1.0, 1.0)
    most = np.array([max(limit(v), 0.0) for v in (sign * speed).tolist()])
    return np.where(most < UNLIMITED, most, np.inf)


def _voltage(actuator: Actuator) -> Mapping[str, float]:
    return {n: actuator.value(n) for n in ("own.voltage",) if n in actuator.fields}


SHADES = {"contact": "#d6293e", "saturation": "#d97b00", "settling gap": "#2a9d5c"}
"""Map of cause to its colour; other causes are not shaded."""


def explained_figure(found: Sequence[ExplainedTrace]) -> Any:
    """A panel for each joint of one recording."""
    figure, axes = panels(min(len(found), MOST))
    told = set[str]()  # in the legends of earlier panels

    def label(name: str) -> str | None:
        new = name not in told
        told.add(name)
        return name if new else None

    for axis, one in zip(axes, found, strict=False):
        log, goal = one.entry.log, one.entry.log.goal[:, one.entry.log.column(one.joint)]
        axis.plot(log.time, goal, color=COLOURS["goal"], label=label("goal"))
        measured, simulated = one.entry.measured, one.entry.simulated
        axis.plot(log.time, measured, color=COLOURS["measured"], lw=3.0, label=label("measured"))
        axis.plot(log.time, simulated, color=COLOURS["simulated"], label=label("simulated"))
        for cause, colour in SHADES.items():
            for ends in stretches(log.time, one.cause == CAUSES.index(cause)):
                axis.axvspan(*ends, color=colour, alpha=0.15, lw=0, label=label(cause))
        axis.set_ylabel(f"{one.joint} [rad]\n{mrad(one.mae)} mrad", fontsize=8)
        axis.set_title(in_words(one), fontsize=7, loc="left", color=COLOURS["measured"])
    return finished(figure, axes, "time [s]", found[0].log)
