"""Names of columns that are paths of topics, as PlotJuggler and others export them.

/joint_states/elbow/position, /joint_commands/elbow/position, /joint_states/position[1]
"""

import re
from collections.abc import Mapping, Sequence

from pliant.errors import PliantError

TIMES = ("__time", "timestamp", "Time", "TIME", "t")
_FIELDS: Mapping[str, str] = {
    "position": "position", "positions": "position", "pos": "position", "q": "position", "data": "position",
    "velocity": "speed", "velocities": "speed", "vel": "speed", "dq": "speed",
    "effort": "torque", "torque": "torque", "tau_est": "torque",
}  # fmt: skip
_COMMANDS = re.compile(r"command|cmd|goal|target|desired|reference|setpoint", re.IGNORECASE)
_INDEX = re.compile(r"(?P<name>.+?)[\[.](?P<number>\d{1,4})\]?")


def _parted(name: str) -> tuple[str, str, str] | None:
    """Topic, joint and field of a path; None where it is no path of a joint's signal."""
    parts = name.strip("/").split("/")
    indexed = _INDEX.fullmatch(parts[-1])
    if indexed and len(parts) > 1 and indexed["name"] in _FIELDS:
        return "/".join(parts[:-1]), f"joint_{indexed['number']}", indexed["name"]
    if len(parts) < 2 or parts[-1] not in _FIELDS or parts[-1] == "data":
        return None
    return "/".join(parts[:-2]), parts[-2], parts[-1]


def understood(
    head: Sequence[str], state: str | None = None, command: str | None = None
) -> dict[str, str]:
    """Name of a column to `position_elbow` and the like, of those that are understood; empty where none is a path.

    Args:
        head: names. state, command: topics, where several would do.

    Raises:
        PliantError: several topics have the positions, or the commands, of one joint.
    """
    parts = {name: found for name in head if "/" in name and (found := _parted(name))}
    meant: dict[str, str] = {}
    owner: dict[str, str] = {}
    for name, (topic, joint, field) in parts.items():
        told = bool(_COMMANDS.search(topic))
        chosen = command if told else state
        kind = _FIELDS[field]
        if (told and kind != "position") or (
            chosen is not None and topic.strip("/") != chosen.strip("/")
        ):
            continue
        ours = f"{'goal' if told else kind}_{joint}"
        if ours in owner:
            option = "command" if told else "state"
            raise PliantError(
                f"several topics would do: name one with --{option}",
                field="line 1",
                found=ours,
                accepted=sorted({owner[ours], topic}),
            )
        owner[ours] = topic
        meant[name] = ours
    # A command of a joint without a position is of no use.
    moved = {
        ours.removeprefix("position_") for ours in meant.values() if ours.startswith("position_")
    }
    meant = {name: ours for name, ours in meant.items() if ours.partition("_")[2] in moved}
    if meant and "time" not in head:
        meant |= {name: "time" for name in head if name in TIMES}
    elif meant:
        meant["time"] = "time"
    return meant
