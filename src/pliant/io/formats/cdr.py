"""ROS 2 messages (CDR) in columns: the layout is found on one message and read from all of them at once.

Message by message in Python, 600 000 messages take ten seconds; this way a tenth of that. Definitions are
parsed, never compiled to code. A message with a new layout starts a new group.

Left out: wide strings, bounded types beyond their element, XCDR 2.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.formats.compressed import Packed
from pliant.io.formats.tables import first_line

Definitions = Mapping[str, Any]
"""Type to its constants and fields, as rosbags parses them."""
SIZES = {
    "bool": "u1", "byte": "u1", "octet": "u1", "char": "u1", "int8": "i1", "uint8": "u1",
    "int16": "i2", "uint16": "u2", "int32": "i4", "uint32": "u4", "int64": "i8", "uint64": "u8",
    "float32": "f4", "float64": "f8",
}  # fmt: skip
BASE, NAME, ARRAY = 1, 2, 3
MOST = 10_000
"""Fields of a message, each element of a list of messages counted."""
MOST_LAYOUTS = 2000
"""Layouts of one topic: a list that grows by one in every message would be slow without end."""
LARGEST = 2**20
"""[bytes] Of a message that is looked at."""


@dataclass
class Layout:
    """Places of a message's fields.

    Attributes:
        numbers: path to type, offset and count. texts: path to the texts of a list, or one text.
        fixed: offset and bytes that all messages of this layout share: lengths and texts.
    """

    order: str
    numbers: dict[str, tuple[str, int, int]] = field(
        default_factory=dict[str, tuple[str, int, int]]
    )
    texts: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    fixed: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])

    def fits(self, table: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """(N,) whether messages of the same length, (N, bytes), are laid out like this."""
        good = np.ones(len(table), bool)
        for at, said in self.fixed:
            good &= (table[:, at : at + len(said)] == np.frombuffer(said, np.uint8)).all(axis=1)
        return good


@dataclass
class Group:
    """Messages of one layout: their numbers in the stream, and columns of the fields asked for."""

    texts: dict[str, tuple[str, ...]]
    shape: dict[str, int]
    rows: list[NDArray[np.int64]] = field(default_factory=list[NDArray[np.int64]])
    parts: dict[str, list[NDArray[Any]]] = field(default_factory=dict[str, list[NDArray[Any]]])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Path to (N, count)."""
        return {name: np.concatenate(parts) for name, parts in self.parts.items()}


class Columns:
    """Messages of one type, collected block by block.

    Args:
        kind: the type. candidates: definitions to try: of the file, or of versions of the type.
        wanted: ends of the paths that are kept: "position", "q".
    """

    def __init__(self, kind: str, candidates: Sequence[Definitions], wanted: Iterable[str]) -> None:
        self.kind, self.candidates, self.wanted = kind, list(candidates), frozenset(wanted)
        self.groups: list[Group] = []
        self._layouts: dict[int, list[tuple[Layout, Group]]] = {}
        self.count = 0

    def add(self, packed: Packed) -> None:
        """Take in the next messages.

        Raises:
            PliantError: one is cut off, of another definition, or too many differ in their layout.
        """
        for rows, table in packed.tables():
            self._sort(table, rows)
        self.count += len(packed)

    def _sort(self, table: NDArray[np.uint8], rows: NDArray[np.intp]) -> None:
        """Messages of one length into the groups of their layouts."""
        known = self._layouts.setdefault(table.shape[1], [])
        tried = 0
        while len(rows):
            if tried == len(known):
                known.append(self._new(table[0].tobytes()))
            layout, group = known[tried]
            tried += 1
            mine = layout.fits(table)
            if mine.any():
                self._take(layout, group, table[mine])
                group.rows.append(rows[mine] + self.count)
                table, rows = table[~mine], rows[~mine]

    def _new(self, raw: bytes) -> tuple[Layout, Group]:
        """The layout of a message like no earlier one, and its group."""
        if sum(map(len, self._layouts.values())) > MOST_LAYOUTS:
            raise PliantError(
                "messages differ too much", accepted=f"at most {MOST_LAYOUTS} layouts"
            )
        layout = self._laid_out(raw)
        texts = {name: said for name, said in layout.texts.items() if self._asked(name)}
        shape = {n: part for n, (_, _, part) in layout.numbers.items() if self._asked(n)}
        for group in self.groups:
            if group.texts == texts and group.shape == shape:
                return layout, group
        self.groups.append(Group(texts, shape))
        return layout, self.groups[-1]

    def _laid_out(self, raw: bytes) -> Layout:
        refused: PliantError | None = None
        for definitions in self.candidates:
            try:
                return laid_out(raw, self.kind, definitions)
            except PliantError as error:
                refused = error
        raise refused or PliantError("no definition of this type", found=self.kind)

    def _asked(self, path: str) -> bool:
        return path.rpartition(".")[2] in self.wanted

    def _take(self, layout: Layout, group: Group, table: NDArray[np.uint8]) -> None:
        names = [name for name in layout.numbers if self._asked(name)]
        kind = np.dtype(
            {
                "names": names,
                "formats": [(layout.numbers[n][0], (layout.numbers[n][2],)) for n in names],
                "offsets": [layout.numbers[n][1] for n in names],
                "itemsize": table.shape[1],
            }
        )
        fields = np.ascontiguousarray(table).reshape(-1).view(kind)
        for name in names:
            values: NDArray[Any] = np.array(fields[name])  # a copy: the buffer is not kept
            group.parts.setdefault(name, []).append(values)


def laid_out(raw: bytes, kind: str, definitions: Definitions) -> Layout:
    """The layout of one message."""
    if len(raw) < 4 or raw[0] != 0 or raw[1] not in (0, 1) or len(raw) > LARGEST:
        raise PliantError("is not a message in plain CDR", found=raw[:4].hex())
    walk = _Walk(raw, definitions, Layout("<" if raw[1] == 1 else ">"))
    walk.message(kind, "")
    if not 0 <= len(raw) - walk.at < 8:
        raise PliantError(
            f"a message is not as its type {kind} is defined",
            found=f"{len(raw)} bytes",
            accepted=f"{walk.at} bytes",
        )
    return walk.layout


class _Walk:
    """One pass over a message, field by field."""

    def __init__(self, raw: bytes, definitions: Definitions, layout: Layout) -> None:
        self.raw, self.definitions, self.layout = raw, definitions, layout
        self.at, self.seen = 4, 0

    def message(self, kind: str, prefix: str) -> None:
        """The fields of a message of this type, from here on."""
        if kind not in self.definitions:
            raise PliantError("has no definition of a type", found=kind)
        fields: Sequence[tuple[str, Any]] = self.definitions[kind][1]
        for name, (node, said) in fields:
            self._field(f"{prefix}{name}", int(node), said)

    def _field(self, path: str, node: int, said: Any) -> None:
        self.seen += 1
        if self.seen > MOST:
            raise PliantError("has too many fields", accepted=f"at most {MOST}")
        if node == BASE:
            self._base(path, said[0], 1, several=False)
        elif node == NAME:
            self.message(said, f"{path}.")
        else:
            (inner, element), count = said
            if node != ARRAY:
                count = self._length()
            if int(inner) == BASE:
                self._base(path, element[0], count, several=True)
            else:
                if count > MOST:
                    raise PliantError("has too many fields", accepted=f"at most {MOST}")
                for k in range(count):
                    self.seen += 1
                    self.message(element, f"{path}.{k}.")

    def _base(self, path: str, name: str, count: int, *, several: bool) -> None:
        if name == "string":
            if count > MOST:
                raise PliantError("has too many texts", accepted=f"at most {MOST}")
            self.layout.texts[path] = tuple(self._text() for _ in range(count))
            return
        if name not in SIZES:
            raise PliantError("has an unsupported type", field=path, found=name)
        size = int(SIZES[name][1])
        if count or not several:
            self._align(size)
        self.layout.numbers[path] = (self.layout.order + SIZES[name], self.at, count)
        self._advance(size * count)

    def _length(self) -> int:
        self._align(4)
        at = self.at
        self._advance(4)
        said = self.raw[at : self.at]
        self.layout.fixed.append((at, said))
        return int.from_bytes(said, "little" if self.layout.order == "<" else "big")

    def _text(self) -> str:
        length = self._length()
        at = self.at
        self._advance(length)
        said = self.raw[at : self.at]
        self.layout.fixed.append((at, said))
        return said.rstrip(b"\0").decode("utf-8", "replace")

    def _align(self, size: int) -> None:
        self.at += -(self.at - 4) % size

    def _advance(self, size: int) -> None:
        self.at += size
        if self.at > len(self.raw):
            raise PliantError("a message is cut off, or not as its type is defined")


EXTRA = "bags"

_JTC = "control_msgs/msg/JointTrajectoryControllerState"
_POINT = "trajectory_msgs/JointTrajectoryPoint"
_BEGIN = "std_msgs/Header header\nstring[] joint_names\n"
_JTC_VERSIONS = (
    "".join(f"{_POINT} {name}\n" for name in ("desired", "actual", "error")),
    "".join(f"{_POINT} {name}\n" for name in ("reference", "feedback", "error", "output")),
    "".join(
        f"{_POINT} {name}\n"
        for name in ("desired", "actual", "error", "reference", "feedback", "output")
    ),
)

_GO = {
    "IMUState": "float32[4] quaternion\nfloat32[3] gyroscope\nfloat32[3] accelerometer\n"
    "float32[3] rpy\nint8 temperature",
    "MotorState": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\nfloat32 q_raw\n"
    "float32 dq_raw\nfloat32 ddq_raw\nint8 temperature\nuint32 lost\nuint32[2] reserve",
    "BmsState": "uint8 version_high\nuint8 version_low\nuint8 status\nuint8 soc\nint32 current\n"
    "uint16 cycle\nint8[2] bq_ntc\nint8[2] mcu_ntc\nuint16[15] cell_vol",
    "LowState": "uint8[2] head\nuint8 level_flag\nuint8 frame_reserve\nuint32[2] sn\n"
    "uint32[2] version\nuint16 bandwidth\nIMUState imu_state\nMotorState[20] motor_state\n"
    "BmsState bms_state\nint16[4] foot_force\nint16[4] foot_force_est\nuint32 tick\n"
    "uint8[40] wireless_remote\nuint8 bit_flag\nfloat32 adc_reel\nint8 temperature_ntc1\n"
    "int8 temperature_ntc2\nfloat32 power_v\nfloat32 power_a\nuint16[4] fan_frequency\n"
    "uint32 reserve\nuint32 crc",
    "MotorCmd": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 tau\nfloat32 kp\nfloat32 kd\n"
    "uint32[3] reserve",
    "BmsCmd": "uint8 off\nuint8[3] reserve",
    "LowCmd": "uint8[2] head\nuint8 level_flag\nuint8 frame_reserve\nuint32[2] sn\n"
    "uint32[2] version\nuint16 bandwidth\nMotorCmd[20] motor_cmd\nBmsCmd bms_cmd\n"
    "uint8[40] wireless_remote\nuint8[12] led\nuint8[2] fan\nuint8 gpio\nuint32 reserve\nuint32 crc",
}
_HG = {
    "IMUState": "float32[4] quaternion\nfloat32[3] gyroscope\nfloat32[3] accelerometer\n"
    "float32[3] rpy\nint16 temperature",
    "MotorState": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 ddq\nfloat32 tau_est\n"
    "int16[2] temperature\nfloat32 vol\nuint32[2] sensor\nuint32 motorstate\nuint32[4] reserve",
    "LowState": "uint32[2] version\nuint8 mode_pr\nuint8 mode_machine\nuint32 tick\n"
    "IMUState imu_state\nMotorState[35] motor_state\nuint8[40] wireless_remote\n"
    "uint32[4] reserve\nuint32 crc",
    "MotorCmd": "uint8 mode\nfloat32 q\nfloat32 dq\nfloat32 tau\nfloat32 kp\nfloat32 kd\nuint32 reserve",
    "LowCmd": "uint8 mode_pr\nuint8 mode_machine\nMotorCmd[35] motor_cmd\nuint32[4] reserve\nuint32 crc",
}


def parsed(text: str, kind: str) -> dict[str, Any]:
    """The types in a definition as files have it, with those that it needs below separators."""
    typesys = extra_module("rosbags.typesys", EXTRA)
    try:
        return dict(typesys.get_types_from_msg(text, kind))
    except (typesys.TypesysError, RecursionError) as error:
        raise PliantError(
            f"its definition cannot be read: {first_line(error)}", found=kind
        ) from None


@cache
def common() -> Definitions:
    """Types of ROS 2 itself: sensor_msgs, trajectory_msgs, std_msgs."""
    typesys = extra_module("rosbags.typesys", EXTRA)
    return dict(typesys.get_typestore(typesys.Stores.ROS2_HUMBLE).fielddefs)


@cache
def candidates(kind: str) -> tuple[Definitions, ...]:
    """Definitions of a type that a file does not define itself, the newest version last."""
    if kind == _JTC:
        return tuple({**common(), **parsed(_BEGIN + version, kind)} for version in _JTC_VERSIONS)
    package = kind.partition("/")[0]
    own = {"unitree_go": _GO, "unitree_hg": _HG}.get(package)
    if own is None:
        return (common(),)
    types: dict[str, Any] = dict(common())
    for name, text in own.items():
        types |= parsed(text, f"{package}/msg/{name}")
    return (types,)
