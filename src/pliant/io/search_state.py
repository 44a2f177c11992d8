"""Checkpoints of searches, and their seal.

The seal is the SHA-256 of the content. It detects accidents, not forgery: a file that was changed or damaged
since it was written is refused.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.validated import parsed_json

LARGEST = 256 * MIB
SEAL = "sha256"


def sealed(document: Mapping[str, Any]) -> str:
    """The text of a document, with its seal."""
    return json.dumps({**document, SEAL: _digest(document)})


def read_sealed(path: Path) -> dict[str, Any]:
    """The document in a file that `sealed` has written, without its seal.

    Raises:
        PliantError: it cannot be read, is no JSON object, has no seal, or is not what was written.
    """
    with located(path):
        document = parsed_json(read_text(path, largest=LARGEST), "checkpoint")
        if SEAL not in document:
            raise PliantError("has no seal", accepted="a file as Pliant wrote it")
        if document.pop(SEAL) != _digest(document):
            raise PliantError(
                "was changed or damaged since it was written",
                field=SEAL,
                accepted="the file as Pliant wrote it, or none (delete it to start again)",
            )
        return document


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document).encode()).hexdigest()
