"""Global declarations of a file, and the kinds of values: numbers, truth values, named tuples."""

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pliant.errors import PliantError

NUMBER = "a number"
TRUTH = "a truth value"
BUILTINS = frozenset({"abs", "min", "max", "float"})


@dataclass(eq=False)
class Named:
    """A named tuple and the kinds of its fields."""

    name: str
    fields: "dict[str, Kind] | None" = None
    """None if only the law at a port knows them: all are numbers."""
    whole: bool = True
    """Whether all fields must be given; a topology's `State` has only those of laws with memory."""

    def __str__(self) -> str:
        return f"a {self.name}"


Kind = str | Named


@dataclass(frozen=True)
class Signature:
    """Kinds of a function's arguments and result, and the number of steps of a call."""

    arguments: dict[str, Kind]
    returns: Kind
    cost: int = 1


@dataclass(eq=False)
class Names:
    """Global names of a file, or those that a port or another law offers."""

    functions: dict[str, Signature] = field(default_factory=dict[str, Signature])
    structures: dict[str, Named] = field(default_factory=dict[str, Named])
    constants: dict[str, Kind] = field(default_factory=dict[str, Kind])
    modules: dict[str, "Names"] = field(default_factory=dict[str, "Names"])
    math: dict[str, str] = field(default_factory=dict[str, str])
    """Local name to that in `math`."""
    imported: set[str] = field(default_factory=set[str])
    """The functions defined in another law: their costs are known."""

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
    """A function's signature as the file spells it; `structures` are the file's named tuples."""

    def kind(one: Kind) -> str:
        return next((own for own, there in structures.items() if there is one), "float")

    given = ", ".join(f"{a}: {kind(one)}" for a, one in signature.arguments.items())
    return f"{name}({given}) -> {kind(signature.returns)}"


IDENTIFIER = re.compile(r"[A-Za-z][A-Za-z0-9]*(_[A-Za-z0-9]+)*_?")
_UNIT = re.compile(r"[A-Za-z0-9 /^().*-]{1,32}")
_UNITS = ("COMMAND", "GOAL", "ADJUSTER")
_TRUTHS = ("SYMMETRIC", "EXACT", "ZERO_AT_REST", "HAS_BUDGET")
_REDUCES_TO = "REDUCES_TO"
_TAKEN = frozenset({"abs", "min", "max", "float", "Annotated", "NamedTuple"})
ASSEMBLED = frozenset(
    "Parameters State load_parameters load_state store_state N_PARAMETERS N_STATE IS_ELASTIC "
    "NEEDS_INERTIA FINGERPRINT".split()
)
"""Names defined by the assembly of a topology with its laws."""
SPOKEN = frozenset(
    "alignas alignof asm auto bool case catch char const constexpr default delete do double enum "
    "explicit extern float friend goto inline int long mutable namespace new operator private "
    "protected public register restrict short signed sizeof static struct switch template this throw "
    "typedef typename union unsigned using virtual void volatile EOF INFINITY NAN NULL M_PI M_E ret".split()
)
"""Reserved words of the languages into which laws are compiled, beyond Python's."""
TUPLE = frozenset({"count", "index"})
"""Attributes of a named tuple, other than fields, without an underscore."""
LARGEST_INTEGER = 2**53
"""Largest integer up to which every integer is exact as a float."""


def annotated(kind: ast.expr) -> list[object] | None:
    """Unit and range after `float` in `float` or `Annotated[float, ...]`; else None."""
    if isinstance(kind, ast.Name):
        return [] if kind.id == "float" else None
    if not (
        isinstance(kind, ast.Subscript)
        and isinstance(kind.value, ast.Name)
        and kind.value.id == "Annotated"
        and isinstance(kind.slice, ast.Tuple)
        and kind.slice.elts
    ):
        return None
    first, *rest = kind.slice.elts
    if not (isinstance(first, ast.Name) and first.id == "float"):
        return None
    found: list[object] = []
    for part in rest:
        if isinstance(part, ast.Tuple):
            numbers = [literal(element) for element in part.elts]
            if any(n is None for n in numbers):
                return None
            found.append(tuple(numbers))
        elif isinstance(part, ast.Constant) and isinstance(part.value, str):
            found.append(part.value)
        elif (value := literal(part)) is not None:
            found.append(value)
        else:
            return None
    return found


def literal(node: ast.expr) -> float | None:
    """The value of a number, with or without a sign; None for anything else."""
    sign = 1.0
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        sign = -1.0 if isinstance(node.op, ast.USub) else 1.0
        node = node.operand
    return sign * float(node.value) if is_number(node) else None  # type: ignore[attr-defined]


def is_number(node: ast.expr) -> bool:
    """Whether it is a float, or an integer that is one."""
    if not isinstance(node, ast.Constant):
        return False
    value = node.value
    return type(value) is float or (type(value) is int and value <= LARGEST_INTEGER)


def is_docstring(node: ast.stmt) -> bool:
    """Whether it is a string by itself."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def is_declared(node: ast.stmt) -> bool:
    """A port (`motor: Motor`), a number with or without a unit, or a constant that a family requires."""
    if isinstance(node, ast.AnnAssign):
        if not (isinstance(node.target, ast.Name) and node.simple):
            return False
        if node.target.id in (*_UNITS, _REDUCES_TO, *_TRUTHS):
            return False
        if node.value is None:
            return isinstance(node.annotation, ast.Name)
        return annotated(node.annotation) is not None and literal(node.value) is not None
    if not (isinstance(node, ast.Assign) and len(node.targets) == 1):
        return False
    target, value = node.targets[0], node.value
    if not isinstance(target, ast.Name):
        return False
    if target.id == _REDUCES_TO:
        return _is_reduction(value)
    if target.id in _UNITS:
        return isinstance(value, ast.Constant) and (
            isinstance(value.value, str) and _UNIT.fullmatch(value.value) is not None
        )
    is_truth = isinstance(value, ast.Constant) and isinstance(value.value, bool)
    return is_truth or (literal(value) is not None and target.id not in _TRUTHS)


def _is_reduction(node: ast.expr) -> bool:
    """A dictionary of law to parameter to a number, or to the name of one of the law's parameters."""
    if not (isinstance(node, ast.Dict) and all(_is_name(key) for key in node.keys)):
        return False
    return all(
        isinstance(inner, ast.Dict)
        and all(_is_name(key) for key in inner.keys)
        and all(_is_name(value) or literal(value) is not None for value in inner.values)
        for inner in node.values
    )


def _is_name(node: ast.expr | None) -> bool:
    return (
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and IDENTIFIER.fullmatch(node.value) is not None
    )


def check_defined_once(tree: ast.Module) -> None:
    """Refuse a global name defined twice, and one that the assembly defines.

    Raises:
        PliantError: with the line of the second.
    """
    seen: set[str] = set()
    for node in tree.body:
        module = node.module if isinstance(node, ast.ImportFrom) else None
        for name in global_names(node):
            if name in seen or (name in _TAKEN and module != "typing"):
                raise PliantError("defined twice", field=f"line {node.lineno}", found=name)
            if name in ASSEMBLED and module != "pliant.ports":
                raise PliantError(
                    "is a name that Pliant defines when it assembles a topology and its laws",
                    field=f"line {node.lineno}",
                    found=name,
                    accepted="another name",
                )
            seen.add(name)


def global_names(node: ast.stmt) -> list[str]:
    """The names that a statement of a module defines."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.ImportFrom(names=aliases):
            return [alias.asname or alias.name for alias in aliases]
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return [name]
        case _:
            return []
