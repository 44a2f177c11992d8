"""Groups of logs held out in turn, with progress on the terminal."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pliant.cli.progress import SearchProgress
from pliant.cli.terminal import Terminal, columns
from pliant.identification.problem.hold_out import divided
from pliant.identification.problem.simulation import LogT
from pliant.identification.problem.task import FitTask
from pliant.identification.search.search import Progress
from pliant.identification.selection.cross_validation import Turn, in_turn
from pliant.words import mrad


def turned(
    task: FitTask[LogT], logs: Sequence[LogT], terminal: Terminal, checkpoint: Path | None = None
) -> dict[str, Turn]:
    """One fit for each group that `task` holds out in turn; see `in_turn`."""
    says: dict[str, SearchProgress] = {}

    def say(choice: str, progress: Progress) -> None:
        says.setdefault(choice, SearchProgress(terminal, f"{choice} held out"))(progress)

    done = in_turn(task, logs, report=say, checkpoint=checkpoint)
    wanted = divided(logs, task.hold_out).turns
    if len(done) < len(wanted):
        terminal.note(f"interrupted while {wanted[len(done)]} was held out")
    return done


def table(turns: Mapping[str, Turn]) -> str:
    """Errors on the logs fitted and on those held out, turn by turn."""
    rows = [[choice, mrad(turn.fitted), mrad(turn.held_out)] for choice, turn in turns.items()]
    fitted, held_out = (
        sum(errors) / len(turns)
        for errors in zip(*((t.fitted, t.held_out) for t in turns.values()), strict=True)
    )
    rows.append(["mean", mrad(fitted), mrad(held_out)])
    head = ["held out in turn", "fitted to the others [mrad]", "held out [mrad]"]
    return columns(head, rows, numbers=(1, 2))


def as_plain(turns: Mapping[str, Turn]) -> dict[str, dict[str, float]]:
    """The same for `--json`."""
    return {
        choice: {"fitted_mae_mrad": 1e3 * turn.fitted, "mae_mrad": 1e3 * turn.held_out}
        for choice, turn in turns.items()
    }
