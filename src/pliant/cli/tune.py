"""`pliant tune`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
from tyro.conf import Positional

from pliant.cli.choices import attached
from pliant.cli.options import Output, Repeated, Within, check_file, flag, shown
from pliant.cli.terminal import Pace, Terminal, columns, printable
from pliant.errors import PliantError, located
from pliant.extras import extra_module
from pliant.io.output import write_whole
from pliant.record.tables import register_name, register_value

if TYPE_CHECKING:
    from pliant.robots.servo_trials import ServoTrials
    from pliant.robots.tuning import Tuning

MOST = 1000
"""Draws."""
HEAD = ("gap [mrad]", "overshoot", "settled [ms]", "limit cycles", "heat [W]", "current [A]")


@dataclass(frozen=True, kw_only=True)
class Tune:
    """Find gains, profile and limits of servos that settle fastest, without overshoot or limit cycle.

    Everything is simulated, over the uncertainty given in the servos' files. Nothing is sent to a servo.

    Example: pliant tune robot.toml --motion motion.csv --payload gripperframe=0.1

    Attributes:
        robot: Robot file (*.toml), MJCF (*.xml) or URDF (*.urdf); with --mass, an actuator that turns a
            pendulum.
        motion: Motions (*.csv): `time` [s] and a column for each joint, named like it [rad, m]; for a
            pendulum, `joint`, 0 hanging down. Settling is measured at their ends.
        attach: Actuators to attach, joint=actuator: names (`pliant actuators`) or TOML files.
        payload: Mass at a site, or at a body's centre of mass, SITE=KG; or SITE=RECORDING of the robot
            holding still, from which the mass is found.
        mass: Mass of the pendulum [kg].
        length: Distance of that mass from the axis [m].
        draws: Number of parameter sets to try.
        picture: Picture to write (*.png, *.svg): overshoot and settling gap of each candidate.
        overwrite: Replace a picture that exists.
    """

    robot: Annotated[Positional[Path], shown("ROBOT")]
    motion: Annotated[tuple[str, ...], Repeated, shown("FILE.csv")]
    attach: Annotated[tuple[str, ...], Repeated, shown("JOINT=ACTUATOR")] = ()
    payload: Annotated[tuple[str, ...], Repeated, shown("SITE=KG")] = ()
    mass: Annotated[float | None, shown("KG"), Within(0.0, 1e3, "kg")] = None
    length: Annotated[float | None, shown("M"), Within(1e-3, 10.0, "m")] = None
    draws: Annotated[int, shown("NUMBER"), Within(1, MOST)] = 60
    picture: Annotated[Path | None, shown("FILE.png")] = None
    overwrite: Annotated[bool, flag()] = False
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Try the candidates; show the recommended one and what each number costs."""
        from pliant.robots.tuning import tune

        if self.picture is not None:
            extra_module("matplotlib", "plots")
            check_file("--picture", self.picture, ".png", ".svg", overwrite=self.overwrite)
        trials, pace = self._trials(terminal), Pace(terminal)
        found = tune(trials, lambda k, n: pace.say("trying gains", k / n))
        if self.picture is not None:
            from pliant.report.still import bytes_of, tuning_figure

            kind = self.picture.suffix.lower()[1:]
            write_whole(self.picture, bytes_of(tuning_figure(found), kind))
        _say(found, terminal, self.draws)
        if self.picture is not None:
            terminal.say(printable(f"\nwrote picture {self.picture}"))
        terminal.result(_plain(found, self.draws))
        return 0

    def _trials(self, terminal: Terminal) -> "ServoTrials":
        from pliant.cli.commands import Commands
        from pliant.cli.compensate import payload_of
        from pliant.robots.servo_trials import ServoTrials

        if not self.motion:
            raise PliantError("is missing", field="--motion", accepted="*.csv")
        wanted = [(path, Commands.read((), Path(path))) for path in self.motion]
        if self.mass is None and self.length is None:
            if not self.robot.suffix:
                accepted = "*.toml, *.xml, *.urdf; an actuator with --mass and --length"
                found = str(self.robot)
                raise PliantError(
                    "is no robot's file", field="ROBOT", found=found, accepted=accepted
                )
            chosen = dict(attached(self.attach))
            payload = payload_of(self.robot, self.payload, chosen, terminal)
            trials = ServoTrials(self.robot, chosen or None, payload=payload, draws=self.draws)
        else:
            trials = self._pendulum()
        for path, motion in wanted:
            positions = motion.ordered(trials.joints)
            with located(path):
                trials.follow(motion.time, positions)
        return trials

    def _pendulum(self) -> "ServoTrials":
        from pliant.engines.mujoco.batch.trials import JOINT, bench
        from pliant.record.emulated_servo import Load
        from pliant.robots.servo_trials import ServoTrials

        for name in ("attach", "payload"):
            if getattr(self, name):
                accepted = "a robot, or --mass and --length of a pendulum"
                raise PliantError("belongs to a robot", field=f"--{name}", accepted=accepted)
        for name, value in (("--mass", self.mass), ("--length", self.length)):
            if value is None:
                accepted = "mass and length of the pendulum"
                raise PliantError("is missing", field=name, accepted=accepted)
        spec = bench(Load(self.mass or 0.0, self.length or 0.0))
        return ServoTrials(spec, {JOINT: str(self.robot)}, draws=self.draws)


def _say(found: "Tuning", terminal: Terminal, draws: int) -> None:
    """Registers, then each joint before and after, then what each number costs."""
    from pliant.robots.tuning import figures

    terminal.say(columns(["joint", "register", "file", "recommended"], _registers(found)))
    rows = [
        [joint, which, *_cells(figures(measured, j))]
        for j, joint in enumerate(found.joints)
        for which, measured in (("file", found.own), ("recommended", found.together))
    ]
    terminal.say(f"\nmeans of {draws} draws; current: the highest")
    terminal.say(columns(["joint", "with", *HEAD], rows, numbers=tuple(range(2, 8))))
    terminal.say("\nwhat each costs, one changed on all joints: mean of the joints")
    rows = [
        [*(f"x {x:.2g}" for x in factors), *_cells(_overall(measured))]
        for factors, measured in sorted(found.tried, key=lambda one: one[0])
        if terminal.verbose or sum(x != 1.0 for x in factors) < 2
    ]
    terminal.say(columns(["P", "D", "profile", *HEAD], rows, numbers=tuple(range(9))))


def _registers(found: "Tuning") -> list[list[str]]:
    rows: list[list[str]] = []
    for joint, unit in zip(found.joints, found.actuators, strict=True):
        for name, value in found.values(joint).items():
            now = register_value(unit, name, unit.value(name))
            rows.append([joint, register_name(unit, name), now, register_value(unit, name, value)])
    return [[printable(cell) for cell in row] for row in rows]


def _overall(measured: Any) -> dict[str, float]:
    """Means of the joints, the highest current, and all limit cycles."""
    from pliant.robots.tuning import figures

    every = [figures(measured, j) for j in range(measured.gap.shape[1])]
    how = {"highest_current": np.max, "limit_cycles": np.sum}
    return {name: float(how.get(name, np.mean)([one[name] for one in every])) for name in every[0]}


def _cells(found: Mapping[str, float]) -> list[str]:
    return [
        f"{1e3 * found['gap']:.1f}",
        f"{1e3 * found['overshoot']:.1f}",
        f"{1e3 * found['settling_time']:.0f}",
        f"{found['limit_cycles']:.0f}",
        f"{found['heat']:.2f}",
        f"{found['highest_current']:.2f}",
    ]


def _plain(found: "Tuning", draws: int) -> dict[str, Any]:
    """Plain values, for `--json`."""
    from pliant.robots.tuning import figures

    joints: dict[str, Any] = {}
    for j, (joint, unit) in enumerate(zip(found.joints, found.actuators, strict=True)):
        values = found.values(joint)
        joints[joint] = {
            "values": values,
            "registers": {
                register_name(unit, n): register_value(unit, n, x) for n, x in values.items()
            },
            "file": figures(found.own, j),
            "recommended": figures(found.together, j),
            "candidates": [
                {"values": found.values(joint, k), **figures(measured, j)}
                for k, (_, measured) in enumerate(found.tried)
            ],
        }
    return {"draws": draws, "joints": joints}
