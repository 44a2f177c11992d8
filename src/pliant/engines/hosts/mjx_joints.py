"""Actuators on joints of an MJX model: pure functions around `mjx.step`, with gradients.

    1. inertia and torques of everything else on the joints, from MJX
    2. each actuator, one step of the model
    3. friction of all joints together, so that those that it can stop are at rest after the step
    4. MJX's own step, with both in `qfrc_applied`

Left out: what contacts and limits do in this step; as in MuJoCo, friction knows them from the last one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.hosts.jax_actuator import JaxActuator, actuator, jax_modules
from pliant.engines.spec.fresh import fresh_actuator
from pliant.engines.spec.joint_numbers import take_over
from pliant.engines.spec.joints import has_budget, references
from pliant.engines.spec.names import PRESET
from pliant.engines.spec.placing import Wishes, check_joints, place
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator

ROUNDS = 30
"""Turns of Gauss and Seidel over the frictions of the joints."""
EULER = int(mujoco.mjtIntegrator.mjINT_EULER)
EXPLICIT = int(getattr(mujoco.mjtDisableBit, "mjDSBL_EULERDAMP"))  # noqa: B009 - its type stubs lack it


@dataclass(frozen=True, eq=False)
class MjxJoints:
    """Joints of a model with actuators, for `mjx_step`.

    Attributes:
        model: MuJoCo's; `mjx.put_model` makes MJX's of it. Controls are the actuators' commands.
        joints: their names. parameters: of each joint's actuator, a pytree. actuators: likewise.
    """

    model: mujoco.MjModel
    joints: tuple[str, ...]
    parameters: Mapping[str, Any]
    actuators: Mapping[str, JaxActuator]
    places: Any
    """(J, 4) place in qpos, DoF, control, second control or -1, of each joint."""

    def start(self, parameters: Mapping[str, Any], data: Any) -> dict[str, Any]:
        """States of actuators that have rested where their joints are in MJX's `data`."""
        return {
            joint: self.actuators[joint].start(parameters[joint], data.qpos[at])
            for joint, at in zip(self.joints, self.places[:, 0], strict=True)
        }


def mjx_joints(
    spec: mujoco.MjSpec, actuators: Mapping[str, str | Path | Actuator], *, replace: bool = False
) -> MjxJoints:
    """Give joints of a model their actuators, for MJX.

    Args:
        spec: the model, with its timestep and integrator set; it is changed and compiled.
        actuators: joint to actuator: a name of the catalogue, a TOML file, or an `Actuator`.
        replace: actuators that these joints have give way.

    Raises:
        PliantError: as of `pliant.attach`, no JAX, the integrator RK4, or an actuator that cannot be
            written for arrays.
    """
    if spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        accepted = "Euler or implicitfast"
        raise PliantError("steps in four parts", field="integrator", found="RK4", accepted=accepted)
    wanted = [(joint, load_actuator(one)) for joint, one in actuators.items()]
    wishes = Wishes(replace=replace)
    check_joints(spec, wanted, wishes)
    seconds: dict[str, str] = {}
    for one in place(spec, wanted, wishes):
        joint = one.entry.target
        # It only carries the command: the torque is applied to the joint.
        one.entry.gainprm[0] = 0.0
        take_over(spec, one.entry, one.actuator)
        if references(one.actuator) > 1:
            second, _ = fresh_actuator(spec, f"{one.entry.name}{PRESET}", joint)
            second.trntype, second.gainprm[0] = mujoco.mjtTrn.mjTRN_JOINT, 0.0
            seconds[joint] = second.name
    model = spec.compile()
    step = float(model.opt.timestep)
    made = {joint: actuator(one, step) for joint, one in wanted}
    return MjxJoints(
        model=model,
        joints=tuple(made),
        parameters={joint: one.parameters for joint, one in made.items()},
        actuators=made,
        places=np.array([_places(model, joint, seconds.get(joint)) for joint in made]),
    )


def _places(model: mujoco.MjModel, joint: str, second: str | None) -> tuple[int, int, int, int]:
    one = model.joint(joint)
    controls = [k for k in range(model.nu) if model.actuator_trnid[k, 0] == one.id]
    preset = -1 if second is None else model.actuator(second).id
    command = next(k for k in controls if k != preset and not model.actuator_gainprm[k, 0])
    return int(one.qposadr[0]), int(one.dofadr[0]), command, preset


def mjx_step(
    joints: MjxJoints,
    parameters: Mapping[str, Any],
    model: Any,
    state: Mapping[str, Any],
    data: Any,
) -> tuple[dict[str, Any], Any]:
    """One step of an MJX model whose joints have actuators; `data.ctrl` are their commands.

    Args:
        joints: from `mjx_joints`. parameters: of each joint's actuator, as `joints.parameters`.
        model, data: MJX's. state: from `joints.start`, or the last step.

    Returns:
        The states of the actuators and the data one step later.
    """
    jax, jnp = jax_modules()
    mjx = _mjx()
    h, dofs = model.opt.timestep, joints.places[:, 1]
    # 1. everything else
    data = mjx.fwd_velocity(model, mjx.fwd_position(model, data))
    others = data.qfrc_passive - data.qfrc_bias + data.qfrc_applied + data.qfrc_constraint
    whole = mjx.full_m(model, data)
    inertia = jnp.diag(whole) - model.dof_armature
    # 2. actuators
    new: dict[str, Any] = {}
    torque: list[Any] = []
    budget: list[Any] = []
    for joint, (q, dof, control, preset) in zip(joints.joints, joints.places, strict=True):
        second = data.ctrl[preset] if preset >= 0 else 0.0
        new[joint], out = joints.actuators[joint].step(
            parameters[joint],
            state[joint],
            data.ctrl[control],
            data.qpos[q],
            data.qvel[dof],
            preset=second,
            load=others[dof],
            inertia=inertia[dof],
        )
        torque.append(out.torque)
        budget.append(out.budget if has_budget(joints.actuators[joint].actuator) else 0.0)
    driven, most = jnp.stack(torque), jnp.stack([jnp.asarray(x, whole.dtype) for x in budget])
    # 3. friction
    moved = jnp.linalg.inv(whole + h * jnp.diag(_damped(joints.model) * model.dof_damping))
    free = data.qvel + h * moved @ others.at[dofs].add(driven)
    response = h * moved[jnp.ix_(dofs, dofs)]
    turn = partial(_turn, response, free[dofs], most, len(joints.joints))
    held, _ = jax.lax.scan(turn, jnp.zeros_like(driven), None, length=ROUNDS)
    # 4. the model
    applied = data.qfrc_applied
    done = mjx.step(model, data.replace(qfrc_applied=applied.at[dofs].add(driven + held)))
    return new, done.replace(qfrc_applied=applied)


def _turn(response: Any, free: Any, most: Any, count: int, held: Any, _: Any) -> tuple[Any, None]:
    """Each friction in turn: what stops its joint with the others as they are, within its budget."""
    _, jnp = jax_modules()
    for k in range(count):
        stopped = held[k] - (free[k] + response[k] @ held) / response[k, k]
        held = held.at[k].set(jnp.clip(stopped, -most[k], most[k]))
    return held, None


def _damped(model: mujoco.MjModel) -> float:
    """1 where the integrator takes the damping of joints from the end of the step, else 0."""
    euler = int(model.opt.integrator) == EULER
    return 0.0 if euler and int(model.opt.disableflags) & EXPLICIT else 1.0


def _mjx() -> Any:
    """MJX, a package of its own."""
    try:
        return import_module("mujoco.mjx")
    except ImportError:
        raise PliantError("MJX is not installed", accepted="pip install mujoco-mjx") from None
