"""The XML of a robot model, looked at before MuJoCo reads it: MJCF and URDF.

MuJoCo takes a mass that is no number, opens any file that a model names, and has no end where a
model asks for itself, or for a billion copies of a part.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from math import inf, isfinite, isnan
from pathlib import Path

from pliant.errors import PliantError, located
from pliant.io.xml_file import read_xml

MOST_FILES = 200
"""Files that a model may be made of, each counted as often as it is read."""
MOST_COPIES = 10_000
"""Most copies in all, of a part, or along one side of a grid."""
MOST_MEMORY = 4 * 2**30
"""[bytes] That a model may ask for."""

_TEXT = frozenset(
    "name class childclass file filename key value plugin instance joint joint1 joint2 body body1 "
    "body2 bodyname geom geom1 geom2 site site1 site2 tendon tendon1 tendon2 actuator material "
    "texture mesh hfield skin target objname refname reftype objtype prefix content dir link parent "
    "child cranksite slidersite refsite jointinparent camera light mocap eulerseq".split()
)
"""Attributes that hold no numbers."""
_BOUNDS = frozenset(
    "range ctrlrange forcerange actrange actfrcrange lengthrange actuatorfrcrange lower upper "
    "effort velocity".split()
)
"""Attributes that may be infinite."""
_COPIES = {
    ("replicate", "count"),
    ("composite", "count"),
    ("flexcomp", "count"),
    ("hfield", "nrow"),
    ("hfield", "ncol"),
    ("texture", "width"),
    ("texture", "height"),
    ("texture", "gridsize"),
    ("size", "nkey"),
    ("size", "nuser_body"),
    ("size", "nuser_jnt"),
    ("size", "nuser_geom"),
    ("size", "nuser_site"),
    ("size", "nuser_cam"),
    ("size", "nuser_tendon"),
    ("size", "nuser_actuator"),
    ("size", "nuser_sensor"),
    ("size", "nuserdata"),
    ("option", "iterations"),
    ("option", "ls_iterations"),
    ("option", "noslip_iterations"),
    ("option", "ccd_iterations"),
    ("option", "sdf_iterations"),
    ("sensor", "nsample"),
}
"""Element and attribute that say how many of something there are."""


def model_elements(path: Path) -> Iterator[tuple[Path, ET.Element]]:
    """Every element of a model and of the files that it includes or attaches, with its file.

    Raises:
        PliantError: one of the files cannot be read, includes itself, or asks for something that
            no model is meant to be; the message names the file and the element.
    """
    for count, (file, root) in enumerate(_parts(path, path, ())):
        if count == MOST_FILES:
            accepted = f"at most {MOST_FILES}"
            raise PliantError("is made of too many files", file=path, accepted=accepted)
        with located(file):
            check_numbers(root)
            _check_files(root, path.parent)
        for element in root.iter():
            yield file, element


def check_numbers(root: ET.Element) -> None:
    """Refuse numbers that are not finite, and counts of parts that no computer can hold.

    Raises:
        PliantError: with the element and its name.
    """
    for element, owner in _with_owner(root, ""):
        for key, text in element.attrib.items():
            if key in _TEXT:
                continue
            numbers = _numbers(text)
            allowed = isnan if key in _BOUNDS else _infinite
            if any(map(allowed, numbers)):
                accepted = "finite numbers"
                raise PliantError(
                    "is not finite", field=owner + _at(element, key), found=text, accepted=accepted
                )
            if (element.tag, key) in _COPIES and any(x > MOST_COPIES for x in numbers):
                accepted = f"at most {MOST_COPIES}"
                raise PliantError(
                    "is too many", field=owner + _at(element, key), found=text, accepted=accepted
                )
        if element.tag == "size" and (memory := element.get("memory")) is not None:
            with located(field=owner + _at(element, "memory")):
                _check_memory(memory)


def _with_owner(element: ET.Element, owner: str) -> Iterator[tuple[ET.Element, str]]:
    """Every element, and the named one that it stands in, as the beginning of a place."""
    walk = [(element, owner)]
    while walk:
        one, inside = walk.pop()
        yield one, inside
        name = one.get("name")
        mine = f"{one.tag} {name}: " if name and one is not element else inside
        walk += [(child, mine) for child in reversed(one)]


def _infinite(x: float) -> bool:
    return not isfinite(x)


def _at(element: ET.Element, key: str) -> str:
    name = element.get("name")
    return f"{element.tag} {name}: {key}" if name else f"{element.tag}: {key}"


def _numbers(text: str) -> list[float]:
    """The numbers in an attribute; what else stands in it is for MuJoCo to refuse."""
    found = map(as_number, text.split())
    return [number for number in found if number is not None]


def as_number(text: str) -> float | None:
    """A number as C reads it, with `0x1p-3` and `nan(1)`; None for what is none."""
    text = re.sub(r"\(\w*\)$", "", text) if "nan(" in text.lower() else text
    for read in (float, float.fromhex):
        try:
            return read(text)
        except ValueError:
            continue
        except OverflowError:
            return inf
    return None


def _check_memory(text: str) -> None:
    """MuJoCo's own way to write it: 4M, 2G."""
    units = {"K": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}
    number, unit = (text[:-1], text[-1:].upper()) if text[-1:].isalpha() else (text, "")
    size = [x * units.get(unit, 1) for x in _numbers(number)]
    if any(x > MOST_MEMORY for x in size):
        accepted = f"at most {MOST_MEMORY // 2**30}G"
        raise PliantError("is too large", found=text, accepted=accepted)


def _check_files(root: ET.Element, folder: Path) -> None:
    """Refuse pipes and devices where a mesh or a texture is meant: MuJoCo would wait for them."""
    dirs = {""} | {
        compiler.get(key, "")
        for compiler in root.iter("compiler")
        for key in ("meshdir", "texturedir", "assetdir")
    }
    for element in root.iter():
        for key in (
            "file",
            "filename",
            *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back")),
        ):
            named = element.get(key)
            if named is None or element.tag == "plugin":
                continue
            for place in (folder / inner / named for inner in dirs):
                if place.exists() and not place.is_file():
                    raise PliantError("is not a regular file", field=_at(element, key), found=named)


def _parts(path: Path, model: Path, above: tuple[Path, ...]) -> Iterator[tuple[Path, ET.Element]]:
    """The roots of `path` and of the files that it names, which are relative to `model`."""
    root = read_xml(path)
    if path.resolve() in above:
        raise PliantError("includes itself", file=path)
    chain = (*above, path.resolve())
    yield path, root
    for element in root.iter():
        named = element.get("file", "")
        other = model.parent / named
        if element.tag == "include":
            with located(path, "include"):
                yield from _parts(other, model, chain)
        elif element.tag == "model" and named.endswith(".xml"):
            with located(path, f"model {element.get('name', '')}".strip()):
                yield from _parts(other, other, chain)
