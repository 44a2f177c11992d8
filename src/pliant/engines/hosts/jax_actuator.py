"""An actuator in JAX: a pure step with gradients, for one joint; `jax.vmap` makes many of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from pliant.assemble import Actuator
from pliant.engines.hosts.array_functions import Output, State, array_functions
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
    _kept: int
    _functions: Mapping[str, Callable[..., Any]]

    def start(self, parameters: Any, position: Any) -> State:
        """The state of an actuator that has rested at `position` [rad]."""
        jax, jnp = jax_modules()
        kind = jnp.result_type(float, position)
        laws = self._functions["start"](position, parameters)
        lines = jnp.zeros((2, 1 + self._kept), kind)
        return State(jax.tree.map(partial(jnp.asarray, dtype=kind), laws), lines)

    # So many arguments: what acts on a joint, each of its own.
    def step(
        self,
        parameters: Any,
        state: State,
        goal: Any,
        position: Any,
        velocity: Any,
        *,
        preset: Any = 0.0,
        load: Any = 0.0,
        inertia: Any = 0.0,
        supply: Any = None,
        on: Any = 1.0,
    ) -> tuple[State, Output]:
        """One step of `h`.

        Args:
            goal: command given now, in the unit of the control law. preset: the second one.
            position, velocity: of the joint, where the step begins [rad, rad/s].
            load: the other torques on the joint [N m]. inertia: what it carries [kg m^2]; only
                friction that knows the gear's load asks for it.
            supply: [V]; None: the nominal one. on: 1 torque on, 0 off.
        """
        _, jnp = jax_modules()
        f, p, lines = self._functions, parameters, state.lines
        if supply is None:
            supply = f["voltage"](p)
        told = [goal, preset]
        if self._kept:
            age = f["late"](self.h, p)
            told = [f["arrived"](line, x, age) for line, x in zip(lines, told, strict=True)]
            count = jnp.minimum(lines[:, :1] + 1.0, float(self._kept))
            newest = jnp.asarray([goal, preset], lines.dtype)[:, None]
            lines = jnp.concatenate([count, newest, lines[:, 1:-1]], axis=1)
        laws, torque, budget = f["explicit"](
            state.laws,
            *told,
            position,
            velocity,
            load,
            inertia,
            supply,
            on,
            p,
            self.h,
            self.substeps,
        )
        return State(laws, lines), Output(torque, budget)

    def friction(
        self, velocity: Any, output: Output, load: Any, inertia: Any, parameters: Any
    ) -> Any:
        """Torque of friction [N m], for a host that has no dry friction.

        Args:
            inertia: what the joint carries [kg m^2]; the rotor's is added here.
        """
        moved = inertia + self._functions["armature"](parameters)
        return self._functions["friction"](
            velocity, output.torque, load, output.budget, moved, self.h
        )

    def armature(self, parameters: Any) -> Any:
        """Inertia [kg m^2] of the rotor, which the host adds to its joint."""
        return self._functions["armature"](parameters)


def actuator(name: str | Path | Actuator, step: float) -> JaxActuator:
    """An actuator as pure functions of JAX.

    Numbers are of JAX's precision: float32, unless `jax_enable_x64` is set. Springs must be
    resolved by the step: joint and spring are not computed together in sub-steps.

    Args:
        name: name in the catalogue, a TOML file, or an `Actuator`. step: of the host [s].

    Raises:
        PliantError: JAX is not installed, no such actuator, no step, or an actuator that cannot be
            written for arrays, with the law.
    """
    jax, jnp = jax_modules()
    own = array_functions(name, step, "pliant.lower.jax_math")
    parameters = jax.tree.map(jnp.asarray, _as_in(own.module, own.numbers))
    return JaxActuator(own.actuator, own.h, parameters, own.substeps, own.kept, own.functions)


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
