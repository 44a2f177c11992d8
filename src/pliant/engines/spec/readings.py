"""Readings inside an attached actuator, from a running simulation.

    attachment = pliant.attach(spec, {"elbow": "xl330_bam_m6"})
    ...
    attachment["elbow"].torque(data)        # also of a `Batch`: one value for each simulation

A `Batch` that is not persistent keeps nothing of its last step but the state: torque, budget and
sticking are then computed anew from that.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.places import actuator_on, off_joint, ratio_in
from pliant.engines.spec.slots import AGE, REACTION, STATE
from pliant.errors import PliantError

__all__ = ["Readings", "Simulations"]

_FRICTION_OF_DOF = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_SATURATED = 1e-9
"""A force this near to its budget, as a part of it, is all of it."""


class Simulations(Protocol):
    """Part of `mujoco.batch.Batch` that is used here."""

    nsim: int
    persistent: bool

    @property
    def model(self) -> mujoco.MjModel:
        """The model that all have in common."""
        ...

    def get_model(self, sim: int) -> mujoco.MjModel:
        """The model of one simulation."""
        ...

    def get_data(self, sim: int) -> mujoco.MjData:
        """The data of one simulation."""
        ...


class Readings:
    """Readings of one joint's actuator; `data` is an `MjData` or a `Batch` of n simulations."""

    joint: str
    actuator: Actuator

    def torque(self, data: "mujoco.MjData | Simulations") -> Floats:
        """() or (n,) What the actuator did to its joint in the last step [N m, N], friction left out.

        Raises:
            PliantError: the model has no actuator of Pliant on this joint.
        """
        model, place = self._place(data)
        gear, output = ratio_in(model, place), int(model.actuator_outadr[place])
        forces = [gear * float(one.actuator_force[output]) for one in _each(data)]
        return np.array(forces).reshape(_shape(data))

    def budget(self, data: "mujoco.MjData | Simulations") -> Floats:
        """() or (n,) The most that friction resists with [N m, N]; 0 where it is not a budget.

        Raises:
            PliantError: see `torque`.
        """
        return np.array([budget for budget, _ in self._rows(data)]).reshape(_shape(data))

    def friction(self, data: "mujoco.MjData | Simulations") -> Floats:
        """() or (n,) What friction did to the joint in the last step [N m, N].

        Raises:
            PliantError: see `torque`.
        """
        return np.array([force for _, force in self._rows(data)]).reshape(_shape(data))

    def sticking(self, data: "mujoco.MjData | Simulations") -> NDArray[np.bool_]:
        """() or (n,) Whether friction holds the joint: it needs less than its budget.

        Raises:
            PliantError: see `torque`.
        """
        held = [abs(force) < budget * (1.0 - _SATURATED) for budget, force in self._rows(data)]
        return np.array(held).reshape(_shape(data))

    def state(self, data: "mujoco.MjData | Simulations") -> dict[str, Floats]:
        """The actuator's own state, by name, () or (n,) each, in SI units.

        `age` is the time since the reset, `reaction` what contacts and limits did to the joint in
        the last step; the others are those of `actuator.state` (`rotor.theta`).

        Raises:
            PliantError: see `torque`.
        """
        model, place = self._place(data)
        first = int(model.actuator_actadr[place])
        slots = {"age": AGE, "reaction": REACTION}
        slots |= {name: STATE + k for k, name in enumerate(self.actuator.state)}
        act = _numbers(data, "act")
        return {name: act[..., first + slot] for name, slot in slots.items()}

    def _place(self, data: "mujoco.MjData | Simulations") -> tuple[mujoco.MjModel, int]:
        model = getattr(data, "model", None)
        if not isinstance(model, mujoco.MjModel):
            raise PliantError(
                "is not a running simulation",
                field="data",
                found=type(data).__name__,
                accepted="mujoco.MjData, or mujoco.batch.Batch",
            )
        return model, actuator_on(model, self.joint)

    def _rows(self, data: "mujoco.MjData | Simulations") -> Iterator[tuple[float, float]]:
        """Budget of the friction and its force, of each simulation."""
        model, place = self._place(data)
        if off_joint(model, place):  # it has no degree of freedom for friction
            yield from ((0.0, 0.0) for _ in _each(data))
            return
        dof = int(model.joint(self.joint).dofadr[0])
        for one in _each(data):
            here = (one.efc_type == _FRICTION_OF_DOF) & (one.efc_id == dof)
            k = int(np.argmax(here)) if here.any() else -1
            yield (one.efc_frictionloss[k], one.efc_force[k]) if k >= 0 else (0.0, 0.0)


def friction_on(data: mujoco.MjData, dofs: NDArray[np.intp]) -> Floats:
    """(n,) Torque of the friction of degrees of freedom in the last step [N m, N]."""
    rows = data.efc_type == _FRICTION_OF_DOF
    every = np.zeros(data.model.nv)
    every[data.efc_id[rows]] = data.efc_force[rows]
    return every[dofs]


def _each(data: "mujoco.MjData | Simulations") -> Iterator[mujoco.MjData]:
    """The data of each simulation, with what its last step derived."""
    if isinstance(data, mujoco.MjData):
        yield data
        return
    for k in range(data.nsim):
        one = data.get_data(k)
        if not data.persistent:
            mujoco.mj_forward(data.get_model(k), one)
        yield one


def _numbers(data: "mujoco.MjData | Simulations", name: str) -> Floats:
    found: Any = getattr(data, name)
    return np.array(found, dtype=np.float64)


def _shape(data: "mujoco.MjData | Simulations") -> tuple[int, ...]:
    return () if isinstance(data, mujoco.MjData) else (data.nsim,)
