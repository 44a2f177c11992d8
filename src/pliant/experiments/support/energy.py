"""Energy that the joints of an experiment's motions cost, motor by motor, beside its figures.

The engine applies the friction of stiff servos, as part of the work on their link.
"""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.csv_rows import csv_text
from pliant.engines.mujoco.batch.trials import Motion, reported_to
from pliant.engines.spec.readings import friction_on
from pliant.robots.joint_groups import groups_of, places_of
from pliant.robots.power import Energy, Power, PowerOf, State, energy_over

INSTANTS = 1000
"""Number of times in each motion at which power is sampled: enough for its energies."""
OF_MOTORS = {
    "electrical": "net",
    "drawn": "from the supply",
    "copper_loss": "heat",
    "mechanical": "work",
    "friction": "friction",
}
OF_JOINTS = {"elastic": "into springs", "damping": "damping"}
"""Quantity of `Energy` to its column [J]."""
RMS, PEAK = "rms current", "peak power"
"""Columns [A] and [W], of each motor; from the supply."""
HEAD = ("motion", "seconds", "joint", "motor", *OF_MOTORS.values(), *OF_JOINTS.values(), RMS, PEAK)


EnergyRow = dict[str, int | float | str | None]
"""Column of `HEAD` to value, for one motor in one motion; None if unknown."""


@dataclass
class Spent:
    """The energies of simulated motions: their number, and a row for each motor of each."""

    motions: int = 0
    rows: list[EnergyRow] = field(default_factory=list[EnergyRow])

    def add(self, motion: Motion) -> None:
        """Count a motion."""
        self.motions += 1
        self.rows += _rows(motion, self.motions)

    def statement(self, file: str) -> str:
        """A sentence with the total energy of all motions, which names the `file` of the rows, if there are any."""
        if not self.rows:
            return (
                f"Energy: unknown, because the motors of these {self.motions} simulated motions have no drive: "
                "they follow their references at any load."
            )
        drawn, heat = self._sum("from the supply"), self._sum("heat")
        lost = (
            f"{heat:.3g} J of it heat in windings of known resistance"
            if heat > 0.0
            else "without the heat of their windings, whose resistance is unknown"
        )
        return (
            f"Energy: the motors drew {drawn:.3g} J in {self.motions} simulated motions, {lost}; "
            f"motor by motor in {file}."
        )

    def _sum(self, name: str) -> float:
        return sum(float(x) for row in self.rows if isinstance(x := row[name], float))

    def csv(self) -> str:
        """The rows as a table."""
        return csv_text(HEAD, ([row[name] for name in HEAD] for row in self.rows), figures=6)


@contextmanager
def energies() -> Generator[Spent]:
    """Collect the energies of all motions that are simulated within the block."""
    spent = Spent()
    with reported_to(spent.add):
        yield spent


def energy_of(motion: Motion) -> Energy | None:
    """The energies of a motion's attached joints; None if nothing is attached."""
    found = powers_of(motion)
    return None if found is None else energy_over(*found)


def powers_of(motion: Motion) -> tuple[Floats, Power] | None:
    """Times (K,) and powers of a motion's attached joints; None if nothing is attached."""
    if motion.attached is None or not motion.attached.joints or len(motion.time) < 2:
        return None
    places = places_of(motion.model, motion.attached)
    groups = groups_of(places, "llvm")
    at = np.unique(np.linspace(0, len(motion.time) - 1, INSTANTS).astype(int))
    powers = PowerOf(motion.model, places, groups)
    force, friction = _forces(motion, at, places.dof)
    now = State(motion.qpos[at], motion.qvel[at], motion.act[at], force, friction)
    return motion.time[at], powers.at(now)


def _forces(motion: Motion, at: NDArray[np.int_], dofs: NDArray[np.intp]) -> tuple[Floats, Floats]:
    """(K, nu) of all actuators, (K, n) of the friction of `dofs` [N m] in the states `at`, by the engine."""
    found = np.full((len(at), motion.model.nu), np.nan)
    friction = np.full((len(at), len(dofs)), np.nan)
    if motion.control is None:
        return found, friction
    data = mujoco.MjData(motion.model)
    for row, k in enumerate(at):
        data.time = float(motion.time[k])
        data.qpos[:], data.qvel[:] = motion.qpos[k], motion.qvel[k]
        data.act[:], data.ctrl[:] = motion.act[k], motion.control[k]
        mujoco.mj_forward(motion.model, data)
        found[row], friction[row] = data.actuator_force, friction_on(data, dofs)
    return found, friction


def _rows(motion: Motion, number: int) -> list[EnergyRow]:
    found = powers_of(motion)
    if found is None:
        return []
    energy, (time, power) = energy_over(*found), found
    mean_square = _mean(time, power.current**2)
    assert motion.attached is not None  # or there were no energies
    rows: list[EnergyRow] = []
    for k, joint in enumerate(places_of(motion.model, motion.attached).joints):
        for motor in range(energy.mechanical.shape[1]):
            own = {to: _known(getattr(energy, of)[k, motor]) for of, to in OF_MOTORS.items()}
            own["heat"] = own["heat"] or None  # unknown without a resistance
            if any(x is not None for x in own.values()):
                row: EnergyRow = dict.fromkeys(HEAD)
                row |= {"motion": number, "seconds": float(motion.time[-1])}
                row |= {"joint": joint, "motor": motor + 1, **own}
                row[PEAK] = _known(power.electrical[:, k, motor].max())
                if own["heat"] is not None:  # without a winding the "current" is a torque
                    row[RMS] = float(np.sqrt(mean_square[k, motor]))
                if motor == 0:
                    row |= {to: _known(getattr(energy, of)[k]) for of, to in OF_JOINTS.items()}
                rows.append(row)
    return rows


def _mean(time: Floats, x: Floats) -> Floats:
    """The mean of x (N, …) over `time` (N,), by trapezoids."""
    return np.tensordot(np.diff(time), 0.5 * (x[1:] + x[:-1]), 1) / (time[-1] - time[0])


def _known(x: float) -> float | None:
    return None if np.isnan(x) else float(x)
