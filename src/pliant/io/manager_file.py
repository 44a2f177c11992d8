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

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import yaml

from pliant.errors import PliantError, check_known, located
from pliant.files import read_text

_KEYS = {
    "namespace": "text",
    "T_sample": "a time in s above 0",
    "joints_number": "a whole number above 0",
    "joints_name": "a list of texts",
    "ref1_topic_name": "a list of texts",
    "ref2_topic_name": "a list of texts",
}
LONGEST = 1e6
"""[s] A period that nobody means; a whole number may be too large for a float."""
_LISTS = ("joints_name", "ref1_topic_name", "ref2_topic_name")
LARGEST = 128 * 1024
"""[bytes] Hundreds of joints; the parser reads some 100 kB a second."""


@dataclass(frozen=True, kw_only=True)
class ManagerFile:
    """Contents of a manager's file.

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
    """Read and check the YAML file at `path`.

    Raises:
        PliantError: it is no YAML, a key is missing, unknown or of another kind, or lists differ in
            length.
    """
    path = Path(path)
    with located(path):
        document = _document(read_text(path, largest=LARGEST))
        _check_keys(document)
        _check_plain(document)
        count: int = document["joints_number"]
        names, first, second = (_texts(document[key], key, count) for key in _LISTS)
        _check_names(names)
        for key, topics in (("ref1_topic_name", first), ("ref2_topic_name", second)):
            for topic in (name for name in topics if not name.startswith("/")):
                accepted = f"/{topic}"
                raise PliantError("has no leading slash", field=key, found=topic, accepted=accepted)
    return ManagerFile(
        namespace=document["namespace"].strip("/"),
        period=float(document["T_sample"]),
        joints=names,
        topics_1=first,
        topics_2=second,
        path=path,
    )


class _Loader(yaml.SafeLoader):
    """YAML without what makes a short file a large document, and without a key twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        """A node; an alias is refused."""
        events: Any = self
        if events.check_event(yaml.AliasEvent):
            line = events.peek_event().start_mark.line + 1
            raise PliantError("aliases are not read", field=f"line {line}")
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """A value; one that Python cannot make, such as 5000 digits, is refused by its line."""
        try:
            base: Any = super()
            return base.construct_object(node, deep)
        except (ValueError, OverflowError) as error:
            if isinstance(error, PliantError):
                raise
            line = f"line {node.start_mark.line + 1}"
            raise PliantError("has a value that cannot be read", field=line) from None

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """A mapping; a merge key or a key twice is refused."""
        seen: set[str] = set()
        for key, _ in node.value:
            line = f"line {key.start_mark.line + 1}"
            if key.tag == "tag:yaml.org,2002:merge":
                raise PliantError("merge keys are not read", field=line, found="<<")
            if isinstance(key, yaml.ScalarNode) and key.value in seen:
                raise PliantError("is given twice", field=line, found=key.value)
            seen.add(str(key.value))
        return super().construct_mapping(node, deep)


_Loader.yaml_implicit_resolvers = {  # a date is a text: the parser's own knows 12 months, and no line
    first: [(tag, pattern) for tag, pattern in kinds if not tag.endswith(":timestamp")]
    for first, kinds in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _document(text: str) -> dict[str, Any]:
    try:
        document: object = yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader
    except PliantError:
        raise
    except RecursionError:
        raise PliantError("is not YAML", found="brackets too deep") from None
    except (yaml.YAMLError, ValueError) as error:
        words = " ".join(str(error).split())
        mark = getattr(error, "problem_mark", None)
        where = None if mark is None else f"line {mark.line + 1}, column {mark.column + 1}"
        if isinstance(error, yaml.reader.ReaderError):
            before = text[: error.position].count("\n")
            where = f"line {before + 1}"
        raise PliantError("is not YAML", field=where, found=words) from None
    if not isinstance(document, dict):
        raise PliantError("is not a table of keys", found=document, accepted=_KEYS)
    return {str(key): value for key, value in cast("dict[object, Any]", document).items()}


def _check_keys(document: dict[str, Any]) -> None:
    for key in document:
        check_known(key, _KEYS, "unknown key", field=key)
    for key, kind in _KEYS.items():
        if key not in document:
            raise PliantError("is missing", field=key, accepted=kind)


def _check_names(names: Sequence[str]) -> None:
    doubled = next((name for name, times in Counter(names).items() if times > 1), None)
    if doubled is not None:
        raise PliantError("a joint is listed twice", field="joints_name", found=doubled)


def _check_plain(document: dict[str, Any]) -> None:
    period, count = document["T_sample"], document["joints_number"]
    is_time = isinstance(period, int | float) and not isinstance(period, bool)
    right = {
        "namespace": isinstance(document["namespace"], str),
        "T_sample": is_time and 0.0 < period < LONGEST,
        "joints_number": isinstance(count, int) and not isinstance(count, bool) and count > 0,
    }
    for key, is_right in right.items():
        if not is_right:
            raise PliantError("cannot be used", field=key, found=document[key], accepted=_KEYS[key])


def _texts(value: object, key: str, count: int) -> tuple[str, ...]:
    items: list[Any] = list(cast("list[Any]", value)) if isinstance(value, list) else [None]
    if not all(isinstance(item, str) for item in items):
        raise PliantError("is not a list of texts", field=key, found=items, accepted=_KEYS[key])
    if len(items) != count:
        raise PliantError(
            "wrong number of entries for these joints",
            field=key,
            found=len(items),
            accepted=f"joints_number = {count}",
        )
    return tuple(str(item) for item in items)
