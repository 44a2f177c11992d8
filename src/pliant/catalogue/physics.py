"""Laws and topologies: loading, checks of the functions that engines call, slots of a topology."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType

from pliant.catalogue.fields import Field, check_unit, fields
from pliant.catalogue.files import find, law_files, topology_files
from pliant.errors import PliantError, located
from pliant.ports import FAMILIES, MAY_LACK, OPTIONAL
from pliant.subset import PACKAGE, Names, check_source, offered, spelled
from pliant.subset.run import module_of


@dataclass(frozen=True)
class Physics:
    """A law or a topology: a module of the subset, its parameters and its state."""

    name: str
    kind: str
    """The family of a law, or "topology"."""
    path: Path
    module: ModuleType
    parameters: tuple[Field, ...]
    state: tuple[Field, ...]

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name}: {self.title}>"

    @property
    def title(self) -> str:
        """First line of the docstring."""
        return (self.module.__doc__ or "").strip().partition("\n")[0]

    @property
    def remembers(self) -> bool:
        """Whether it declares a state, even an empty one."""
        return hasattr(self.module, "S")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by path, as a module cannot be pickled: another process loads the file again.

        Pliant's own files are given relative to its folder, which may be elsewhere there.
        """
        own = self.path.is_relative_to(PACKAGE)
        path = self.path.relative_to(PACKAGE) if own else self.path
        return _unpickled, (self.kind, path.as_posix())


def load_law(family: str, name: str, near: Path | None = None) -> Physics:
    """The law `name` of `family`, checked against the subset and the family's functions."""
    if family not in FAMILIES:
        raise PliantError("unknown family of laws", found=family, accepted=FAMILIES)
    return _offering(find(f"{family} law", name, law_files(family), near), family)


@cache
def _offering(path: Path, family: str) -> Physics:
    law = load(path, family)
    with located(law.path):
        _check_offers(law, FAMILIES[family])
    return law


def load_topology(name: str, near: Path | None = None) -> Physics:
    """The topology `name`, checked against the subset; a user's own also for the functions that engines call."""
    topology = load(find("topology", name, topology_files(), near), "topology")
    if not (topology.name.startswith("_") or topology.path.is_relative_to(PACKAGE)):
        with located(topology.path):
            _check_topology(topology)
    return topology


@cache
def load(path: Path, kind: str) -> Physics:
    """The law or topology at `path`, checked only against the subset.

    Raises:
        PliantError: it leaves the subset, or a number of it has no unit.
    """
    checked = check_source(path)
    module = module_of(path)
    with located(path):
        state = fields(checked, "S") if "S" in checked.names.structures else ()
        return Physics(path.stem, kind, path, module, fields(checked, "P"), state)


def _unpickled(kind: str, path: str) -> Physics:
    return load(PACKAGE / path, kind)  # an absolute path is kept


def _check_offers(law: Physics, family: type) -> None:
    """Refuse a law that lacks a function of its family, or whose arguments differ in name, order or kind."""
    if hasattr(family, "start") and not law.remembers:
        raise PliantError("declares no S", accepted="class S(NamedTuple)")
    names, wanted = check_source(law.path).names, offered(law.kind, "")
    called = {"P": wanted.structures["Parameters"]} | (
        {"S": wanted.structures["State"]} if "State" in wanted.structures else {}
    )
    _check_functions(
        law, {n: spelled(n, one, called) for n, one in wanted.functions.items()}, names
    )
    for name in ("COMMAND", "GOAL", "ADJUSTER"):
        if (unit := getattr(law.module, name, None)) is not None:
            with located(field=name):
                check_unit(unit)


def _check_functions(
    physics: Physics, wanted: dict[str, str], names: Names, lacking: frozenset[str] = frozenset()
) -> None:
    """Refuse a function whose signature differs from `wanted`, or that is missing though required."""
    lacking = lacking | OPTIONAL.get(physics.kind, {}).keys()
    for name, text in wanted.items():
        if name not in names.functions and name in lacking:
            continue
        own = names.functions.get(name)
        found = None if own is None else spelled(name, own, names.structures)
        if found != text:
            kind = "topology" if physics.kind == "topology" else f"{physics.kind} law"
            raise PliantError(
                f"{kind} without the right {name}()",
                field=name,
                found=found or "nothing",
                accepted=text,
            )


_WIRING = "rigid_servo"
"""Every topology offers the functions of this one, with the same arguments."""
_ENERGY = frozenset({"current", "copper_loss", "electrical_power"})
"""Functions that a topology may lack; its power is then unknown."""


def _check_topology(topology: Physics) -> None:
    needs = check_source(topology_files()[_WIRING]).names
    wanted = {n: spelled(n, one, needs.structures) for n, one in needs.functions.items()}
    wanted |= {
        name: text.partition(":\n")[0].removeprefix("def ")
        for name, text in OPTIONAL["topology"].items()
    }
    _check_functions(topology, wanted, check_source(topology.path).names, _ENERGY)
    if getattr(topology.module, "REFERENCES", 1) not in (1, 2):
        raise PliantError(
            "is not a valid number of commands",
            field="REFERENCES",
            found=topology.module.REFERENCES,
            accepted="1 or 2",
        )
    if not isinstance(getattr(topology.module, "HAS_BUDGET", None), bool):
        raise PliantError(
            "does not state whether its friction acts on the joint",
            field="HAS_BUDGET",
            accepted="HAS_BUDGET = True, or False",
        )


@dataclass(frozen=True)
class Slot:
    """A slot of a topology: for a law, for a part with its own slots, or for the topology's numbers."""

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
    """The slots, each part replaced by its own slots: the order of all flat arrays."""
    found: list[Slot] = []
    for slot in slots(topology, number):
        inner = slot.part is not None and slot.name != "own"
        found += leaves(slot.part, slot.number) if inner and slot.part else [slot]
    return found


def ports(topology: Physics) -> dict[str, str]:
    """Port name to family of a topology and its parts, in the order of the flat arrays.

    Raises:
        PliantError: two ports, its own or those of its parts, have the same name.
    """
    found: dict[str, str] = {}
    for slot in leaves(topology):
        if slot.family is None:
            continue
        if slot.label in found:
            raise PliantError(
                "has two ports of the same name, its own or those of its parts",
                file=topology.path,
                found=slot.label,
            )
        found[slot.label] = slot.family
    return found


def may_lack(port: str) -> bool:
    """Whether a file may leave this port out; it then has the law `none`."""
    name, _, number = port.rpartition("_")
    return (name if number.isdigit() else port) in MAY_LACK


def _part_file(name: str) -> Path:
    return PACKAGE / "topologies" / f"{name}.py"
