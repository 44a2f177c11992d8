"""Names in the description of a LeRobot data set, and its calibration files.

A calibration has the encoder counts that are -100 and 100 percent of each joint. The zero of the angles is the
middle of that range, as LeRobot's degrees have it: a model whose zero is elsewhere differs by a constant,
which is `<joint>.position_offset`.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from math import pi
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import BaseModel, ConfigDict, Field

from pliant.errors import PliantError, located
from pliant.files import MIB, read_text
from pliant.io.validated import parsed_json, validated

MOST = 4096
"""Values of a feature; the robots with the most joints have some hundred."""
_DEEPEST = 4
"""Groups of names in each other."""
ENDINGS: Mapping[str, str] = {
    ".pos": "position",
    ".q": "position",
    ".vel": "speed",
    ".dq": "speed",
    ".torque": "torque",
    ".tau": "torque",
}
"""Endings of names to the channels that they are of: LeRobot's own, and those of Unitree's humanoids."""


def feature_names(info: Mapping[str, Any], feature: str) -> list[str]:
    """(n,) names of a feature's values; numbers where the data set gives none.

    Recorders write them as a list, as lists in groups (`{"motors": [...]}`, `[[...]]`), or as places
    (`{"x": 0, "y": 1}`).
    """
    features: object = info.get("features")
    known = cast("dict[str, Any]", features) if isinstance(features, dict) else {}
    one: object = known.get(feature)
    if not isinstance(one, dict):
        accepted = sorted(known) or "features by name, with their shapes and names"
        raise PliantError("is missing", field=f"features.{feature}", accepted=accepted)
    entry = cast("dict[str, Any]", one)
    said: object = entry.get("names")
    if said is None:
        shape: object = entry.get("shape")
        if not isinstance(shape, list) or not shape or not isinstance(shape[0], int):
            raise PliantError("has no names and no shape", field=f"features.{feature}")
        _check_count(shape[0], f"features.{feature}.shape")
        return [f"joint_{k}" for k in range(shape[0])]
    field = f"features.{feature}.names"
    if isinstance(said, list | dict):
        _check_count(len(cast("list[object]", said)), field)
    names = _flat(cast(object, said))
    if names is None:
        raise PliantError("are not names", field=field, accepted="a list of text")
    _check_count(len(names), field)
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        accepted = "a name of its own for each value, such as left_... and right_..."
        raise PliantError(
            "two values have the same name", field=field, found=twice[0], accepted=accepted
        )
    return names


def _check_count(count: int, field: str) -> None:
    if count > MOST or count < 0:
        raise PliantError(
            "are not the values of a robot",
            field=field,
            found=f"{count} of them",
            accepted=f"at most {MOST}",
        )


def _flat(said: object, deep: int = 0) -> list[str] | None:
    """Names in their order; None if they are something else."""
    if isinstance(said, dict):
        values = cast("dict[str, object]", said)
        places = [k for k in values.values() if isinstance(k, int) and not isinstance(k, bool)]
        if places and sorted(places) == list(range(len(values))):
            return sorted(values, key=lambda name: cast(int, values[name]))
        said = list(values.values())
    if not isinstance(said, list) or not said or deep > _DEEPEST:
        return None
    found: list[str] = []
    for part in cast("list[object]", said):
        names = [part] if isinstance(part, str) else _flat(part, deep + 1)
        if names is None:
            return None
        found += names
    return found


def positions(names: Sequence[str]) -> dict[str, int]:
    """Joint to the place of its position among the values of a feature.

    Newer sets say what each value is, `elbow_flex.pos`, `elbow_flex.vel`; older ones have nothing but positions.

    Raises:
        PliantError: a joint has two.
    """
    said = any(_channel(name) == "position" for name in names)
    found: dict[str, int] = {}
    for k, name in enumerate(names):
        if said and _channel(name) != "position" and "." in name:
            continue
        joint = _joint(name) if _channel(name) == "position" else name
        if joint in found:
            raise PliantError("two positions of one joint", field="names", found=name)
        found[joint] = k
    return found


def beside(names: Sequence[str], joint: str) -> dict[str, int]:
    """Other channels of a joint to the places of their values."""
    return {
        _channel(name): k
        for k, name in enumerate(names)
        if _channel(name) not in ("", "position") and _joint(name) == joint
    }


def of_pose(names: Sequence[str]) -> bool:
    """Whether names are those of a pose of the end effector: x, y, z and angles, or numbers of it."""
    parts = [re.split(r"[._/ ]", name.lower().removesuffix(".pos")) for name in names]
    effector = [one for one in parts if not {"ee", "eef", "tcp"}.isdisjoint(one)]
    return {"x", "y", "z"} <= {one[-1] for one in parts} or len(effector) >= 3


def check_joints(names: Sequence[str], joints: Sequence[str], feature: str) -> None:
    """Refuse a pose of the end effector in the place of joints."""
    if of_pose(joints):
        raise PliantError(
            "is a pose of the end effector, not of joints",
            field=f"features.{feature}.names",
            found=list(names),
            accepted="positions of joints",
        )


def unread(info: Mapping[str, Any], known: Sequence[str]) -> list[str]:
    """Features of numbers that a recording of joints has beside those that are read, such as velocities."""
    features = cast("dict[str, object]", info["features"])
    return [
        name
        for name, one in features.items()
        if name.startswith("observation.") and name not in known and isinstance(one, dict)
        if str(cast("dict[str, object]", one).get("dtype")).startswith("float")
    ]


def _channel(name: str) -> str:
    return next((channel for end, channel in ENDINGS.items() if name.endswith(end)), "")


def _joint(name: str) -> str:
    return name[: name.rindex(".")] if _channel(name) else name


TURN = 4096
"""Counts of a turn: the encoders of STS and X servos have 12 bits."""


class _Joint(BaseModel):
    """Entry of one motor; what else stands in it is for its bus."""

    model_config = ConfigDict(strict=True, frozen=True, extra="ignore")

    range_min: Annotated[int, Field(ge=-(2**20), le=2**20)]
    range_max: Annotated[int, Field(ge=-(2**20), le=2**20)]


def read_calibration(path: Path) -> dict[str, tuple[float, float]]:
    """Joint to its lowest and highest angle [rad], about the middle of its range."""
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
