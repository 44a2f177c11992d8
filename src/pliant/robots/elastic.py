"""Torque, stiffness and energy of an actuator's springs at given angles, over rows.

The functions are defined in the topology; this module only calls them.
"""

from dataclasses import dataclass
from functools import cache
from math import pi
from typing import Literal

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.catalogue import Physics, leaves, slots
from pliant.lower.assembly import assembly
from pliant.lower.law import Lowered, Target, lower

_DRIVEN = {
    "current": "current",
    "copper_loss": "copper_loss",
    "mechanical": "mechanical_power",
    "electrical": "electrical_power",
}
"""Quantities of a drive, and their functions in the part of a motor."""
STEP = 0.02
"""[rad] Search range for an equilibrium if there is no limit."""


@dataclass(frozen=True, eq=False)
class Elastic:
    """The compiled functions of one actuator.

    Rows of all methods: states (N, S) and parameters (N, P) in flat order, angles (N,).
    """

    actuator: Actuator
    whole: Lowered
    motors: tuple[Lowered, ...]
    """The part of each motor."""
    numbers: tuple[str, ...]
    """Suffixes of each motor's ports."""

    def columns(self, name: str) -> list[int]:
        """Indices of `name` ("rotor.theta", "own.command") of each motor in the state."""
        port, _, field = name.partition(".")
        return [self.actuator.state.index(f"{port}{n}.{field}") for n in self.numbers]

    def of_motor(self, motor: int, what: Literal["parameters", "state"]) -> slice:
        """Slice of motor 0 or 1 in the flat array of parameters or state."""
        found: list[slice] = []
        end = 0
        for slot in slots(self.actuator.topology):
            is_part = slot.part is not None and slot.name != "own"
            inner = leaves(slot.part, slot.number) if is_part and slot.part else [slot]
            laws = [self.actuator.laws[s.label] if s.part is None else s.part for s in inner]
            begin, end = end, end + sum(len(getattr(law, what)) for law in laws)
            if _is_motor(slot.part):
                found.append(slice(begin, end))
        return found[motor]

    def states(self, theta: Floats) -> Floats:
        """(N, S) States at rest with the motors at `theta` (N, motors)."""
        rows = np.zeros((len(theta), len(self.actuator.state)))
        rows[:, self.columns("rotor.theta")] = theta
        return rows

    def call(self, name: str, states: Floats, q: Floats, parameters: Floats) -> Floats:
        """(N,) `name` of (state, q, parameters): stiffness, energy, load_1, load_2."""
        rows = np.column_stack([states, q, parameters])
        return self.whole.evaluate(name, rows)[:, 0].astype(float)

    def start(self, q: Floats, parameters: Floats) -> Floats:
        """(N, S) The state of an actuator that has rested at q."""
        return self.whole.evaluate("start", np.column_stack([q, parameters])).astype(float)

    def effort(self, motor: int, states: Floats, supply: Floats, on: Floats, p: Floats) -> Floats:
        """(N,) [N m] Torque of motor 0 or 1, from what its controller last commanded.

        The reduction by a speed limit is not included.
        """
        own = states[:, self.of_motor(motor, "state")]
        rows = np.column_stack([own, supply, on, p[:, self.of_motor(motor, "parameters")]])
        return self.motors[motor].evaluate("effort", rows)[:, 0].astype(float)

    def drive(
        self, motor: int, states: Floats, load: Floats, supply: Floats, on: Floats, p: Floats
    ) -> dict[str, Floats]:
        """(N,) each of motor 0 or 1, by the names of `power.Power`; NaN of one without a drive.

        `load` (N,) [N m] is the load on the motor from its spring or teeth.
        """
        own, mine = (
            states[:, self.of_motor(motor, "state")],
            p[:, self.of_motor(motor, "parameters")],
        )
        driven = np.column_stack([own, supply, on, mine])
        moving = np.column_stack([own, mine])
        rubbing = np.column_stack([own, load, supply, on, mine])
        side = self.motors[motor]
        found = {name: side.evaluate(function, driven)[:, 0] for name, function in _DRIVEN.items()}
        found["friction"] = side.evaluate("friction_power", rubbing)[:, 0]
        found["kinetic_energy"] = side.evaluate("kinetic_energy", moving)[:, 0]
        if not self.has_drive(motor):
            found |= dict.fromkeys(found, np.full(len(states), np.nan))
        return found

    def has_drive(self, motor: int) -> bool:
        """Whether a torque moves the rotor of motor 0 or 1; some follow their reference under any load."""
        mine = self.actuator.values[self.of_motor(motor, "parameters")]
        return bool(self.motors[motor].evaluate("free", mine[None])[0, 0] > 0.0)

    def pull(self, q: float, *theta: float) -> float:
        """[N m] dV/dq at rest: the torque that holds the link there."""
        return float(self.pulls(np.array([q]), np.array([theta]))[0])

    def pulls(self, q: Floats, theta: Floats) -> Floats:
        """(N,) [N m] dV/dq at rest, at q (N,) with the motors at `theta` (N, motors)."""
        zeros, p = np.zeros(len(q)), np.tile(self.actuator.values, (len(q), 1))
        rows = np.column_stack([self.states(theta), zeros, zeros, q, zeros, zeros, zeros, p])
        return -self.whole.evaluate("torque", rows)[:, 0].astype(float)

    def sigma(self, q: float, *theta: float) -> float:
        """[N m/rad] d2V/dq2."""
        one, p = np.array([q]), self.actuator.values[None]
        return float(self.call("stiffness", self.states(np.array([theta])), one, p)[0])

    def ranges(self) -> list[float]:
        """[rad] The largest deflection of each spring; infinite without a limit."""
        return self.limits(self.actuator.values[None])[0].tolist()

    def limits(self, parameters: Floats) -> Floats:
        """(N, springs) [rad] As `ranges`, of actuators with these parameters (N, P)."""
        names = [n for n in ("limit", "limit_1", "limit_2") if n in self.actuator.laws]
        if not names:  # teeth with play have none
            return np.full((len(parameters), len(self.numbers)), np.inf)
        found = np.full((len(parameters), len(names)), np.inf)
        fields = list(self.actuator.fields)
        for k, name in enumerate(names):
            if f"{name}.max_def" in fields:
                found[:, k] = parameters[:, fields.index(f"{name}.max_def")]
        return found

    def within_limits(self, states: Floats, q: Floats, parameters: Floats) -> Floats:
        """(N, S) `states` with the motors moved towards the link at `q` until no limit is exceeded."""
        near = self.limits(parameters) * (1.0 - 1e-12)
        columns = self.columns("rotor.theta")[: near.shape[1]]
        kept = np.array(states)
        kept[:, columns] = q[:, None] - np.clip(q[:, None] - states[:, columns], -near, near)
        return kept

    def adjuster(self) -> tuple[float, float] | None:
        """The ends of the second motor where it is an adjuster, in its own unit."""
        if "own.softest" not in self.actuator.fields:
            return None
        ends = self.actuator.value("own.softest"), self.actuator.value("own.stiffest")
        return min(ends), max(ends)

    def presets(self) -> tuple[float, float]:
        """The presets [rad, or the adjuster's unit] that the springs allow an unloaded joint."""
        ends = self.adjuster()
        if ends is not None:
            return ends
        far = min(self.ranges(), default=np.inf) if len(self.numbers) > 1 else np.inf
        return -far, far

    def rests_at_main_motor(self) -> bool:
        """Whether the undeflected spring pulls nowhere, wherever its motors are."""
        ends = self.adjuster() or (0.0, 0.0)
        angles = np.linspace(-pi / 4, pi / 4, 7)
        theta = np.array([(a, x) for a in angles for x in ends])[:, : len(self.numbers)]
        away = np.abs(self.pulls(theta[:, 0] + 0.01, theta)).max()
        return bool(np.abs(self.pulls(theta[:, 0], theta)).max() <= 1e-9 * max(away, 1e-12))


def elastic_of(actuator: Actuator, target: Target = "python") -> Elastic:
    """The functions of `actuator` in plain Python, at once, or compiled, faster."""
    whole, motors, numbers = _lowered(actuator.topology, tuple(actuator.laws.items()), target)
    return Elastic(actuator, whole, motors, numbers)


def _is_motor(part: Physics | None) -> bool:
    return part is not None and part.name == "_motor_side"


@cache
def _lowered(
    topology: Physics, laws: tuple[tuple[str, Physics], ...], target: Target
) -> tuple[Lowered, tuple[Lowered, ...], tuple[str, ...]]:
    bound = dict(laws)
    sides = [slot for slot in slots(topology) if _is_motor(slot.part)]
    parts = [assembly(s.part, bound, s.number) for s in sides if s.part is not None]
    whole = lower([assembly(topology, bound)], target)[0]
    motors = tuple(lower([part], target)[0] for part in parts)
    return whole, motors, tuple(slot.number for slot in sides)
