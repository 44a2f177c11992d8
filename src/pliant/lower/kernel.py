"""Compile an engine's inner loop together with an actuator and, where it has one, a plant."""

import ast
import functools
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from pliant.catalogue import PACKAGE, Physics
from pliant.errors import PliantError
from pliant.lower import emit
from pliant.lower.assembly import assembly, plant_source
from pliant.lower.build import build
from pliant.lower.link import Function, Linker
from pliant.lower.source import Source, module_path, read_source
from pliant.subset.text import syntax_tree

_HERE = Path(__file__).parent
_SHARED = ("drive", "late", "reaction")
"""Files beside this one that kernels import; the first knows the topology."""
NJIT = '@numba.njit(cache=True, nogil=True, error_model="numpy")'


def compiled(
    kernel: Path,
    entries: Mapping[str, str],
    topology: Physics,
    laws: Mapping[str, Physics],
    plant: Physics | None = None,
    header: str = "",
    constants: Mapping[str, int] | None = None,
    *,
    in_lanes: bool = False,
) -> tuple[ModuleType, str]:
    """The module in which `kernel` stands compiled for these laws, and the prefix of its names.

    Args:
        kernel: file of an engine's loop, which names `topology` and `plant`.
        entries: function of the kernel to the decorator that it gets.
        topology, laws, plant: what the kernel's names are bound to.
        header: lines that the decorators need.
        constants: what the kernel finds as `topology.NAME`, beside the topology's own.
        in_lanes: the numbers are lanes (`pliant.lower.lanes`), and no law has a branch.

    Raises:
        PliantError: the laws cannot be compiled, now or, where the decorator names no signature,
            when an entry is first called.
    """
    linker, names, prefix = _linked(kernel, entries, topology, laws, plant, constants)
    text = emit.numba(linker, names, header, in_lanes=in_lanes)
    files = [physics.path for physics in (topology, *laws.values(), *([plant] if plant else []))]
    make = _guarded(build, files)
    module = make(text, f"{kernel.parent.name}_{topology.name}", linker)
    return _view(module, names, files), prefix


def branches(
    kernel: Path,
    entries: Mapping[str, str],
    topology: Physics,
    laws: Mapping[str, Physics],
    plant: Physics | None = None,
) -> int:
    """Number of places where the entries and the laws that they call take one of two ways."""
    linker, *_ = _linked(kernel, entries, topology, laws, plant)
    functions = [item for item in linker.definitions if isinstance(item, Function)]
    return sum(
        isinstance(part, (ast.If, ast.IfExp)) for f in functions for part in ast.walk(f.node)
    )


def compiled_for_warp(
    kernel: Path, entries: Mapping[str, str], topology: Physics, laws: Mapping[str, Physics]
) -> tuple[ModuleType, str]:
    """As `compiled`, for NVIDIA Warp, which compiles when an entry is first launched."""
    linker, names, prefix = _linked(kernel, entries, topology, laws)
    text = emit.warp(linker, names)
    return build(text, f"{kernel.parent.name}_{topology.name}", linker), prefix


def _linked(
    kernel: Path,
    entries: Mapping[str, str],
    topology: Physics,
    laws: Mapping[str, Physics],
    plant: Physics | None = None,
    constants: Mapping[str, int] | None = None,
) -> tuple[Linker, dict[str, str], str]:
    """All that the entries need, their final names to their decorators, and what begins them."""
    loop = read_source(kernel, "kernel")
    beside = [read_source(path, path.stem) for path in _imported(loop) if _is_bound(path)]
    shared, *others = (read_source(_HERE / f"{name}.py", name) for name in _SHARED)
    bound = assembly(topology, laws)
    bound.constants |= {name: ast.Constant(value) for name, value in (constants or {}).items()}
    for source in (loop, shared, *beside):
        source.bindings["topology"] = bound
    if plant is not None:
        loop.bindings["plant"] = plant_source(plant)
    linker = Linker()
    for source in (shared, *others, *beside):
        linker.add(source)
    names = {linker.function(loop, entry).name: how for entry, how in entries.items()}
    return linker, names, f"{loop.prefix}__"


def _imported(loop: Source) -> list[Path]:
    """Files in the folder of an engine's loop that it imports from."""
    paths = {module_path(module) for module, _ in loop.imports.values()}
    return sorted(path for path in paths if path and path.parent == loop.path.parent)


def _is_bound(path: Path) -> bool:
    """Whether a file leaves `topology` open, as a part of a loop does; others are compiled by themselves."""
    tree = syntax_tree(path.read_text("utf-8"))
    return any(
        isinstance(node, ast.AnnAssign)
        and isinstance(node.target, ast.Name)
        and node.target.id == "topology"
        and node.value is None
        for node in tree.body
    )


def _view(module: ModuleType, names: Mapping[str, str], files: Sequence[Path]) -> ModuleType:
    """`module` with those of its entries guarded that are compiled when they are called."""
    view = ModuleType(module.__name__, module.__doc__)
    vars(view).update(vars(module))
    for name, how in names.items():
        if how == NJIT:
            setattr(view, name, _guarded(getattr(module, name), files))
    return view


def _guarded(function: Callable[..., Any], files: Sequence[Path]) -> Callable[..., Any]:
    """`function`, with an error of the compiler as one about the laws."""

    @functools.wraps(function)
    def call(*arguments: Any) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            from numba.core.errors import NumbaError

            if not isinstance(error, NumbaError):
                raise
            own = [path for path in files if not path.is_relative_to(PACKAGE)]
            involved = ", ".join(str(path) for path in dict.fromkeys(own or files))
            raise PliantError(
                f"cannot be compiled: {_first_line(str(error))}", file=involved
            ) from error

    return call


def _first_line(text: str) -> str:
    """The first line of a compiler's message that says something of the law."""
    plain = re.sub(r"\x1b\[[0-9;]*m|, defined at .*", "", text)  # colours, generated files
    lines = [line.strip() for line in plain.splitlines()]
    useful = [line for line in lines if line and not line.startswith("Failed in ")]
    return next(iter(useful), "the compiler does not say why")
