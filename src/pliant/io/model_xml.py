"""The XML of a robot model, looked at before MuJoCo reads it: MJCF and URDF.

MuJoCo takes a mass that is no number, opens any file that a model names, and has no end where a
model asks for itself, or for a billion copies of a part.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from math import inf, isfinite, isnan, prod
from pathlib import Path

from pliant.errors import PliantError, located
from pliant.io.model_assets import check_files
from pliant.io.xml_file import place_in, read_xml

MOST_FILES = 200
"""Files that a model may be made of, each counted as often as it is read."""
MOST_COPIES = 10_000
"""Most copies in all, of a part, or along one side of a grid."""
MOST_PARTS = 200_000
"""Most elements, and points of grids, that are made by copying."""
MOST_CELLS = 50_000_000
"""Most cells of all height fields and textures that a model makes."""
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
    parts = cells = 0.0
    for count, (file, root, copies) in enumerate(_parts(path, path, (), 1.0)):
        if count == MOST_FILES:
            accepted = f"at most {MOST_FILES}"
            raise PliantError("is made of too many files", file=path, accepted=accepted)
        with located(file):
            check_numbers(root)
            check_files(root, path.parent)
            parts += sum(_made(element, times) for element, times in _copied(root, copies))
            cells += sum(map(_cells, root.iter()))
            for found, most, field in (
                (parts, MOST_PARTS, "replicate, flexcomp"),
                (cells, MOST_CELLS, "hfield, texture"),
            ):
                if found > most:
                    raise PliantError(
                        "make too many parts or cells",
                        field=field,
                        found=f"{found:.3g}",
                        accepted=f"at most {most}",
                    )
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
                    "is not finite",
                    field=owner + place_in(element, key),
                    found=text,
                    accepted=accepted,
                )
            if (element.tag, key) in _COPIES and any(x > MOST_COPIES for x in numbers):
                accepted = f"at most {MOST_COPIES}"
                raise PliantError(
                    "is too many",
                    field=owner + place_in(element, key),
                    found=text,
                    accepted=accepted,
                )
        if element.tag == "size" and (memory := element.get("memory")) is not None:
            with located(field=owner + place_in(element, "memory")):
                _check_memory(memory)


def _copied(root: ET.Element, copies: float) -> Iterator[tuple[ET.Element, float]]:
    """Every element with the times that it is made: once for each copy of all it stands in."""
    walk = [(root, copies)]
    while walk:
        one, times = walk.pop()
        yield one, times
        inside = (
            times * max([1.0, *_numbers(one.get("count", ""))]) if one.tag == "replicate" else times
        )
        walk += [(child, inside) for child in one]


def _made(element: ET.Element, times: float) -> float:
    """The parts that copying makes of an element."""
    grid = prod(_numbers(element.get("count", ""))) if element.tag == "flexcomp" else 1.0
    return times * grid if times * grid > 1.0 else 0.0


def _cells(element: ET.Element) -> float:
    """The cells of a height field or texture that is made and not read."""
    sides = {"hfield": ("nrow", "ncol"), "texture": ("width", "height")}.get(element.tag, ())
    numbers = [number for side in sides for number in _numbers(element.get(side, ""))]
    faces = 6.0 if element.get("type", "cube") == "cube" and element.tag == "texture" else 1.0
    return faces * prod(numbers) if numbers else 0.0


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


def _parts(
    path: Path, model: Path, above: tuple[Path, ...], copies: float
) -> Iterator[tuple[Path, ET.Element, float]]:
    """Roots of `path` and of the files that it names, relative to `model`; how often each is made."""
    root = read_xml(path)
    if path.resolve() in above:
        raise PliantError("includes itself", file=path)
    chain = (*above, path.resolve())
    yield path, root, copies
    each = list(_copied(root, copies))
    attached = max((times for element, times in each if element.tag == "attach"), default=copies)
    for element, times in each:
        other = model.parent / element.get("file", "")
        if element.tag == "include":
            with located(path, "include"):
                yield from _parts(other, model, chain, times)
        elif element.tag == "model" and _is_xml(element):
            with located(path, f"model {element.get('name', '')}".strip()):
                yield from _parts(other, other, chain, attached)


def _is_xml(element: ET.Element) -> bool:
    """Whether MuJoCo reads the file of a <model> as XML: by its name, or by what it is said to be."""
    suffix = Path(element.get("file", "")).suffix.lower()
    return suffix in (".xml", ".urdf", ".mjcf") or "xml" in element.get("content_type", "").lower()
