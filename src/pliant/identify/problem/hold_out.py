"""Logs to fit, and logs that are held out to judge by."""

from collections.abc import Callable, Sequence

from pliant.errors import PliantError
from pliant.io.log import Log

HOLD_OUT: dict[str, Callable[[Log], str]] = {
    "gain": lambda log: f"{log.gain:g}",
    "load": lambda log: f"{log.mass:g}kg@{log.length:g}m",
    "trajectory": lambda log: log.trajectory,
    "log": lambda log: log.name,
}
"""What logs can be held out by."""


def hold_out(logs: Sequence[Log], choice: str) -> tuple[list[Log], list[Log]]:
    """Logs to fit and logs held out, by a choice like "gain=800" or "trajectory=sin_sin".

    Raises:
        PliantError: the choice cannot be read, or leaves either side empty.
    """
    kind, _, value = choice.partition("=")
    if kind not in HOLD_OUT or not value:
        raise PliantError(
            "cannot be read",
            field="hold-out",
            found=choice,
            accepted="gain=, load=, trajectory= or log= and a value",
        )
    key = HOLD_OUT[kind]
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
