"""Files of a bag that is a folder, in their order, and the description beside them.

Messages in the chunks of an MCAP file are found by one pass, then all of a channel taken at once: `mcap` makes
an object of each message, and ten minutes of a robot are 600 000.
"""

import re
import reprlib
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.files import MIB, is_folder, read_text
from pliant.io.findings import Finding
from pliant.io.formats.compressed import Packed, plain_suffix
from pliant.io.formats.tables import first_line

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
    size, field = int(chunk.uncompressed_size), "uncompressed_size"
    if size > LARGEST:
        raise PliantError(
            "a chunk is too large", field=field, found=size, accepted=f"{LARGEST} bytes"
        )
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
        problem = "a chunk is not as large as it says"
        raise PliantError(problem, field=field, found=len(data), accepted=str(size))
    return data


EXTRA = "bags"
DESCRIPTION = "metadata.yaml"
_BAG, _LISTED = "rosbag2_bagfile_information", "relative_file_paths"


def mcap_files(path: Path) -> tuple[list[Path], list[Finding]]:
    """MCAP files of a bag, in numeric order, and findings on its description.

    The files are complete without the description; if it is broken, or lists missing files, a finding says so.
    """
    if not is_folder(path):
        return [path], []
    found = [file for file in path.iterdir() if plain_suffix(file) == ".mcap"]
    whole = {file.name for file in found}
    files = sorted(
        (file for file in found if file.suffix == ".mcap" or file.stem not in whole), key=_numbered
    )
    description = path / DESCRIPTION
    if not files or not description.is_file():
        return files, []
    try:
        listed = described(description).get(_LISTED)
    except PliantError as error:
        # Its message names the file, as the finding does.
        text = str(error).removeprefix(f"{description}: ")
        said = f"{text}: read without it, the files in the order of their numbers"
        return files, [Finding("unreadable", DESCRIPTION, said, "warning")]
    names = cast("list[object]", listed) if isinstance(listed, list) else []
    there = {_inside(file) for file in files}
    told = [_inside(Path(name)) for name in names if isinstance(name, str)]
    return files, _missing([name for name in told if name not in there])


def described(file: Path) -> dict[str, object]:
    """Read the description of a bag.

    Raises:
        PliantError: it is none: rosbags would say nothing of what is wrong with it.
    """
    yaml = extra_module("ruamel.yaml", EXTRA)  # which rosbags reads it with
    with located(file):
        text = read_text(file, largest=4 * MIB)
        try:
            said: object = yaml.YAML(typ="safe", pure=True).load(text)
        except yaml.error.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            line = 1 if mark is None else mark.line + 1
            raise PliantError(f"is not YAML: {first_line(error)}", field=f"line {line}") from None
        known = cast("dict[str, object]", said) if isinstance(said, dict) else {}
        inside = known.get(_BAG)
        if not isinstance(inside, dict):
            raise PliantError(
                "is not the description of a bag",
                field=_BAG,
                # Aliases of aliases are small as objects, and without end as text.
                found=(said if isinstance(said, str) else reprlib.repr(cast("object", said)))[:60]
                or "nothing",
                accepted=f"a mapping with {_BAG}",
            )
        return cast("dict[str, object]", inside)


def _missing(names: Sequence[str]) -> list[Finding]:
    if not names:
        return []
    said = f"lists {', '.join(names[:5])}, not in the folder: that part of the recording is missing"
    return [Finding("missing", DESCRIPTION, said[:300], "warning")]


def _numbered(file: Path) -> list[tuple[bool, int, str]]:
    """Order by the numbers in a name: `bag_10` after `bag_9`."""
    parts = re.split(r"([0-9]{1,18})", file.name)
    return [(p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts]


def _inside(file: Path) -> str:
    """Name of a file, without the suffix of its compression."""
    return file.name if plain_suffix(file) == file.suffix.lower() else file.stem
