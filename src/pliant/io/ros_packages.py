"""Files that a URDF names by a package: `package://arm_description/meshes/link.stl`.

Looked for in this order, as ROS would and without ROS: folders that were given, folders above the
file, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, paths of Gazebo, packages of this Python installation.
"""

import os
import re
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from pathlib import Path

__all__ = ["found_file"]

_SCHEME = re.compile(r"^(package|model|file)://")
_GAZEBO = ("GZ_SIM_RESOURCE_PATH", "GAZEBO_MODEL_PATH")


def found_file(name: str, beside: Path, packages: Iterable[str | Path] = ()) -> Path | None:
    """The file that a URDF calls `name`, or None.

    Args:
        name: as it stands there: `package://`, `model://`, `file://`, or a path.
        beside: the folder that paths are relative to.
        packages: folders of packages, or packages themselves; looked through first.
    """
    scheme, rest = _SCHEME.match(name), _SCHEME.sub("", name)
    if scheme is None or scheme[1] == "file":
        places = [beside / rest, *(folder / rest for folder in beside.resolve().parents)]
    else:
        package, _, inner = rest.lstrip("/").partition("/")
        folders = _packages(package, beside, packages)
        # A package alone unpacked: its own folder may have lost its name.
        places = [folder / inner for folder in folders]
        places += [folder / inner for folder in (beside, *beside.resolve().parents)]
    places.append(beside / Path(rest).name)
    return next((place.resolve() for place in places if place.is_file()), None)


def _packages(name: str, beside: Path, given: Iterable[str | Path]) -> Iterator[Path]:
    """Folders that may be the package `name`."""
    for folder in map(Path, given):
        yield from _in(folder, name)
    here = beside.resolve()
    for folder in (here, *here.parents):
        yield folder / name
    for folder in _listed("ROS_PACKAGE_PATH"):
        yield from _in(folder, name)
        yield from sorted(folder.glob(f"*/{name}"))
    for prefix in _listed("AMENT_PREFIX_PATH"):
        yield prefix / "share" / name
    for variable in _GAZEBO:
        for folder in _listed(variable):
            yield from _in(folder, name)
    for folder in dict.fromkeys([*sys.path, sysconfig.get_path("purelib")]):
        yield Path(folder) / name
        yield Path(folder) / "cmeel.prefix" / "share" / name
    yield Path(sys.prefix) / "share" / name


def _in(folder: Path, name: str) -> Iterator[Path]:
    """The package `name` in a folder of packages, of prefixes, or the folder itself."""
    yield folder / name
    yield folder / "share" / name
    if folder.resolve().name == name:
        yield folder


def _listed(variable: str) -> list[Path]:
    """Folders in a variable of the environment."""
    return [Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part]
