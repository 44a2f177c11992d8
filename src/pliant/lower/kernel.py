"""An engine's inner loop with an actuator and, if it has one, a plant: as machine code, or for Warp."""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from types import ModuleType

from pliant.assemble import Equations
from pliant.catalogue import Physics
from pliant.lower import machine
from pliant.lower.assembly import assembly, plant_source
from pliant.lower.cache import build
from pliant.lower.link import Linker
from pliant.lower.program import declared, for_warp, typed
from pliant.lower.source import Source, module_path, read_source
from pliant.lower.typed import Program
from pliant.lower.types import Type
from pliant.lower.verify import verify
from pliant.subset.text import syntax_tree

_HERE = Path(__file__).parent
_SHARED = ("drive", "late")
"""Files in this folder that kernels import; the first uses the topology."""


def compiled(
    kernel: Path,
    entries: Sequence[str],
    equations: Equations | None = None,
    plant: Physics | None = None,
    constants: Mapping[str, int] | None = None,
    *,
    width: int = 1,
    types: Mapping[str, Type] | None = None,
) -> machine.Compiled:
    """Machine code of `kernel` for an actuator's equations.

    Args:
        kernel: file of an engine's loop, which uses `topology` and `plant`; its entries annotate
            the types of their arguments.
        entries: exported functions.
        equations, plant: bound to the kernel's names, if it uses them.
        constants: available to the kernel as `topology.NAME`, in addition to the topology's own.
        width: lanes of a vector; above 1 the laws are branchless.
        types: meaning of further annotations.

    Raises:
        PliantError: with the line of a law or kernel whose types do not match.
    """
    linker, names, _ = _linked(kernel, entries, equations, plant, constants)
    program = typed(linker, names, width, types)
    of = kernel.stem if equations is None else equations[0].name
    return machine.compiled(program, f"{kernel.parent.name}_{of}_{width}")


@cache
def compiled_once(
    kernel: Path,
    entries: tuple[str, ...],
    equations: Equations,
    plant: Physics | None = None,
    width: int = 1,
) -> Mapping[str, machine.Entry]:
    """Functions of `compiled`, cached: a fit requests them at each of its points."""
    return compiled(kernel, entries, equations, plant, width=width).functions


def compiled_source(
    source: Source, entries: Sequence[str], name: str, beside: Sequence[Source] = ()
) -> machine.Compiled:
    """Machine code of functions of `source` with annotated arguments.

    Args:
        name: see `machine.compiled`. beside: names that it uses beyond those in its file.
    """
    linker = Linker()
    for one in beside:
        linker.add(one)
    names = {linker.function(source, entry).name: entry for entry in entries}
    return machine.compiled(typed(linker, names), name)


def tree(
    kernel: Path, entries: Sequence[str], equations: Equations, *, branches: bool = True
) -> Program:
    """The typed tree of entries whose signatures declare all types: for targets that are text.

    Args:
        branches: see `program.declared`.
    """
    linker, names, _ = _linked(kernel, entries, equations)
    program = declared(linker, names, branches=branches)
    verify(program)
    return program


def compiled_for_warp(
    kernel: Path, entries: Mapping[str, str], equations: Equations
) -> tuple[ModuleType, str]:
    """The module for NVIDIA Warp, compiled when an entry is first launched, and the prefix of its names.

    Args:
        entries: function of the kernel to its decorator.
    """
    linker, names, prefix = _linked(kernel, entries, equations)
    decorators = {name: entries[outside] for name, outside in names.items()}
    text = for_warp(linker, decorators)
    return build(text, f"{kernel.parent.name}_{equations[0].name}"), prefix


def _linked(
    kernel: Path,
    entries: Sequence[str] | Mapping[str, str],
    equations: Equations | None,
    plant: Physics | None = None,
    constants: Mapping[str, int] | None = None,
) -> tuple[Linker, dict[str, str], str]:
    """Everything that the entries need, their final names to their own, and the common prefix."""
    loop = read_source(kernel, "kernel")
    beside = [read_source(path, path.stem) for path in _imported(loop) if _is_bound(path)]
    shared, *others = (read_source(_HERE / f"{name}.py", name) for name in _SHARED)
    if equations is not None:
        topology, laws = equations
        bound = assembly(topology, dict(laws))
        bound.constants |= {name: ast.Constant(value) for name, value in (constants or {}).items()}
        known = {name: bound.structures[name] for name in ("Parameters", "State")}
        for source in (loop, shared, *beside):
            source.bindings["topology"] = bound
            source.structures |= known
    if plant is not None:
        loop.bindings["plant"] = plant_source(plant)
    linker = Linker()
    for source in (shared, *others, *beside):
        linker.add(source)
    names = {linker.function(_home(entry, loop, beside), entry).name: entry for entry in entries}
    return linker, names, f"{loop.prefix}__"


def _home(entry: str, loop: Source, beside: Sequence[Source]) -> Source:
    """The file that defines an entry: that of a loop, or one that it imports from."""
    return next((one for one in (loop, *beside) if entry in one.functions), loop)


def _imported(loop: Source) -> list[Path]:
    """Files that an engine's loop imports from its own folder."""
    named = {one for module, name in loop.imports.values() for one in (module, f"{module}.{name}")}
    paths = map(module_path, named)
    return sorted(path for path in paths if path and path.parent == loop.path.parent)


def _is_bound(path: Path) -> bool:
    """Whether a file uses an unbound `topology`, as a part of a loop does."""
    return any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "topology"
        and node.value is None
        for node in syntax_tree(path.read_text("utf-8")).body
    )
