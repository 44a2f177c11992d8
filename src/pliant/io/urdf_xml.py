"""The XML of a URDF: its root, its meshes found, stripped to what MuJoCo reads.

A mesh of `package://arm_description/meshes/link.stl` is looked for in this order, as ROS would and without
ROS: folders that were given, folders above the file, ROS_PACKAGE_PATH, AMENT_PREFIX_PATH, paths of
Gazebo, packages of this Python installation.
"""

import os
import re
import sys
import sysconfig
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from pliant.errors import PliantError
from pliant.io.model_xml import read_xml

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


MESHES = (".stl", ".obj", ".msh")
"""Kinds of mesh files that MuJoCo reads by itself."""


def parsed(path: Path) -> ET.Element:
    """The root of a URDF, `read_xml`; refused as it is before `xacro`, or with a name given twice."""
    root = read_xml(path)
    if any("ros.org/wiki/xacro" in str(element.tag) for element in root.iter()):
        raise PliantError("is a xacro file", accepted="the URDF that `xacro` makes of it")
    if root.tag != "robot":
        raise PliantError("is not a URDF", found=f"<{root.tag}>", accepted="<robot>")
    for tag in ("link", "joint"):
        _check_names(root, tag)
    return root


def _check_names(root: ET.Element, tag: str) -> None:
    """MuJoCo refuses a name that is given twice too, and does not say which."""
    counts = Counter(element.get("name", "") for element in root.findall(tag))
    for name, count in counts.items():
        if count > 1:
            raise PliantError("has the same name as another", field=f"{tag} {name}".strip())


def find_meshes(
    root: ET.Element, path: Path, packages: Iterable[str | Path] = (), *, leave_out: bool = False
) -> list[str]:
    """Name each mesh by its place, and drop shapes that are only seen, as MuJoCo does by itself.

    Args:
        root: of the URDF; changed. path: of its file. packages: see `found_file`.
        leave_out: drop shapes that collide, too, where MuJoCo cannot read their file.

    Returns:
        What was left out, in words.

    Raises:
        PliantError: the file of a shape that collides is missing, or of another kind.
    """
    own = _child(root, "mujoco")
    compiler = _child(own, "compiler")
    compiler.set("strippath", "false")
    beside = path.parent / compiler.get("meshdir", "")
    seen = compiler.get("discardvisual") == "false"
    notes: list[str] = []
    for link in root.findall("link"):
        for shape in [*link.findall("visual"), *link.findall("collision")]:
            if shape.tag == "visual" and not seen:
                link.remove(shape)
                continue
            mesh = shape.find("geometry/mesh")
            if mesh is None or (fault := _placed(mesh, beside, packages)) is None:
                continue
            name = link.get("name", "")
            if shape.tag == "collision" and not leave_out:
                raise PliantError(
                    fault,
                    field=f"link {name}: mesh filename",
                    found=mesh.get("filename"),
                    accepted='packages=[folder] (--packages), or repair=["meshes"] (pliant simulate --repair meshes):'
                    " nothing touches this shape",
                )
            link.remove(shape)
            notes.append(f"link {name}: {shape.tag} left out: {fault}: {mesh.get('filename')}")
    return notes


def _child(element: ET.Element, tag: str) -> ET.Element:
    found = element.find(tag)
    return ET.SubElement(element, tag) if found is None else found


def _placed(mesh: ET.Element, beside: Path, packages: Iterable[str | Path]) -> str | None:
    """Name a mesh by its place; what is wrong with it, if MuJoCo could not read it."""
    place = found_file(mesh.get("filename", ""), beside, packages)
    if place is None:
        return "a mesh file is missing"
    if place.suffix.lower() not in MESHES:
        return f"MuJoCo reads no {place.suffix or 'such'} meshes"
    mesh.set("filename", str(place))
    return None


def stripped(root: ET.Element) -> str:
    """The model alone: no blocks of Gazebo and of controllers, and no text, which means nothing.

    Each element begins a line, so that `on_line` knows it again.
    """
    for tag in ("gazebo", "transmission", "ros2_control"):
        for element in root.findall(tag):
            root.remove(element)
    for element in root.iter():
        element.text = element.tail = None
    for element in root.iter():
        if len(element):
            element.text = "\n"
        for child in element[:-1]:
            child.tail = "\n"
    return ET.tostring(root, encoding="unicode")


def on_line(root: ET.Element, line: int) -> str | None:
    """The element that begins on this line of `stripped(root)`: "link arm: mesh"; None for line 0."""
    known = dict(enumerate(root.iter(), 1))
    if line not in known:
        return None
    above = {child: parent for parent in root.iter() for child in parent}
    element = owner = known[line]
    while owner is not root and not owner.get("name"):
        owner = above[owner]
    name = f"{owner.tag} {owner.get('name')}"
    return name if owner is element else f"{name}: {element.tag}"
