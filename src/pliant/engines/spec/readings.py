"""Places of attached actuators in a compiled model, and what is read there.

    attachment = pliant.attach(spec, {"elbow": "xl330_bam_m6"})
    ...
    attachment["elbow"].torque(data)        # also of a `Batch`: one value for each simulation

A `Batch` that is not persistent keeps only the state of its last step: torque, budget and sticking are then
recomputed from that.
"""

from collections.abc import Iterator
from typing import Any, Protocol

import mujoco
import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.spec.slots import AGE, FORM, REACTION, SECOND_FORM, STATE
from pliant.errors import PliantError

_TENDON, _SITE = int(mujoco.mjtTrn.mjTRN_TENDON), int(mujoco.mjtTrn.mjTRN_SITE)
_TARGETS: tuple[tuple[int, int], ...] = (
    (int(mujoco.mjtObj.mjOBJ_JOINT), int(mujoco.mjtTrn.mjTRN_JOINT)),
    (int(mujoco.mjtObj.mjOBJ_TENDON), _TENDON),
)
"""Kinds of what an actuator acts on, and their transmissions."""


def actuator_on(model: mujoco.MjModel, joint: str) -> int:
    """The number of Pliant's actuator on a joint, or a tendon, of this name; or between sites, of its own.

    Raises:
        PliantError: the model has none there.
    """
    for kind, transmission in _TARGETS:
        known = mujoco.mj_name2id(model, kind, joint)
        here = model.actuator_trntype == transmission
        here &= (model.actuator_trnid[:, 0] == known) & (model.actuator_plugin >= 0)
        if known >= 0 and here.any():
            return int(np.argmax(here))
    known = mujoco.mj_name2id(model, int(mujoco.mjtObj.mjOBJ_ACTUATOR), joint)
    if known >= 0 and _kind(model, known) == _SITE and model.actuator_plugin[known] >= 0:
        return known
    raise PliantError(
        "the model has no actuator of Pliant here",
        field=f"joint {joint}",
        accepted="the model compiled after `attach`",
    )


def off_joint(model: mujoco.MjModel, actuator: int) -> bool:
    """Whether an actuator acts on a tendon itself, or between sites, and not on a joint."""
    return _kind(model, actuator) in (_TENDON, _SITE)


def target_of(model: mujoco.MjModel, actuator: int) -> str:
    """The name of the joint or tendon that an actuator acts on; its own between sites."""
    target, kind = int(model.actuator_trnid[actuator, 0]), _kind(model, actuator)
    if kind == _SITE:
        return str(model.actuator(actuator).name)
    return str((model.tendon(target) if kind == _TENDON else model.joint(target)).name)


def ratio_in(model: mujoco.MjModel, actuator: int) -> float:
    """Transmission ratio of an actuator; of sites along its direction, which is never negative."""
    gear = model.actuator_gear[model.actuator_outadr[actuator]]
    return float(np.linalg.norm(gear) if _kind(model, actuator) == _SITE else gear[0])


def _kind(model: mujoco.MjModel, actuator: int) -> int:
    return int(model.actuator_trntype[actuator])


def control_of(model: mujoco.MjModel, joint: str) -> int:
    """Address in `ctrl` of the command of Pliant's actuator on a joint.

    Raises:
        PliantError: the model has none there.
    """
    return int(model.actuator_ctrladr[actuator_on(model, joint)])


def second_command_of(model: mujoco.MjModel, actuator: int) -> int:
    """The number of the actuator whose control is the second command of `actuator`.

    Raises:
        PliantError: it was deleted.
    """
    same = model.actuator_trnid[:, 0] == model.actuator_trnid[actuator, 0]
    same &= model.actuator_trntype == model.actuator_trntype[actuator]
    here = same & (model.actuator_dynprm[:, FORM] == SECOND_FORM)
    if not here.any():
        raise PliantError(
            "the actuator of its second command was deleted",
            field=f"actuator {model.actuator(actuator).name}",
        )
    return int(np.argmax(here))


_FRICTION_OF_DOF = int(mujoco.mjtConstraint.mjCNSTR_FRICTION_DOF)
_SATURATED = 1e-9
"""Relative distance from its budget within which a force counts as the whole budget."""


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
        """() or (n,) Torque of the actuator on its joint in the last step [N m, N], without friction.

        Raises:
            PliantError: the model has no actuator of Pliant on this joint.
        """
        model, place = self._place(data)
        gear, output = ratio_in(model, place), int(model.actuator_outadr[place])
        forces = [gear * float(one.actuator_force[output]) for one in _each(data)]
        return np.array(forces).reshape(_shape(data))

    def budget(self, data: "mujoco.MjData | Simulations") -> Floats:
        """() or (n,) Largest friction torque [N m, N]; 0 if the friction is not a budget.

        Raises:
            PliantError: see `torque`.
        """
        return np.array([budget for budget, _ in self._rows(data)]).reshape(_shape(data))

    def friction(self, data: "mujoco.MjData | Simulations") -> Floats:
        """() or (n,) Friction torque on the joint in the last step [N m, N].

        Raises:
            PliantError: see `torque`.
        """
        return np.array([force for _, force in self._rows(data)]).reshape(_shape(data))

    def sticking(self, data: "mujoco.MjData | Simulations") -> NDArray[np.bool_]:
        """() or (n,) Whether friction holds the joint, with less than its budget.

        Raises:
            PliantError: see `torque`.
        """
        held = [abs(force) < budget * (1.0 - _SATURATED) for budget, force in self._rows(data)]
        return np.array(held).reshape(_shape(data))

    def state(self, data: "mujoco.MjData | Simulations") -> dict[str, Floats]:
        """The actuator's own state, by name, () or (n,) each, in SI units.

        `age` is the time since the reset, `reaction` the torque of contacts and limits on the joint in
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
