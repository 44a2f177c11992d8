"""Functions of `math` for JAX, called by `array_text`, whose values and gradients are finite.

A choice computes both sides. On the one that is not taken a root, a quotient or a power may be no number,
and its gradient times 0 is none either; here both are 0 then. Where the side taken has a power such as
|v|^0.7 at v = 0, whose slope is infinite, the gradient is 0 too.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

Value = Any


def _finite(x: Value) -> Value:
    return jnp.where(jnp.isfinite(x), x, 0.0)


def _safe(f: Callable[..., Value], *slopes: Callable[..., Value]) -> Callable[..., Value]:
    """`f`, given its slope in each argument."""

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


divided = _safe(lambda x, y: x / y, lambda x, y: 1.0 / y, lambda x, y: -x / (y * y))
pow = _safe(  # noqa: A001 - as in `math`
    jnp.power,
    lambda x, a: jnp.where(a == 0.0, 0.0, a * jnp.power(x, a - 1.0)),
    lambda x, a: jnp.where(x == 0.0, 0.0, jnp.power(x, a) * jnp.log(x)),
)
sqrt = _safe(jnp.sqrt, lambda x: 0.5 / jnp.sqrt(x))
exp = _safe(jnp.exp, jnp.exp)
expm1 = _safe(jnp.expm1, jnp.exp)
log = _safe(jnp.log, lambda x: 1.0 / x)
log10 = _safe(jnp.log10, lambda x: 1.0 / (x * jnp.log(10.0)))
log1p = _safe(jnp.log1p, lambda x: 1.0 / (1.0 + x))
sin, cos = jnp.sin, jnp.cos
tan = _safe(jnp.tan, lambda x: 1.0 / jnp.cos(x) ** 2)
asin = _safe(jnp.arcsin, lambda x: 1.0 / jnp.sqrt(1.0 - x * x))
acos = _safe(jnp.arccos, lambda x: -1.0 / jnp.sqrt(1.0 - x * x))
atan = jnp.arctan
atan2 = _safe(jnp.arctan2, lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y))
sinh = _safe(jnp.sinh, jnp.cosh)
cosh = _safe(jnp.cosh, jnp.sinh)
tanh = jnp.tanh
asinh = jnp.arcsinh
acosh = _safe(jnp.arccosh, lambda x: 1.0 / jnp.sqrt(x * x - 1.0))
atanh = _safe(jnp.arctanh, lambda x: 1.0 / (1.0 - x * x))
hypot = _safe(jnp.hypot, lambda x, y: x / jnp.hypot(x, y), lambda x, y: y / jnp.hypot(x, y))
erf = jax.scipy.special.erf
copysign = jnp.copysign
floor, ceil, trunc = jnp.floor, jnp.ceil, jnp.trunc


def select(test: Value, yes: Value, no: Value) -> Value:
    """One of two values; of named tuples, number by number."""
    return jax.tree.map(lambda x, y: jnp.where(test, x, y), yes, no)


def min_(x: Value, y: Value) -> Value:
    """Python's `min`: a tie has the gradient of the first."""
    return y if _known(x, y) and y < x else x if _known(x, y) else jnp.where(y < x, y, x)


def max_(x: Value, y: Value) -> Value:
    """Python's `max`: a tie has the gradient of the first."""
    return y if _known(x, y) and y > x else x if _known(x, y) else jnp.where(y > x, y, x)


def abs_(x: Value) -> Value:
    """Size; at 0 its gradient is 0."""
    return jnp.abs(x)


and_, or_, not_ = jnp.logical_and, jnp.logical_or, jnp.logical_not


def whole(x: Value) -> Value:
    """The whole number below a positive one."""
    return jnp.asarray(x).astype(int)


def number(x: Value) -> Value:
    """A whole number, or a truth as 0 or 1, as a number that counts."""
    return jnp.asarray(x).astype(float)


def at(line: Value, k: Value) -> Value:
    """Number k of a row."""
    return line[k]


def loop(low: int, high: int, turn: Callable[[Value, Value], Value], kept: Value) -> Value:
    """`kept` after every turn; the ends are known, so that it has gradients in both directions."""
    kept = jax.tree.map(lambda x: jnp.asarray(x, jnp.result_type(float, x)), kept)
    if high - low == 1:
        return turn(low, kept)
    return jax.lax.fori_loop(low, high, turn, kept)


def _known(*values: Value) -> bool:
    return all(isinstance(one, (int, float)) for one in values)
