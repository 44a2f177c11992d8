"""Functions of `math` for array libraries, used by `array_text`, with finite values and gradients.

A select evaluates both sides. On the side not selected, a root, a quotient or a power may be NaN, and so is
its gradient times 0; here both are then 0. If the selected side has a power with infinite slope, such as
|v|^0.7 at v = 0, the gradient is 0 too.
"""

from collections.abc import Callable
from typing import Any, cast

Value = Any
Made = Callable[..., Value]

_LOG10_E = 0.43429448190325182765


class ArrayMath:
    """The functions under their names in `math`, and other functions that `array_text` calls.

    Args:
        np: the library, under NumPy's names.
        safe: builds a function from its value and its slope in each argument, all finite.
        plain: wraps one of the library's own, whose value and gradient are finite anyway.
    """

    def __init__(self, np: Any, safe: Callable[..., Made], plain: Callable[[Made], Made]) -> None:
        self._where = np.where
        for name in ("sin", "cos", "tanh", "copysign", "floor", "ceil", "trunc"):
            setattr(self, name, plain(getattr(np, name)))
        self.atan, self.asinh = plain(np.arctan), plain(np.arcsinh)
        self.divided = safe(lambda x, y: x / y, lambda x, y: 1.0 / y, lambda x, y: -x / (y * y))
        self.pow = safe(
            lambda x, a: x**a,
            lambda x, a: np.where(a == 0.0, 0.0 * x, a * x ** (a - 1.0)),
            lambda x, a: np.where(x == 0.0, 0.0 * x, x**a * np.log(x)),
        )
        self.sqrt = safe(np.sqrt, lambda x: 0.5 / np.sqrt(x))
        self.exp, self.expm1 = safe(np.exp, np.exp), safe(np.expm1, np.exp)
        self.log = safe(np.log, lambda x: 1.0 / x)
        self.log10 = safe(np.log10, lambda x: _LOG10_E / x)
        self.log1p = safe(np.log1p, lambda x: 1.0 / (1.0 + x))
        self.tan = safe(np.tan, lambda x: 1.0 / np.cos(x) ** 2)
        self.asin = safe(np.arcsin, lambda x: 1.0 / np.sqrt(1.0 - x * x))
        self.acos = safe(np.arccos, lambda x: -1.0 / np.sqrt(1.0 - x * x))
        self.atan2 = safe(
            np.arctan2, lambda y, x: x / (x * x + y * y), lambda y, x: -y / (x * x + y * y)
        )
        self.sinh, self.cosh = safe(np.sinh, np.cosh), safe(np.cosh, np.sinh)
        self.acosh = safe(np.arccosh, lambda x: 1.0 / np.sqrt(x * x - 1.0))
        self.atanh = safe(np.arctanh, lambda x: 1.0 / (1.0 - x * x))
        self.hypot = safe(
            np.hypot, lambda x, y: x / np.hypot(x, y), lambda x, y: y / np.hypot(x, y)
        )

    def select(self, test: Value, yes: Value, no: Value) -> Value:
        """One of two values; for named tuples, field by field."""
        if isinstance(test, bool):
            return yes if test else no
        if isinstance(yes, tuple):
            pairs = zip(cast("tuple[Value, ...]", yes), no, strict=True)
            parts = [self.select(test, x, y) for x, y in pairs]
            return type(no)._make(parts) if hasattr(no, "_make") else tuple(parts)
        return self._where(test, yes, no)

    def min_(self, x: Value, y: Value) -> Value:
        """Python's `min`: a tie has the gradient of the first."""
        return self.select(y < x, y, x)

    def max_(self, x: Value, y: Value) -> Value:
        """Python's `max`: a tie has the gradient of the first."""
        return self.select(y > x, y, x)

    def abs_(self, x: Value) -> Value:
        """Absolute value; its gradient at 0 is 0."""
        return abs(x)

    def and_(self, x: Value, y: Value) -> Value:
        """Both."""
        return x & y

    def or_(self, x: Value, y: Value) -> Value:
        """Logical or."""
        return x | y

    def not_(self, x: Value) -> Value:
        """Logical not."""
        return not x if isinstance(x, bool) else ~x

    def at(self, line: Value, k: Value) -> Value:
        """Number k of a row."""
        return line[k]
