"""Power of a robot's motors: current, heat, work, friction, springs, links.

    robot.power.electrical                              # (n, 2) [W], live
    meter = EnergyMeter(robot)
    for _ in range(1000):
        robot.step()
        meter.add()
    meter.energy.drawn.sum(), meter.energy.cost_of_transport(mass=12.0, distance=3.4)

For every motor, and every pair of motors on a spring, the books balance to the order of the step:

    electrical = copper loss + mechanical           (and what an inductance stores)
    mechanical = friction + rate of kinetic energy + power into the spring
    power into the spring = rate of elastic energy + damping + link

The functions are defined in the topologies; this module only calls them.

Left out: electronics, gear losses not in a friction law, a battery's internal resistance.
"""

from dataclasses import dataclass, fields
from typing import NamedTuple

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.simulate import Trace
from pliant.engines.spec.readings import friction_on
from pliant.engines.spec.slots import AGE, STATE
from pliant.errors import PliantError
from pliant.lower.law import Lowered, lower_actuator
from pliant.robots.elastic import Elastic, elastic_of
from pliant.robots.joint_groups import Group, JointPlaces

MOTORS = 2
"""Most motors that a joint has."""
GRAVITY = 9.81


@dataclass(frozen=True, eq=False)
class Power:
    """(…, n, 2) of each joint and motor; (…, n) of each joint. NaN where there is none.

    A motor whose rotor follows its reference under any load has no drive: its electrical power is
    not known. If a file states no winding resistance there is no heat, and the supply provides only
    the work. Friction of a rigid servo is the physics engine's friction of the joint.
    """

    current: Floats
    """(…, n, 2) in the windings [A]; where a file knows no torque constant, N m"""
    electrical: Floats
    """(…, n, 2) from the supply [W], below zero where it takes some back"""
    copper_loss: Floats
    """(…, n, 2) heat of the windings [W]"""
    mechanical: Floats
    """(…, n, 2) of the motors on their rotors [W]"""
    friction: Floats
    """(…, n, 2) into friction and drag of the rotors [W]"""
    kinetic_energy: Floats
    """(…, n, 2) of the rotors [J]"""
    damping: Floats
    """(…, n) lost between link and motors, in damping and hysteresis [W]"""
    elastic: Floats
    """(…, n) into the springs [W]"""
    elastic_energy: Floats
    """(…, n) in the springs [J]"""
    link: Floats
    """(…, n) of the actuator on its link [W]"""

    @property
    def total(self) -> Floats:
        """(…, n) [W] From the supply, of all motors of a joint that have a drive; NaN without any."""
        known = ~np.isnan(self.electrical)
        return np.where(known.any(-1), np.nansum(self.electrical, -1), np.nan)


@dataclass(frozen=True, eq=False)
class Energy:
    """[J] over a motion: (n, 2) of each joint and motor, (n,) of each joint; NaN where unknown."""

    electrical: Floats
    """(n, 2) from the supply, less what went back [J]"""
    drawn: Floats
    """(n, 2) from the supply, where it takes nothing back [J]"""
    copper_loss: Floats
    """(n, 2) heat of the windings [J]"""
    mechanical: Floats
    """(n, 2) of the motors on their rotors [J]"""
    friction: Floats
    """(n, 2) into friction and drag of the rotors [J]"""
    damping: Floats
    """(n,) lost between link and motors [J]"""
    elastic: Floats
    """(n,) into the springs [J]"""
    link: Floats
    """(n,) of the actuator on its link [J]"""

    def __add__(self, other: "Energy") -> "Energy":
        """The energy of both motions together."""
        sums = {f.name: getattr(self, f.name) + getattr(other, f.name) for f in fields(self)}
        return Energy(**sums)

    def cost_of_transport(
        self, mass: float, distance: float, *, gravity: float = GRAVITY, recovers: bool = False
    ) -> float:
        """Energy over weight times distance, of a robot of `mass` [kg] that went `distance` [m].

        Args:
            recovers: the supply takes energy back; by default it does not.

        Raises:
            PliantError: a number is not above 0.
        """
        for name, value in (("mass", mass), ("distance", distance), ("gravity", gravity)):
            if not 0.0 < value < np.inf:
                raise PliantError("out of range", field=name, found=value, accepted="above 0")
        spent = self.electrical if recovers else self.drawn
        return float(np.nansum(spent)) / (mass * gravity * distance)


class State(NamedTuple):
    """(N, …) quantities that powers depend on, or those of one instant."""

    qpos: Floats
    qvel: Floats
    act: Floats
    force: Floats
    """(N, nout) `actuator_force`"""
    friction: Floats
    """(N, n) of each joint's degree of freedom, from the engine [N m]"""


SPENT = ("start", "current", "copper_loss", "electrical_power")
"""Functions of a servo's laws that give its powers."""


class PowerOf:
    """The powers of a model's attached actuators, from recorded states or from one.

    Args:
        model: compiled. places, groups: of its attached actuators (`joint_groups`).
    """

    def __init__(self, model: mujoco.MjModel, places: JointPlaces, groups: list[Group]) -> None:
        self._model, self._places, self._groups = model, places, groups
        compliant = {int(k) for group in groups for k in group.members}
        self._servos: dict[int, Lowered] = {
            k: lower_actuator(actuator, "llvm", *SPENT)
            for k, actuator in enumerate(places.actuators)
            if k not in compliant
        }

    def of(self, data: mujoco.MjData) -> State:
        """The numbers of `data` that `at` takes."""
        friction = friction_on(data, self._places.dof)
        return State(data.qpos, data.qvel, data.act, data.actuator_force, friction)

    def at(self, now: State) -> Power:
        """Powers at N instants."""
        qpos, qvel, act, force, friction = now
        n, joints = len(qpos), len(self._places.joints)
        both = {
            f.name: np.full((n, joints, MOTORS) if f.name in _OF_MOTORS else (n, joints), np.nan)
            for f in fields(Power)
        }
        p = self._places
        speed = p.gear * qvel[:, p.dof]
        torque = force[:, p.output]
        both["link"][:] = torque * speed
        for group in self._groups:
            self._compliant(group, both, qpos, speed[:, group.members], act)
        for k, laws in self._servos.items():
            self._servo(k, laws, both, torque[:, k], speed[:, k], act)
            lost = -friction[:, k] * qvel[:, p.dof[k]]
            both["friction"][:, k, 0] = lost
            both["link"][:, k] -= lost
        return Power(**both)

    def _compliant(
        self, group: Group, both: dict[str, Floats], qpos: Floats, speed: Floats, act: Floats
    ) -> None:
        elastic, count, joints = group.elastic, len(qpos), len(group.members)
        q = (group.gear * qpos[:, group.qpos]).ravel()
        p = np.tile(group.parameters(self._model), (count, 1))
        states = act[:, group.act].reshape(count * joints, -1)
        fresh = (act[:, group.ages] == 0.0).ravel()
        if fresh.any():
            states = np.where(fresh[:, None], elastic.start(q, p), states)
        on = np.tile(group.enabled(self._model), count)
        found = powers(elastic, states, q, speed.ravel(), on, p)
        for name, values in found.items():
            both[name][:, group.members] = values.reshape(count, joints, *values.shape[1:])

    def _servo(
        self, k: int, laws: Lowered, both: dict[str, Floats], tau: Floats, v: Floats, act: Floats
    ) -> None:
        if "electrical_power" not in laws.columns:
            return  # a user's topology need not have it
        width = len(self._places.actuators[k].fields)
        row = self._model.actuator_user[self._places.ids[k], :width]
        p = np.tile(row, (len(tau), 1))
        first = self._places.act[k]
        numbers = act[:, first + STATE : first + STATE + len(self._places.actuators[k].state)]
        resting = laws.evaluate("start", np.column_stack([np.zeros(len(tau)), p]))
        states = np.where(act[:, [first + AGE]] == 0.0, resting, numbers)
        for name, function, given in (
            ("current", "current", (tau,)),
            ("copper_loss", "copper_loss", (tau,)),
            ("electrical", "electrical_power", (tau, v)),
        ):
            both[name][:, k, 0] = laws.evaluate(function, np.column_stack([states, *given, p]))[
                :, 0
            ]
        both["mechanical"][:, k, 0] = tau * v


_OF_MOTORS = ("current", "electrical", "copper_loss", "mechanical", "friction", "kinetic_energy")


def powers(
    elastic: Elastic, states: Floats, q: Floats, v: Floats, on: Floats, p: Floats
) -> dict[str, Floats]:
    """Powers of one kind of compliant actuator over N rows, by the names of `Power`; no link's.

    Args:
        states: (N, S). q, v: (N,) of the link. on: (N,) whether it is enabled. p: (N, P).
    """
    supply = p[:, list(elastic.actuator.fields).index("own.voltage")]
    found = {name: np.full((len(q), MOTORS), np.nan) for name in _OF_MOTORS}
    spring = np.zeros(len(q))
    for motor in range(len(elastic.numbers)):
        borne = elastic.whole.evaluate(f"borne_{motor + 1}", np.column_stack([states, q, v, p]))[
            :, 0
        ]
        drive = elastic.drive(motor, states, borne, supply, on, p)
        for name, values in drive.items():
            found[name][:, motor] = values
        spring += borne * states[:, elastic.columns("rotor.omega")[motor]]
    zero = np.zeros(len(q))
    rows = np.column_stack([states, zero, zero, q, v, supply, on, p])
    spring -= v * elastic.whole.evaluate("torque", rows)[:, 0]
    lost = elastic.whole.evaluate("lost", np.column_stack([states, q, v, p]))[:, 0]
    energy = elastic.call("energy", states, q, p)
    return found | {"damping": lost, "elastic": spring - lost, "elastic_energy": energy}


def energy_over(time: Floats, power: Power) -> Energy:
    """The energies of a motion with `power` (N, …) at `time` (N,) [s], by trapezoids."""
    step = np.diff(time)

    def integral(x: Floats) -> Floats:
        return np.tensordot(step, 0.5 * (x[1:] + x[:-1]), 1)

    whole = {f.name: integral(getattr(power, f.name)) for f in fields(Energy) if f.name != "drawn"}
    return Energy(drawn=integral(np.maximum(power.electrical, 0.0)), **whole)


def traced(actuator: Actuator, trace: Trace) -> Power:
    """The powers along a motion of `simulate`, (N, 1, 2) and (N, 1), with the actuator's numbers."""
    n = len(trace.time)
    states = np.column_stack([trace.state[name] for name in actuator.state])
    p = np.tile(actuator.values, (n, 1))
    one = powers(
        elastic_of(actuator, "llvm"), states, trace.position, trace.velocity, np.ones(n), p
    )
    return Power(
        link=(trace.torque * trace.velocity)[:, None],
        **{name: values[:, None] for name, values in one.items()},
    )
