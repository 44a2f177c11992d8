"""The toolbox's YAML file for its manager node: which joints, which topics, at what rate.

    namespace: "robot"
    T_sample: 0.01
    joints_number: 2
    joints_name: ["j1", "j2"]
    ref1_topic_name: ["/equilibrium_position", "/equilibrium_position"]
    ref2_topic_name: ["/stiffness_preset", "/stiffness_preset"]

All keys must be there, as in the toolbox, which reads beyond the end of a list that is too short;
here one that is not of `joints_number` is refused.                 compliant_actuators: 3.3
"""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any, cast

import yaml

from pliant.errors import PliantError

__all__ = ["ManagerFile", "read_manager"]

_KEYS = {
    "namespace": "text",
    "T_sample": "a time in s above 0",
    "joints_number": "a whole number above 0",
    "joints_name": "a list of texts",
    "ref1_topic_name": "a list of texts",
    "ref2_topic_name": "a list of texts",
}


@dataclass(frozen=True, kw_only=True)
class ManagerFile:
    """What the file says.

    Attributes:
        namespace: before all topics. period: [s] of the node. joints: their names.
        topics_1, topics_2: of the two references of each joint, with a leading slash.
    """

    namespace: str
    period: float
    joints: tuple[str, ...]
    topics_1: tuple[str, ...]
    topics_2: tuple[str, ...]
    path: Path | None = None


def read_manager(path: str | Path) -> ManagerFile:
    """Read and check the file.

    Raises:
        PliantError: it is no YAML, a key is missing, unknown or of another kind, or lists differ in
            length.
    """
    path = Path(path)
    document = _document(path)
    for key in document:
        if key not in _KEYS:
            raise PliantError("unknown key", file=path, found=key, accepted=_KEYS)
    for key, kind in _KEYS.items():
        if key not in document:
            raise PliantError("is missing", file=path, field=key, accepted=kind)
    _check_plain(document, path)
    count: int = document["joints_number"]
    names, first, second = (
        _texts(document[key], key, count, path)
        for key in ("joints_name", "ref1_topic_name", "ref2_topic_name")
    )
    doubled = next((name for k, name in enumerate(names) if name in names[:k]), None)
    if doubled is not None:
        raise PliantError("a joint stands twice", file=path, field="joints_name", found=doubled)
    for key, topics in (("ref1_topic_name", first), ("ref2_topic_name", second)):
        for topic in topics:
            if not topic.startswith("/"):
                raise PliantError(
                    "has no leading slash", file=path, field=key, found=topic, accepted=f"/{topic}"
                )
    return ManagerFile(
        namespace=document["namespace"].strip("/"),
        period=float(document["T_sample"]),
        joints=names,
        topics_1=first,
        topics_2=second,
        path=path,
    )


def _document(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PliantError("cannot be read", file=path, found=str(error)) from None
    try:
        document: object = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        words = " ".join(str(error).split())
        raise PliantError("is not YAML", file=path, found=words) from None
    if not isinstance(document, dict):
        raise PliantError("is not a table of keys", file=path, found=document, accepted=_KEYS)
    return {str(key): value for key, value in cast("dict[object, Any]", document).items()}


def _check_plain(document: dict[str, Any], path: Path) -> None:
    period, count = document["T_sample"], document["joints_number"]
    is_time = isinstance(period, int | float) and not isinstance(period, bool)
    right = {
        "namespace": isinstance(document["namespace"], str),
        "T_sample": is_time and isfinite(period) and period > 0.0,
        "joints_number": isinstance(count, int) and not isinstance(count, bool) and count > 0,
    }
    for key, is_right in right.items():
        if not is_right:
            raise PliantError(
                "cannot be used", file=path, field=key, found=document[key], accepted=_KEYS[key]
            )


def _texts(value: object, key: str, count: int, path: Path) -> tuple[str, ...]:
    items: list[Any] = list(cast("list[Any]", value)) if isinstance(value, list) else [None]
    if not all(isinstance(item, str) for item in items):
        raise PliantError(
            "is not a list of texts", file=path, field=key, found=items, accepted=_KEYS[key]
        )
    if len(items) != count:
        raise PliantError(
            "not one entry for each joint",
            file=path,
            field=key,
            found=len(items),
            accepted=f"joints_number = {count}",
        )
    return tuple(str(item) for item in items)
