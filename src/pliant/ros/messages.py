"""ROS 2 types: definitions and hashes from rosbags, DDS structures built from them, and rosbag2 files.

A type is defined once, by its .msg or .srv text: rosbags has the standard messages, `pliant_msgs`
Pliant's own. A service's request and response are types too, "std_srvs/srv/SetBool_Request".
"""

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal, Self

from cyclonedds.idl import make_idl_struct, types
from rosbags.highlevel import AnyReader
from rosbags.interfaces import Nodetype
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from rosbags.typesys.store import Typestore

from pliant.errors import PliantError

BASES: dict[str, Any] = {
    "bool": bool,
    "byte": types.uint8,
    "char": types.uint8,
    "int8": types.int8,
    "uint8": types.uint8,
    "int16": types.int16,
    "uint16": types.uint16,
    "int32": types.int32,
    "uint32": types.uint32,
    "int64": types.int64,
    "uint64": types.uint64,
    "float32": types.float32,
    "float64": types.float64,
    "string": str,
}
SERVICES = {"std_srvs/srv/SetBool": "bool data\n---\nbool success\nstring message\n"}
"""ROS 2 services that rosbags lacks."""
HEADER = ("client", "sequence")
"""Header fields of a request or response, as rmw_cyclonedds sends them: the request's writer (unsigned, 64 bit)
and sequence number."""
EMPTY: dict[str, Any] = {"string": "", "bool": False, "float32": 0.0, "float64": 0.0}


@cache
def store() -> Typestore:
    """All types: those of ROS 2 Jazzy, and Pliant's own."""
    made = get_typestore(Stores.ROS2_JAZZY)
    package = files("pliant.ros") / "pliant_msgs"
    for path in sorted((package / "msg").iterdir(), key=lambda path: path.name):
        name = f"pliant_msgs/msg/{path.name.removesuffix('.msg')}"
        made.register(get_types_from_msg(path.read_text("utf-8"), name))
    own = {
        f"pliant_msgs/srv/{path.name.removesuffix('.srv')}": path.read_text("utf-8")
        for path in sorted((package / "srv").iterdir(), key=lambda path: path.name)
    }
    for name, text in (SERVICES | own).items():
        for part, fields in zip(("Request", "Response"), text.split("---\n"), strict=True):
            (parsed,) = get_types_from_msg(fields, f"{name}_{part}").values()  # rosbags: "srv/msg/"
            made.register({f"{name}_{part}": parsed})
    return made


@cache
def hash_of(name: str) -> str:
    """RIHS01 hash of a type ("sensor_msgs/msg/JointState"), as ROS 2 announces it."""
    return str(store().hash_rihs01(name))


@cache
def struct_of(name: str) -> Any:
    """The DDS structure of a type, under the name that ROS 2 gives it there."""
    package, form, kind = name.split("/")
    header = dict(zip(HEADER, (types.uint64, types.int64), strict=True)) if form == "srv" else {}
    fields = {field: _type(node) for field, node in store().fielddefs[name][1]}
    return make_idl_struct(f"{kind}_", f"{package}::{form}::dds_::{kind}_", header | fields)


def message(kind: str, /, **values: Any) -> Any:
    """A message with some fields set; the others are empty or 0, nested ones too."""
    struct = struct_of(kind)
    header = {field: values.get(field, 0) for field in HEADER} if "/srv/" in kind else {}
    known = header | {
        field: values[field] if field in values else _empty(node)
        for field, node in store().fielddefs[kind][1]
    }
    return struct(**known)


def plain(name: str, sample: Any) -> Any:
    """A message in the form of rosbags, for writing to a bag."""
    fields = store().fielddefs[name][1]
    values = {field: _to_bag(node, getattr(sample, field)) for field, node in fields}
    return store().types[name](**values)


def _type(node: Any) -> Any:
    """The DDS type of a field as rosbags describes it."""
    kind, detail = node
    if kind == Nodetype.BASE:
        return BASES[detail[0]]
    if kind == Nodetype.NAME:
        return struct_of(detail)
    inner = _type(detail[0])
    if kind == Nodetype.ARRAY:
        return types.array[inner, detail[1]]
    return types.sequence[inner, detail[1]] if detail[1] else types.sequence[inner]


def _empty(node: Any) -> Any:
    kind, detail = node
    if kind == Nodetype.BASE:
        return EMPTY.get(detail[0], 0)
    if kind == Nodetype.NAME:
        return message(detail)
    return [_empty(detail[0])] * detail[1] if kind == Nodetype.ARRAY else []


def _to_bag(node: Any, value: Any) -> Any:
    import numpy as np

    kind, detail = node
    if kind == Nodetype.NAME:
        return plain(detail, value)
    if kind == Nodetype.BASE:
        return value
    inner, name = detail[0]
    if inner == Nodetype.NAME:
        return [plain(name, one) for one in value]
    return (
        list(value) if name[0] == "string" else np.array(value, dtype=_DTYPES.get(name[0], name[0]))
    )


_DTYPES = {"byte": "uint8", "char": "uint8"}


VERSION = 9
"""Version of rosbag2's format, as in ROS 2 Jazzy."""
Recorded = tuple[str, str, float, Any]
"""Topic, type, time [s] and message."""


class BagWriter:
    """A bag being written.

    Args:
        path: a new folder. storage: "mcap" or "sqlite3".

    Raises:
        PliantError: it exists already.
    """

    def __init__(self, path: Path, storage: Literal["mcap", "sqlite3"] = "mcap") -> None:
        if path.exists():
            raise PliantError("exists already", file=path, accepted="a new folder")
        plugin = StoragePlugin.MCAP if storage == "mcap" else StoragePlugin.SQLITE3
        path.parent.mkdir(parents=True, exist_ok=True)
        self._writer = Writer(path, version=VERSION, storage_plugin=plugin)
        self._topics: dict[str, Any] = {}

    def __enter__(self) -> Self:
        self._writer.open()
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()

    def add(self, topic: str, kind: str, sample: Any, seconds: float) -> None:
        """Write a DDS message."""
        self.add_plain(topic, kind, plain(kind, sample), seconds)

    def add_plain(self, topic: str, kind: str, sample: Any, seconds: float) -> None:
        """Write a message in the form of rosbags."""
        if topic not in self._topics:
            self._topics[topic] = self._writer.add_connection(topic, kind, typestore=store())
        raw = store().serialize_cdr(sample, kind)
        self._writer.write(self._topics[topic], round(1e9 * seconds), raw)


def read_bag(path: Path) -> Iterator[Recorded]:
    """The messages of a bag, in order."""
    try:
        with AnyReader([path], default_typestore=store()) as reader:
            for connection, nanoseconds, raw in reader.messages():
                sample = reader.deserialize(raw, connection.msgtype)
                yield connection.topic, connection.msgtype, 1e-9 * nanoseconds, sample
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise PliantError(f"cannot be read as a bag: {error}", file=path) from None
    except Exception as error:  # rosbags' own errors have no other common base
        if type(error).__module__.startswith("rosbags"):
            raise PliantError(f"cannot be read as a bag: {error}", file=path) from None
        raise
