"""`pliant plan`."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional

from pliant.cli.options import RARE, Output, shown
from pliant.cli.several import Repeated
from pliant.cli.terminal import Terminal, columns

if TYPE_CHECKING:
    from pliant.record.plan import Planner, Run, Step

MOST_SHOWN = 6
"""Parameters that a line names."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Choose what to record next: the runs that tell most about what is still open.

    Runs of the standard set of `pliant record`, and sines, are simulated with the actuator as it is
    known so far. Those within the limits that narrow its intervals most come first, each with what it is
    foretold to settle. The prediction takes the model to be right: real intervals are wider.

    Example: pliant plan xl330_bam_m6 --mass 0.2,0.4 --length 0.1 --gain 100,400

    Attributes:
        actuator: Name of an actuator, or the file that an earlier fit wrote.
        logs: Logs that there are already; the plan begins with what they tell.
        mass: Masses that can be put on the pendulum [kg].
        length: Their distance from the axis [m].
        gain: P-gains that can be set; the actuator's own by default.
        runs: Runs to choose.
        reach: Largest goal to both sides of the middle [rad].
        most_torque: Largest torque that the motor may give [N m].
        most_steady_torque: Its largest mean over a run [N m], so that it does not get hot.
        settle: Parameters that matter, motor.R for one; all that `identify` would search by default.
    """

    actuator: Annotated[Positional[str], shown("ACTUATOR")]
    logs: Annotated[tuple[str, ...], Repeated, shown("FILE")] = ()
    mass: Annotated[tuple[str, ...], Repeated, shown("KG")]
    length: Annotated[float, shown("M")]
    gain: Annotated[tuple[str, ...], Repeated, shown("NUMBER")] = ()
    runs: Annotated[int, shown("N")] = 6
    reach: Annotated[float, shown("RAD")] = 1.2
    most_torque: Annotated[float | None, RARE, shown("NM")] = None
    most_steady_torque: Annotated[float | None, RARE, shown("NM")] = None
    settle: Annotated[tuple[str, ...], RARE, Repeated, shown("NAME")] = ()
    shown: Output = field(default_factory=Output)

    def run(self, terminal: Terminal) -> int:
        """Choose, and show."""
        from pliant.record.plan import candidates

        planner = self._planner()
        own = [planner.actuator.value("control.kp")]
        runs = candidates(self._numbers("gain") or own, self._numbers("mass"), self.length)
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
        terminal.say("\n" + "\n".join(self._commands([step.run for step in steps])))
        terminal.result({"runs": [self._plain(step) for step in steps]})
        return 0

    def _numbers(self, name: str) -> list[float]:
        from pliant.cli.choices import parsed_number

        return [parsed_number(text, name) for text in getattr(self, name)]

    def _planner(self) -> "Planner":
        from pliant.errors import PliantError
        from pliant.io.actuator_file import load_actuator
        from pliant.io.log import read_logs
        from pliant.record.plan import Limits, Planner

        for name, values, low, high in (
            ("mass", self._numbers("mass"), 1e-4, 1e3),
            ("gain", self._numbers("gain"), 0.0, 1e5),
            ("length", (self.length,), 1e-3, 10.0),
            ("runs", (self.runs,), 1, 100),
            ("reach", (self.reach,), 0.01, 3.0),
            ("most-torque", _given(self.most_torque), 1e-6, 1e6),
            ("most-steady-torque", _given(self.most_steady_torque), 1e-6, 1e6),
        ):
            for value in values:
                if not low <= value <= high:
                    accepted = f"{low:g} to {high:g}"
                    raise PliantError(
                        "out of range", field=f"--{name}", found=value, accepted=accepted
                    )
        if not self.mass:
            raise PliantError("is needed", field="--mass", accepted="[kg]")
        unbounded = float("inf")
        limits = Limits(
            reach=self.reach,
            torque=self.most_torque or unbounded,
            steady_torque=self.most_steady_torque or unbounded,
        )
        planner = Planner(load_actuator(self.actuator), limits, self.settle or None)
        if self.logs:
            planner.recorded(read_logs(self.logs))
        return planner

    def _commands(self, runs: "list[Run]") -> list[str]:
        """Lines that record them, the loads one after the other."""
        found: dict[tuple[float, float], list[str]] = {}
        for run in runs:
            names = found.setdefault((run.mass, run.gain), [])
            if run.motion.name not in names:
                names.append(run.motion.name)
        return [
            f"pliant record --port DEVICE --mass {mass:g} --length {self.length:g} --gain {gain:g} "
            f"--reach {self.reach:g} --motion {','.join(names)} --output logs_{mass:g}kg/"
            for (mass, gain), names in found.items()
        ]

    def _plain(self, step: "Step") -> dict[str, object]:
        run = step.run
        return {
            "motion": run.motion.name,
            "gain": run.gain,
            "mass": run.mass,
            "length": run.length,
            "seconds": run.motion.seconds,
            "relative_interval": step.widths,
        }


def _given(value: float | None) -> tuple[float, ...]:
    return () if value is None else (value,)
