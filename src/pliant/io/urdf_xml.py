"""The XML of a URDF: its root, its meshes found, stripped to what MuJoCo reads."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path

from pliant.errors import PliantError
from pliant.io.xml_file import read_xml

__all__ = ["find_meshes", "parsed", "stripped"]


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
            raise PliantError("has a name that another has", field=f"{tag} {name}".strip())


def find_meshes(root: ET.Element, path: Path) -> None:
    """Name each mesh by its place: in the package that a folder above is, or beside the file."""
    own = root.find("mujoco")
    own = ET.SubElement(root, "mujoco") if own is None else own
    compiler = own.find("compiler")
    compiler = ET.SubElement(own, "compiler") if compiler is None else compiler
    beside = path.parent / compiler.get("meshdir", "")
    compiler.set("strippath", "false")
    for mesh in root.iter("mesh"):
        name = re.sub(r"^(package|model|file)://", "", mesh.get("filename", ""))
        places = [folder / name for folder in (beside, *path.resolve().parents)]
        found = next((p for p in [*places, beside / Path(name).name] if p.is_file()), None)
        if found is None:
            raise PliantError(
                "a mesh file is missing", field="mesh filename", found=mesh.get("filename")
            )
        mesh.set("filename", str(found.resolve()))


def stripped(root: ET.Element) -> str:
    """The model alone: no blocks of Gazebo and of controllers, and no text, which means nothing."""
    for tag in ("gazebo", "transmission", "ros2_control"):
        for element in root.findall(tag):
            root.remove(element)
    for element in root.iter():
        element.text = element.tail = None
    return ET.tostring(root, encoding="unicode")
