"""`pliant export`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional

from pliant.cli.options import Output, flag, shown
from pliant.cli.terminal import Terminal, printable


@dataclass(frozen=True, kw_only=True)
class Export:
    """Write an actuator as source text for another simulator, or for firmware.

    To c: one header of C99 and C++, without allocation, in float or double.

    Example: pliant export xl330_bam_m6 xl330.h --to c

    Attributes:
        actuator: Name of an actuator (`pliant actuators` lists them), or a TOML file.
        output: File to write.
        to: Language to write.
        name: What all names in it begin with; by default the actuator's name.
        overwrite: Replace a file that exists.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    output: Annotated[Positional[Path], shown("OUTPUT")]
    to: Annotated[Literal["c"], shown("c")]
    name: Annotated[str | None, shown("NAME")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Write it."""
        from pliant.engines.hosts.export import export

        path = export(self.actuator, self.to, self.output, name=self.name, overwrite=self.overwrite)
        lines = len(path.read_text("utf-8").splitlines())
        terminal.note(printable(f"{path}: {lines} lines of {self.to}"))
        terminal.result({"file": str(path)})
        return 0
