"""Laws and topologies in each target language, to call, compare and inspect; assemblies of them as plain Python.

An engine compiles its own loop around an actuator (`kernel.py`). This module gives access to the
physics by itself: every function by its name, and each over rows of numbers, a way of calling that is
the same for all targets. It takes any law, also from a file outside the package.
"""

import ast
import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import count
from pathlib import Path
from types import MappingProxyType, ModuleType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pliant.assemble import Actuator, Equations
from pliant.catalogue import Physics
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.lower import machine
from pliant.lower.assembly import assembly
from pliant.lower.cache import build
from pliant.lower.link import Function, Linker
from pliant.lower.program import for_python, for_warp, typed
from pliant.lower.source import Source, source_of
from pliant.lower.types import ANY, Struct, Type
from pliant.subset.text import syntax_tree

Target = Literal["python", "llvm", "warp"]


@dataclass(frozen=True, eq=False)
class Lowered:
    """One law, or one assembled topology, in one language.

    Attributes:
        functions: by their names in the law: plain ones, or `wp.func`s; none for machine code.
        structures: the types of parameters and state: "P" and "S"; for an assembly "Parameters" and
            "State" too. Named tuples, or `wp.struct`s; none for machine code.
        columns: function to the names of its numbers in a row, in the order of its arguments
            ("v", "p.K_c"); structures are expanded to their fields.
        results: function to the names of the numbers that it returns; [""] for a single float.
        path: the generated module, or the law's own file.
    """

    target: Target
    functions: Mapping[str, Callable[..., Any]]
    structures: Mapping[str, type]
    columns: Mapping[str, list[str]]
    results: Mapping[str, list[str]]
    path: Path
    loops: Mapping[str, Any]
    """Function to its loop over rows: (x, y) -> None; for Warp a kernel."""

    def evaluate(self, name: str, rows: NDArray[np.float64], device: str = "cpu") -> NDArray[Any]:
        """(N, R) Results of function `name` for each of `rows`, (N, C), in its own precision.

        Args:
            device: for Warp: "cpu", or "cuda:0".
        """
        kind = np.float32 if self.target == "warp" else np.float64
        x = np.ascontiguousarray(rows, kind)
        y = np.full((len(x), len(self.results[name])), np.nan, kind)
        if y.size and self.target == "warp":
            wp = _warp()
            out = wp.array(y, device=device)
            wp.launch(self.loops[name], len(x), [wp.array(x, device=device), out], device=device)
            return out.numpy()
        if y.size:
            self.loops[name](x, y)
        return y


@cache
def lower_law(law: Physics, target: Target) -> Lowered:
    """One law in `target`."""
    return lower([source_of(law)], target)[0]


def lower_actuator(actuator: Actuator, target: Target, *only: str) -> Lowered:
    """The topology of `actuator` with its laws in `target`. Parameters remain arguments.

    Args:
        only: functions to lower; a few take a fifth of the time of all. Empty: all.
    """
    return _lower_assembly(actuator.equations, target, only)


@cache
def _lower_assembly(equations: Equations, target: Target, only: tuple[str, ...]) -> Lowered:
    topology, laws = equations
    return lower([assembly(topology, dict(laws))], target, only)[0]


def lower(sources: Sequence[Source], target: Target, only: Sequence[str] = ()) -> list[Lowered]:
    """Several laws and assemblies in one module, which compiles faster than many; see `lower_actuator`."""
    if target == "warp":
        _warp()
    linker = Linker()
    linked = [_link(linker, source, only) for source in sources]
    functions = [f for one in linked for f in one.values()]
    stem = f"laws_{target}" if len(sources) > 1 else sources[0].prefix
    if target == "llvm":
        names = _compiled(linker, functions, stem)
    else:
        text = for_warp(linker) if target == "warp" else for_python(linker)
        text += "\n".join(_loop(f, target) for f in functions) + "\n"
        names = vars(build(text, stem))
    return [
        _lowered(source, one, names, target) for source, one in zip(sources, linked, strict=True)
    ]


def _compiled(linker: Linker, functions: list[Function], stem: str) -> dict[str, Any]:
    """The loops over rows as machine code."""
    loops = dict[str, str]()
    for function in functions:
        [node] = syntax_tree(_loop(function, "llvm")).body
        assert isinstance(node, ast.FunctionDef)
        given: list[tuple[str, Type]] = [("x", ANY), ("y", ANY)]
        matrices = dict.fromkeys("xy", "Matrix")
        loop = Function(node.name, given, ANY, node, function.path, annotations=matrices)
        linker.definitions.append(loop)
        loops[node.name] = node.name
    made = machine.compiled(typed(linker, loops), stem).functions
    return {**made, "__file__": str(functions[0].path) if functions else ""}


def _warp() -> ModuleType:
    """The Warp package, which is an extra."""
    first = "warp" not in sys.modules
    wp = extra_module("warp", "warp")
    if first:
        # Its banner would appear in the output of a program that did not ask for it.
        wp.config.log_level = 30
    return wp


def _link(linker: Linker, source: Source, only: Sequence[str]) -> dict[str, Function]:
    for structure in source.structures.values():
        linker.structure(structure)
    return {
        name: linker.function(source, name)
        for name, node in source.functions.items()
        # Except those that read and write an engine's arrays.
        if node.returns is not None and (not only or name in only)
    }


def _lowered(
    source: Source, functions: Mapping[str, Function], names: Mapping[str, Any], target: Target
) -> Lowered:
    return Lowered(
        target=target,
        functions={name: names[f.name] for name, f in functions.items() if f.name in names},
        structures={n: names[s.name] for n, s in source.structures.items() if s.name in names},
        columns={
            name: [leaf for argument, kind in f.arguments for leaf in _leaves(kind, argument)]
            for name, f in functions.items()
        },
        results={name: _leaves(f.returns, "") for name, f in functions.items()},
        path=Path(str(names["__file__"])),
        loops={name: names[f"{f.name}__rows"] for name, f in functions.items()},
    )


def _loop(function: Function, target: Target) -> str:
    """`function` over the rows of x, results into the rows of y."""
    numbers = count()
    values = ", ".join(_value(kind, numbers) for _, kind in function.arguments)
    lines = [f"r = {function.name}({values})"]
    lines += [f"y[i, {k}] = r{leaf}" for k, leaf in enumerate(_leaves(function.returns, ""))]
    name = f"{function.name}__rows"
    if target == "warp":
        array = "wp.array2d(dtype=wp.float32)"
        head = f"@wp.kernel\ndef {name}(x: {array}, y: {array}):\n    i = wp.tid()\n    "
        return head + "\n    ".join(lines)
    head = f"def {name}(x, y):\n    for i in range(len(x)):\n        "
    return head + "\n        ".join(lines)


def _value(kind: Type, numbers: Iterator[int]) -> str:
    if not isinstance(kind, Struct):
        return f"x[i, {next(numbers)}]"
    return f"{kind.name}({', '.join(_value(k, numbers) for _, k in kind.fields)})"


def _leaves(kind: Type, path: str) -> list[str]:
    """The paths of the floats in a structure, depth first."""
    if not isinstance(kind, Struct):
        return [path]
    return [leaf for name, k in kind.fields for leaf in _leaves(k, f"{path}.{name}")]


def plain(actuator: Actuator) -> Mapping[str, Callable[..., Any]]:
    """Every function of the topology by its name, and conversions between flat numbers and named tuples.

    `load_parameters(list(actuator.values), 0)` returns the p that the others take, `load_state(numbers, 0)`
    an s from numbers in the order of `actuator.state`, and `store_state(s, numbers, 0)` writes it back.
    """
    return _plain(actuator.equations)


@cache
def _plain(equations: Equations) -> Mapping[str, Callable[..., Any]]:
    text, names = _written(equations)
    module = build(text, f"python_{equations[0].name}")
    return MappingProxyType({name: getattr(module, final) for name, final in names.items()})


@cache  # linking takes longer than every use of it
def _written(equations: Equations) -> tuple[str, dict[str, str]]:
    """Text of the module, and the final name of each function."""
    topology, laws = equations
    source, linker = assembly(topology, dict(laws)), Linker()
    names = {name: linker.function(source, name).name for name in source.functions}
    return for_python(linker), names


def fingerprint(equations: Equations) -> int:
    """A positive 60-bit integer that depends on the equations, parameters and state, but not on comments."""
    text, _ = _written(equations)
    return int(hashlib.sha256(text.encode()).hexdigest()[:15], 16)


def parameters_of(actuator: Actuator) -> Any:
    """The actuator's own numbers as the `p` that functions of `plain` take."""
    return plain(actuator)["load_parameters"](actuator.values.tolist(), 0)


def delay_of(actuator: Actuator) -> float:
    """Delay [s] of the actuator's commands."""
    return -plain(actuator)["issued"](0.0, parameters_of(actuator))


BEYOND = 1e12
"""Largest accepted rate, stiffness, inertia or torque of an actuator, in SI units."""
_POSITIVE = frozenset({"armature", "budget", "fastest", "voltage"})
_LONGEST = 10.0
"""[s] Longest delay, as engines keep the commands of that time."""
_RANGES = {"issued": (-_LONGEST, 0.0)} | dict.fromkeys(_POSITIVE, (0.0, BEYOND))


def at_rest(actuator: Actuator) -> Mapping[str, Callable[..., Any]]:
    """Like `plain`, but refuses results that are not finite or implausibly large."""
    return {name: partial(_called, actuator, name, one) for name, one in plain(actuator).items()}


def _called(actuator: Actuator, name: str, function: Callable[..., Any], *arguments: Any) -> Any:
    try:
        found = function(*arguments)
    except (ArithmeticError, ValueError) as error:
        found = error
    low, high = _RANGES.get(name, (-BEYOND, BEYOND))
    if isinstance(found, Exception) or (isinstance(found, float) and not low <= found <= high):
        raise PliantError(
            f"{name}() gives no usable number with these parameters",
            file=actuator.path or actuator.topology.path,
            found=found,
            accepted=f"{low:g} to {high:g}",
        ) from None
    return found
