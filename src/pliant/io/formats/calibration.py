"""Calibration files of LeRobot: the encoder counts that are -100 and 100 percent of each joint.

The zero of the angles is the middle of that range, as LeRobot's degrees have it: a model whose zero is
elsewhere differs by a constant, which is `<joint>.position_offset`.
"""

from math import pi
from pathlib import Path
from typing import Annotated, cast

from pydantic import BaseModel, ConfigDict, Field

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.json_file import parsed_json
from pliant.io.validated import validated

TURN = 4096
"""Counts of a turn: the encoders of STS and X servos have 12 bits."""


class _Joint(BaseModel):
    """Entry of one motor; what else stands in it is for its bus."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    range_min: Annotated[int, Field(ge=-(2**20), le=2**20)]
    range_max: Annotated[int, Field(ge=-(2**20), le=2**20)]


def read_calibration(path: Path) -> dict[str, tuple[float, float]]:
    """Joint to its lowest and highest angle [rad], about the middle of its range.

    Raises:
        PliantError: it is no such file.
    """
    with located(path):
        document = parsed_json(read_text(path, largest=MIB), "calibration")
        found: dict[str, tuple[float, float]] = {}
        for name, entry in document.items():
            if not isinstance(entry, dict):
                raise PliantError("is not a motor", field=name, accepted="range_min, range_max")
            with located(field=name):
                joint = validated(_Joint, cast("dict[str, object]", entry))
            half = pi * (joint.range_max - joint.range_min) / TURN
            if half <= 0.0:
                raise PliantError("is empty", field=f"{name}.range_max", found=joint.range_max)
            found[name] = (-half, half)
    return found
