"""The XML of a robot model, looked at before MuJoCo reads it: MJCF and URDF.

MuJoCo takes a mass that is no number, opens any file that a model names, and has no end where a
model asks for itself, or for a billion copies of a part.
"""

import errno
import re
import stat
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from math import inf, isinf, isnan, prod
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located
from pliant.files import read_text

DEEPEST = 200
"""Elements within each other; MuJoCo reads 500."""
MOST_ELEMENTS, MOST_ATTRIBUTES = 500_000, 200
"""Limits of elements in all, and of attributes of one element."""


def read_xml(path: Path) -> ET.Element:
    """The file's root. Document types and entities are refused, nothing outside is opened.

    Raises:
        PliantError: it cannot be read, is not XML, has a document type, or is too deep or large.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import DefusedXMLParser

    with located(path):
        whole = read_text(path)
        # What stands before and behind the document, other readers of such files pass over.
        text = whole.lstrip().rstrip("\0 \t\r\n")
        above = whole[: len(whole) - len(whole.lstrip())].count("\n")
        parser: Any = DefusedXMLParser(target=_Bounded(), forbid_dtd=True)
        try:
            parser.feed(text)
            return parser.close()
        except DefusedXmlException:
            raise PliantError(
                "document types and entities are not read", found="<!DOCTYPE"
            ) from None
        except (ET.ParseError, ValueError) as error:  # text that says it is in another encoding
            if isinstance(error, PliantError):
                raise
            where = getattr(error, "position", None)
            place = None if where is None else f"line {where[0] + above}, column {where[1] + 1}"
            raise PliantError("is not XML", field=place, found=str(error)) from None


class _Bounded(ET.TreeBuilder):
    """A tree that stops growing before it is a danger."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._count = 0

    def start(self, tag: str, attrs: dict[Any, Any], /) -> ET.Element:
        """Begin an element."""
        self._depth += 1
        self._count += 1
        for found, most, kind in (
            (self._depth, DEEPEST, "elements within each other"),
            (self._count, MOST_ELEMENTS, "elements"),
            (len(attrs), MOST_ATTRIBUTES, "attributes of one element"),
        ):
            if found > most:
                raise PliantError(
                    f"has too many {kind}", field=f"<{tag}>", accepted=f"at most {most}"
                )
        return super().start(tag, attrs)

    def end(self, tag: str, /) -> ET.Element:
        """End one."""
        self._depth -= 1
        return super().end(tag)


def place_in(element: ET.Element, key: str) -> str:
    """An attribute as a message names it: `joint elbow: range`."""
    name = element.get("name")
    return f"{element.tag} {name}: {key}" if name else f"{element.tag}: {key}"


MOST_PIXELS = 50_000_000
"""Most pixels of a picture; MuJoCo unpacks all of it before it looks at the size."""

_KEYS = (
    "file",
    "filename",
    *(f"file{side}" for side in ("right", "left", "up", "down", "front", "back")),
)
_PNG = b"\x89PNG\r\n\x1a\n"


def check_files(root: ET.Element, folder: Path) -> None:
    """Refuse pipes and devices where a mesh or a texture is meant, and pictures of no end.

    MuJoCo would wait for the first, and fill the memory with the second.
    """
    dirs = {""} | {
        compiler.get(key, "")
        for compiler in root.iter("compiler")
        for key in ("meshdir", "texturedir", "assetdir")
    }
    for element in root.iter():
        for key in _KEYS:
            named = element.get(key)
            if named is None or element.tag == "plugin":
                continue
            field = place_in(element, key)
            for place in (folder / inner / named for inner in dirs):
                if _odd(place):
                    raise PliantError("is not a regular file", field=field, found=named)
                if (pixels := _pixels(place)) > MOST_PIXELS:
                    raise PliantError(
                        "is too large a picture",
                        field=field,
                        found=f"{named}: {pixels:.3g} pixels",
                        accepted=f"at most {MOST_PIXELS}",
                    )


def _odd(path: Path) -> bool:
    """Whether it is there and no file, or no path can be so long."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)  # `exists` hides from 3.14 on what it met
    except OSError as error:
        return error.errno == errno.ENAMETOOLONG


def _pixels(path: Path) -> int:
    """Pixels that a PNG says it has; 0 for any other file."""
    try:
        with path.open("rb") as file:
            head = file.read(24)
    except OSError:
        return 0
    if len(head) < 24 or not head.startswith(_PNG):
        return 0
    return int.from_bytes(head[16:20], "big") * int.from_bytes(head[20:24], "big")


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
    "replicate": "count",
    "composite": "count",
    "flexcomp": "count",
    "hfield": "nrow ncol",
    "texture": "width height gridsize",
    "size": "nkey nuser_body nuser_jnt nuser_geom nuser_site nuser_cam nuser_tendon nuser_actuator "
    "nuser_sensor nuserdata",
    "option": "iterations ls_iterations noslip_iterations ccd_iterations sdf_iterations",
    "sensor": "nsample",
}
"""Element to its attributes that say how many of something there are."""


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
    """Refuse numbers that are not finite, and counts of parts that no computer can hold."""
    for element, owner in _with_owner(root):
        counts = _COPIES.get(element.tag, "").split()
        for key, text in element.attrib.items():
            if key in _TEXT:
                continue
            numbers, field = _numbers(text), owner + place_in(element, key)
            if any(isnan(x) or (isinf(x) and key not in _BOUNDS) for x in numbers):
                accepted = "finite numbers"
                raise PliantError("is not finite", field=field, found=text, accepted=accepted)
            if key in counts and any(x > MOST_COPIES for x in numbers):
                accepted = f"at most {MOST_COPIES}"
                raise PliantError("is too many", field=field, found=text, accepted=accepted)
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


def _with_owner(element: ET.Element) -> Iterator[tuple[ET.Element, str]]:
    """Every element, and the named one that it stands in, as the beginning of a place."""
    walk = [(element, "")]
    while walk:
        one, inside = walk.pop()
        yield one, inside
        name = one.get("name")
        mine = f"{one.tag} {name}: " if name and one is not element else inside
        walk += [(child, mine) for child in reversed(one)]


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
