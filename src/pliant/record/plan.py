"""Plan of recordings: the runs that narrow the intervals of an actuator's parameters most.

1. Each candidate run is simulated with the actuator as it is known so far, and dropped if it exceeds
   the limits of torque or range.
2. The sensitivities of the simulated positions, as in identification, give the information J'J / s² of
   the run about the parameters.
3. The run that raises the determinant of the total information most is taken (D-optimal design), then
   the next.

The predicted intervals assume that the model is right: real intervals are wider.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.errors import PliantError
from pliant.identify.problem.joint_rig import JointRig
from pliant.identify.problem.space import Space
from pliant.identify.uncertainty.sensitivity import Chart, sensitivity
from pliant.io.log import Log
from pliant.record.motions import MOTIONS, Motion, sine

RATE = 200.0
"""[Hz] Sample rate of the simulated recordings."""
NOISE = 3e-3
"""[rad] Size of a residual: two steps of a 12-bit encoder and the error of a good model."""
MEMORY = 0.1
"""[s] Correlation time of residuals: closer samples add no information."""
SETTLED = 0.2
"""Half the 90 % interval, relative to the value, below which a parameter counts as known."""
SURE = 1.645
"""Standard deviations of half a 90 % interval."""
FREQUENCIES, PARTS = (0.5, 1.0, 2.0, 4.0), (0.1, 0.3, 1.0)
"""[Hz], and shares of the range: the sines that are candidates beside the standard set."""
SECONDS = 8.0
"""Length of a sine."""
OPEN_WIDTH = 12.0
"""Inverse variance of a parameter known by its range only, 0 to 1 on the chart."""


@dataclass(frozen=True)
class Run:
    """One candidate run: a motion at a P-gain, with a mass [kg] at a length [m], on an arm of a mass [kg] or unknown."""

    motion: Motion
    gain: float
    mass: float
    length: float
    arm_mass: float | None = None

    def __str__(self) -> str:
        return f"{self.motion.name}, P-gain {self.gain:g}, {self.mass:g} kg"


@dataclass(frozen=True)
class Limits:
    """Limits of every run: goals to either side [rad], peak and mean torque of the motor [N m]."""

    reach: float = 1.2
    torque: float = float("inf")
    steady_torque: float = float("inf")


@dataclass(frozen=True)
class Step:
    """One run of a plan, and half the relative 90 % interval of each parameter after it."""

    run: Run
    widths: dict[str, float]

    @property
    def settled(self) -> list[str]:
        """Parameters known to `SETTLED`."""
        return [name for name, width in self.widths.items() if width < SETTLED]


def candidates(
    gains: Iterable[float],
    masses: Iterable[float],
    length: float,
    arm_mass: float | None = None,
    extra: Sequence[Motion] = (),
) -> list[Run]:
    """The standard set and sines, at each gain with each load; the arm's mass is searched where it is unknown."""
    motions = [
        *MOTIONS.values(),
        *(sine(f, a, SECONDS) for f in FREQUENCIES for a in PARTS),
        *extra,
    ]
    loads = list(masses)
    return [
        Run(m, gain, mass, length, arm_mass) for gain in gains for mass in loads for m in motions
    ]


def simulated(actuator: Actuator, run: Run, limits: Limits) -> Log | None:
    """The log that a run would give; None if it goes beyond the limits."""
    time = np.arange(0.0, run.motion.seconds, 1.0 / RATE)
    goal = np.array([run.motion.goal(t, limits.reach) for t in time])
    enabled = np.array([run.motion.enabled(t) for t in time])
    log = Log(
        name=str(run),
        path=Path(str(run)),
        digest="",
        device=actuator.device,
        trajectory=run.motion.name,
        mass=run.mass,
        length=run.length,
        arm_mass=run.arm_mass,
        gain=run.gain,
        supply=None,
        time=time,
        position=np.full(len(time), goal[0]),
        goal=goal,
        enabled=enabled,
        velocity=None,
        voltage=None,
    )
    rollout = JointEngine(actuator).rollout(log)
    torque = np.abs(rollout.torque[:, 0])
    far = np.abs(rollout.position).max() > limits.reach + 1.0
    if far or torque.max() > limits.torque or torque.mean() > limits.steady_torque:
        return None
    noise = np.random.default_rng(len(time)).normal(0.0, NOISE, len(time))
    return replace(log, position=rollout.position + noise)


class Planner:
    """Information of runs about an actuator's parameters.

    Args:
        actuator: as it is known so far, with bounds. limits: of runs.
        names: parameters to determine; None: those that `identify` would search.

    Attributes:
        known: (D, D) information so far, at first that of the bounds alone.
    """

    def __init__(
        self, actuator: Actuator, limits: Limits, names: Sequence[str] | None = None
    ) -> None:
        self.actuator, self.limits, self._names = actuator, limits, names
        self.rig = JointRig(actuator).coarse()
        self._space: Space | None = None
        self.known: Floats = np.empty((0, 0))

    def information(self, log: Log) -> Floats:
        """(D, D) information of one log, recorded or simulated."""
        space = self._space_of(log)
        residuals = self.rig.residuals([log], space)
        chart = Chart(space)
        found = sensitivity(residuals, chart.from_cube(residuals.given), chart)
        apart = float(np.median(np.diff(log.time)))
        weight = min(1.0, apart / MEMORY) / NOISE**2
        return weight * found.jacobian.T @ found.jacobian

    def recorded(self, logs: Iterable[Log]) -> None:
        """Add the information of logs recorded already."""
        for log in logs:
            information = self.information(log)
            self.known = self.known + information

    def next(self, runs: Sequence[Run], count: int) -> Iterator[Step]:
        """The best runs, one after the other; a run may come again.

        Raises:
            PliantError: every run goes beyond the limits.
        """
        found: list[tuple[Run, Floats]] = []
        for run in runs:
            log = simulated(self.actuator, run, self.limits)
            if log is not None:
                found.append((run, self.information(log) / run.motion.seconds))
        if not found:
            raise PliantError(
                "every run goes beyond the limits", accepted="wider limits, or a lighter load"
            )
        for _ in range(count):
            # All for the same time: a longer run would win by its length.
            gains = [np.linalg.slogdet(self.known + SECONDS * rate)[1] for _, rate in found]
            run, rate = found[int(np.argmax(gains))]
            self.known = self.known + run.motion.seconds * rate
            yield Step(run, self.widths())

    def widths(self) -> dict[str, float]:
        """Parameter to half its predicted 90 % interval, relative to its value."""
        assert self._space is not None
        spread = np.sqrt(np.diag(np.linalg.inv(self.known)))
        chart = Chart(self._space)
        at = chart.from_cube(self._space.to_cube(self._values))
        low, high = (chart.values(np.clip(at + s * SURE * spread, 0.0, 1.0)) for s in (-1.0, 1.0))
        size = np.maximum(np.abs(self._values), 0.02 * (self._space.high - self._space.low))
        return dict(zip(self._space.names, (0.5 * (high - low) / size).tolist(), strict=True))

    def _space_of(self, log: Log) -> Space:
        if self._space is None:
            space = self.rig.space({}, {"plant.position_offset": None}, [log])
            if self._names is not None:
                for name in self._names:
                    if name not in space.names:
                        raise PliantError(
                            "is not searched in these recordings", found=name, accepted=space.names
                        )
                space = self.rig.space(
                    {},
                    dict.fromkeys([*(set(space.names) - {*self._names}), "plant.position_offset"]),
                    [log],
                )
            self._space = space
            numbers = self.actuator.all_numbers
            self._values = np.array(
                [numbers[n].value if n in numbers else 0.0 for n in space.names]
            )
            self.known = OPEN_WIDTH * np.eye(len(space.names))
        return self._space
