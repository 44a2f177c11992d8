"""Recordings written as rosbag2: `/joint_states` and `/joint_commands`, both JointState, in MCAP."""

import shutil
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.errors import PliantError
from pliant.extras import extra_module
from pliant.io.formats.messages import EXTRA
from pliant.io.output import check_output
from pliant.io.robot_log import RobotLog

KIND = "sensor_msgs/msg/JointState"
VERSION = 9


def write_bag(log: RobotLog, path: Path) -> None:
    """Write a recording as a folder that ROS 2 plays; stamps begin at 0, efforts are torques.

    A command stands beside each position, at the same time. What has no place in these messages is
    left out (`without_place`).

    Raises:
        PliantError: the folder exists, or cannot be written.
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
