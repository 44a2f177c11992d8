"""Catalogue of laws, topologies and actuators, found by their file names.

A root is a folder with `laws/<family>/<law>.py`, `topologies/<topology>.py` and
`actuators/<actuator>.toml`. Pliant is one; an installed package adds another by an entry point in
the group `pliant.catalogue` that names it; and wherever a name is wanted, a path to a file will do:
one that the user gives, or, where a file names it, one in that file's folder or below.
"""

import ast
import importlib.util
import inspect
import math
import os
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from pliant.errors import PliantError
from pliant.ports import FAMILIES, OPTIONAL
from pliant.quantity import dimension
from pliant.subset import PACKAGE, Checked, annotated, check_source
from pliant.subset.run import module_of

__all__ = [
    "PACKAGE",
    "Field",
    "Physics",
    "Slot",
    "actuator_files",
    "find",
    "law_files",
    "leaves",
    "load_law",
    "load_topology",
    "ports",
    "roots",
    "slots",
    "topology_files",
]


@dataclass(frozen=True)
class Field:
    """One number of a law: its symbol, its unit, and the range in which it makes sense."""

    name: str
    unit: str
    low: float = -math.inf
    high: float = math.inf
    meaning: str = field(default="", compare=False)
    """Short description: the comment at the end of its line."""


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

    @property
    def title(self) -> str:
        """First line of the docstring."""
        return (self.module.__doc__ or "").strip().partition("\n")[0]

    @property
    def remembers(self) -> bool:
        """Whether it declares a state, be it an empty one."""
        return hasattr(self.module, "S")

    def __reduce__(self) -> tuple[object, ...]:
        """A module cannot be pickled: another process loads the file anew.

        Files of Pliant are named from its folder, which may be elsewhere there.
        """
        own = self.path.is_relative_to(PACKAGE)
        path = self.path.relative_to(PACKAGE) if own else self.path
        return _unpickled, (self.kind, path.as_posix())


@cache
def roots() -> tuple[Path, ...]:
    """The folders that are searched, Pliant's own first."""
    found = [PACKAGE]
    for entry in entry_points(group="pliant.catalogue"):
        spec = importlib.util.find_spec(entry.value)
        if spec is None or not spec.submodule_search_locations:
            raise PliantError(
                "names no importable package",
                field=f"entry point {entry.name} of group pliant.catalogue",
                found=entry.value,
            )
        found.append(Path(next(iter(spec.submodule_search_locations))))
    return tuple(found)


def _files(folder: str, pattern: str) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for root in reversed(roots()):
        for path in sorted((root / folder).glob(pattern)):
            if not path.stem.startswith("_"):
                found[path.stem] = path
    return found


def law_files(family: str) -> dict[str, Path]:
    """Name to file of every law of `family`."""
    return _files(f"laws/{family}", "*.py")


def topology_files() -> dict[str, Path]:
    """Name to file of every topology."""
    return _files("topologies", "*.py")


def actuator_files() -> dict[str, Path]:
    """Name to file of every actuator."""
    return _files("actuators", "*.toml")


def find(kind: str, name: str, known: dict[str, Path], near: Path | None = None) -> Path:
    """The file that `name` means: one of `known`, or a path (relative to the file `near`).

    What a file names lies in its folder or below, links resolved; or it is a file that the user
    has named in this process, or lies in a folder of $PLIANT_LAW_PATH.

    Raises:
        PliantError: there is no such name and no such file, or it lies elsewhere.
    """
    if name in known:
        return known[name]
    if Path(name).suffix not in {".py", ".toml"} or "\0" in name:
        raise PliantError(f"unknown {kind}", file=near, found=name, accepted=known)
    path = (near.parent / name) if near is not None else Path(name)
    try:
        resolved = path.resolve()
    except (OSError, RuntimeError) as error:  # links in a circle
        raise PliantError(f"no such {kind} file", file=path, found=str(error)) from None
    if near is not None:
        _check_place(kind, name, resolved, near)
    if not resolved.is_file():
        raise PliantError(f"no such {kind} file", file=path)
    if near is None:
        _given.add(resolved)
    return resolved


_given: set[Path] = set()
"""Files that the user named, not a file."""


def _check_place(kind: str, name: str, resolved: Path, near: Path) -> None:
    folder = near.resolve().parent
    path = os.environ.get("PLIANT_LAW_PATH", "")
    folders = [folder, *(Path(entry).resolve() for entry in path.split(os.pathsep) if entry)]
    if resolved in _given or any(resolved.is_relative_to(there) for there in folders):
        return
    raise PliantError(
        f"names a {kind} file outside its own folder",
        file=near,
        found=name,
        accepted=f"a file in {folder} or below; or PLIANT_LAW_PATH, naming the folder of the other",
    )


def load_law(family: str, name: str, near: Path | None = None) -> Physics:
    """The law `name` of `family`, checked against the subset and the family's functions."""
    if family not in FAMILIES:
        raise PliantError("unknown family of laws", found=family, accepted=FAMILIES)
    path = find(f"{family} law", name, law_files(family), near)
    law = _load(path, family)
    _check_offers(law, FAMILIES[family])
    return law


def load_topology(name: str, near: Path | None = None) -> Physics:
    """The topology `name`, checked against the subset; one of your own against what engines call."""
    topology = _load(find("topology", name, topology_files(), near), "topology")
    if not (topology.name.startswith("_") or topology.path.is_relative_to(PACKAGE)):
        _check_topology(topology)
    return topology


@cache
def _load(path: Path, kind: str) -> Physics:
    checked = check_source(path)
    module = module_of(path)
    state = _fields(checked, "S") if "S" in checked.names.structures else ()
    return Physics(path.stem, kind, path, module, _fields(checked, "P"), state)


def _unpickled(kind: str, path: str) -> Physics:
    return _load(PACKAGE / path, kind)  # an absolute path stays as it is


def _fields(checked: Checked, name: str) -> tuple[Field, ...]:
    path = checked.source.path
    declared = {n.name: n for n in checked.source.tree.body if isinstance(n, ast.ClassDef)}
    if name not in declared:
        raise PliantError(
            f"declares no {name}", file=path, accepted=f"class {name}(NamedTuple) with units"
        )
    lines = checked.source.text.split("\n")
    return tuple(
        _field(part.target.id, annotated(part.annotation) or [], path, name, _comment(part, lines))
        for part in declared[name].body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    )


def _comment(node: ast.AnnAssign, lines: list[str]) -> str:
    """The comment behind a field, on the same line."""
    assert node.end_lineno is not None and node.end_col_offset is not None  # parsed from text
    behind = lines[node.end_lineno - 1].encode()[node.end_col_offset :].decode().strip()
    return behind.removeprefix("#").strip() if behind.startswith("#") else ""


def _field(symbol: str, given: list[object], path: Path, structure: str, meaning: str) -> Field:
    """A number of a law from what stands behind its `float`: unit and range."""
    at = f"{structure}.{symbol}"
    if not given or not isinstance(given[0], str):
        raise PliantError(
            "has no unit",
            file=path,
            field=at,
            accepted='Annotated[float, "unit"] or Annotated[float, "unit", (low, high)]',
        )
    _check_unit(given[0], path, at)
    low, high = _range(tuple(given[1:]), path, at)
    return Field(symbol, given[0], low, high, meaning)


def _check_unit(unit: str, path: Path, at: str) -> None:
    try:
        dimension(unit)
    except PliantError as error:
        raise PliantError(
            "not a unit", file=path, field=at, found=unit, accepted=error.accepted
        ) from None


def _range(given: tuple[object, ...], path: Path, at: str) -> tuple[float, float]:
    """The admissible range of a field: everything, if it names none."""
    match given:
        case ():
            return -math.inf, math.inf
        case ((int() | float() as low, int() | float() as high),) if low < high:
            return float(low), float(high)
        case _:
            raise PliantError(
                "not a range",
                file=path,
                field=at,
                found=given[0],
                accepted="(low, high) with low < high",
            )


def _check_offers(law: Physics, family: type) -> None:
    """Every function of the family is there, with the family's arguments in its order."""
    offers = check_source(law.path).names.functions
    for name, function in inspect.getmembers(family, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted = list(inspect.signature(function).parameters)
        if name not in offers and name in OPTIONAL.get(law.kind, {}):
            continue
        found = list(offers[name].arguments) if name in offers else None
        if found != wanted:
            raise PliantError(
                f"{law.kind} law without the right {name}()",
                file=law.path,
                field=name,
                found="nothing" if found is None else f"{name}({', '.join(found)})",
                accepted=f"{name}({', '.join(wanted)})",
            )
    if hasattr(family, "start") and not law.remembers:
        raise PliantError("declares no S", file=law.path, accepted="class S(NamedTuple)")
    for name in ("COMMAND", "GOAL", "ADJUSTER"):
        if (unit := getattr(law.module, name, None)) is not None:
            _check_unit(unit, law.path, name)


_WIRING = "rigid_servo"
"""Every topology offers what this one does, with the same arguments."""


def _check_topology(topology: Physics) -> None:
    offers = check_source(topology.path).names.functions
    needs = check_source(topology_files()[_WIRING]).names.functions
    for name, signature in needs.items():
        if name not in offers or list(offers[name].arguments) != list(signature.arguments):
            raise PliantError(
                f"topology without the right {name}()",
                file=topology.path,
                field=name,
                found=f"{name}({', '.join(offers[name].arguments)})" if name in offers else None,
                accepted=f"{name}({', '.join(signature.arguments)})",
            )
    if not isinstance(getattr(topology.module, "HAS_BUDGET", None), bool):
        raise PliantError(
            "does not say whether its friction is the joint's",
            file=topology.path,
            field="HAS_BUDGET",
            accepted="HAS_BUDGET = True, or False",
        )


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


def slots(topology: Physics, number: str = "") -> list[Slot]:
    """The topology's own numbers, its ports and its parts, in the order of the file."""
    found = [Slot("own", number, part=topology)]
    for name, kind in check_source(topology.path).ports.items():
        if kind in FAMILIES:
            found.append(Slot(name, number, kind))
        else:
            _, _, own = name.rpartition("_")
            mark = f"_{own}" if own.isdigit() else ""
            found.append(Slot(name, mark, part=_load(_part_file(kind), "topology")))
    return found


def leaves(topology: Physics, number: str = "") -> list[Slot]:
    """The slots without parts, those of its parts in their place: the order of all flat arrays."""
    found: list[Slot] = []
    for slot in slots(topology, number):
        inner = slot.part is not None and slot.name != "own"
        found += leaves(slot.part, slot.number) if inner and slot.part else [slot]
    return found


def ports(topology: Physics) -> dict[str, str]:
    """Port name to family of a topology and its parts, in the order of the flat arrays."""
    return {slot.label: slot.family for slot in leaves(topology) if slot.family is not None}


def _part_file(name: str) -> Path:
    return PACKAGE / "topologies" / f"{name}.py"
