"""XML from anywhere, read safely: URDF and MJCF."""

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

from pliant.errors import PliantError


def read_xml(path: Path) -> ET.Element:
    """The file's root. Document types and entities are refused, nothing outside is opened.

    Raises:
        PliantError: it cannot be read, is not XML, or has a document type.
    """
    from defusedxml import DefusedXmlException
    from defusedxml.ElementTree import fromstring

    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    parse: Any = fromstring
    try:
        return parse(text, forbid_dtd=True)
    except DefusedXmlException:
        raise PliantError(
            "document types and entities are not read", file=path, found="<!DOCTYPE"
        ) from None
    except (ET.ParseError, ValueError) as error:  # text that says it is in another encoding
        raise PliantError("is not XML", file=path, found=str(error)) from None
