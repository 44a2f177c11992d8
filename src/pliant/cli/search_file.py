"""Checkpoint of a command's search: where it is, and when it goes."""

from dataclasses import dataclass
from pathlib import Path

from pliant.cli.terminal import Terminal


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

    def announce(self, terminal: Terminal) -> None:
        """Say that an interrupted search is resumed, if there is one."""
        if self.path is not None and self.path.exists():
            terminal.note(f"resuming the search saved in {self.path}")

    def forget(self, *, interrupted: bool) -> None:
        """Remove it: the result is in its file, or was not wanted there."""
        if self.path is not None and not (interrupted and self.named):
            self.path.unlink(missing_ok=True)
