"""Meshes and pictures that a robot model names, looked at before MuJoCo opens them."""

import xml.etree.ElementTree as ET
from pathlib import Path

from pliant.errors import PliantError
from pliant.io.xml_file import place_in

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

    Raises:
        PliantError: with the element and the file.
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
                if place.exists() and not place.is_file():
                    raise PliantError("is not a regular file", field=field, found=named)
                if (pixels := _pixels(place)) > MOST_PIXELS:
                    raise PliantError(
                        "is too large a picture",
                        field=field,
                        found=f"{named}: {pixels:.3g} pixels",
                        accepted=f"at most {MOST_PIXELS}",
                    )


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
