"""The electrical power of each attached joint over a simulation, and what it adds up to."""

from dataclasses import fields
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.cli.terminal import columns
from pliant.engines.spec.attachment import Attachment
from pliant.robots.joint_groups import groups_of, places_of
from pliant.robots.power import Energy, PowerOf, energy_over

CHUNK = 1000
"""Instants whose powers are taken together."""
MANY = 20000
"""Instants times joints from which compiling the laws takes less time than it saves."""


class EnergyRecord:
    """Takes the state of `data` after each step, `steps` of them.

    Attributes:
        joints: those with an actuator. power: (N, n) [W] of each, the first row before any step.
        energy: [J] so far, motor by motor; None before anything was noted.
    """

    def __init__(self, model: mujoco.MjModel, attachment: Attachment, steps: int) -> None:
        places = places_of(model, attachment)
        target = "numba" if steps * len(places.joints) > MANY else "python"
        self._of = PowerOf(model, places, groups_of(places, target), target)
        self._step = float(model.opt.timestep)
        self.joints = places.joints
        self.power: Floats = np.full((steps + 1, len(self.joints)), np.nan)
        self.energy: Energy | None = None
        self._rows: list[Floats] = []
        self._held = self._done = 0

    def note(self, data: mujoco.MjData) -> None:
        """The state now."""
        now: tuple[Any, ...] = (data.qpos, data.qvel, data.act, data.actuator_force)
        self._rows = self._rows or [np.empty((CHUNK + 1, len(values))) for values in now]
        for rows, values in zip(self._rows, now, strict=True):
            rows[self._held] = values
        self._held += 1
        if self._held > CHUNK:
            self.finish()

    def finish(self) -> None:
        """Reckon with what was noted and not yet counted."""
        first = 0 if self._done == 0 else 1  # the last of those before begins the next
        if self._held <= first:
            return
        found = self._of.at(*(rows[: self._held] for rows in self._rows))
        begin = self._done - first
        self.power[begin : begin + self._held] = found.total
        part = energy_over(self._step * np.arange(self._held, dtype=np.float64), found)
        if self.energy is None:
            self.energy = part
        else:
            sums = {
                f.name: getattr(self.energy, f.name) + getattr(part, f.name) for f in fields(Energy)
            }
            self.energy = Energy(**sums)
        self._done += self._held - first
        for rows in self._rows:
            rows[0] = rows[self._held - 1]
        self._held = 1

    def as_plain(self) -> dict[str, Any]:
        """Joint to its energies [J] over the motion, all motors together; None where unknown."""
        if self.energy is None:
            return {}
        names = {"drawn": "drawn", "electrical": "net", "copper_loss": "heat", "mechanical": "work"}
        found = {
            joint: {
                shown: _all_motors(getattr(self.energy, name)[k]) for name, shown in names.items()
            }
            for k, joint in enumerate(self.joints)
        }
        for parts in found.values():
            parts["heat"] = parts["heat"] or None  # without a resistance it is not known
        return found


def _all_motors(values: Floats) -> float | None:
    return None if np.isnan(values).all() else float(np.nansum(values))


def energy_table(energy: dict[str, Any]) -> str:
    """The same for the terminal."""
    rows = [
        [joint, *("-" if x is None else f"{x:.3g}" for x in parts.values())]
        for joint, parts in energy.items()
    ]
    head = ["energy [J]", "from the supply", "less what went back", "heat in windings", "work"]
    return columns(head, rows, numbers=(1, 2, 3, 4))
