"""`pliant export`."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import Positional

from pliant.cli.options import RARE, Output, Repeated, flag, shown
from pliant.cli.terminal import Terminal, printable


@dataclass(frozen=True, kw_only=True)
class Export:
    """Write an actuator for another simulator, or for firmware: as source text, or as plain numbers.

    To c: one header for C99 and C++, without allocation, in float or double. To fmu2, fmu3: a co-simulation FMU
    built on that header. All others: numbers of a position servo, fitted to the actuator's own motion or to
    recordings, with the error this adds and what they cannot do. For a robot's file: its model with all numbers.

    Example: pliant export xl330_bam_m6 xl330.xml --to mjcf --load 0.3@0.1

    Attributes:
        actuator: Name of an actuator (`pliant actuators` lists them), a TOML file, or a robot's.
        output: File to write.
        to: c; fmu2, fmu3; mjcf, urdf, usd (Newton's schemas), isaaclab, genesis, or numbers for any other.
        name: Prefix of all names in it, or the joint; by default the actuator's name.
        load: Load to fit the numbers for, mass@arm, such as 0.5@0.1 [kg, m]; may be several. By default a
            light and a heavy one; in a robot, what each joint carries.
        gain: P-gain of the firmware, if not the actuator's.
        logs: Recordings of the joint or robot to fit the numbers to instead: files or folders.
        step: Step of the simulator [s], where delays are counted in steps: usd, isaaclab.
        overwrite: Replace a file that exists.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    output: Annotated[Positional[Path], shown("OUTPUT")]
    to: Annotated[
        Literal["c", "fmu2", "fmu3", "mjcf", "urdf", "usd", "isaaclab", "genesis", "numbers"],
        shown("TARGET"),
    ]
    name: Annotated[str | None, shown("NAME")] = None
    load: Annotated[Repeated[tuple[str, ...]], shown("KG@M")] = ()
    gain: Annotated[float | None, shown("GAIN")] = None
    logs: Annotated[Repeated[tuple[str, ...]], shown("LOGS")] = ()
    step: Annotated[float, RARE, shown("S")] = 0.005
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Write it."""
        from pliant.plain.export import export

        made = export(
            self.actuator,
            self.to,
            self.output,
            name=self.name,
            loads=self.load,
            gain=self.gain,
            logs=self.logs,
            step=self.step,
            overwrite=self.overwrite,
        )
        for line in made.sheet:
            terminal.say(printable(line))
        lines = made.path.read_bytes().count(b"\n")
        size = f"{lines} lines of {self.to}" if not self.to.startswith("fmu") else f"{self.to}"
        terminal.note(printable(f"{made.path}: {size}"))
        joints = {joint or one.whole.name: one.as_plain() for joint, one in made.joints.items()}
        terminal.result({"file": str(made.path), **({"joints": joints} if joints else {})})
        return 0
