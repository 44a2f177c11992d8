"""`pliant check`."""

from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.options import Output, Recording, shown
from pliant.cli.terminal import Terminal, printable

if TYPE_CHECKING:
    from pliant.cli.examine import Remark


@dataclass(frozen=True, kw_only=True)
class Check:
    """Say what is wrong with logs, actuators, laws and robot models.

    Logs are *.json and *.csv, actuators and column maps *.toml, laws and topologies *.py, robot
    models *.xml and *.urdf. All files are checked; the exit status is 1 if one of them cannot be
    used as it is.

    Example: pliant check my_logs/ my_servo.toml my_friction.py arm.xml

    Attributes:
        files: Files, or folders of them.
    """

    files: Annotated[Positional[tuple[Path, ...]], shown("FILE [FILE ...]")]
    recording: Recording = field(default_factory=Recording)
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Check them all."""
        from pliant.cli.examine import examine, meant
        from pliant.words import counted

        found = {file: examine(file, self.recording) for file in meant(self.files)}
        remarks = [remark for _, mine in found.values() for remark in mine]
        for file, (kind, mine) in found.items():
            terminal.say(printable(f"{file}: {kind}, {_verdict(mine)}"))
            for remark in mine:
                terminal.say(printable(f"  {remark}"))
        bad = sum(any(remark.blocks for remark in mine) for _, mine in found.values())
        warned = sum(remark.severity == "warning" for remark in remarks)
        terminal.say(
            f"{counted(len(found), 'file')}: {bad} cannot be used as they are, "
            f"{counted(warned, 'warning')}"
        )
        terminal.result(
            {
                "ok": bad == 0,
                "files": {
                    str(file): {
                        "kind": kind,
                        "ok": not any(remark.blocks for remark in mine),
                        "findings": [asdict(remark) for remark in mine],
                    }
                    for file, (kind, mine) in found.items()
                },
            }
        )
        return 1 if bad else 0


def _verdict(remarks: "list[Remark]") -> str:
    from pliant.words import counted

    errors = sum(remark.blocks for remark in remarks)
    warnings = sum(remark.severity == "warning" for remark in remarks)
    if errors:
        return counted(errors, "error")
    return "usable, " + counted(warnings, "warning") if warnings else "good"
