"""Files of laws, topologies and actuators: the folders searched, and resolving names."""

import importlib.util
import os
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path

from pliant.errors import PliantError
from pliant.subset import PACKAGE


@cache
def roots() -> tuple[Path, ...]:
    """The folders that are searched, Pliant's own first."""
    found = [PACKAGE]
    for entry in entry_points(group="pliant.catalogue"):
        spec = importlib.util.find_spec(entry.value)
        if spec is None or not spec.submodule_search_locations:
            raise PliantError(
                "is not an importable package",
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
    """The file for `name`: one of `known`, or a path (relative to the file `near`).

    A path in a file must lead to that file's folder or below, links resolved, to a file that the user
    has named in this process, or to a folder of $PLIANT_LAW_PATH.

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
    except (OSError, RuntimeError) as error:  # circular links
        raise PliantError(f"no such {kind} file", file=path, found=str(error)) from None
    if near is not None:
        _check_place(kind, name, resolved, near)
    if not resolved.is_file():
        raise PliantError(f"no such {kind} file", file=path)
    if near is None:
        _given.add(resolved)
    return resolved


_given: set[Path] = set()
"""Files that the user named, rather than a file."""


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
        accepted=f"a file in {folder} or below; or set PLIANT_LAW_PATH to the folder of the file",
    )
