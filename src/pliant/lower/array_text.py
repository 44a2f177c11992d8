"""The typed tree for array libraries with gradients, such as JAX: without branches.

Operations that a library spells differently from Python are in its own module (`jax_math`), which the
text imports: select, division, the functions of `math`. There all have finite gradients, because a root
or a power on the side not selected may have none.
"""

from collections.abc import Iterator

from pliant.lower import typed as t
from pliant.lower.python_text import NOTE, Writer, fields_of, plain, structures
from pliant.lower.types import INTEGER


def array_text(program: t.Program, library: str) -> str:
    """A module with every structure and function of a branchless program.

    Args:
        library: module whose `library` has functions for those of `math`.

    Raises:
        PliantError: a function has a construct that such text cannot express, with file and line.
    """
    lines = [NOTE, "from typing import Any, NamedTuple", "from math import inf, nan"]
    lines += [f"from {library} import library"]
    for kind in structures(program):
        lines += [f"class {kind.name}(NamedTuple):", *fields_of(kind, "Any")]
    for function in program.functions:
        lines += _ArrayWriter(function).definition()
    return "\n".join(lines) + "\n"


class _ArrayWriter(Writer):
    """The dialect of an array library."""

    where = "for arrays with gradients"

    def statement(self, node: t.Statement) -> Iterator[str]:
        """Lines of a statement; a loop becomes a function of the variables that it changes."""
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
        """A conditional expression, left only in functions with a loop."""
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
        """A binary operation; a divisor that is not constant may be 0 on a side not selected."""
        if n.op in ("and", "or", "min", "max"):
            return f"library.{n.op}_({self.e(n.x)}, {self.e(n.y)})"
        if n.op == "div" and not (isinstance(n.y, t.Const) and n.y.value):
            return f"library.divided({self.e(n.x)}, {self.e(n.y)})"
        return super().of_Binary(n)
