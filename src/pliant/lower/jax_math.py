"""Functions of `math` for JAX: `array_math` with JAX's own gradients and loops."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from pliant.lower.array_math import ArrayMath, Made, Value
from pliant.lower.drive import FINEST


def _finite(x: Value) -> Value:
    return jnp.where(jnp.isfinite(x), x, 0.0)


def _safe(f: Made, *slopes: Made) -> Made:
    @jax.custom_jvp
    def safe(*x: Value) -> Value:
        return _finite(f(*x))

    def jvp(x: tuple[Value, ...], dx: tuple[Value, ...]) -> tuple[Value, Value]:
        parts = [_finite(slope(*x)) * d for slope, d in zip(slopes, dx, strict=True)]
        return safe(*x), sum(parts[1:], parts[0])

    safe.defjvp(jvp)

    def called(*x: Value) -> Value:
        kind = jnp.result_type(float, *x)
        return safe(*(jnp.asarray(one, kind) for one in x))

    return called


class _JaxMath(ArrayMath):
    def __init__(self) -> None:
        super().__init__(jnp, _safe, lambda f: f)
        self.erf = jax.scipy.special.erf

    def whole(self, x: Value) -> Value:
        """The whole number below a positive one."""
        return jnp.asarray(x).astype(int)

    def number(self, x: Value) -> Value:
        """An integer, or a truth value as 0 or 1, in a type that can count."""
        return jnp.asarray(x).astype(float)

    def loop(self, low: int, high: Value, turn: Callable[..., Value], kept: Value) -> Value:
        """`kept` after every iteration, with forward and reverse gradients, which need a fixed number of iterations.

        A computed end, that of sub-steps, is at most FINEST: iterations beyond it change nothing.
        """
        kept = jax.tree.map(lambda x: jnp.asarray(x, jnp.result_type(float, x)), kept)
        if not isinstance(high, int):

            def until(kept: Value, k: Value) -> tuple[Value, None]:
                return jax.lax.cond(k < high, turn, lambda _, kept: kept, k, kept), None

            turns = jnp.arange(low, FINEST)
            return jax.lax.cond(
                low < high, lambda x: jax.lax.scan(until, x, turns)[0], lambda x: x, kept
            )
        if high - low == 1:
            return turn(low, kept)
        return jax.lax.fori_loop(low, high, turn, kept)


library: Any = _JaxMath()
