"""An actuator in JAX: a pure step with gradients, for one joint; `jax.vmap` makes many of it."""

from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Unpack, cast

from pliant.assemble import Actuator
from pliant.engines.hosts.array_functions import (
    Around,
    ArrayFunctions,
    Output,
    State,
    array_functions,
)
from pliant.errors import PliantError


@dataclass(frozen=True, eq=False)
class JaxActuator:
    """An actuator as pure functions, to be used with `jit`, `vmap` and `grad`; see `actuator`.

    Attributes:
        actuator: what it was made of. h: the step [s].
        parameters: its numbers, a pytree of named tuples by port: `parameters.motor.k_t`.
        substeps: its own steps in each.
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
            goal: command given now, in the unit of the control law.
            position, velocity: of the joint, where the step begins [rad, rad/s].
            around: preset, load, inertia, supply, on; see `Around`.
        """
        return self._own.step(parameters, state, goal, position, velocity, around, self._remembered)

    def friction(
        self, velocity: Any, output: Output, load: Any, inertia: Any, parameters: Any
    ) -> Any:
        """Torque of friction [N m], for a host that has no dry friction.

        Args:
            inertia: what the joint carries [kg m^2]; the rotor's is added here.
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

    Numbers are of JAX's precision: float32, unless `jax_enable_x64` is set. A spring that is too
    stiff for the step is computed together with the joint, whose `inertia` must be known then.

    Args:
        name: name in the catalogue, a TOML file, or an `Actuator`. step: of the host [s].

    Raises:
        PliantError: JAX is not installed, no such actuator, no step, or an actuator that cannot be
            written for arrays, with the law.
    """
    jax, jnp = jax_modules()
    own = array_functions(name, step, "pliant.lower.jax_math")
    parameters = jax.tree.map(jnp.asarray, _as_in(own.module, own.numbers))
    return JaxActuator(own.actuator, own.h, parameters, own.substeps, own)


def jax_modules() -> tuple[Any, Any]:
    """JAX and its `numpy`, an extra."""
    try:
        return import_module("jax"), import_module("jax.numpy")
    except ImportError:
        raise PliantError("JAX is not installed", accepted="pip install 'pliant[jax]'") from None


def _as_in(module: Any, value: Any) -> Any:
    """Named tuples of one module as those of another."""
    if not isinstance(value, tuple):
        return value
    given = cast("tuple[Any, ...]", value)
    return getattr(module, type(given).__name__)(*(_as_in(module, one) for one in given))
