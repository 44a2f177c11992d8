"""Actuators in JAX, pure functions with gradients: a step of one joint, or `mjx.step` with joints of an MJX model.

`mjx_step` takes

    1. inertia and torques of everything else on the joints, from MJX
    2. each actuator, one step of the model
    3. friction of all joints together, so that those that it can stop are at rest after the step
    4. MJX's own step, with both in `qfrc_applied`

Left out: effects of contacts and limits in this step; as in MuJoCo, friction uses those of the last step.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Unpack, cast

import mujoco
import numpy as np

from pliant.assemble import Actuator
from pliant.engines.hosts.array_functions import (
    Around,
    ArrayFunctions,
    Output,
    State,
    array_functions,
)
from pliant.engines.spec.formers import fresh_actuator
from pliant.engines.spec.joint_numbers import take_over
from pliant.engines.spec.joints import has_budget, references
from pliant.engines.spec.names import PRESET
from pliant.engines.spec.placing import Wishes, check_joints, place
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.actuator_file import load_actuator


@dataclass(frozen=True, eq=False)
class JaxActuator:
    """An actuator as pure functions, to be used with `jit`, `vmap` and `grad`; see `actuator`.

    Attributes:
        actuator: its source. h: the step [s].
        parameters: its numbers, a pytree of named tuples by port: `parameters.motor.k_t`.
        substeps: of the actuator in each step.
    """

    actuator: Actuator
    h: float
    parameters: Any
    substeps: int
    _own: ArrayFunctions

    def start(self, parameters: Any, position: Any) -> State:
        """The state of an actuator that has rested at `position` [rad]."""
        jax, jnp = jax_modules()
        kind = jnp.result_type(float, position)
        laws = self._own.functions["start"](position, parameters)
        lines = jnp.zeros((2, 1 + self._own.kept), kind)
        return State(jax.tree.map(partial(jnp.asarray, dtype=kind), laws), lines)

    def step(
        self,
        parameters: Any,
        state: State,
        goal: Any,
        position: Any,
        velocity: Any,
        **around: Unpack[Around],
    ) -> tuple[State, Output]:
        """One step of `h`.

        Args:
            goal: present command, in the unit of the control law.
            position, velocity: of the joint, at the start of the step [rad, rad/s].
            around: preset, load, inertia, supply, on; see `Around`.
        """
        return self._own.step(parameters, state, goal, position, velocity, around, self._remembered)

    def friction(
        self, velocity: Any, output: Output, load: Any, inertia: Any, parameters: Any
    ) -> Any:
        """Torque of friction [N m], for a host that has no dry friction.

        Args:
            inertia: that the joint carries [kg m^2]; the rotor's is added here.
        """
        return self._own.friction(parameters, velocity, output, load, inertia)

    def armature(self, parameters: Any) -> Any:
        """Inertia [kg m^2] of the rotor, which the host adds to its joint."""
        return self._own.functions["armature"](parameters)

    def _remembered(self, lines: Any, goal: Any, preset: Any) -> Any:
        _, jnp = jax_modules()
        count = jnp.minimum(lines[:, :1] + 1.0, float(self._own.kept))
        newest = jnp.asarray([goal, preset], lines.dtype)[:, None]
        return jnp.concatenate([count, newest, lines[:, 1:-1]], axis=1)


def actuator(name: str | Path | Actuator, step: float) -> JaxActuator:
    """An actuator as pure functions of JAX.

    Numbers have JAX's precision: float32, unless `jax_enable_x64` is set. A spring that is too
    stiff for the step is computed together with the joint, which requires its `inertia`.

    Args:
        name: name in the catalogue, a TOML file, or an `Actuator`. step: of the host [s].

    Raises:
        PliantError: JAX is not installed, no such actuator, an invalid step, or an actuator that cannot
            be written for arrays; names the law.
    """
    jax, jnp = jax_modules()
    own = array_functions(name, step, "pliant.lower.jax_math")
    parameters = jax.tree.map(jnp.asarray, _as_in(own.module, own.numbers))
    return JaxActuator(own.actuator, own.h, parameters, own.substeps, own)


def jax_modules() -> tuple[Any, Any]:
    """JAX and its `numpy`, an extra."""
    return extra_module("jax", "jax"), extra_module("jax.numpy", "jax")


def _as_in(module: Any, value: Any) -> Any:
    """Named tuples of one module as those of another."""
    if not isinstance(value, tuple):
        return value
    given = cast("tuple[Any, ...]", value)
    return getattr(module, type(given).__name__)(*(_as_in(module, one) for one in given))


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
        """States of actuators at rest at the joint positions in MJX's `data`."""
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
        replace: replace actuators that these joints have.

    Raises:
        PliantError: as for `pliant.attach`; no JAX, the integrator RK4, or an actuator that cannot be
            written for arrays.
    """
    if spec.option.integrator == mujoco.mjtIntegrator.mjINT_RK4:
        accepted = "Euler or implicitfast"
        raise PliantError(
            "has four stages per step", field="integrator", found="RK4", accepted=accepted
        )
    wanted = [(joint, load_actuator(one)) for joint, one in actuators.items()]
    wishes = Wishes(replace=replace)
    check_joints(spec, wanted, wishes)
    seconds: dict[str, str] = {}
    for one in place(spec, wanted, wishes):
        joint = one.entry.target
        # It only holds the command: the torque is applied to the joint.
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
    mjx = extra_module("mujoco.mjx", "mjx")
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
    """Each friction in turn: the torque that stops its joint with the others fixed, within its budget."""
    _, jnp = jax_modules()
    for k in range(count):
        stopped = held[k] - (free[k] + response[k] @ held) / response[k, k]
        held = held.at[k].set(jnp.clip(stopped, -most[k], most[k]))
    return held, None


def _damped(model: mujoco.MjModel) -> float:
    """1 where the integrator takes the damping of joints from the end of the step, else 0."""
    euler = int(model.opt.integrator) == EULER
    return 0.0 if euler and int(model.opt.disableflags) & EXPLICIT else 1.0
