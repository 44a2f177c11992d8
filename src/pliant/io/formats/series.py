"""Streams of joints over time, out of a bag's messages."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.errors import PliantError, located
from pliant.io.formats.cdr import Columns, Definitions, candidates, common, parsed
from pliant.io.formats.compressed import Packed
from pliant.io.formats.messages import Bag, Topic
from pliant.io.formats.objects import decoder, flat
from pliant.io.formats.reading import check_size

STATE = "sensor_msgs/JointState"
TRAJECTORY = "trajectory_msgs/JointTrajectory"
CONTROLLER = "control_msgs/JointTrajectoryControllerState"
ARRAYS = ("std_msgs/Float64MultiArray", "std_msgs/Float32MultiArray")
LOW_STATES = ("unitree_go/LowState", "unitree_hg/LowState")
LOW_COMMANDS = ("unitree_go/LowCmd", "unitree_hg/LowCmd")
_STAMP = ("sec", "seconds", "nanosec", "nsec", "nanos")
_LEAVES: Mapping[str, tuple[str, ...]] = {
    STATE: ("name", "position", "velocity", "effort", "frame_id"),
    TRAJECTORY: ("joint_names", "positions"),
    CONTROLLER: ("joint_names", "positions", "velocities"),
    **dict.fromkeys(ARRAYS, ("data",)),
    **dict.fromkeys(LOW_STATES, ("q", "dq", "tau_est", "temperature", "vol", "power_v")),
    **dict.fromkeys(LOW_COMMANDS, ("q", "dq", "tau", "kp", "kd")),
}
"""Type to the fields that are read."""
KINDS = frozenset(_LEAVES)
_Group = tuple[NDArray[np.int64], dict[str, Any], dict[str, Any]]
"""Messages of one shape: their rows, and by field the texts and (N, n) numbers."""
_Part = tuple[NDArray[np.int64], NDArray[np.int64] | None, dict[str, Floats]]
"""Rows, stamps and values of a series."""


@dataclass
class Series:
    """Messages of one topic: N of them, J joints.

    Attributes:
        topic: name. kind: type without `msg/`. joints: (J,) names; () where the messages have none.
        logged: (N,) when they were logged. stamped: (N,) the header's stamp; None without. [ns]
        values: name of a field to (N, J). left_out: messages of other joints on the same topic.
        others: names of those joints. frame: of the header. rivals: messages of the same joints with
            other fields or another frame.
    """

    topic: str
    kind: str
    joints: tuple[str, ...]
    logged: NDArray[np.int64]
    stamped: NDArray[np.int64] | None
    values: dict[str, Floats] = field(default_factory=dict[str, Floats])
    left_out: int = 0
    others: tuple[str, ...] = ()
    frame: str = ""
    rivals: tuple["Series", ...] = ()


def read_series(
    bag: Bag, topics: Sequence[Topic], command: Topic | None = None
) -> dict[str, Series]:
    """Topic to its stream; of a topic on which several publish, the stream of the joints that `command` moves."""
    collected: dict[str, _Collected] = {}
    for topic, stamps, packed in bag.blocks(topics):
        with located(bag.path, topic.name):
            one = collected.setdefault(topic.name, _Collected(topic))
            one.add(stamps, packed)
    found: dict[str, Series] = {}
    told: Series | None = None
    for name in sorted(collected, key=lambda name: command is None or name != command.name):
        with located(bag.path, name):
            found[name] = collected[name].series(told)
        if command is not None and name == command.name:
            told = found[name]
    return found


class _Collected:
    """The messages of one topic so far."""

    def __init__(self, topic: Topic) -> None:
        self.topic, self.kind = topic, topic.plain
        self.stamps: list[NDArray[np.int64]] = []
        self.total = 0
        self.leaves = _LEAVES[self.kind]
        self.cdr = topic.encoding == "cdr"
        if self.cdr:
            kind = self.kind.replace("/", "/msg/", 1)
            self.columns = Columns(kind, _definitions(topic, kind), (*self.leaves, *_STAMP))
        else:
            self.decode = decoder(topic)
            self.rows: dict[tuple[Any, ...], tuple[list[int], list[list[float]]]] = {}
            self.count = 0

    def add(self, stamps: NDArray[np.int64], packed: Packed) -> None:
        self.stamps.append(stamps)
        self.total += len(packed)
        check_size(self.total)
        if self.cdr:
            self.columns.add(packed)
            return
        for raw in packed.each():
            shape, numbers = flat(self.decode(raw), (*self.leaves, *_STAMP))
            rows, values = self.rows.setdefault(shape, ([], []))
            rows.append(self.count)
            values.append(numbers)
            self.count += 1

    def series(self, told: Series | None = None) -> Series:
        """The stream of the joints that `told` commands; of several, that with the most positions."""
        logged = np.concatenate(self.stamps)
        groups = self._cdr_groups() if self.cdr else self._object_groups()
        groups.sort(key=lambda group: _weight(group, told), reverse=True)
        rows, texts, columns = groups[0]
        stamped = _stamped(columns)
        joints, values = _joints_of(self.kind, texts, columns)
        others: set[str] = set()
        rivals: list[Series] = []
        for more in groups[1:]:
            if not joints or not set(_names(more[1])) & set(joints):
                others.update(_names(more[1]))
                continue
            before = len(rows)
            if sorted(_names(more[1])) == sorted(joints) and _frame(more[1]) == _frame(texts):
                rows, stamped, values = self._joined((rows, stamped, values), joints, more)
            if len(rows) == before:
                theirs, numbers = _joints_of(self.kind, more[1], more[2])
                rival = Series(
                    self.topic.name,
                    self.kind,
                    theirs,
                    logged[more[0]],
                    _stamped(more[2]),
                    numbers,
                    frame=_frame(more[1]),
                )
                rivals.append(rival)
        check_size(sum(array.size for array in values.values()))
        rest = len(logged) - len(rows) - sum(len(rival.logged) for rival in rivals)
        return Series(
            self.topic.name,
            self.kind,
            joints,
            logged[rows],
            stamped,
            values,
            rest,
            tuple(sorted(others - set(joints))),
            _frame(texts),
            tuple(rivals),
        )

    def _joined(self, known: _Part, joints: Sequence[str], group: _Group) -> _Part:
        """Messages of the same joints in another order, put between those that are known.

        What cannot be put beside them, having no stamp or other fields, stays out.
        """
        rows, stamped, values = known
        more, texts, columns = group
        names, added = _joints_of(self.kind, texts, columns)
        stamps = _stamped(columns)
        if set(added) != set(values) or (stamps is None) != (stamped is None):
            return known
        at = [names.index(joint) for joint in joints]
        order = np.argsort(np.concatenate([rows, more]), kind="stable")
        if stamped is not None and stamps is not None:
            stamped = np.concatenate([stamped, stamps])[order]
        merged = {
            name: np.concatenate([array, added[name][:, at]])[order]
            for name, array in values.items()
        }
        return np.concatenate([rows, more])[order], stamped, merged

    def _cdr_groups(self) -> list[_Group]:
        return [
            (np.concatenate(group.rows), dict(group.texts), group.columns())
            for group in self.columns.groups
        ]

    def _object_groups(self) -> list[_Group]:
        found: list[_Group] = []
        for shape, (rows, numbers) in self.rows.items():
            table = np.array(numbers, dtype=np.float64).reshape(len(rows), -1)
            texts: dict[str, Any] = {}
            columns: dict[str, Any] = {}
            at = 0
            for path, width, said in shape:
                if said is not None:
                    texts[path] = said
                else:
                    columns[path] = table[:, at : at + width]
                    at += width
            found.append((np.array(rows, np.int64), texts, columns))
        return found


def _definitions(topic: Topic, kind: str) -> Sequence[Definitions]:
    """Definitions to try for a topic: the file's own, or those that are known."""
    if topic.form in ("ros2msg", "") and topic.schema:
        return ({**common(), **parsed(topic.schema.decode("utf-8", "replace"), kind)},)
    return candidates(kind)


def _stamped(columns: Mapping[str, NDArray[Any]]) -> NDArray[np.int64] | None:
    """(N,) [ns] of the header; None where it is missing or was never set."""
    for stem in ("header.stamp.", "timestamp.", "stamp."):
        whole, part = (
            next((columns[stem + name] for name in names if stem + name in columns), None)
            for names in (("sec", "seconds"), ("nanosec", "nsec", "nanos"))
        )
        if whole is not None and part is not None:
            found = whole[:, 0].astype(np.int64) * 10**9 + part[:, 0].astype(np.int64)
            return found if (found != 0).any() else None
    return None


def _weight(group: _Group, told: Series | None) -> tuple[int, int]:
    """Fit of a group to the commands, by names or by their number, and how many positions it has."""
    rows, texts, _ = group
    names = _names(texts)
    fits = 0
    if told is not None and told.joints:
        fits = len(set(names) & set(told.joints))
    elif told is not None and "position" in told.values:
        fits = int(told.values["position"].shape[1] == len(names))
    return fits, len(rows) * max(len(names), 1)


def _names(texts: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(texts.get("name", texts.get("joint_names", ())))


def _frame(texts: Mapping[str, Any]) -> str:
    return "".join(texts.get("header.frame_id", ()))


def _joints_of(
    kind: str, texts: Mapping[str, Any], columns: Mapping[str, NDArray[Any]]
) -> tuple[tuple[str, ...], dict[str, Floats]]:
    """Names, and fields as (N, J)."""
    if kind in (*LOW_STATES, *LOW_COMMANDS):
        return (), _of_motors(columns)
    names = _names(texts)
    places = {
        STATE: {"position": "position", "velocity": "velocity", "effort": "effort"},
        TRAJECTORY: {"position": "points.0.positions"},
        CONTROLLER: {
            "position": "feedback.positions"
            if "feedback.positions" in columns
            else "actual.positions",
            "velocity": "feedback.velocities"
            if "feedback.velocities" in columns
            else "actual.velocities",
            "goal": "reference.positions"
            if _has(columns, "reference.positions")
            else "desired.positions",
        },
    }.get(kind, {"position": "data"})
    values = {
        name: columns[path].astype(np.float64)
        for name, path in places.items()
        if _has(columns, path)
    }
    if "position" not in values:
        raise PliantError("has no positions", found=sorted(columns))
    if kind == TRAJECTORY and "points.1.positions" in columns:
        raise PliantError(
            "contains paths of several points without saying how they were followed",
            accepted="messages of one point, or the state of the controller",
        )
    width = values["position"].shape[1]
    if names and width != len(names):
        raise PliantError(
            "has another number of positions than names", found=width, accepted=str(len(names))
        )
    return names, {name: array for name, array in values.items() if array.shape[1] == width}


def _has(columns: Mapping[str, NDArray[Any]], path: str) -> bool:
    return path in columns and columns[path].shape[1] > 0


def _of_motors(columns: Mapping[str, NDArray[Any]]) -> dict[str, Floats]:
    """Fields of Unitree's motors, (N, motors) each; of two temperatures the hotter."""
    stem = "motor_state" if "motor_state.0.q" in columns else "motor_cmd"
    found: dict[str, Floats] = {}
    for leaf in ("q", "dq", "tau_est", "temperature", "vol", "tau", "kp", "kd"):
        parts: list[Floats] = []
        while f"{stem}.{len(parts)}.{leaf}" in columns:
            parts.append(columns[f"{stem}.{len(parts)}.{leaf}"].astype(np.float64).max(axis=1))
        if parts:
            found[leaf] = np.column_stack(parts)
    if "power_v" in columns:
        found["power_v"] = columns["power_v"].astype(np.float64)
    return found
