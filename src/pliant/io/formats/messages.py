"""Messages of bags, topic by topic, in blocks of raw bytes: rosbag2 in sqlite3, MCAP of any writer."""

import struct
from collections.abc import Collection, Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.files import MIB, check_regular, is_folder
from pliant.io.formats.extra import extra_module
from pliant.io.formats.tables import first_line

EXTRA = "bags"
BLOCK = 16384
"""Messages that are held as bytes at a time."""
LARGEST_CHUNK = 256 * MIB
"""[bytes] Of a compressed part of a file, unpacked."""
_MESSAGE = 0x05
_MAGIC = b"\x89MCAP0\r\n"
"""First and last bytes of an MCAP file."""


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
        """Type as one form for all encodings: `sensor_msgs/JointState`."""
        return self.kind.replace("/msg/", "/").replace(".", "/")


Block = tuple[Topic, NDArray[np.int64], list[bytes]]
"""A topic, when its messages were logged [ns], and the messages."""


class Bag:
    """A bag, opened: its topics are known, its messages not yet read.

    Raises:
        PliantError: it is no bag, or is cut off.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.files = sorted(path.glob("*.mcap")) if is_folder(path) else [path]
        self.mcap = bool(self.files) and self.files[0].suffix.lower() == ".mcap"
        with _others(path):
            self.topics = self._mcap_topics() if self.mcap else self._rosbag_topics()

    def blocks(self, topics: Collection[Topic]) -> Iterator[Block]:
        """The messages of these topics, block by block, each topic in the order of the file."""
        source = self._mcap_messages if self.mcap else self._rosbag_messages
        held: dict[str, tuple[Topic, list[int], list[bytes]]] = {}
        with _others(self.path):
            for topic, stamp, raw in source(topics):
                one = held.setdefault(topic.name, (topic, [], []))
                one[1].append(stamp)
                one[2].append(raw)
                if len(one[2]) == BLOCK:
                    yield topic, np.array(one[1], np.int64), one[2]
                    del held[topic.name]
            for topic, stamps, raws in held.values():
                yield topic, np.array(stamps, np.int64), raws

    # rosbag2 in sqlite3

    def _rosbag_topics(self) -> list[Topic]:
        if not is_folder(self.path):
            check_regular(self.path)
        with extra_module("rosbags.rosbag2", EXTRA).Reader(self.path) as reader:
            forms: tuple[str, ...] = ("", "ros2msg", "ros2idl")
            return [
                Topic(
                    one.topic,
                    one.msgtype,
                    "cdr",
                    one.msgdef.data.encode(),
                    forms[int(one.msgdef.format.value)],
                    one.id,
                )
                for one in reader.connections
            ]

    def _rosbag_messages(self, topics: Collection[Topic]) -> Iterator[tuple[Topic, int, bytes]]:
        wanted = {topic.key: topic for topic in topics}
        with extra_module("rosbags.rosbag2", EXTRA).Reader(self.path) as reader:
            connections = [one for one in reader.connections if one.id in wanted]
            for connection, stamp, raw in reader.messages(connections=connections):
                if isinstance(raw, int | float | str):  # a damaged row: `bytes(10**12)` is memory
                    kind = type(raw).__name__
                    raise PliantError("a message is no bytes", field=connection.topic, found=kind)
                yield wanted[connection.id], int(stamp), bytes(raw)

    # MCAP

    def _records(self) -> Iterator[Any]:
        stream = extra_module("mcap.stream_reader", EXTRA)
        for file in self.files:
            check_regular(file)
            with file.open("rb") as handle:
                reader = stream.StreamReader(
                    handle, emit_chunks=True, record_size_limit=LARGEST_CHUNK
                )
                yield from reader.records

    def _mcap_topics(self) -> list[Topic]:
        reader = extra_module("mcap.reader", EXTRA).SeekingReader
        found: dict[str, Topic] = {}
        for file in self.files:
            check_regular(file)
            _check_ends(file)
            with file.open("rb") as handle:
                summary = reader(handle, record_size_limit=LARGEST_CHUNK).get_summary()
            if summary is None:
                raise PliantError(
                    "has no summary: was the recording cut off?",
                    file=file,
                    accepted="a whole file; `mcap recover` mends one",
                )
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

    def _mcap_messages(self, topics: Collection[Topic]) -> Iterator[tuple[Topic, int, bytes]]:
        records = extra_module("mcap.records", EXTRA)
        wanted = {topic.name: topic for topic in topics}
        known: dict[int, Topic] = {}
        for record in self._records():
            if isinstance(record, records.Channel) and record.topic in wanted:
                known[record.id] = wanted[record.topic]
            elif isinstance(record, records.Message) and record.channel_id in known:
                yield known[record.channel_id], record.log_time, record.data
            elif isinstance(record, records.Chunk):
                data = _unpacked(record)
                yield from _messages(data, known, wanted)


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


def _messages(
    data: bytes, known: dict[int, Topic], wanted: dict[str, Topic]
) -> Iterator[tuple[Topic, int, bytes]]:
    """Messages of the known channels in a chunk; channels that it defines become known."""
    at = 0
    while at + 9 <= len(data):
        op, length = data[at], int.from_bytes(data[at + 1 : at + 9], "little")
        body = at + 9
        at = body + length
        if at > len(data):
            raise PliantError("a record is cut off")
        if op == _MESSAGE and length >= 22:
            channel, _, stamp = struct.unpack_from("<HIQ", data, body)
            if channel in known:
                yield known[channel], stamp, data[body + 22 : at]
        elif op == 0x04 and length >= 8:  # channel: id, schema, then the topic
            channel, _, size = struct.unpack_from("<HHI", data, body)
            name = data[body + 8 : min(body + 8 + size, at)].decode("utf-8", "replace")
            if name in wanted:
                known[channel] = wanted[name]


def _unpacked(chunk: Any) -> bytes:
    """The records in a chunk, as large as it says and no larger."""
    size = int(chunk.uncompressed_size)
    if size > LARGEST_CHUNK:
        raise PliantError("a chunk is too large", found=size, accepted=f"{LARGEST_CHUNK} bytes")
    if chunk.compression == "lz4":
        frame = extra_module("lz4.frame", EXTRA)
        data: bytes = frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
    elif chunk.compression == "zstd":
        zstd = extra_module("zstandard", EXTRA)
        with zstd.ZstdDecompressor().stream_reader(chunk.data) as stream:
            data = stream.read(size + 1)
    elif chunk.compression == "":
        data = chunk.data
    else:
        raise PliantError("uses an unsupported compression", found=chunk.compression)
    if len(data) != size:
        raise PliantError("a chunk is not as large as it says", found=len(data), accepted=str(size))
    return data


@contextmanager
def _others(path: Path) -> Generator[None]:
    """Give what the libraries raise on a broken file one form."""
    try:
        yield
    except (PliantError, MemoryError, KeyboardInterrupt, GeneratorExit):
        raise
    except Exception as error:  # noqa: BLE001 - each library has errors of its own
        raise PliantError(f"cannot be read as a bag: {first_line(error)}", file=path) from None


def of_kind(topics: Sequence[Topic], kinds: Collection[str]) -> list[Topic]:
    """The topics whose type is one of `kinds`, with or without `msg/` in it."""
    return [topic for topic in topics if topic.plain in kinds]
