"""Torques that a motion needs of a robot's actuators: MuJoCo's inverse dynamics, with a payload.

Left out: contacts, a base that moves (it stays where the model has it), closed chains.
"""

from collections.abc import Mapping
from typing import Any

import mujoco
import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.robots.joint_groups import JointPlaces

SMALL = 1e-6
"""[kg m^2] Inertia of a payload about itself: it is a point."""


class InverseLoad:
    """Torques [N m] on J joints' actuators, in the actuators' own turns."""

    def __init__(self, model: mujoco.MjModel, places: JointPlaces) -> None:
        self._model, self._data, self._gear = model, mujoco.MjData(model), places.gear
        self._qpos, self._dof = places.qpos, places.dof
        self._armature = model.dof_armature[places.dof] / places.gear**2
        self._out = np.zeros(model.nv)

    def torque(self, q: Floats, v: Floats, a: Floats) -> Floats:
        """(J,) Torque that moves the actuators so: (J,) angle [rad], speed and acceleration; friction aside."""
        model, data, gear = self._model, self._data, self._gear
        data.qpos[self._qpos] = q / gear
        data.qvel[self._dof] = v / gear
        data.qacc[self._dof] = a / gear
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        mujoco.mj_comVel(model, data)
        mujoco.mj_passive(model, data)
        mujoco.mj_rne(model, data, 1, self._out)
        found: Floats = (self._out - data.qfrc_passive)[self._dof] / gear
        return found + self._armature * a


def add_payload(spec: mujoco.MjSpec, payload: Mapping[str, float]) -> None:
    """Add a point mass at each site, or at a body's centre of mass.

    Args:
        spec: not compiled yet. payload: site or body to mass [kg].

    Raises:
        PliantError: no such site or body, or a mass below 0.
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
