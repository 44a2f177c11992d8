"""Messages in the chunks of an MCAP file: their places by one pass, then all of a channel at once.

`mcap` makes an object of each message; ten minutes of a robot are 600 000.
"""

import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.files import MIB
from pliant.io.formats.packed import Packed

LARGEST = 256 * MIB
"""[bytes] Of a chunk, unpacked."""
_MESSAGE = 0x05
_HEAD = 9
"""[bytes] Before a record: its kind, and the length of the rest."""
_BEFORE = 22
"""[bytes] Before the content of a message: channel (2), number (4), time of logging (8), of sending (8)."""

Messages = tuple[int, NDArray[np.int64], Packed]
"""A channel, when its messages were logged [ns], and the messages."""


def messages(data: bytes) -> Iterator[Messages]:
    """The messages of each channel in a chunk.

    Raises:
        PliantError: a record is cut off.
    """
    kinds, places, lengths = _records(data)
    mine = (kinds == _MESSAGE) & (lengths >= _BEFORE)
    places, lengths = places[mine], lengths[mine]
    if not len(places):
        return
    whole = np.frombuffer(data, np.uint8)
    heads = whole[places[:, None] + np.arange(_BEFORE)]
    fields = np.dtype(
        {"names": ["channel", "logged"], "formats": ["<u2", "<u8"], "offsets": [0, 6], "itemsize": _BEFORE}
    )  # fmt: skip
    read = heads.reshape(-1).view(fields)
    for channel in np.unique(read["channel"]).tolist():
        rows = read["channel"] == channel
        logged: NDArray[np.int64] = read["logged"][rows].astype(np.int64)
        yield channel, logged, Packed(whole, places[rows] + _BEFORE, lengths[rows] - _BEFORE)


def _records(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """(R,) kind of each record, where its content begins, and how long it is."""
    places: list[int] = []
    sizes: list[int] = []
    at, end = 0, len(data)
    length_at = struct.Struct("<Q").unpack_from
    while at + _HEAD <= end:
        (size,) = length_at(data, at + 1)
        at += _HEAD
        places.append(at)
        sizes.append(size)
        at += size
    if at > end:
        raise PliantError("a record is cut off")
    begins = np.array(places, np.int64)
    return np.frombuffer(data, np.uint8)[begins - _HEAD], begins, np.array(sizes, np.int64)


def unpacked(chunk: Any) -> bytes:
    """The records in a chunk, as large as it says and no larger.

    Raises:
        PliantError: it is of another size, too large, or compressed in another way.
    """
    size = int(chunk.uncompressed_size)
    if size > LARGEST:
        raise PliantError("a chunk is too large", found=size, accepted=f"{LARGEST} bytes")
    if chunk.compression == "lz4":
        frame = extra_module("lz4.frame", "bags")
        data: bytes = frame.LZ4FrameDecompressor().decompress(chunk.data, max_length=size + 1)
    elif chunk.compression == "zstd":
        zstd = extra_module("zstandard", "bags")
        with zstd.ZstdDecompressor().stream_reader(chunk.data) as stream:
            data = stream.read(size + 1)
    elif chunk.compression == "":
        data = chunk.data
    else:
        raise PliantError("uses an unsupported compression", found=chunk.compression)
    if len(data) != size:
        raise PliantError("a chunk is not as large as it says", found=len(data), accepted=str(size))
    return data
