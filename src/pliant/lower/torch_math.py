"""Functions of `math` for torch: `array_math` with torch's own gradients.

All of it works elementwise, on tensors of any shape; Python numbers become torch's default float.
"""

from collections.abc import Callable
from typing import Any

import torch

from pliant.lower.array_math import ArrayMath, Made, Value


def _tensor(x: Value) -> Value:
    return x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=torch.get_default_dtype())


def _finite(x: Value) -> Value:
    return torch.where(torch.isfinite(x), x, torch.zeros_like(x))


class _Safe(torch.autograd.Function):
    """A function with its given slope in each argument."""

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


def _safe(f: Made, *slopes: Made) -> Made:
    def called(*x: Value) -> Value:
        return _Safe.apply(f, slopes, *torch.broadcast_tensors(*map(_tensor, x)))

    return called


def _on_tensors(f: Made) -> Made:
    return lambda *x: f(*map(_tensor, x))


class _TorchMath(ArrayMath):
    def __init__(self) -> None:
        super().__init__(torch, _safe, _on_tensors)
        self.erf = _on_tensors(torch.erf)

    def select(self, test: Value, yes: Value, no: Value) -> Value:
        """One of two values; for two Python numbers, a tensor."""
        numbers = isinstance(yes, (int, float)) and isinstance(no, (int, float))
        return super().select(test, _tensor(yes) if numbers else yes, no)

    def whole(self, x: Value) -> Value:
        """The whole number below a positive one."""
        return _tensor(x).long()

    def number(self, x: Value) -> Value:
        """An integer, or a truth value as 0 or 1, in a type that can count."""
        return x.to(torch.get_default_dtype()) if isinstance(x, torch.Tensor) else float(x)

    def at(self, line: Value, k: Value) -> Value:
        """Row k of (K, …) numbers; k may differ between joints."""
        if not isinstance(k, torch.Tensor):
            return line[k]
        return torch.gather(line, 0, k.expand(line.shape[1:])[None])[0]

    def loop(self, low: int, high: Value, turn: Callable[..., Value], kept: Value) -> Value:
        """`kept` after every iteration; the end may differ between joints."""
        each = isinstance(high, torch.Tensor)
        for k in range(low, int(high.max()) if each else high):
            kept = self.select(k < high, turn(k, kept), kept)
        return kept


library: Any = _TorchMath()
