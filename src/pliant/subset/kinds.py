"""Kinds of values: a number, a truth value, a named tuple; and the names that have them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

NUMBER = "a number"
TRUTH = "a truth value"
BUILTINS = frozenset({"abs", "min", "max", "float"})


@dataclass(eq=False)
class Named:
    """A named tuple and the kinds of its fields."""

    name: str
    fields: "dict[str, Kind] | None" = None
    """None where only the law at a port knows them: all are numbers."""
    whole: bool = True
    """Whether all fields must be given; a topology's `State` has what its laws remember."""

    def __str__(self) -> str:
        return f"a {self.name}"


Kind = str | Named


@dataclass(frozen=True)
class Signature:
    """Kinds that a function takes and returns, and the number of steps of a call."""

    arguments: dict[str, Kind]
    returns: Kind
    cost: int = 1


@dataclass(eq=False)
class Names:
    """Global names of a file; of a port or another law, those that it offers."""

    functions: dict[str, Signature] = field(default_factory=dict[str, Signature])
    structures: dict[str, Named] = field(default_factory=dict[str, Named])
    constants: dict[str, Kind] = field(default_factory=dict[str, Kind])
    modules: dict[str, "Names"] = field(default_factory=dict[str, "Names"])
    math: dict[str, str] = field(default_factory=dict[str, str])
    """Local name to that in `math`."""
    imported: set[str] = field(default_factory=set[str])
    """The functions that stand in another law: their costs are known."""

    def known(self) -> set[str]:
        """Every global name that may be read or called."""
        return {
            *self.functions,
            *self.structures,
            *self.constants,
            *self.modules,
            *self.math,
            *BUILTINS,
        }


def spelled(name: str, signature: Signature, structures: Mapping[str, Named]) -> str:
    """A function's head as a file spells it, whose named tuples are `structures`."""

    def kind(one: Kind) -> str:
        return next((own for own, there in structures.items() if there is one), "float")

    given = ", ".join(f"{a}: {kind(one)}" for a, one in signature.arguments.items())
    return f"{name}({given}) -> {kind(signature.returns)}"
