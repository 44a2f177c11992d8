"""Good recordings as other programs write them: rosbag2 in both storages, Unitree's, PACE's, journals."""

import io
import json
import tempfile
import zipfile
from collections.abc import Iterable
from functools import cache
from math import cos, sin
from pathlib import Path
from typing import Any

import numpy as np
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore

from pliant.record.journal import JointJournal

NAMES = ["pan", "lift"]
STEP, START, COUNT = 10_000_000, 1_700_000_000_000_000_000, 25
"""[ns], [ns], messages of a topic."""
PACE = Path(__file__).parents[1] / "io" / "formats" / "pace.pt"
PICKLE = "data.pkl"
NUMBERS = {"float32": np.float32, "int16": np.int16, "uint32": np.uint32, "uint8": np.uint8}
Message = tuple[str, int, Any]
"""Topic, when it was logged, message."""


def _bag(store: Any, messages: Iterable[Message], storage: StoragePlugin) -> dict[str, bytes]:
    """Name to content of the files of a bag, with `bag.db3` or `bag.mcap`."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "bag"
        topics: dict[str, Any] = {}
        with Writer(root, version=8, storage_plugin=storage) as writer:
            for topic, at, message in messages:
                kind = message.__msgtype__
                if topic not in topics:
                    topics[topic] = writer.add_connection(topic, kind, typestore=store)
                writer.write(topics[topic], at, store.serialize_cdr(message, kind))
        return {path.name: path.read_bytes() for path in root.iterdir()}


def _joint_states(store: Any) -> Iterable[Message]:
    kind = store.types["sensor_msgs/msg/JointState"]
    header = store.types["std_msgs/msg/Header"]
    time = store.types["builtin_interfaces/msg/Time"]
    nothing = np.array([], dtype=float)
    for k in range(COUNT):
        at = START + k * STEP
        for topic, late in (("/joint_states", 0.0), ("/joint_commands", 0.1)):
            line = np.array([sin(0.2 * k + late), cos(0.1 * k + late)])
            head = header(time(at // 10**9, at % 10**9), "")
            yield topic, at, kind(head, NAMES, line, nothing, nothing)


@cache
def joint_states(storage: StoragePlugin = StoragePlugin.SQLITE3) -> dict[str, bytes]:
    """Files of a bag with `/joint_states` and `/joint_commands`."""
    store = get_typestore(Stores.ROS2_HUMBLE)
    return _bag(store, _joint_states(store), storage)


def _zeros(store: Any, kind: Any, **values: Any) -> Any:
    """A message of zeros, but for `values`."""
    fields: dict[str, Any] = {}
    for name, (node, said) in store.fielddefs[kind.__msgtype__][1]:
        if int(node) == 3:  # an array of fixed length
            (inner, element), count = said
            made = (
                [_zeros(store, store.types[element]) for _ in range(count)]
                if int(inner) == 2
                else None
            )
            fields[name] = made or np.zeros(count, NUMBERS[element[0]])
        else:
            fields[name] = _zeros(store, store.types[said]) if int(node) == 2 else 0
    return kind(**(fields | values))


@cache
def low_states() -> dict[str, bytes]:
    """Files of a bag with LowState and LowCmd of a Unitree robot, MCAP."""
    from pliant.io.formats.cdr import _HG

    store = get_typestore(Stores.ROS2_HUMBLE)
    for name, text in _HG.items():
        store.register(get_types_from_msg(text, f"unitree_hg/msg/{name}"))
    types: dict[str, Any] = {name: store.types[f"unitree_hg/msg/{name}"] for name in _HG}

    def motors(kind: str, **first: float) -> list[Any]:
        rest = [_zeros(store, types[kind]) for _ in range(34)]
        return [_zeros(store, types[kind], **first), *rest]

    messages: list[Message] = []
    for k in range(12):
        told = _zeros(store, types["LowCmd"], motor_cmd=motors("MotorCmd", q=0.1 * k, kp=40.0))
        seen = _zeros(store, types["LowState"], motor_state=motors("MotorState", q=0.1 * k))
        messages += [("/lowcmd", START + k * STEP, told), ("/lowstate", START + k * STEP, seen)]
    return _bag(store, messages, StoragePlugin.MCAP)


def storage_of(files: dict[str, bytes]) -> bytes:
    """The file of a bag that holds its messages."""
    return next(data for name, data in files.items() if name != "metadata.yaml")


def pickled() -> bytes:
    """The pickle in a PACE file."""
    with zipfile.ZipFile(PACE) as archive:
        return archive.read(next(name for name in archive.namelist() if name.endswith(PICKLE)))


def pace(pickle: bytes) -> bytes:
    """A PACE file with that pickle, whose checksums are right."""
    file = io.BytesIO()
    with zipfile.ZipFile(PACE) as good, zipfile.ZipFile(file, "w") as archive:
        for name in good.namelist():
            archive.writestr(name, pickle if name.endswith(PICKLE) else good.read(name))
    return file.getvalue()


def journal() -> str:
    """What `pliant record` leaves of one joint, ended at any moment."""
    header = {"motor": "xl330", "mass": 0.5, "length": 0.1, "kp": 100, "vin": 5.0}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.json"
        with JointJournal(path, header) as file:
            for k in range(40):
                moved = {"position": sin(0.1 * k), "goal_position": sin(0.1 * k + 0.1)}
                file.append({"timestamp": 0.01 * k, **moved, "torque_enable": True})
        return json.dumps(json.loads(path.read_text()), indent=1)
