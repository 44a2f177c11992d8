"""Parameters that a topology with its laws declares, and those of a bench."""

from collections.abc import Mapping

from pliant.assemble.number import BENCH
from pliant.catalogue import Field, Physics, law_files, leaves, load_law


def fields_of(topology: Physics, laws: Mapping[str, Physics]) -> dict[str, Field]:
    """Every parameter of a topology with its laws, in flat order."""
    parts = parts_of(topology, laws)
    return {f"{label}.{f.name}": f for label, part in parts for f in part.parameters}


def parts_of(topology: Physics, laws: Mapping[str, Physics]) -> list[tuple[str, Physics]]:
    """All parts that have numbers, with their labels, in flat order."""
    return [
        (slot.label, laws[slot.label] if slot.part is None else slot.part)
        for slot in leaves(topology)
    ]


def of_bench(name: str) -> bool:
    """Whether a parameter belongs to the bench (`plant.symbol`)."""
    return name.startswith(BENCH)


def bench_fields() -> dict[str, Field]:
    """Every number that a bench can have: the parameters of the catalogue's plants."""
    plants = [load_law("plant", name) for name in law_files("plant")]
    return {field.name: field for plant in plants for field in plant.parameters}
