"""`pliant simulate`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Literal

from tyro.conf import Positional

from pliant.cli.choices import attached, travels
from pliant.cli.options import RARE, Output, Repeated, check_file, flag, shown
from pliant.cli.terminal import Terminal, columns, printable
from pliant.errors import PliantError
from pliant.io.output import write_whole

ENERGIES = {
    "drawn": "from the supply",
    "net": "less what went back",
    "heat": "heat in windings",
    "work": "work",
    "spring": "into springs",
    "link": "to the link",
}
"""Energy to its column."""


@dataclass(frozen=True, kw_only=True)
class Simulate:
    """Put actuators on the joints of a robot and simulate it in MuJoCo with plain mj_step.

    Example: pliant simulate arm.xml --attach shoulder=mx106_bam_m4,elbow=my_servo.toml
    --goal shoulder=0.5 --duration 3 --output motion.csv

    Attributes:
        model: Robot to simulate: MJCF (*.xml), URDF (*.urdf), or robot file (*.toml).
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files. The
            joint may be a pattern: '*_hip'.
        set: Parameters to change, joint.parameter=value: elbow.kp=800, '*.R=3.2'.
        replace: Replace actuators that the model already has on these joints. The new ones keep their
            names and places.
        transmission: Travel of a joint per radian of its actuator, joint=value: [m] for a slide
            (0.01 for a rack and a pinion of 10 mm radius), [rad] for a hinge. A slide needs one.
        limits: Limits of command and force: none, those of the model's own actuators (model), or goal
            positions within the range of each joint (joint).
        exclude_base_collision: Ignore contacts between a fixed base and the bodies of joints that
            overlap it, as in many URDFs.
        keep_armature: Leave the armature of the model's joints as it is, instead of the actuators'.
        packages: Folders of packages that a URDF names (package://); ROS_PACKAGE_PATH,
            AMENT_PREFIX_PATH and installed packages are searched too.
        repair: Repairs of a model that MuJoCo refuses, each reported: inertia (impossible moments
            become the nearest possible), meshes (unreadable ones are left out).
        goal: Constant commands, joint=value: goal position [rad] for a servo; by default 0.
        command: Commands over time (*.csv): `time` [s] and a column for each joint, named like it.
            Each row holds until the next.
        duration: Duration [s]; by default 5, or as long as the commands.
        step: Integration step [s]; by default the model's own.
        output: Motion to write (*.csv): time [s], the position of each joint [rad, or m for a slide],
            and for each actuator JOINT.power [W], and current, heat, work, spring, link where known.
        overwrite: Replace a file that exists.
    """

    model: Annotated[Positional[Path], shown("MODEL")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    set: Annotated[tuple[str, ...], Repeated, shown("JOINT.NAME=VALUE")] = ()
    replace: Annotated[bool, flag()] = False
    transmission: Annotated[tuple[str, ...], RARE, Repeated, shown("JOINT=VALUE")] = ()
    limits: Annotated[Literal["none", "model", "joint"], RARE] = "none"
    exclude_base_collision: Annotated[bool, RARE, flag()] = False
    keep_armature: Annotated[bool, RARE, flag()] = False
    packages: Annotated[tuple[str, ...], RARE, Repeated, shown("FOLDER")] = ()
    repair: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME")] = ()
    goal: Annotated[tuple[str, ...], Repeated, shown("JOINT=VALUE")] = ()
    command: Annotated[Path | None, shown("FILE.csv")] = None
    duration: Annotated[float | None, shown("S")] = None
    step: Annotated[float | None, shown("S")] = None
    output: Annotated[Path | None, shown("FILE.csv")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Simulate, and show where the joints went."""
        from pliant.cli.commands import Commands
        from pliant.cli.motion import record
        from pliant.cli.robot_setup import RobotSetup
        from pliant.engines.spec.placing import Wishes

        check_file("--output", self.output, ".csv", overwrite=self.overwrite)
        chosen = attached(self.attach)
        for name, value in (("--duration", self.duration), ("--step", self.step)):
            if value is not None and not 0.0 < value < 1e6:
                raise PliantError("out of range", field=name, found=value, accepted="above 0 [s]")
        setup = RobotSetup(
            path=self.model,
            chosen=chosen,
            values=self.set,
            wishes=Wishes(
                replace=self.replace,
                exclude_base_collision=self.exclude_base_collision,
                transmission=travels(self.transmission),
                keep_armature=self.keep_armature,
                limits=False if self.limits == "none" else self.limits,
            ),
            packages=self.packages,
            repair=self.repair,
            timestep=self.step,
        )
        commands, kept = Commands.read(self.goal, self.command), self.output is not None
        motion = record(setup, commands, self.duration, terminal, powers=kept)
        if self.output is not None:
            write_whole(self.output, motion.csv())
        terminal.say(printable(motion.statement) + "\n")
        rows = [
            [name, unit, *(f"{x:z.4f}" for x in figures)]
            for name, (unit, *figures) in motion.summary().items()
        ]
        head = ["joint", "unit", "first", "final", "lowest", "highest"]
        terminal.say(columns(head, rows, numbers=(2, 3, 4, 5)))
        if spent := motion.spent.as_plain():  # of joints alone
            terminal.say("\n" + _energies(spent))
        if motion.cost_of_transport is not None:
            terminal.say(f"cost of transport {motion.cost_of_transport:.3g}")
        terminal.say(
            f"\n{motion.steps} steps of {1e3 * motion.timestep:g} ms in "
            f"{motion.seconds:.2f} s: {motion.simulated / motion.seconds:.0f} times real "
            "time"
        )
        if self.output is not None:
            terminal.say(f"wrote motion {self.output}")
        terminal.result(
            motion.as_plain() | {"files": {"motion": str(self.output)} if self.output else {}}
        )
        return 0


def _energies(energy: Mapping[str, Mapping[str, Any]]) -> str:
    """Each joint over the simulation, all its motors together."""
    rows = [
        [joint, *("-" if parts[name] is None else f"{parts[name]:.3g}" for name in ENERGIES)]
        for joint, parts in energy.items()
    ]
    numbers = tuple(range(1, len(ENERGIES) + 1))
    return columns(["energy [J]", *ENERGIES.values()], rows, numbers=numbers)
