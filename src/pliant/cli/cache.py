"""`pliant cache`."""

from dataclasses import dataclass, field
from typing import Annotated

from pliant.cli.options import Output, flag
from pliant.cli.terminal import Terminal
from pliant.lower.cache import cache_folder, cleared, kept_files


@dataclass(frozen=True, kw_only=True)
class Cache:
    """Show how much compiled code is kept on this disk, or delete it.

    Deleted code is compiled again on next use, in about a second for each kind of actuator.

    Example: pliant cache --clear

    Attributes:
        clear: Delete the compiled code.
    """

    clear: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Show the folder and its size."""
        folder = cache_folder()
        files = cleared() if self.clear else kept_files()
        size = sum(files.values())
        said = "deleted from" if self.clear else "in"
        terminal.say(f"{size / 1e6:.1f} MB of compiled code, {len(files)} files, {said} {folder}")
        terminal.result(
            {"folder": folder, "files": len(files), "bytes": size, "deleted": self.clear}
        )
        return 0
