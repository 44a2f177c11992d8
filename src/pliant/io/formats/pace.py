"""PACE recordings (`.pt`): `time`, `dof_pos` and `des_dof_pos`, read without torch and without running the pickle.

A `.pt` is a pickle in a ZIP. A pickle is a program. Here its instructions are walked through one by one: those
that build dicts, lists and tensors are followed, and a file with any other instruction or name is refused.
"""

import io
import pickletools
import struct
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.files import MIB, check_regular
from pliant.io.findings import Finding
from pliant.io.formats.reading import Reading, check_size
from pliant.io.formats.runs import run
from pliant.io.robot_log import RobotLog

PICKLE = "data.pkl"
LARGEST_PICKLE = MIB
MOST_STEPS = 100_000
BEYOND = 2**40
"""No count, offset, shape or stride is as large."""
STORAGES = {
    "torch FloatStorage": "f4", "torch DoubleStorage": "f8", "torch HalfStorage": "f2",
    "torch LongStorage": "i8", "torch IntStorage": "i4", "torch ShortStorage": "i2",
    "torch ByteStorage": "u1", "torch CharStorage": "i1", "torch BoolStorage": "u1",
}  # fmt: skip
_BROKEN = (
    zipfile.BadZipFile,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    UnicodeError,
    ValueError,
    zlib.error,
    struct.error,
)
"""Errors of `zipfile` on files that are none, or are damaged."""
_REBUILD, _ORDERED = "torch._utils _rebuild_tensor_v2", "collections OrderedDict"


@dataclass(frozen=True)
class _Name:
    """A name that the pickle would import."""

    text: str


@dataclass(frozen=True)
class _Storage:
    """Numbers of a tensor, in an entry of the ZIP."""

    kind: str
    key: str
    count: int


@dataclass(frozen=True)
class _Tensor:
    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]


def read_tensors(path: Path) -> dict[str, Floats]:
    """Name to array, of a saved dict of tensors; what else stands in it is left out.

    Raises:
        PliantError: it is no such file, or its pickle would do more than build tensors.
    """
    check_regular(path)
    with located(path):
        try:
            with zipfile.ZipFile(path) as archive:
                return _tensors(archive)
        except PliantError:
            raise
        except _BROKEN:
            raise PliantError(
                "is not a file that torch saves", accepted="a ZIP, as of torch 1.6 and later"
            ) from None


def _tensors(archive: zipfile.ZipFile) -> dict[str, Floats]:
    inside = {info.filename: info for info in archive.infolist()}
    pickles = [name for name in inside if name.endswith(f"/{PICKLE}")]
    if len(pickles) != 1:
        raise PliantError("is not a file that torch saves", accepted=f"one {PICKLE} in it")
    root = pickles[0].removesuffix(PICKLE)
    with located(field=PICKLE):
        built = _built(_entry(archive, pickles[0], LARGEST_PICKLE))
    if not isinstance(built, dict):
        raise PliantError("is not a dict of tensors", field=PICKLE)
    name = f"{root}byteorder"
    order = ">" if name in inside and _entry(archive, name, 16) == b"big" else "<"
    found: dict[str, Floats] = {}
    for name, value in cast("dict[object, object]", built).items():
        if isinstance(name, str) and isinstance(value, _Tensor):
            with located(field=name):
                found[name] = _array(archive, root, value, order)
    return found


def _entry(archive: zipfile.ZipFile, name: str, largest: int) -> bytes:
    """An entry, which may be no larger unpacked, whatever the ZIP says."""
    with archive.open(name) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise PliantError("is too large", field=name[:80], accepted=f"{largest} bytes")
    return data


def _array(archive: zipfile.ZipFile, root: str, tensor: _Tensor, order: str) -> Floats:
    storage = tensor.storage
    check_size(storage.count)
    kind = np.dtype(order + STORAGES[storage.kind])
    largest = storage.count * kind.itemsize
    try:
        data = _entry(archive, f"{root}data/{storage.key}", largest)
    except KeyError:
        raise PliantError("has no numbers in the file", found=storage.key) from None
    if len(data) != largest:
        raise PliantError("is cut off", found=f"{len(data)} bytes", accepted=f"{largest} bytes")
    sizes = [(n - 1) * s for n, s in zip(tensor.shape, tensor.stride, strict=True)]
    empty = 0 in tensor.shape
    if not empty and tensor.offset + sum(sizes) >= storage.count:
        raise PliantError("reaches beyond its numbers", found=f"shape {tensor.shape}")
    check_size(prod(tensor.shape))
    flat: NDArray[Any] = np.frombuffer(data, dtype=kind)
    strides = tuple(s * kind.itemsize for s in tensor.stride)
    view = np.lib.stride_tricks.as_strided(flat[tensor.offset :], tensor.shape, strides)
    return np.array(view, dtype=np.float64)


def _built(data: bytes) -> object:
    """The value that a pickle builds out of dicts, lists, texts, numbers and tensors."""
    machine = _Machine()
    try:
        for steps, (op, argument, _) in enumerate(pickletools.genops(io.BytesIO(data))):
            if steps > MOST_STEPS:
                raise PliantError("its pickle is too long", accepted=f"{MOST_STEPS} instructions")
            if op.name == "STOP":
                return machine.stack[-1]
            machine.step(op.name, argument)
    except (ValueError, IndexError, KeyError, TypeError) as error:
        if isinstance(error, PliantError):
            raise
        raise PliantError("its pickle is broken") from None
    raise PliantError("its pickle is cut off")


class _Machine:
    """The stack and the memory of a pickle's instructions."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self._known: dict[str, Callable[[Any], None]] = {
            "MARK": lambda _: self.marks.append(len(self.stack)),
            "EMPTY_DICT": lambda _: self.stack.append({}),
            "EMPTY_LIST": lambda _: self.stack.append([]),
            "EMPTY_TUPLE": lambda _: self.stack.append(()),
            "NONE": lambda _: self.stack.append(None),
            "NEWTRUE": lambda _: self.stack.append(True),
            "NEWFALSE": lambda _: self.stack.append(False),
            "TUPLE": lambda _: self.stack.append(tuple(self._marked())),
            "TUPLE1": lambda _: self._gather(1),
            "TUPLE2": lambda _: self._gather(2),
            "TUPLE3": lambda _: self._gather(3),
            "BINPUT": self._put,
            "LONG_BINPUT": self._put,
            "MEMOIZE": lambda _: self._put(len(self.memo)),
            "BINGET": lambda key: self.stack.append(self.memo[key]),
            "LONG_BINGET": lambda key: self.stack.append(self.memo[key]),
            "GLOBAL": self._name,
            "STACK_GLOBAL": lambda _: self._name(" ".join(self._popped(2))),
            "BINPERSID": lambda _: self._storage(),
            "REDUCE": lambda _: self._reduce(),
            "SETITEM": lambda _: self._set(self._popped(2)),
            "SETITEMS": lambda _: self._set(self._marked()),
            "APPEND": lambda _: self._append(self._popped(1)),
            "APPENDS": lambda _: self._append(self._marked()),
        }

    def step(self, name: str, argument: Any) -> None:
        """One instruction."""
        if name in ("PROTO", "FRAME"):
            return
        if name in _CONSTANTS:
            self.stack.append(argument)
            return
        if name not in self._known:
            raise PliantError(
                "contains more than tensors: its pickle would run code; none of it was run",
                found=name,
            )
        self._known[name](argument)

    def _put(self, key: int) -> None:
        self.memo[key] = self.stack[-1]

    def _popped(self, count: int) -> list[Any]:
        found = self.stack[-count:]
        if len(self.stack) - count < (self.marks[-1] if self.marks else 0):
            raise PliantError("its pickle is broken")
        del self.stack[-count:]
        return found

    def _gather(self, count: int) -> None:
        self.stack.append(tuple(self._popped(count)))

    def _marked(self) -> list[Any]:
        at = self.marks.pop()
        found = self.stack[at:]
        del self.stack[at:]
        return found

    def _name(self, text: str) -> None:
        if text not in (_REBUILD, _ORDERED, *STORAGES):
            raise PliantError(
                "contains more than tensors: its pickle would run code; none of it was run",
                found=text,
            )
        self.stack.append(_Name(text))

    def _storage(self) -> None:
        (said,) = self._popped(1)
        word, kind, key, _, count = said
        good = word == "storage" and isinstance(kind, _Name) and kind.text in STORAGES
        if not good or not isinstance(key, str) or not _is_count(count):
            raise PliantError("its pickle is broken")
        self.stack.append(_Storage(kind.text, key, count))

    def _reduce(self) -> None:
        called, arguments = self._popped(2)
        if called == _Name(_ORDERED) and arguments == ():
            self.stack.append({})
            return
        if called != _Name(_REBUILD):
            raise PliantError("its pickle is broken")
        storage, offset, shape, stride = arguments[:4]
        numbers = [offset, *shape, *stride]
        if not isinstance(storage, _Storage) or not all(_is_count(n) for n in numbers):
            raise PliantError("its pickle is broken")
        if len(shape) != len(stride) or len(shape) > 8:
            raise PliantError("its pickle is broken")
        self.stack.append(_Tensor(storage, offset, tuple(shape), tuple(stride)))

    def _set(self, items: list[Any]) -> None:
        target = self.stack[-1]
        for name, value in zip(items[::2], items[1::2], strict=True):
            if not isinstance(target, dict) or not isinstance(name, str | int):
                raise PliantError("its pickle is broken")
            target[name] = value

    def _append(self, items: list[Any]) -> None:
        if not isinstance(self.stack[-1], list):
            raise PliantError("its pickle is broken")
        cast("list[Any]", self.stack[-1]).extend(items)


def _is_count(n: object) -> bool:
    return type(n) is int and 0 <= n < BEYOND


_CONSTANTS = frozenset(
    ("BININT", "BININT1", "BININT2", "LONG1", "BINFLOAT", "BINUNICODE", "SHORT_BINUNICODE")
)


NEEDED = ("time", "dof_pos", "des_dof_pos")


def read_pace(path: Path, reading: Reading) -> list[RobotLog]:
    """The one run in a file; joints are called by number."""
    with located(path):
        found = read_tensors(path)
        for name in NEEDED:
            if name not in found:
                raise PliantError("is missing", field=name, accepted=NEEDED)
        time = found["time"].reshape(-1)
        position, goal = found["dof_pos"], found["des_dof_pos"]
        for name, array in (("dof_pos", position), ("des_dof_pos", goal)):
            if array.ndim != 2 or array.shape != (len(time), position.shape[-1]):
                raise PliantError(
                    "has the wrong shape",
                    field=name,
                    found=f"shape {array.shape}",
                    accepted=f"({len(time)}, joints)",
                )
        joints = [f"joint_{k}" for k in range(position.shape[1])]
        note = "has no gains and no joint names: give control.kp and --rename"
        said = [Finding("missing", "file", note, "note")]
        return [run(path.stem, path, joints, time, position, goal=goal, findings=said)]
