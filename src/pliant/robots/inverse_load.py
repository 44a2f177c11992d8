"""A motion known in advance, and the torques that it requires of a robot's actuators.

Left out: contacts, a base that moves (it stays where the model has it), closed chains.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import mujoco
import numpy as np
from numpy.typing import ArrayLike

from pliant.arrays import Floats
from pliant.engines.mujoco.batch.surroundings import inverse_dynamics, smoothed
from pliant.errors import PliantError
from pliant.robots.joint_groups import JointPlaces


@dataclass(frozen=True, eq=False)
class Course:
    """A motion of J joints in N cycles.

    Args:
        joints: names. given: (M,) [s], rising. positions: (M, J) [rad, m]. cycle: [s].

    Attributes:
        time: (N,) [s], a cycle apart. position, speed, acceleration: (N, J) of the smoothed motion.

    Raises:
        PliantError: there are no two rows, a number is not finite, or the time does not rise.
    """

    joints: Sequence[str]
    given: ArrayLike
    positions: ArrayLike
    cycle: float
    time: Floats = field(init=False)
    position: Floats = field(init=False)
    speed: Floats = field(init=False)
    acceleration: Floats = field(init=False)

    def __post_init__(self) -> None:
        given, positions = (
            np.asarray(self.given, np.float64),
            np.asarray(self.positions, np.float64),
        )
        if positions.shape != (len(given), len(self.joints)) or len(given) < 2:
            accepted = f"two rows or more of {', '.join(self.joints)}"
            raise PliantError(
                "has another shape", field="motion", found=positions.shape, accepted=accepted
            )
        if not (np.isfinite(positions).all() and np.isfinite(given).all()):
            raise PliantError("is not finite", field="motion")
        if (np.diff(given) <= 0.0).any():
            raise PliantError("time does not rise", field="motion")
        time: Floats = np.arange(0.0, given[-1] - given[0] + 1e-9, self.cycle)
        lines = [smoothed(given - given[0], line) for line in positions.T]
        for k, name in enumerate(("position", "speed", "acceleration")):
            even = [np.interp(time, given - given[0], line[k]) for line in lines]
            object.__setattr__(self, name, np.column_stack(even))
        object.__setattr__(self, "time", time)

    def __iter__(self) -> Iterator[tuple[Floats, Floats, Floats]]:
        """(J,) position, speed and acceleration of each cycle."""
        return iter(zip(self.position, self.speed, self.acceleration, strict=True))


SMALL = 1e-6
"""[kg m^2] Inertia of a payload about itself: it is a point."""


class InverseLoad:
    """Torques [N m] on J joints' actuators, in the actuators' own turns."""

    def __init__(self, model: mujoco.MjModel, places: JointPlaces) -> None:
        self._model, self._data, self._gear = model, mujoco.MjData(model), places.gear
        self._qpos, self._dof = places.qpos, places.dof
        self._armature = model.dof_armature[places.dof] / places.gear**2

    def torque(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """(J,) Torque for this motion of the actuators: (J,) angle [rad], speed and acceleration; without friction."""
        model, data, gear = self._model, self._data, self._gear
        data.qpos[self._qpos] = q / gear
        data.qvel[self._dof] = v / gear
        data.qacc[self._dof] = a / gear
        found: Floats = inverse_dynamics(model, data, accelerated=True)[self._dof] / gear
        return found + self._armature * a


def add_payload(spec: mujoco.MjSpec, payload: Mapping[str, float]) -> None:
    """Add a point mass at each site, or at a body's centre of mass.

    Args:
        spec: not compiled yet. payload: site or body to mass [kg].
    """
    anything: Any = spec  # its type stubs lack sites
    for name, mass in payload.items():
        site, body = anything.site(name), anything.body(name)
        if site is None and body is None:
            known = [one.name for one in [*anything.sites, *anything.bodies] if one.name]
            raise PliantError("no such site or body", field="payload", found=name, accepted=known)
        if not 0.0 <= mass < 1e4:
            raise PliantError(
                "not a mass", field=f"payload {name}", found=mass, accepted="kilogrammes from 0"
            )
        home, place = (body, body.ipos) if site is None else (site.parent, site.pos)
        if mass > 0.0:
            held = home.add_body(pos=np.nan_to_num(place))
            held.explicitinertial, held.mass = True, mass
            held.ipos = np.zeros(3)
            held.inertia = np.full(3, SMALL * mass)
