"""The energy that each joint of a robot spends on motions, from their simulation.

    rig = robot_rig("arm.xml", {"shoulder": "mx106_bam_m6"}, logs)      # or `identify_robot(...).rig`
    energies = energies_of_logs(rig, logs)
    energies["run"]["shoulder"]["copper_loss"]                          # [J]

Left out: see `pliant.robots.power`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.candidates import ManyRobots
from pliant.engines.mujoco.batch.pools import FollowedPool
from pliant.engines.spec.attachment import Attachment
from pliant.identification.problem.rig import Rig
from pliant.identification.robot.rig import RobotRig
from pliant.io.robot_log import RobotLog
from pliant.robots.joint_groups import groups_of, places_of
from pliant.robots.power import Energy, Power, PowerOf, State, energy_over
from pliant.robots.robot import Robot

SHOWN = {
    "drawn": "from the supply",
    "electrical": "less what went back",
    "copper_loss": "heat in windings",
    "mechanical": "work",
    "friction": "friction",
    "damping": "damping",
    "elastic": "into springs",
    "link": "to the link",
}
"""Quantity of `Energy` to its column."""


CHUNK = 1000
"""Instants whose powers are computed at once."""
MANY = 20000
"""Instants times joints from which compiling the spring laws saves time."""


class EnergyRecord:
    """Records the state of `data` after each of `steps` steps.

    Attributes:
        joints: those with an actuator. energy: [J] so far, motor by motor; None before anything was
            noted. courses: of each quantity of `COURSES`, (N, n) or (N, n, 2), the first row before
            any step; empty where they are not kept.
    """

    def __init__(
        self, model: mujoco.MjModel, attachment: Attachment, steps: int, *, keep: bool
    ) -> None:
        places = places_of(model, attachment)
        target = "llvm" if steps * len(places.joints) > MANY else "python"
        self._of = PowerOf(model, places, groups_of(places, target))
        self._step = float(model.opt.timestep)
        self.joints = places.joints
        self.courses: dict[str, Floats] = {}
        self._rooms = steps + 1 if keep else 0
        self.energy: Energy | None = None
        self._rows: list[Floats] = []
        self._held = self._done = 0

    def note(self, data: mujoco.MjData) -> None:
        """The state now."""
        now = self._of.of(data)
        self._rows = self._rows or [np.empty((CHUNK + 1, len(values))) for values in now]
        for rows, values in zip(self._rows, now, strict=True):
            rows[self._held] = values
        self._held += 1
        if self._held > CHUNK:
            self.finish()

    def finish(self) -> None:
        """Process states that were recorded and not yet counted."""
        first = 0 if self._done == 0 else 1  # the last of those before begins the next
        if self._held <= first:
            return
        found = self._of.at(State(*(rows[: self._held] for rows in self._rows)))
        begin = self._done - first
        for name in COURSES if self._rooms else ():
            values = getattr(found, name)
            if name not in self.courses:
                self.courses[name] = np.full((self._rooms, *values.shape[1:]), np.nan)
            self.courses[name][begin : begin + self._held] = values
        part = energy_over(self._step * np.arange(self._held, dtype=np.float64), found)
        self.energy = part if self.energy is None else self.energy + part
        self._done += self._held - first
        for rows in self._rows:
            rows[0] = rows[self._held - 1]
        self._held = 1

    def columns(self) -> dict[str, Floats]:
        """Name to course (N,) of what is known: `joint.power`, `joint.current_1` where there are two."""
        found: dict[str, Floats] = {}
        for k, joint in enumerate(self.joints):
            for name, values in self.courses.items():
                one = values[:, k]
                if one.ndim == 1:
                    found[f"{joint}.{COURSES[name]}"] = one
                    continue
                known = ~np.isnan(one).all(axis=0)
                if name == "copper_loss":  # without a resistance it is not known
                    known &= (one != 0.0).any(axis=0)
                for motor in np.flatnonzero(known).tolist():
                    place = f"_{motor + 1}" if known.sum() > 1 else ""
                    found[f"{joint}.{COURSES[name]}{place}"] = one[:, motor]
        always = tuple(f"{joint}.power" for joint in self.joints)
        return {n: x for n, x in found.items() if n in always or not np.isnan(x).all()}

    def as_plain(self) -> dict[str, Any]:
        """Joint to its energies [J] over the motion; those of motors together, and as a list."""
        if self.energy is None:
            return {}
        return {joint: _plain(self.energy, k) for k, joint in enumerate(self.joints)}


COURSES = {
    "total": "power",
    "current": "current",
    "electrical": "electrical",
    "copper_loss": "heat",
    "mechanical": "work",
    "friction": "friction",
    "damping": "damping",
    "elastic": "spring",
    "elastic_energy": "spring_energy",
    "link": "link",
}
"""Quantity of `Power` to its name in tables; all in W but the current [A] and the energy [J]."""
MOTORS = {
    "drawn": "drawn",
    "electrical": "net",
    "copper_loss": "heat",
    "mechanical": "work",
    "friction": "friction",
}
JOINT = {"damping": "damping", "elastic": "spring", "link": "link"}
"""Quantity of `Energy` to its name."""


def _plain(energy: Energy, k: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    each: list[dict[str, float | None]] = [{}, {}]
    for name, shown in MOTORS.items():
        values = getattr(energy, name)[k]
        found[shown] = _all_motors(values)
        for motor, value in zip(each, values, strict=True):
            motor[shown] = None if np.isnan(value) else float(value)
    for one in (found, *each):
        one["heat"] = one["heat"] or None  # without a resistance it is not known
    for name, shown in JOINT.items():
        value = float(getattr(energy, name)[k])
        found[shown] = None if np.isnan(value) else value
    return found | {"motors": [one for one in each if any(x is not None for x in one.values())]}


def _all_motors(values: Floats) -> float | None:
    return None if np.isnan(values).all() else float(np.nansum(values))


Parts = dict[str, float | None]
"""Quantity to its energy [J], all motors together; None: not known."""
Energies = dict[str, dict[str, Parts]]
"""Log to joint to its quantities."""


def energies_of_logs(rig: Rig[RobotLog], logs: Iterable[RobotLog]) -> Energies:
    """The energies of every joint with an actuator in each log [J], all joints simulated together.

    Args:
        rig: the robot (`robot_rig`, or `rig` of an identification). logs: recordings of it.

    Returns:
        Log to joint to quantity (`SHOWN`), all motors of a joint together; None where it is not known.
    """
    simulation = rig.build(rig.robot, {}) if isinstance(rig, RobotRig) else None
    if not isinstance(simulation, ManyRobots):
        return {}
    return {log.name: _of_log(simulation, log) for log in {id(x): x for x in logs}.values()}


def _of_log(simulation: ManyRobots, log: RobotLog) -> dict[str, Parts]:
    sim = FollowedPool(simulation.robot.model)
    steps = round(log.time[-1] / simulation.timestep)
    record = EnergyRecord(sim.model, simulation.robot.attachment, steps, keep=False)
    sim.note, sim.ended = record.note, record.finish
    simulation.follow(log, sim)
    energy = record.energy
    return {} if energy is None else {j: parts_of(energy, k) for k, j in enumerate(record.joints)}


def parts_of(energy: Energy, k: int) -> Parts:
    """The quantities of one joint."""
    found: Parts = {}
    for name in SHOWN:
        values = np.asarray(getattr(energy, name)[k])
        known = np.isfinite(values)
        found[name] = float(values[known].sum()) if known.any() else None
    found["copper_loss"] = found["copper_loss"] or None  # without a resistance it is not known
    return found


def sum_of(parts: Iterable[Parts]) -> Parts:
    """All of them together, of what is known."""
    every = [*parts]
    known = {name: [x for one in every if (x := one[name]) is not None] for name in SHOWN}
    return {name: sum(values) if values else None for name, values in known.items()}


def as_plain(spent: Energies) -> dict[str, Any]:
    """For `--json`: each log with its joints, and the robot's sum."""
    return {
        log: {"joints": joints, "robot": sum_of(joints.values())} for log, joints in spent.items()
    }


def totals(spent: Energies) -> Mapping[str, Parts]:
    """Each joint, and the robot, over all logs."""
    names = list(dict.fromkeys(joint for joints in spent.values() for joint in joints))
    rows = {
        joint: sum_of([one[joint] for one in spent.values() if joint in one]) for joint in names
    }
    return rows | {"robot": sum_of(rows.values())} if rows else {}


def energy_rows(spent: Energies) -> tuple[list[str], Mapping[str, list[str]]]:
    """The quantities of `SHOWN` that are known of any joint, and each joint's and the robot's as text."""
    every = totals(spent)
    shown = [name for name in SHOWN if every and every["robot"][name] is not None]
    texts = {
        joint: ["-" if (x := parts[name]) is None else f"{x:.3g}" for name in shown]
        for joint, parts in every.items()
    }
    return shown, texts


class EnergyMeter:
    """Adds up the powers of `robot` from where it is now; `add` after each step.

    Attributes:
        energy: [J] so far. power: at the last call.
    """

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self.reset()

    def reset(self) -> None:
        """Begin anew, at the robot's present state."""
        self._time, self.power = float(self._robot.data.time), self._robot.power
        nothing = energy_over(np.zeros(2), _stacked(self.power, self.power))
        self.energy: Energy = nothing

    def add(self) -> None:
        """The time since the last call, by one trapezoid."""
        time, power = float(self._robot.data.time), self._robot.power
        self.energy += energy_over(np.array([self._time, time]), _stacked(self.power, power))
        self._time, self.power = time, power


def _stacked(before: Power, after: Power) -> Power:
    return Power(
        **{
            f.name: np.stack([getattr(before, f.name), getattr(after, f.name)])
            for f in fields(Power)
        }
    )
