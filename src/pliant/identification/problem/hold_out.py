"""Division of logs: to fit, held out for testing, and groups that are held out in turn."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, cast

from pliant.errors import PliantError, check_kind
from pliant.identification.problem.simulation import LogT
from pliant.io.log import Log, read_logs
from pliant.io.robot_log import RobotLog

Recorded = str | Path | Sequence[str | Path]
"""Files of logs, or folders of them."""

_ACCEPTED = "what read_logs returned, or files and folders of logs"


def recorded(logs: Sequence[Log] | Recorded) -> Sequence[Log]:
    """The logs, after reading those given as files.

    Raises:
        PliantError: one cannot be used, or it is no log.
    """
    if isinstance(logs, str | Path):
        return read_logs(logs)
    check_kind(logs, Iterable, "logs", _ACCEPTED)
    given = list(logs)
    for log in given:
        check_kind(log, (Log, str, Path), "logs", _ACCEPTED)
    named = [log for log in given if isinstance(log, str | Path)]
    return [*(log for log in given if isinstance(log, Log)), *(read_logs(named) if named else ())]


Keys = Mapping[str, Callable[[LogT], str]]
"""Kind of group to the name of the group that a log is in."""

HOLD_OUT: Keys[Log] = {
    "gain": lambda log: f"{log.gain:g}",
    "load": lambda log: f"{log.mass:g}kg@{log.length:g}m",
    "length": lambda log: f"{log.length:g}m",
    "trajectory": lambda log: log.trajectory,
    "log": lambda log: log.name,
}
"""Groups of a joint's logs."""

ROBOT_HOLD_OUT: Keys[RobotLog] = {
    "log": lambda log: log.name,
    "motion": lambda log: re.sub(r"[ _.-]*\d+$", "", log.name) or log.name,
    "folder": lambda log: log.path.parent.name if log.path is not None else "",
}
"""Groups of a robot's logs; repetitions of a motion differ by a number at the end of the name, kinds of
motion may have a folder each."""


@dataclass(frozen=True, eq=False)
class Division(Generic[LogT]):
    """Logs divided by their use.

    Attributes:
        fitted, held_out: the logs. turns: choices to hold out one after the other, "gain=100".
    """

    fitted: list[LogT]
    held_out: list[LogT]
    turns: list[str]


def keys_of(logs: Sequence[LogT]) -> Keys[LogT]:
    """The kinds of groups that such logs can be in."""
    robot = bool(logs) and isinstance(logs[0], RobotLog)
    return cast("Keys[LogT]", ROBOT_HOLD_OUT if robot else HOLD_OUT)


def divided(logs: Sequence[LogT], choices: Sequence[str]) -> Division[LogT]:
    """Logs to fit and to test on, by choices like "gain=800"; "gain" means each gain in turn.

    Raises:
        PliantError: a choice cannot be read, leaves either side empty, has nothing to hold out in
            turn, or choices with and without a value are mixed.
    """
    kept, out, turns = list(logs), list[LogT](), list[str]()
    for choice in choices:
        if "=" in choice:
            kept, more = hold_out(kept, choice)
            out += more
        else:
            turns += groups_of(logs, choice)
    if turns and out:
        raise PliantError(
            "groups with a value and without cannot be mixed",
            field="hold-out",
            found=" ".join(choices),
            accepted="log=NAME, or log",
        )
    return Division(kept, out, turns)


def hold_out(logs: Sequence[LogT], choice: str) -> tuple[list[LogT], list[LogT]]:
    """Logs to fit and logs held out, by a choice like "gain=800" or "trajectory=sin_sin".

    Raises:
        PliantError: the choice cannot be read, or leaves either side empty.
    """
    keys = keys_of(logs)
    kind, _, value = choice.partition("=")
    if kind not in keys or not value:
        raise PliantError(
            "cannot be read",
            field="hold-out",
            found=choice,
            accepted=f"{'=, '.join([*keys][:-1])}= or {[*keys][-1]}= and a value",
        )
    key = keys[kind]
    out = [log for log in logs if key(log) == value]
    kept = [log for log in logs if key(log) != value]
    if not out or not kept:
        raise PliantError(
            "holds out " + ("no log" if not out else "every log"),
            field="hold-out",
            found=value,
            accepted={key(log) for log in logs},
        )
    return kept, out


def groups_of(logs: Sequence[LogT], kind: str) -> list[str]:
    """Choices that hold out each group in turn: "gain=100", "gain=200".

    Raises:
        PliantError: no such kind of group, or a single group.
    """
    keys = keys_of(logs)
    if kind not in keys:
        raise PliantError("cannot be held out", field="hold-out", found=kind, accepted=keys)
    groups = list(dict.fromkeys(keys[kind](log) for log in logs))
    if len(groups) < 2:
        raise PliantError("all logs are of one group", field="hold-out", found=kind)
    return [f"{kind}={group}" for group in groups]
