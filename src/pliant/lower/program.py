"""The typed tree of linked definitions, in the form for each target."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from pliant.errors import PliantError
from pliant.lower.branchless import branchless
from pliant.lower.infer import MANY_BRANCHES, Inference
from pliant.lower.infer_values import LANES_MODULE
from pliant.lower.link import Function, Linker
from pliant.lower.python_text import python_text
from pliant.lower.source import read_source
from pliant.lower.typed import Program
from pliant.lower.types import NAMED, Struct, Type
from pliant.lower.warp_text import REPLACED, warp_text

_HERE = Path(__file__).parent
_HYPERBOLIC = {name: f"hyperbolic__{name}" for name in ("cosh", "sinh")}
"""Replacements of functions of `math` in machine code."""
_VECTORS = {"exp": "exp", "pow": "power", "sin": "sin", "cos": "cos"}
_ELEMENTARY = {name: f"elementary__{own}" for name, own in _VECTORS.items()}
"""Replacements in lanes: identical results at every width."""
_CHOICES = ("select", "both", "either", "opposite", "wide", "row", "put")
"""Names that `branchless` generates."""


def typed(
    linker: Linker,
    entries: Mapping[str, str],
    width: int = 1,
    types: Mapping[str, Type] | None = None,
) -> Program:
    """The tree for machine code, from entries (final name to exported name) down.

    Args:
        width: lanes of a vector; above 1, laws are branchless.
        types: meaning of annotations other than those in `NAMED`.

    Raises:
        PliantError: types do not match, with the file and line.
    """
    _add(linker, [x for name, x in _HYPERBOLIC.items() if name in linker.math])
    if width > 1:
        _add(linker, [*_ELEMENTARY.values()])
        linker.externals |= {name: (LANES_MODULE, name) for name in _CHOICES}
        inference = _in_lanes(linker, width)
    else:
        inference = Inference(linker, width, _HYPERBOLIC)
    known = NAMED | dict(types or {})
    for final, outside in entries.items():
        source = inference.sources[final]
        kinds = [_kind(source, name, known) for name, _ in source.arguments]
        returned = known.get(source.annotations.get("return", ""))
        inference.entry(final, kinds, outside, returned)
    alone = [] if inference.alone is None else inference.alone.program.functions
    inference.program.functions[:0] = alone
    return inference.program


def declared(linker: Linker, entries: Mapping[str, str], *, branches: bool = True) -> Program:
    """The tree from entries (final name to exported name) whose signatures declare all types.

    Args:
        branches: keep them; otherwise both sides of every branch are computed.
    """
    if not branches:
        linker.externals |= {name: (LANES_MODULE, name) for name in _CHOICES}
        linker.definitions = _flattened(linker)
    inference = Inference(linker)
    for final, outside in entries.items():
        inference.program.entries[outside] = inference.declared(final)
    return inference.program


def for_python(linker: Linker) -> str:
    """A module of plain Python with every function whose signature is typed."""
    return python_text(_declared(Inference(linker)))


def for_warp(linker: Linker, decorators: Mapping[str, str] | None = None) -> str:
    """A module for Warp: the laws, and an engine's kernel unchanged."""
    _add(linker, [x for name, x in REPLACED.items() if name in linker.math])
    inference = Inference(linker, replaced=REPLACED)
    kernels = [x for x in inference.sources.values() if not x.is_physics]
    inference.sources = {k: x for k, x in inference.sources.items() if x.is_physics}
    return warp_text(_declared(inference), kernels, decorators or {})


def _declared(inference: Inference) -> Program:
    for name, source in inference.sources.items():
        if source.is_typed:
            inference.declared(name)
    return inference.program


def _add(linker: Linker, names: list[str]) -> None:
    """Link functions from files in this folder, `file__function`."""
    for name in names:
        file, _, function = name.partition("__")
        linker.function(read_source(_HERE / f"{file}.py", file), function)


def _in_lanes(linker: Linker, width: int) -> Inference:
    """Laws without branches; those with many are called lane by lane."""
    replaced = _HYPERBOLIC | _ELEMENTARY
    alone = Inference(replace(linker, definitions=[*linker.definitions]), 1, replaced)
    alone.suffix = "__alone"
    linker.definitions = _flattened(linker)
    inference = Inference(linker, width, replaced)
    inference.alone = alone
    inference.by_lane = {
        x.name for x in alone.sources.values() if x.is_physics and x.branches > MANY_BRANCHES
    }
    return inference


def _flattened(linker: Linker) -> list[Function | Struct]:
    names = frozenset(x.name for x in linker.definitions if isinstance(x, Struct))
    return [
        one
        if isinstance(one, Struct) or one.name.startswith("elementary__")
        else branchless(one, names)
        for one in linker.definitions
    ]


def _kind(source: Function, argument: str, known: Mapping[str, Type]) -> Type:
    annotation = source.annotations.get(argument, "")
    if annotation not in known:
        raise PliantError(
            "an entry's argument has no type",
            file=source.path,
            field=f"{source.name}, {argument}",
            found=annotation,
            accepted=known,
        )
    return known[annotation]
