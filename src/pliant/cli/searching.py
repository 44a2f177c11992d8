"""A search on the terminal: its progress, its file to resume from, groups held out in turn."""

from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pliant.cli.terminal import Pace, Terminal, columns
from pliant.identification.problem.hold_out import hold_out
from pliant.identification.problem.simulation import LogT
from pliant.identification.result.identification import Identification
from pliant.identification.search.search import Progress
from pliant.identification.selection.cross_validation import Fold, left_out
from pliant.words import mrad

if TYPE_CHECKING:
    from pliant.view.watching import SearchPage


def beside(output: Path, ending: str) -> Path:
    """Path beside an output, with its name; the present folder, ".", has one too."""
    return output.parent / (output.absolute().name + ending)


@dataclass(frozen=True)
class SearchFile:
    """The file in which a search saves its progress.

    Attributes:
        path: of it; None where neither it nor an output was asked for.
        named: the user named it, so that it stays after Ctrl-C.
    """

    path: Path | None
    named: bool

    @classmethod
    def beside(cls, output: Path | None, named: Path | None) -> "SearchFile":
        """The file that the user named, else one beside the output."""
        if named is not None or output is None:
            return cls(named, True)
        return cls(beside(output, ".checkpoint"), False)

    @contextmanager
    def resumed(self, terminal: Terminal) -> Generator[None]:
        """Run the search, with a note if it is resumed; if stopped before it found anything, leave no file."""
        if self.path is not None and self.path.exists():
            terminal.note(f"resuming the search saved in {self.path}")
        try:
            yield
        except KeyboardInterrupt:
            self.forget(interrupted=True)
            raise

    def forget(self, *, interrupted: bool) -> None:
        """Remove it: the result is in its file, or was not wanted there."""
        if self.path is not None and not (interrupted and self.named):
            self.path.unlink(missing_ok=True)


class SearchProgress:
    """Report on `what` or on the joint that is searched, called after every Jacobian; `Pace` limits the output."""

    def __init__(self, terminal: Terminal, what: str = "") -> None:
        self.terminal, self.what = terminal, what
        self.paces: dict[str, Pace] = {}

    def __call__(self, progress: Progress) -> None:
        """Print it if it is time to; a page gets every update."""
        what = self.what or progress.part or "searching"
        if self.terminal.page is not None:
            tell(self.terminal.page, progress, what)
        self.paces.setdefault(what, Pace(self.terminal)).say(
            f"{what}: best {1e3 * progress.best:.1f} mrad, "
            f"at most {_duration(progress.seconds_left)} left",
            min(progress.done / max(progress.planned, 1), 1.0),
        )


def tell(page: "SearchPage", progress: Progress, what: str) -> None:
    """Show the progress of a search on a page; `what` is searched."""
    from pliant.view.watching import Searched

    names = ("done", "planned", "best", "newest", "seconds_left")
    plain = {name: getattr(progress, name) for name in names}
    part = ", ".join(dict.fromkeys(x for x in (what, progress.part) if x))
    page.note(Searched(part=part, **plain, values=dict(progress.values)))


def _duration(seconds: float) -> str:
    if seconds < 90.0:
        return f"{seconds:.0f} s"
    return f"{seconds / 60.0:.0f} min" if seconds < 5400.0 else f"{seconds / 3600.0:.1f} h"


def turned(
    found: Identification[LogT], choices: Sequence[str], terminal: Terminal
) -> dict[str, Fold]:
    """Fits with each group ("gain=100") left out in turn; after Ctrl-C those already done."""
    done: dict[str, Fold] = {}
    for choice in choices:
        if found.interrupted:
            break
        terminal.stage(f"{choice} held out ...")
        try:
            done[choice] = left_out(found, hold_out(found.logs, choice)[1])
        except KeyboardInterrupt:
            terminal.note(f"interrupted while {choice} was held out")
            break
    return done


def turn_table(turns: Mapping[str, Fold]) -> str:
    """Errors on the logs fitted and on those held out, turn by turn."""
    rows = [[choice, mrad(turn.fitted), mrad(turn.error)] for choice, turn in turns.items()]
    fitted, held_out = (
        sum(errors) / len(turns)
        for errors in zip(*((t.fitted, t.error) for t in turns.values()), strict=True)
    )
    rows.append(["mean", mrad(fitted), mrad(held_out)])
    head = ["held out in turn", "fitted to the others [mrad]", "held out [mrad]"]
    return columns(head, rows, numbers=(1, 2))


def turns_as_plain(turns: Mapping[str, Fold]) -> dict[str, dict[str, float]]:
    """The same for `--json`."""
    return {
        choice: {"fitted_mae_mrad": 1e3 * turn.fitted, "mae_mrad": 1e3 * turn.error}
        for choice, turn in turns.items()
    }
