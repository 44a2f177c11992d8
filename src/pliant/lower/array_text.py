"""Libraries of arrays that know gradients, JAX for one: their functions of `math`, and the typed tree in their spelling.

A choice computes both sides. On the one that is not taken a root, a quotient or a power may be no number,
and its gradient times 0 is none either; here both are 0 then. Where the side taken has a power such as
|v|^0.7 at v = 0, whose slope is infinite, the gradient is 0 too.

What a library spells otherwise than Python stands in a module of its own (`jax_math`), which the text
imports: a choice between two values, division, the functions of `math`. There each has a gradient that
is finite, for on the side that is not taken a root or a power may have none.
"""

from collections.abc import Callable, Iterator
from typing import Any, cast

from pliant.lower import typed as t
from pliant.lower.python_text import NOTE, Writer, fields_of, plain, structures
from pliant.lower.types import INTEGER

Value = Any
Made = Callable[..., Value]

_LOG10_E = 0.43429448190325182765


class ArrayMath:
    """The functions under the names of `math`, and what `array_text` calls beside them.

    Args:
        np: the library, under NumPy's names.
        safe: makes a function of itself and its slope in each argument, all of them finite.
        plain: makes one of the library's own, which is finite, and whose gradient is.
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
        """One of two values; of named tuples, number by number."""
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
        """Size; at 0 its gradient is 0."""
        return abs(x)

    def and_(self, x: Value, y: Value) -> Value:
        """Both."""
        return x & y

    def or_(self, x: Value, y: Value) -> Value:
        """One or both."""
        return x | y

    def not_(self, x: Value) -> Value:
        """The opposite."""
        return not x if isinstance(x, bool) else ~x

    def at(self, line: Value, k: Value) -> Value:
        """Number k of a row."""
        return line[k]


def array_text(program: t.Program, library: str) -> str:
    """A module with every structure and function of a program without branches.

    Args:
        library: module of the `library`, which has functions for those of `math`.

    Raises:
        PliantError: a function has what such a text cannot say, with file and line.
    """
    lines = [NOTE, "from typing import Any, NamedTuple", "from math import inf, nan"]
    lines += [f"from {library} import library"]
    for kind in structures(program):
        lines += [f"class {kind.name}(NamedTuple):", *fields_of(kind, "Any")]
    for function in program.functions:
        lines += _ArrayWriter(function).definition()
    return "\n".join(lines) + "\n"


class _ArrayWriter(Writer):
    """The spelling of a library of arrays."""

    where = "for arrays with gradients"

    def statement(self, node: t.Statement) -> Iterator[str]:
        """Lines of a statement; a loop is a function of what it changes."""
        if isinstance(node, t.For) and node.step == 1:
            yield from self._loop(node)
        elif isinstance(node, (t.Set, t.Return)):
            yield from super().statement(node)
        else:
            raise self.fault(node)

    def _loop(self, node: t.For) -> Iterator[str]:
        before: set[str] = {name for name, _ in self.function.arguments}
        for one in t.walk(self.function.body):
            if one is node:
                break
            if isinstance(one, t.Set):
                before.add(one.name)
        changed = [n.name for n in t.walk(node.body) if isinstance(n, t.Set)]
        kept = ", ".join(plain(name) for name in dict.fromkeys(changed) if name in before)
        yield f"def turn({plain(node.name)}, kept):"
        yield f"    ({kept},) = kept"
        yield from self.block(node.body)
        yield f"    return ({kept},)"
        yield f"({kept},) = library.loop({self.e(node.low)}, {self.e(node.high)}, turn, ({kept},))"

    def of_Select(self, n: t.Select | t.Choose) -> str:
        return f"library.select({self.e(n.test)}, {self.e(n.yes)}, {self.e(n.no)})"

    def of_Choose(self, n: t.Choose) -> str:
        """A choice in a function with a loop, which keeps it."""
        return self.of_Select(n)

    def of_Load(self, n: t.Load) -> str:
        return f"library.at({self.e(n.base)}, {self.all(n.places)})"

    def of_Cast(self, n: t.Cast) -> str:
        return f"library.{'whole' if n.type is INTEGER else 'number'}({self.e(n.x)})"

    def of_Math(self, n: t.Math) -> str:
        return f"library.{n.name}({self.all(n.args)})"

    def of_Unary(self, n: t.Unary) -> str:
        x = self.e(n.x)
        return f"(-{x})" if n.op == "neg" else f"library.{n.op}_({x})"

    def of_Binary(self, n: t.Binary) -> str:
        """Two operands; a divisor that is not known may be 0 on a side that is not taken."""
        if n.op in ("and", "or", "min", "max"):
            return f"library.{n.op}_({self.e(n.x)}, {self.e(n.y)})"
        if n.op == "div" and not (isinstance(n.y, t.Const) and n.y.value):
            return f"library.divided({self.e(n.x)}, {self.e(n.y)})"
        return super().of_Binary(n)
