"""Logs to fit and logs to judge by, and each group held out in turn."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from pliant.cli.progress import SearchProgress
from pliant.cli.terminal import Terminal
from pliant.errors import PliantError
from pliant.identify.fit import identify
from pliant.identify.problem.hold_out import HOLD_OUT, hold_out
from pliant.identify.search.state_file import (
    Task,
    actuator_digest,
    contents_digest,
    read_state,
    state_text,
)
from pliant.io.log import Log
from pliant.io.output import write_whole


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
            raise PliantError(
                "cannot be held out", field="--hold-out", found=choice, accepted=HOLD_OUT
            )
        groups = list(dict.fromkeys(HOLD_OUT[choice](log) for log in logs))
        if len(groups) < 2:
            raise PliantError("all logs are of one group", field="--hold-out", found=choice)
        turns += [f"{choice}={group}" for group in groups]
    if turns and out:
        raise PliantError(
            "with a value and without do not mix",
            field="--hold-out",
            found=" ".join(choices),
            accepted="gain=800, or gain",
        )
    return kept, out, turns


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One fit with a group held out: mean errors [rad]."""

    fitted: float
    held_out: float
    interrupted: bool = False


def in_turn(
    task: Mapping[str, Any],
    logs: Sequence[Log],
    turns: Sequence[str],
    terminal: Terminal,
    checkpoint: Path | None = None,
) -> dict[str, Turn]:
    """One fit for each choice; those before a Ctrl-C, if there is one.

    Args:
        task: of `identify`. logs: all of them. turns: what is held out, one after the other.
        terminal: for the progress.
        checkpoint: file that keeps the turns that are done, and, with the turn's name added, the
            search of the one that was begun. It stays, for the caller to remove.
    """
    kept = FinishedTurns(checkpoint, _task(task, logs, turns))
    done: dict[str, Turn] = {}
    for choice in turns:
        if choice in kept.turns:
            done[choice] = kept.turns[choice]
            continue
        inside, out = hold_out(logs, choice)
        # Every parameter set out from the actuator given, not from the fit that has seen all logs.
        search = kept.search_of(choice)
        given: dict[str, Any] = {**task, "checkpoint": search, "keep_checkpoint": True}
        try:
            found = identify(
                **given,
                logs=inside,
                held_out=out,
                report=SearchProgress(terminal, f"{choice} held out"),
            )
        except KeyboardInterrupt:
            terminal.note(f"interrupted while {choice} was held out")
            break
        assert found.held_out is not None  # it was given
        done[choice] = Turn(
            fitted=found.fitted.mae,
            held_out=found.held_out.mae,
            interrupted=found.search.interrupted,
        )
        if found.search.interrupted:
            break
        kept.add(choice, done[choice])
        if search is not None:
            search.unlink(missing_ok=True)
    return done


class FinishedTurns:
    """What the turns came to, in a file.

    Args:
        path: where; what stands there is continued. None keeps nothing.
        task: all that decides what they come to.

    Raises:
        PliantError: what stands there is no checkpoint, or one of another task.
    """

    def __init__(self, path: Path | None, task: Task) -> None:
        self.path = path
        self.turns: dict[str, Turn] = {}
        self._task = task
        if path is not None and path.exists():
            (plain,) = read_state(path, task, ("done",))
            self.turns = {choice: Turn(**one) for choice, one in plain.items()}

    def search_of(self, choice: str) -> Path | None:
        """Where the search of a turn keeps what it has done."""
        if self.path is None:
            return None
        name = "".join(c if c.isalnum() or c in "-_.@=" else "_" for c in choice)
        return self.path.with_name(f"{self.path.name}.{name}")

    def add(self, choice: str, turn: Turn) -> None:
        """One more is done."""
        self.turns[choice] = turn
        if self.path is not None:
            plain = {choice: asdict(one) for choice, one in self.turns.items()}
            write_whole(self.path, state_text(self._task, {"done": plain}))


def _task(task: Mapping[str, Any], logs: Sequence[Log], turns: Sequence[str]) -> Task:
    """What must be equal for the turns to be continued."""
    rest = {name: repr(value) for name, value in task.items() if name not in ("actuator", "prior")}
    prior = task.get("prior")
    return {
        "actuator": actuator_digest(task["actuator"]),
        "prior": None if prior is None else actuator_digest(prior.actuator),
        **rest,
        "logs": {f"{k + 1}. {log.name}": contents_digest(log) for k, log in enumerate(logs)},
        "turns": list(turns),
    }
