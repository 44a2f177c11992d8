"""Messages of bags: packed in one piece of memory, and zstd around them or around whole files, as rosbag2 writes it."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.files import MIB, check_fetched, check_regular


@dataclass(frozen=True)
class Packed:
    """N messages.

    Attributes:
        data: (B,) bytes, with others between them perhaps.
        starts, lengths: (N,) [bytes] of each message in it.
    """

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @staticmethod
    def of(raws: Sequence[bytes]) -> "Packed":
        """Messages one behind the other."""
        lengths = np.array([len(raw) for raw in raws], np.int64)
        starts = np.cumsum(lengths) - lengths
        return Packed(np.frombuffer(b"".join(raws), np.uint8), starts, lengths)

    def __len__(self) -> int:
        """N."""
        return len(self.starts)

    def each(self) -> Iterator[bytes]:
        """The messages one by one."""
        for start, length in zip(self.starts.tolist(), self.lengths.tolist(), strict=True):
            yield self.data[start : start + length].tobytes()

    def tables(self) -> Iterator[tuple[NDArray[np.intp], NDArray[np.uint8]]]:
        """For each length: numbers of the messages that have it, and these as (n, length)."""
        for length in np.unique(self.lengths).tolist():
            rows = np.flatnonzero(self.lengths == length)
            if length == 0:
                yield rows, np.empty((len(rows), 0), np.uint8)
                continue
            windows = np.lib.stride_tricks.sliding_window_view(self.data, length)
            yield rows, windows[self.starts[rows]]


SUFFIXES = (".zst", ".zstd")
INSIDE = (".mcap", ".db3")
"""Suffixes of files that are read compressed."""
LARGEST = 4096 * MIB
"""[bytes] Of a file, unpacked."""
LARGEST_MESSAGE = 16 * MIB
_MAGIC = b"\x28\xb5\x2f\xfd"
"""First bytes of a zstd frame. No CDR message begins so."""


def plain_suffix(path: Path) -> str:
    """Suffix of a file, that of what is compressed in it: `.mcap` of `a.mcap.zstd`."""
    inside = Path(path.stem).suffix.lower()
    is_compressed = path.suffix.lower() in SUFFIXES and inside in INSIDE
    return inside if is_compressed else path.suffix.lower()


def unpacked_file(path: Path, folder: Path) -> Path:
    """The file itself, or what is compressed in it, written into `folder`."""
    if path.suffix.lower() not in SUFFIXES:
        return path
    check_regular(path)
    check_fetched(path)
    zstd = extra_module("zstandard", "bags")
    target = folder / path.stem
    with located(path), path.open("rb") as source, target.open("wb") as sink:
        try:
            whole = zstd.frame_content_size(source.read(18))
            source.seek(0)
            with zstd.ZstdDecompressor().stream_reader(source) as stream:
                while piece := stream.read(MIB):
                    sink.write(piece)
                    if sink.tell() > LARGEST:
                        raise PliantError("is too large", accepted=f"at most {LARGEST // MIB} MiB")
        except zstd.ZstdError as error:
            raise PliantError(f"is not zstd: {error}") from None
        if not 0 < sink.tell() >= whole:
            raise PliantError("is cut off", found=sink.tell(), accepted=f"{whole} bytes, unpacked")
    return target


class Unpacked:
    """A folder for unpacked files, removed when nothing refers to it any more."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="pliant_"))

    def __del__(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)


def unpacked_messages(packed: Packed) -> Packed:
    """The messages, those that are compressed unpacked."""
    if not len(packed) or next(packed.each())[:4] != _MAGIC:
        return packed
    zstd = extra_module("zstandard", "bags")
    reader = zstd.ZstdDecompressor()
    found: list[bytes] = []
    for raw in packed.each():
        if raw[:4] != _MAGIC:
            found.append(raw)
            continue
        try:
            with reader.stream_reader(raw) as stream:
                found.append(stream.read(LARGEST_MESSAGE + 1))
        except zstd.ZstdError as error:
            raise PliantError(f"a message is not zstd: {error}") from None
        if len(found[-1]) > LARGEST_MESSAGE:
            raise PliantError("a message is too large", accepted=f"at most {LARGEST_MESSAGE} bytes")
    return Packed.of(found)
