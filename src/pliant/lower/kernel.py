"""Compile an engine's inner loop together with an actuator and, where it has one, a plant."""

from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from pliant.catalogue import Physics
from pliant.lower import drive, emit
from pliant.lower.assembly import assembly, plant_source
from pliant.lower.build import build
from pliant.lower.link import Linker
from pliant.lower.source import read_source

NJIT = '@numba.njit(cache=True, nogil=True, error_model="numpy")'


def compiled(
    kernel: Path,
    entries: Mapping[str, str],
    topology: Physics,
    laws: Mapping[str, Physics],
    plant: Physics | None = None,
    header: str = "",
) -> tuple[ModuleType, str]:
    """The module in which `kernel` stands compiled for these laws, and the prefix of its names.

    Args:
        kernel: file of an engine's loop, which names `topology` and `plant`.
        entries: function of the kernel to the decorator that it gets.
        topology, laws, plant: what the kernel's names are bound to.
        header: lines that the decorators need.
    """
    bound = assembly(topology, laws)
    loop = read_source(kernel, "kernel")
    shared = read_source(Path(drive.__file__), "drive")
    shared.bindings["topology"] = loop.bindings["topology"] = bound
    if plant is not None:
        loop.bindings["plant"] = plant_source(plant)
    linker = Linker()
    linker.add(shared)
    names = {linker.function(loop, entry).name: how for entry, how in entries.items()}
    text = emit.numba(linker, names, header)
    return build(text, f"{kernel.parent.name}_{topology.name}", linker), f"{loop.prefix}__"
