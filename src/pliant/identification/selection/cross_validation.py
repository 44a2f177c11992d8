"""Cross-validation: groups of logs held out, and predicted by fits to the others.

`in_turn` holds out each group by a whole search; `second_fit` one group by a shorter search, where nothing was asked
to be held out.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from pliant.identification.fit import fit
from pliant.identification.problem.hold_out import divided, hold_out, keys_of
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.result.identification import Identification
from pliant.identification.search.checkpoint import Task, read_state, state_text
from pliant.identification.search.search import Progress
from pliant.io.output import write_whole


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One fit with a group held out: mean errors [rad].

    Attributes:
        fitted: on the other logs. held_out: on the group.
        interrupted: the fit was, and these are the errors of the best until then.
    """

    fitted: float
    held_out: float
    interrupted: bool = False


def in_turn(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    *,
    report: Callable[[str, Progress], None] | None = None,
    checkpoint: Path | None = None,
) -> dict[str, Turn]:
    """One fit for each group that `task` holds out in turn ("gain" is "gain=100", "gain=200", …).

    Every fit begins at the actuator given, not at one that has seen all logs.

    Args:
        task: what is fitted, and what is held out. logs: all of them.
        report: called with what is held out, after every generation.
        checkpoint: file that keeps the turns that are done, and, with the turn's name added, the
            search of the one that was begun. It stays, for the caller to remove.

    Returns:
        What was held out, and its turn; fewer than there are, or one that is interrupted, after a
        Ctrl-C.

    Raises:
        PliantError: the checkpoint is of another task; see also `fit`.
    """
    turns = divided(logs, task.hold_out).turns
    finished = _FinishedTurns(checkpoint, {**task.fingerprint(logs), "turns": turns})
    done: dict[str, Turn] = {}
    for choice in turns:
        if choice in finished.turns:
            done[choice] = finished.turns[choice]
            continue
        search = finished.search_of(choice)
        try:
            done[choice] = _turn(task, logs, choice, report, search)
        except KeyboardInterrupt:
            break
        if done[choice].interrupted:
            break
        finished.add(choice, done[choice])
        if search is not None:
            search.unlink(missing_ok=True)
    return done


def _turn(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    choice: str,
    report: Callable[[str, Progress], None] | None,
    search: Path | None,
) -> Turn:
    inside, out = hold_out(logs, choice)

    def say(progress: Progress) -> None:
        if report is not None:
            report(choice, progress)

    found = fit(
        replace(task, hold_out=()),
        inside,
        held_out=out,
        report=say,
        checkpoint=search,
        keep_checkpoint=True,
    )
    assert found.held_out is not None  # it was given
    return Turn(fitted=found.fitted.mae, held_out=found.held_out.mae, interrupted=found.interrupted)


class _FinishedTurns:
    """Turns that are done, in a file.

    Args:
        path: where; what stands there is continued. None keeps nothing.
        task: all that decides what they come to.

    Raises:
        PliantError: what stands there is not a checkpoint, or one of another task.
    """

    def __init__(self, path: Path | None, task: Task) -> None:
        self.path = path
        self.turns: dict[str, Turn] = {}
        self._task = task
        if path is not None and path.exists():
            (plain,) = read_state(path, task, ("done",))
            self.turns = {choice: Turn(**one) for choice, one in plain.items()}

    def search_of(self, choice: str) -> Path | None:
        """File in which the search of a turn keeps what it has done."""
        if self.path is None:
            return None
        name = "".join(c if c.isalnum() or c in "-_.@=" else "_" for c in choice)
        return self.path.with_name(f"{self.path.name}.{name}")

    def add(self, choice: str, turn: Turn) -> None:
        """One more is done."""
        self.turns[choice] = turn
        if self.path is not None:
            plain: dict[str, Any] = {choice: asdict(one) for choice, one in self.turns.items()}
            write_whole(self.path, state_text(self._task, {"done": plain}))


JOINT_KINDS = {"gain": 2, "load": 2, "trajectory": 2}
"""Groups that a joint's fit is tested on if nothing is held out, the first of which there are as
many as it says."""
ROBOT_KINDS = {"motion": 2, "log": 3}
"""The same for a robot; of two runs of one motion, one would be half of what is known."""


def group_to_test(logs: Sequence[LogT]) -> str | None:
    """A group of logs to hold out, "gain=800": the highest of the first kind with several."""
    keys = keys_of(logs)
    for kind, fewest in (ROBOT_KINDS if "motion" in keys else JOINT_KINDS).items():
        groups = {keys[kind](log) for log in logs}
        if len(groups) >= fewest:
            return f"{kind}={max(groups, key=_rank)}"
    return None


def second_fit(
    task: FitTask[LogT],
    logs: Sequence[LogT],
    choice: str,
    report: Callable[[Progress], None],
) -> Identification[LogT]:
    """A second, shorter fit without the logs of `choice`, and its errors on them.

    It begins at the actuator that was given, not at the fit that has seen all logs.

    Raises:
        KeyboardInterrupt: before anything was found.
    """
    kept, out = hold_out(logs, choice)
    given, brief = task.search, task.rig.fold_search
    search = replace(
        given,
        starts=min(given.starts, brief.starts),
        jacobians=min(given.jacobians, brief.jacobians),
    )
    shorter = replace(task, search_settings=search, hold_out=())
    return fit(shorter, kept, held_out=out, report=report)


def _rank(group: str) -> tuple[float, str]:
    try:
        return float(group), ""
    except ValueError:
        return 0.0, group
