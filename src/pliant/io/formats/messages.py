"""Messages of bags, topic by topic, in blocks of raw bytes: rosbag2 in sqlite3, MCAP of any writer.

Written as rosbag2: `/joint_states` and `/joint_commands`, both JointState, in MCAP.
"""

import shutil
import tempfile
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.files import check_fetched, check_regular, is_folder
from pliant.io.formats.bag_files import (
    DESCRIPTION,
    EXTRA,
    LARGEST,
    described,
    mcap_files,
    messages,
    unpacked,
)
from pliant.io.formats.compressed import (
    SUFFIXES,
    Packed,
    Unpacked,
    unpacked_file,
    unpacked_messages,
)
from pliant.io.formats.tables import first_line
from pliant.io.output import check_output
from pliant.io.robot_log import RobotLog

BLOCK = 16384
"""Messages that are held as bytes at a time."""
_MAGIC = b"\x89MCAP0\r\n"
"""First and last bytes of an MCAP file."""
FOXGLOVE = "foxglove.JointStates"
"""Foxglove's own type: a list of joints, each with its name and numbers."""


@dataclass(frozen=True)
class Topic:
    """One stream of messages.

    Attributes:
        name: of the topic. kind: type of its messages, `sensor_msgs/msg/JointState`.
        encoding: "cdr", "json" or "protobuf". schema: the definition in the file, "" without.
        form: of the schema: "ros2msg", "ros2idl", "jsonschema", "protobuf" or "".
        key: for the reader.
    """

    name: str
    kind: str
    encoding: str
    schema: bytes
    form: str
    key: Any

    @property
    def plain(self) -> str:
        """Type as one form for all encodings: `sensor_msgs/JointState`, which Foxglove's joints are read as."""
        if self.kind == FOXGLOVE:
            return "sensor_msgs/JointState"
        return self.kind.replace("/msg/", "/").replace(".", "/")


Block = tuple[Topic, NDArray[np.int64], Packed]
"""A topic, when its messages were logged [ns], and the messages."""


class Bag:
    """A bag, opened: its topics are known, its messages not yet read.

    Attributes:
        path: of it. topics: in it. findings: about its files.

    Raises:
        PliantError: it is no bag, or is cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        files, self.findings = mcap_files(path)
        self._place = (
            Unpacked() if any(file.suffix in SUFFIXES for file in [*files, path]) else None
        )
        folder = path if self._place is None else self._place.folder
        self.files = [unpacked_file(file, folder) for file in files]
        if not is_folder(path) and files:
            path = self.files[0]
        self._read = path
        self._chunks: dict[Path, list[int]] = {}  # of MCAP: where they begin
        self._channels: dict[Path, dict[int, str]] = {}  # of MCAP: topics
        self.mcap = bool(self.files) and self.files[0].suffix.lower() == ".mcap"
        with _others(path):
            self.topics = self._mcap_topics() if self.mcap else self._rosbag_topics()

    def blocks(self, topics: Collection[Topic]) -> Iterator[Block]:
        """The messages of these topics, block by block, each topic in the order of the file."""
        source = self._mcap_blocks if self.mcap else self._rosbag_blocks
        with _others(self.path):
            for topic, stamps, packed in source(topics):
                yield (
                    topic,
                    stamps,
                    unpacked_messages(packed) if topic.encoding == "cdr" else packed,
                )

    # rosbag2 in sqlite3

    def _rosbag_topics(self) -> list[Topic]:
        if is_folder(self._read):
            described(self._read / DESCRIPTION)
        else:
            check_regular(self._read)
            check_fetched(self._read)
        with extra_module("rosbags.rosbag2", EXTRA).Reader(self._read) as reader:
            forms: tuple[str, ...] = ("", "ros2msg", "ros2idl")
            return [
                Topic(
                    str(one.topic),
                    str(one.msgtype or ""),  # of a damaged metadata.yaml it is None
                    "cdr",
                    one.msgdef.data.encode(),
                    forms[int(one.msgdef.format.value)],
                    one.id,
                )
                for one in reader.connections
            ]

    def _rosbag_blocks(self, topics: Collection[Topic]) -> Iterator[Block]:
        with extra_module("rosbags.rosbag2", EXTRA).Reader(self._read) as reader:
            wanted = {topic.key: topic for topic in topics}
            connections = [one for one in reader.connections if one.id in wanted]
            yield from gathered(
                (wanted[connection.id], int(stamp), _bytes(connection.topic, raw))
                for connection, stamp, raw in reader.messages(connections=connections)
            )

    # MCAP

    def _records(self, file: Path) -> Iterator[Any]:
        """Chunks by the file's index; all records of a file that has none."""
        stream = extra_module("mcap.stream_reader", EXTRA).StreamReader
        with file.open("rb") as handle:
            places = self._chunks[file]
            if not places:
                reader = stream(handle, emit_chunks=True, record_size_limit=LARGEST)
                yield from reader.records
            # Between the chunks stand indices of their messages, which take longer to read than these.
            for place in places:
                handle.seek(place)
                reader = stream(
                    handle, skip_magic=True, emit_chunks=True, record_size_limit=LARGEST
                )
                yield next(iter(reader.records))

    def _mcap_topics(self) -> list[Topic]:
        reader = extra_module("mcap.reader", EXTRA).SeekingReader
        found: dict[str, Topic] = {}
        for file in self.files:
            check_regular(file)
            check_fetched(file)
            _check_ends(file)
            with file.open("rb") as handle:
                summary = reader(handle, record_size_limit=LARGEST).get_summary()
            if summary is None:
                raise PliantError(
                    "has no summary: was the recording cut off?",
                    file=file,
                    accepted="a whole file; `mcap recover` mends one",
                )
            self._chunks[file] = [
                one.chunk_start_offset
                for one in sorted(summary.chunk_indexes, key=lambda one: one.chunk_start_offset)
            ]
            self._channels[file] = {k: one.topic for k, one in summary.channels.items()}
            for channel in summary.channels.values():
                schema = summary.schemas.get(channel.schema_id)
                found[channel.topic] = Topic(
                    channel.topic,
                    "" if schema is None else schema.name,
                    channel.message_encoding,
                    b"" if schema is None else schema.data,
                    "" if schema is None else schema.encoding,
                    schema,
                )
        return list(found.values())

    def _mcap_blocks(self, topics: Collection[Topic]) -> Iterator[Block]:
        wanted = {topic.name: topic for topic in topics}
        for file in self.files:
            yield from self._of_file(file, wanted)

    def _of_file(self, file: Path, wanted: Mapping[str, Topic]) -> Iterator[Block]:
        records = extra_module("mcap.records", EXTRA)
        known = {k: wanted[name] for k, name in self._channels[file].items() if name in wanted}
        loose: list[tuple[Topic, int, bytes]] = []  # of a file without chunks
        for record in self._records(file):
            if isinstance(record, records.Message) and record.channel_id in known:
                loose.append((known[record.channel_id], record.log_time, record.data))
                if len(loose) == BLOCK:
                    yield from gathered(loose)
                    loose = []
            elif isinstance(record, records.Chunk):
                for channel, logged, packed in messages(unpacked(record)):
                    if channel in known:
                        yield known[channel], logged, packed
        yield from gathered(loose)


def _check_ends(file: Path) -> None:
    """Refuse what is no MCAP file, or not all of one."""
    with file.open("rb") as handle:
        first = handle.read(len(_MAGIC))
        handle.seek(max(file.stat().st_size - len(_MAGIC), 0))
        last = handle.read(len(_MAGIC))
    if first != _MAGIC:
        found = first.decode("latin-1") if first else "an empty file"
        raise PliantError("is not an MCAP file", file=file, found=found)
    if last != _MAGIC or file.stat().st_size < 2 * len(_MAGIC):
        raise PliantError(
            "is cut off: an MCAP file ends as it begins",
            file=file,
            accepted="a whole file; `mcap recover` mends one",
        )


def _bytes(topic: str, raw: Any) -> bytes:
    """A row's message; a damaged row may hold a number, of which `bytes` would make as many."""
    if isinstance(raw, int | float | str):
        raise PliantError("a message is no bytes", field=topic, found=type(raw).__name__)
    return bytes(cast("bytes", raw))


def gathered(source: Iterable[tuple[Topic, int, bytes]]) -> Iterator[Block]:
    """Single messages in blocks, each topic in their order."""
    held: dict[str, tuple[Topic, list[int], list[bytes]]] = {}
    for topic, stamp, raw in source:
        one = held.setdefault(topic.name, (topic, [], []))
        one[1].append(stamp)
        one[2].append(raw)
        if len(one[2]) == BLOCK:
            yield topic, np.array(one[1], np.int64), Packed.of(one[2])
            del held[topic.name]
    for topic, stamps, raws in held.values():
        yield topic, np.array(stamps, np.int64), Packed.of(raws)


@contextmanager
def _others(path: Path) -> Generator[None]:
    """Give what the libraries raise on a broken file one form."""
    try:
        yield
    except (PliantError, KeyboardInterrupt, GeneratorExit):
        raise
    except MemoryError:
        raise PliantError(
            "cannot be read: it is damaged, or too large for the memory", file=path
        ) from None
    except Exception as error:  # noqa: BLE001 - each library has errors of its own
        raise PliantError(f"cannot be read as a bag: {first_line(error)}", file=path) from None


def of_kind(topics: Sequence[Topic], kinds: Collection[str]) -> list[Topic]:
    """The topics whose type is one of `kinds`, with or without `msg/` in it."""
    return [topic for topic in topics if topic.plain in kinds]


KIND = "sensor_msgs/msg/JointState"
VERSION = 9


def write_bag(log: RobotLog, path: Path) -> None:
    """Write a recording as a folder that ROS 2 plays; stamps begin at 0, efforts are torques.

    A command stands beside each position, at the same time. What has no place in these messages is
    left out (`without_place`).
    """
    if path.exists():
        raise PliantError("exists already", file=path, accepted="another name")
    check_output(path)
    store = extra_module("rosbags.typesys", EXTRA)
    rosbag2 = extra_module("rosbags.rosbag2", EXTRA)
    types: Any = store.get_typestore(store.Stores.ROS2_HUMBLE)
    told = [k for k in range(len(log.joints)) if not np.isnan(log.goal[0, k])]
    draft = Path(tempfile.mkdtemp(dir=path.parent, prefix=".pliant_"))
    try:
        inside = draft / path.name
        plugin = rosbag2.StoragePlugin.MCAP
        with rosbag2.Writer(inside, version=VERSION, storage_plugin=plugin) as writer:
            states = writer.add_connection("/joint_states", KIND, typestore=types)
            commands = writer.add_connection("/joint_commands", KIND, typestore=types)
            torque = log.others.get("torque", np.full(log.position.shape, np.nan))
            for k, at in enumerate(np.rint(1e9 * log.time).astype(np.int64)):
                if told:
                    names = [log.joints[j] for j in told]
                    goal = _message(types, int(at), names, log.goal[k, told], None, None)
                    writer.write(commands, int(at), types.serialize_cdr(goal, KIND))
                rows = (log.position[k], log.speed[k], torque[k])
                state = _message(types, int(at), list(log.joints), *rows)
                writer.write(states, int(at), types.serialize_cdr(state, KIND))
        inside.rename(path)
    except OSError as error:
        raise PliantError("cannot be written", file=path, found=error.strerror) from None
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def without_place(log: RobotLog) -> list[str]:
    """The channels of a recording that JointState does not have."""
    known = {"supply": log.supply, "current": log.current}
    found = [name for name, values in known.items() if values is not None]
    found += [name for name in log.others if name != "torque"]
    return found if log.enabled.all() else [*found, "enabled"]


# The fields of the message, in its order.
def _message(
    types: Any,
    at: int,
    names: list[str],
    position: Floats,
    velocity: Floats | None,
    effort: Floats | None,
) -> Any:
    """One JointState; a list that is not known in full is empty, as its definition has it."""
    kinds = types.types
    stamp = kinds["builtin_interfaces/msg/Time"](at // 10**9, at % 10**9)
    nothing = np.empty(0)
    known = [nothing if row is None or np.isnan(row).any() else row for row in (velocity, effort)]
    return kinds[KIND](kinds["std_msgs/msg/Header"](stamp, ""), names, position, *known)
