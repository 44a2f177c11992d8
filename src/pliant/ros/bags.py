"""rosbag2 files, written and read by rosbags: MCAP or SQLite, with the types' definitions inside."""

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self

from rosbags.highlevel import AnyReader
from rosbags.rosbag2 import StoragePlugin, Writer

from pliant.errors import PliantError
from pliant.ros.messages import plain, store

__all__ = ["BagWriter", "Recorded", "read_bag"]

VERSION = 9
"""Version of rosbag2's format, that of ROS 2 Jazzy."""
Recorded = tuple[str, str, float, Any]
"""Topic, type, time [s] and message."""


class BagWriter:
    """A bag that is written.

    Args:
        path: folder, which must not exist. storage: "mcap" or "sqlite3".

    Raises:
        PliantError: it is there already.
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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._writer.close()

    def add(self, topic: str, kind: str, sample: Any, seconds: float) -> None:
        """Write a message of DDS."""
        self.add_plain(topic, kind, plain(kind, sample), seconds)

    def add_plain(self, topic: str, kind: str, sample: Any, seconds: float) -> None:
        """Write a message as rosbags has it."""
        if topic not in self._topics:
            self._topics[topic] = self._writer.add_connection(topic, kind, typestore=store())
        raw = store().serialize_cdr(sample, kind)
        self._writer.write(self._topics[topic], round(1e9 * seconds), raw)


def read_bag(path: Path) -> Iterator[Recorded]:
    """The messages of a bag in their order.

    Raises:
        PliantError: it cannot be read.
    """
    try:
        with AnyReader([path], default_typestore=store()) as reader:
            for connection, nanoseconds, raw in reader.messages():
                sample = reader.deserialize(raw, connection.msgtype)
                yield connection.topic, connection.msgtype, 1e-9 * nanoseconds, sample
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise PliantError(f"cannot be read as a bag: {error}", file=path) from None
    except Exception as error:  # rosbags' own errors share no base but this
        if type(error).__module__.startswith("rosbags"):
            raise PliantError(f"cannot be read as a bag: {error}", file=path) from None
        raise
