"""XML from anywhere, read safely and within bounds: URDF and MJCF."""

import xml.etree.ElementTree as ET
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
