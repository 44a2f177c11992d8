"""`pliant plan`."""

from dataclasses import dataclass, field
from typing import Annotated

from tyro.conf import Positional

from pliant.cli.choices import parsed_number
from pliant.cli.options import RARE, Output, Repeated, Within, check_range, shown
from pliant.cli.terminal import Terminal, columns
from pliant.errors import PliantError
from pliant.io.actuator_file import load_actuator
from pliant.io.log import read_logs
from pliant.record.plan import Limits, Planner, Run, Step, candidates
from pliant.record.tables import kind_of

MOST_SHOWN = 6
"""Parameters that a line names."""


GAIN = "control.kp"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Choose what to record next: the runs that narrow an actuator's intervals most.

    The motions of `pliant record`, and sines, are simulated at every mass and gain with the present
    estimate of the actuator and two variants of it. Among the runs within the limits, a set is chosen that
    narrows the intervals most. A parameter known less well than by the four usual trajectories in the same
    time counts heavily. Each run is listed with the parameters predicted to be known after it. The
    prediction assumes that the model is right: real intervals are wider.

    Example: pliant plan xl330_bam_m6 --mass 0.2,0.4 --length 0.1 --gain 100,400

    Attributes:
        actuator: Name of an actuator (`pliant actuators`), or the file that an earlier fit wrote.
        logs: Logs recorded already; the plan only adds what they lack.
        mass: Masses available for the pendulum [kg].
        length: Distance of the mass from the axis [m].
        arm_mass: Mass of the arm, a uniform rod of that length [kg]; searched too where it is not given.
        gain: Proportional gains to choose from; by default the actuator's own.
        runs: Number of runs to choose.
        reach: Largest goal to either side of the middle [rad].
        max_torque: Largest torque of the motor [N m]; by default no limit.
        max_mean_torque: Largest mean torque over a run [N m], so that the motor stays cool; by default
            no limit.
        settle: Parameters to determine (motor.R); by default all that `pliant identify` searches.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    logs: Annotated[tuple[str, ...], Repeated, shown("FILE")] = ()
    mass: Annotated[tuple[str, ...], Repeated, shown("KG")]
    length: Annotated[float, shown("M"), Within(1e-3, 10.0, "m")]
    arm_mass: Annotated[float | None, RARE, shown("KG"), Within(0.0, 1e3, "kg")] = None
    gain: Annotated[tuple[str, ...], Repeated, shown("NUMBER")] = ()
    runs: Annotated[int, shown("N"), Within(1, 100)] = 6
    reach: Annotated[float, shown("RAD"), Within(0.01, 3.0, "rad")] = 1.2
    max_torque: Annotated[float | None, RARE, shown("NM"), Within(1e-6, 1e6, "N m")] = None
    max_mean_torque: Annotated[float | None, RARE, shown("NM"), Within(1e-6, 1e6, "N m")] = None
    settle: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME")] = ()
    printing: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Choose, and show."""
        planner = self._planner()
        own = [planner.actuator.value(GAIN)]
        masses = self._numbers("mass")
        runs = candidates(self._numbers("gain") or own, masses, self.length, self.arm_mass)
        terminal.note(f"simulating {len(runs)} runs ...")
        steps = list(planner.next(runs, self.runs))
        known: list[str] = []
        rows: list[list[str]] = []
        for k, step in enumerate(steps):
            new = [name for name in step.settled if name not in known]
            known += new
            what = ", ".join(new[:MOST_SHOWN]) + (" ..." if len(new) > MOST_SHOWN else "")
            rows.append([str(k + 1), str(step.run), f"{step.run.motion.seconds:g}", what or "-"])
        terminal.say(columns(["", "run", "s", "then known to 20 %"], rows, numbers=(0, 2)))
        still = [f"{n} ({100 * w:.0f} %)" for n, w in steps[-1].widths.items() if n not in known]
        if still:
            terminal.paragraph("\nstill open: " + ", ".join(still))
        device = planner.actuator.device
        servo = kind_of(device)
        if servo is None:
            terminal.paragraph(
                f"\n`pliant record` does not know this servo ({device}): record these motions by another "
                "program (`pliant.record.design` has their goals)"
            )
        else:
            lines = self._commands([step.run for step in steps], servo)
            terminal.copied("\n" + "\n".join(lines))
        terminal.result({"runs": [self._plain(step) for step in steps]})
        return 0

    def _numbers(self, name: str) -> list[float]:
        return [parsed_number(text, name) for text in getattr(self, name)]

    def _planner(self) -> Planner:
        for mass in self._numbers("mass"):
            check_range("--mass", mass, 1e-4, 1e3, "kg")
        for gain in self._numbers("gain"):
            check_range("--gain", gain, 0.0, 1e5)
        if not self.mass:
            raise PliantError("is missing", field="--mass", accepted="one mass or several [kg]")
        unbounded = float("inf")
        limits = Limits(
            reach=self.reach,
            torque=self.max_torque or unbounded,
            steady_torque=self.max_mean_torque or unbounded,
        )
        actuator = load_actuator(self.actuator)
        if GAIN not in actuator.numbers:
            raise PliantError(
                "has no P-gain: a plan is for servos that hold a position",
                field="ACTUATOR",
                found=actuator.name,
                accepted="such as those of `pliant actuators --law control=firmware_position`",
            )
        planner = Planner(actuator, limits, self.settle or None)
        if self.logs:
            planner.recorded(read_logs(self.logs, arm_mass=self.arm_mass))
        return planner

    def _commands(self, runs: list[Run], servo: str) -> list[str]:
        """Lines that record them, the loads one after the other."""
        found: dict[tuple[float, float], list[str]] = {}
        for run in runs:
            names = found.setdefault((run.mass, run.gain), [])
            if run.motion.name not in names:
                names.append(run.motion.name)
        arm = "" if self.arm_mass is None else f" --arm-mass {self.arm_mass:g}"
        return [
            f"pliant record --servo {servo} --port DEVICE --mass {mass:g} --length {self.length:g}{arm} "
            f"--gain {gain:g} --reach {self.reach:g} --motion {','.join(names)} --output logs_{mass:g}kg/"
            for (mass, gain), names in found.items()
        ]

    def _plain(self, step: Step) -> dict[str, object]:
        run = step.run
        return {
            "motion": run.motion.name,
            "gain": run.gain,
            "mass": run.mass,
            "length": run.length,
            "seconds": run.motion.seconds,
            "relative_interval": step.widths,
        }
