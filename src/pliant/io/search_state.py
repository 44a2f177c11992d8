"""Checkpoints of searches: the form of each part, and the seal of the whole.

The seal is the SHA-256 of what stands in the file. It keeps out accidents, not forgers: what was changed
or damaged since it was written is not believed.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.validated import Strict, parsed_json, validated

LARGEST = 256 * MIB
SEAL = "sha256"


def sealed(document: Mapping[str, Any]) -> str:
    """The text of a document, with its seal."""
    return json.dumps({**document, SEAL: _digest(document)})


def read_sealed(path: Path) -> dict[str, Any]:
    """The document in a file that `sealed` has written, without its seal.

    A file of before there were seals is read too: `SEAL not in` what its text says, and whoever
    uses it looks at its content.

    Raises:
        PliantError: it cannot be read, is no JSON object, or is not what was written.
    """
    with located(path):
        document = parsed_json(read_text(path, largest=LARGEST), "checkpoint")
        seal = document.pop(SEAL, None)
        if seal is not None and seal != _digest(document):
            raise PliantError(
                "was changed or damaged since it was written",
                field=SEAL,
                accepted="the file as Pliant wrote it, or none (delete it to begin anew)",
            )
        return document


def _digest(document: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(document).encode()).hexdigest()


_Count = Annotated[int, Field(ge=0)]
_Error = Annotated[float, Field(allow_inf_nan=True)]
"""[rad] Infinite where a simulation has run away."""


class _Done(Strict):
    point: list[float]
    cost: _Error
    error: _Error
    evaluations: _Count


class _Descent(Strict):
    at: list[float]
    damping: float
    jacobians: _Count
    stuck: bool | _Count
    done: _Done


class _Search(Strict):
    finished: dict[str, _Done]
    descents: dict[str, _Descent]


def check_search(finished: Any, descents: Any) -> None:
    """Refuse parts of a search that are not of their form.

    Raises:
        PliantError: for the first number that is not finite, with its place.
    """
    validated(_Search, {"finished": finished, "descents": descents})
