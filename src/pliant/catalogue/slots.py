"""Slots of a topology: its own numbers, its ports and its parts, in the order of the file."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pliant.catalogue.physics import Physics, load
from pliant.errors import PliantError
from pliant.ports import FAMILIES, MAY_LACK
from pliant.subset import PACKAGE, check_source


@dataclass(frozen=True)
class Slot:
    """A place in a topology: of a law, of a part with slots inside, or of the topology's numbers."""

    name: str
    """Name in the topology: "own", a port, a part."""
    number: str
    """Suffix of all names in it ("_1"), or empty."""
    family: str | None = None
    """Family of laws, if it is a port."""
    part: Physics | None = None
    """The part's wiring, if it is a part; for "own", the topology itself."""

    @property
    def label(self) -> str:
        """Name within the whole actuator: "own", "motor_1"."""
        return self.name + self.number


@cache
def slots(topology: Physics, number: str = "") -> tuple[Slot, ...]:
    """The topology's own numbers, its ports and its parts, in the order of the file."""
    found = [Slot("own", number, part=topology)]
    for name, kind in check_source(topology.path).ports.items():
        if kind in FAMILIES:
            found.append(Slot(name, number, kind))
        else:
            _, _, own = name.rpartition("_")
            mark = f"_{own}" if own.isdigit() else ""
            found.append(Slot(name, mark, part=load(_part_file(kind), "topology")))
    return tuple(found)


def leaves(topology: Physics, number: str = "") -> list[Slot]:
    """The slots without parts, those of its parts in their place: the order of all flat arrays."""
    found: list[Slot] = []
    for slot in slots(topology, number):
        inner = slot.part is not None and slot.name != "own"
        found += leaves(slot.part, slot.number) if inner and slot.part else [slot]
    return found


def ports(topology: Physics) -> dict[str, str]:
    """Port name to family of a topology and its parts, in the order of the flat arrays.

    Raises:
        PliantError: a port and one of a part have the same name.
    """
    found: dict[str, str] = {}
    for slot in leaves(topology):
        if slot.family is None:
            continue
        if slot.label in found:
            raise PliantError(
                "has two ports of that name, its own or those of its parts",
                file=topology.path,
                found=slot.label,
            )
        found[slot.label] = slot.family
    return found


def may_lack(port: str) -> bool:
    """Whether a file may leave this port out: the law `none` is there then."""
    name, _, number = port.rpartition("_")
    return (name if number.isdigit() else port) in MAY_LACK


def _part_file(name: str) -> Path:
    return PACKAGE / "topologies" / f"{name}.py"
