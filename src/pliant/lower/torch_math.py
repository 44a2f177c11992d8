"""Functions of `math` for torch, called by `array_text`, whose values and gradients are finite.

As in `jax_math`: what is no number on the side that is not taken is 0, and so is its gradient. All works
number by number, on tensors of any shape; numbers of Python become torch's default float.
"""

from collections.abc import Callable
from typing import Any

import torch

Value = Any


def _tensor(x: Value) -> Value:
    return x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=torch.get_default_dtype())


def _finite(x: Value) -> Value:
    return torch.where(torch.isfinite(x), x, torch.zeros_like(x))


class _Safe(torch.autograd.Function):
    """A function, given its slope in each argument."""

    @staticmethod
    def forward(ctx: Any, f: Any, slopes: Any, *x: Value) -> Value:
        ctx.slopes = slopes
        ctx.save_for_backward(*x)
        return _finite(f(*x))

    @staticmethod
    def backward(ctx: Any, *grads: Value) -> Value:
        [g] = grads
        x = ctx.saved_tensors
        return None, None, *(g * _finite(slope(*x)) for slope in ctx.slopes)


def _safe(f: Callable[..., Value], *slopes: Callable[..., Value]) -> Callable[..., Value]:
    def called(*x: Value) -> Value:
        return _Safe.apply(f, slopes, *torch.broadcast_tensors(*map(_tensor, x)))

    return called


def _on_tensors(f: Callable[..., Value]) -> Callable[..., Value]:
    return lambda *x: f(*map(_tensor, x))


divided = _safe(lambda x, y: x / y, lambda x, y: 1.0 / y, lambda x, y: -x / (y * y))
pow = _safe(  # noqa: A001 - as in `math`
    torch.pow,
    lambda x, a: torch.where(a == 0.0, 0.0 * x, a * torch.pow(x, a - 1.0)),
    lambda x, a: torch.where(x == 0.0, 0.0 * x, torch.pow(x, a) * torch.log(x)),
)
sqrt = _safe(torch.sqrt, lambda x: 0.5 / torch.sqrt(x))
exp = _safe(torch.exp, torch.exp)
expm1 = _safe(torch.expm1, torch.exp)
log = _safe(torch.log, lambda x: 1.0 / x)
log10 = _safe(torch.log10, lambda x: 0.43429448190325182765 / x)
log1p = _safe(torch.log1p, lambda x: 1.0 / (1.0 + x))
sin, cos = _on_tensors(torch.sin), _on_tensors(torch.cos)
tan = _safe(torch.tan, lambda x: 1.0 / torch.cos(x) ** 2)
asin = _safe(torch.asin, lambda x: 1.0 / torch.sqrt(1.0 - x * x))
acos = _safe(torch.acos, lambda x: -1.0 / torch.sqrt(1.0 - x * x))
atan = _on_tensors(torch.atan)
atan2 = _safe(torch.atan2, lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y))
sinh = _safe(torch.sinh, torch.cosh)
cosh = _safe(torch.cosh, torch.sinh)
tanh, asinh = _on_tensors(torch.tanh), _on_tensors(torch.asinh)
acosh = _safe(torch.acosh, lambda x: 1.0 / torch.sqrt(x * x - 1.0))
atanh = _safe(torch.atanh, lambda x: 1.0 / (1.0 - x * x))
hypot = _safe(torch.hypot, lambda x, y: x / torch.hypot(x, y), lambda x, y: y / torch.hypot(x, y))
erf = _on_tensors(torch.erf)
copysign = _on_tensors(torch.copysign)
floor, ceil, trunc = map(_on_tensors, (torch.floor, torch.ceil, torch.trunc))


def select(test: Value, yes: Value, no: Value) -> Value:
    """One of two values; of named tuples, number by number."""
    if isinstance(yes, tuple):
        parts = [select(test, x, y) for x, y in zip(yes, no, strict=True)]
        return yes._make(parts) if hasattr(yes, "_make") else tuple(parts)
    if isinstance(test, bool):
        return yes if test else no
    if not isinstance(yes, torch.Tensor) and not isinstance(no, torch.Tensor):
        yes = _tensor(yes)
    return torch.where(test, yes, no)


def min_(x: Value, y: Value) -> Value:
    """Python's `min`: a tie has the gradient of the first."""
    return select(y < x, y, x)


def max_(x: Value, y: Value) -> Value:
    """Python's `max`: a tie has the gradient of the first."""
    return select(y > x, y, x)


def abs_(x: Value) -> Value:
    """Size; at 0 its gradient is 0."""
    return abs(x)


def and_(x: Value, y: Value) -> Value:
    """Both."""
    return (x and y) if isinstance(x, bool) and isinstance(y, bool) else x & y


def or_(x: Value, y: Value) -> Value:
    """One or both."""
    return (x or y) if isinstance(x, bool) and isinstance(y, bool) else x | y


def not_(x: Value) -> Value:
    """The opposite."""
    return not x if isinstance(x, bool) else ~x


def whole(x: Value) -> Value:
    """The whole number below a positive one."""
    return _tensor(x).long()


def number(x: Value) -> Value:
    """A whole number, or a truth as 0 or 1, as a number that counts."""
    return x.to(torch.get_default_dtype()) if isinstance(x, torch.Tensor) else float(x)


def at(line: Value, k: Value) -> Value:
    """Row k of (K, …) numbers; every joint may have its own k."""
    if not isinstance(k, torch.Tensor):
        return line[k]
    return torch.gather(line, 0, k.expand(line.shape[1:])[None])[0]


def loop(low: int, high: int, turn: Callable[[Value, Value], Value], kept: Value) -> Value:
    """`kept` after every turn."""
    for k in range(low, high):
        kept = turn(k, kept)
    return kept
