"""What there is: laws, topologies and actuators, found by their file names.

A root is a folder with `laws/<family>/<law>.py`, `topologies/<topology>.py` and
`actuators/<actuator>.toml`. Pliant is one; an installed package adds another by an entry point in
the group `pliant.catalogue` that names it; and wherever a name is wanted, a path to a file will do.
"""

import hashlib
import importlib.util
import inspect
import math
import sys
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, get_type_hints

from pliant.errors import PliantError
from pliant.ports import FAMILIES, OPTIONAL, PARTS
from pliant.quantity import dimension
from pliant.subset import check_source

PACKAGE = Path(__file__).parent


@dataclass(frozen=True)
class Field:
    """One number of a law: its symbol, its unit, and the range in which it makes sense."""

    name: str
    unit: str
    low: float = -math.inf
    high: float = math.inf


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

    Raises:
        PliantError: there is no such name and no such file.
    """
    if name in known:
        return known[name]
    looks_like_path = Path(name).suffix in {".py", ".toml"}
    if looks_like_path:
        path = (near.parent / name) if near is not None else Path(name)
        if path.is_file():
            return path.resolve()
        raise PliantError(f"no such {kind} file", file=path)
    raise PliantError(f"unknown {kind}", file=near, found=name, accepted=known)


def load_law(family: str, name: str, near: Path | None = None) -> Physics:
    """The law `name` of `family`, checked against the subset and the family's functions."""
    if family not in FAMILIES:
        raise PliantError("unknown family of laws", found=family, accepted=FAMILIES)
    path = find(f"{family} law", name, law_files(family), near)
    law = _load(path, family)
    _check_offers(law, FAMILIES[family])
    return law


def load_topology(name: str, near: Path | None = None) -> Physics:
    """The topology `name`, checked against the subset."""
    return _load(find("topology", name, topology_files(), near), "topology")


@cache
def _load(path: Path, kind: str) -> Physics:
    check_source(path)
    module = _import(path)
    state = _fields(module, "S", path) if hasattr(module, "S") else ()
    return Physics(path.stem, kind, path, module, _fields(module, "P", path), state)


def _import(path: Path) -> ModuleType:
    if path.is_relative_to(PACKAGE):
        dotted = ".".join(("pliant", *path.relative_to(PACKAGE).with_suffix("").parts))
        return importlib.import_module(dotted)
    name = f"pliant_own.{path.stem}_{hashlib.sha256(str(path).encode()).hexdigest()[:8]}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None  # a .py file always has both
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (ImportError, AttributeError, NameError, TypeError, ValueError) as error:
        del sys.modules[name]
        raise PliantError("cannot be imported", file=path, found=str(error)) from error
    return module


def _fields(module: ModuleType, name: str, path: Path) -> tuple[Field, ...]:
    structure: Any = getattr(module, name, None)
    if structure is None or not hasattr(structure, "_fields"):
        raise PliantError(
            f"declares no {name}", file=path, accepted=f"class {name}(NamedTuple) with units"
        )
    fields: list[Field] = []
    for field, hint in get_type_hints(structure, include_extras=True).items():
        metadata = getattr(hint, "__metadata__", ())
        if not metadata or not isinstance(metadata[0], str):
            raise PliantError(
                "has no unit",
                file=path,
                field=f"{name}.{field}",
                accepted='Annotated[float, "unit"] or Annotated[float, "unit", (low, high)]',
            )
        try:
            dimension(metadata[0])
        except PliantError as error:
            raise PliantError(
                "not a unit",
                file=path,
                field=f"{name}.{field}",
                found=metadata[0],
                accepted=error.accepted,
            ) from None
        low, high = _range(metadata[1:], path, f"{name}.{field}")
        fields.append(Field(field, metadata[0], low, high))
    return tuple(fields)


def _range(given: tuple[Any, ...], path: Path, at: str) -> tuple[float, float]:
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
    for name, function in inspect.getmembers(family, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted = list(inspect.signature(function).parameters)
        offered = getattr(law.module, name, None)
        if offered is None and name in OPTIONAL.get(law.kind, {}):
            continue
        found = list(inspect.signature(offered).parameters) if inspect.isfunction(offered) else None
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


@dataclass(frozen=True)
class Slot:
    """Where a law stands in a topology, or a part with its own slots, or the topology's own."""

    name: str
    """What the topology calls it: "own", a port, a part."""
    number: str
    """What stands behind the names of all that is in it ("_1"), or nothing."""
    family: str | None = None
    """Of a port."""
    part: Physics | None = None
    """Of a part; of "own", the topology itself."""

    @property
    def label(self) -> str:
        """What the whole actuator calls it: "own", "motor_1"."""
        return self.name + self.number


def slots(topology: Physics, number: str = "") -> list[Slot]:
    """The topology's own numbers, its ports and its parts, in the order of the file."""
    families = {protocol: family for family, protocol in FAMILIES.items()}
    found = [Slot("own", number, part=topology)]
    for name, hint in get_type_hints(topology.module).items():
        if hint in families:
            found.append(Slot(name, number, families[hint]))
        elif hint in PARTS:
            _, _, own = name.rpartition("_")
            mark = f"_{own}" if own.isdigit() else ""
            found.append(Slot(name, mark, part=load_topology(str(_part_file(PARTS[hint])))))
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
