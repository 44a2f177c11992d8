"""Topics that are subscribed or published, services, and how their messages are filled."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pliant.arrays import Floats
from pliant.ros.messages import message

__all__ = ["FLOAT", "FLOATS", "STATE", "Asked", "Heard", "Said", "joint_state", "stamp"]

STATE = "sensor_msgs/msg/JointState"
FLOAT = "std_msgs/msg/Float64"
FLOATS = "std_msgs/msg/Float64MultiArray"


@dataclass(frozen=True)
class Heard:
    """A subscribed topic: its messages go to `act` with the time [s]."""

    topic: str
    kind: str
    act: Callable[[Any, float], None]


@dataclass(frozen=True)
class Said:
    """A published topic: `make` gives its message at a time [s]."""

    topic: str
    kind: str
    make: Callable[[float], Any]


@dataclass(frozen=True)
class Asked:
    """A service, such as std_srvs/srv/SetBool: `act` does what a request asks, or raises why not."""

    service: str
    kind: str
    act: Callable[[Any, float], None]


def stamp(seconds: float) -> Any:
    """A time as ROS writes it."""
    whole = int(np.floor(seconds))
    nanoseconds = min(round(1e9 * (seconds - whole)), 999_999_999)
    return message("builtin_interfaces/msg/Time", sec=whole, nanosec=nanoseconds)


def joint_state(t: float, names: Sequence[str], *values: Floats) -> Any:
    """A JointState of positions, velocities, efforts; what is unknown is NaN, as everywhere."""
    kinds = ("position", "velocity", "effort")
    columns = {kind: list(map(float, x)) for kind, x in zip(kinds, values, strict=False)}
    header = message("std_msgs/msg/Header", stamp=stamp(t))
    return message(STATE, header=header, name=list(names), **columns)
