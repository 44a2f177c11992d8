"""Logs to fit and logs to judge by, and each group held out in turn."""

from collections.abc import Mapping, Sequence
from typing import Any

from pliant.cli.progress import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.identify.fit import HOLD_OUT, Identification, hold_out, identify
from pliant.io.log import Log


def divided(logs: Sequence[Log], choices: Sequence[str]) -> tuple[list[Log], list[Log], list[str]]:
    """Logs to fit, logs held out, and the choices to hold out in turn ("gain=100", "gain=200").

    Raises:
        PliantError: a choice cannot be read, or leaves either side empty.
    """
    kept, out, turns = list(logs), list[Log](), list[str]()
    for choice in choices:
        if "=" in choice:
            kept, more = hold_out(kept, choice)
            out += more
            continue
        if choice not in HOLD_OUT:
            raise PliantError("cannot be held out", field="--hold-out", found=choice,
                              accepted=HOLD_OUT)  # fmt: skip
        groups = list(dict.fromkeys(HOLD_OUT[choice](log) for log in logs))
        if len(groups) < 2:
            raise PliantError("all logs are of one group", field="--hold-out", found=choice)
        turns += [f"{choice}={group}" for group in groups]
    if turns and out:
        raise PliantError("with a value and without do not mix", field="--hold-out",
                          found=" ".join(choices), accepted="gain=800, or gain")  # fmt: skip
    return kept, out, turns


def in_turn(
    task: Mapping[str, Any], logs: Sequence[Log], turns: Sequence[str], terminal: Terminal
) -> dict[str, Identification]:
    """One fit for each choice; those before a Ctrl-C, if there is one."""
    done: dict[str, Identification] = {}
    for choice in turns:
        kept, out = hold_out(logs, choice)
        # Every parameter set out from the actuator given, not from the fit that has seen all logs.
        try:
            found = identify(**task, logs=kept, held_out=out,
                             report=SearchProgress(terminal, f"{choice} held out"))  # fmt: skip
        except KeyboardInterrupt:
            terminal.note(f"interrupted while {choice} was held out")
            break
        done[choice] = found
        if found.found.interrupted:
            break
    return done
