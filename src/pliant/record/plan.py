"""Plan of recordings: the runs that narrow the intervals of an actuator's parameters most.

1. Each candidate run is simulated with the actuator as it is known so far, and dropped if it exceeds
   the limits of torque or range.
2. The sensitivities of the simulated positions, as in identification, give the information J'J / s² of
   the run about the parameters.
3. Among all sets of runs, choose one that reduces the remaining uncertainty most, with no parameter known less well
   than by the four usual trajectories in the same time; see `pliant.record.design`. This must hold for the present
   estimate of the actuator and for variants of it.

The predicted intervals assume that the model is right: real intervals are wider.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.errors import PliantError, check_known
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.posterior import Posterior
from pliant.identification.problem.space import Space
from pliant.identification.search.least_squares import slopes
from pliant.io.log import Log
from pliant.record.design import MOTIONS, USUAL, Choice, Motion, sine

RATE = 200.0
"""[Hz] Sample rate of the simulated recordings."""
NOISE = 3e-3
"""[rad] Size of a residual: two steps of a 12-bit encoder and the error of a good model."""
SETTLED = 0.2
"""Half the 90 % interval, relative to the value, below which a parameter counts as known."""
SURE = 1.645
"""Standard deviations of half a 90 % interval."""
FREQUENCIES, PARTS = (0.5, 1.0, 2.0, 4.0), (0.1, 0.3, 1.0)
"""[Hz], and shares of the range: the sines that are candidates beside the standard set."""
SECONDS = 8.0
"""Length of a sine."""
OPEN_WIDTH = 12.0
"""Inverse variance of a parameter known by its range only, 0 to 1 in the cube."""
GUESSES, UNSURE = 2, 0.15
"""Number of actuator variants a plan must suit, and the standard deviation of their parameters' logarithms."""


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
    """The standard set, the usual four and sines, at each gain with each load; the arm's mass is searched where it is unknown."""
    motions = [
        *MOTIONS.values(),
        *USUAL.values(),
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
        self.rig = JointRig(actuator)
        self._space: Space | None = None
        self.known: Floats = np.empty((0, 0))

    def information(self, log: Log) -> Floats:
        """(D, D) information of one log, recorded or simulated."""
        space = self._space_of(log)
        problem = Posterior(self.rig.residuals([log], space))
        at = problem.misfit.given
        residuals = problem.residuals(at[None])[0]
        J = slopes(problem.residuals, at, residuals)
        return np.einsum("im,jm->ij", J * problem.news / NOISE**2, J)

    def recorded(self, logs: Iterable[Log]) -> None:
        """Add the information of logs recorded already."""
        for log in logs:
            information = self.information(log)
            self.known = self.known + information

    def next(
        self, runs: Sequence[Run], count: int | None = None, *, seconds: float = 0.0
    ) -> Iterator[Step]:
        """The best `count` runs, or runs of so many `seconds` together, one after the other; a run may come again."""
        rates = self._rates(runs)
        found = [run for run in runs if run in rates]
        if not found:
            raise PliantError(
                "every run exceeds the limits", accepted="wider limits, or a lighter load"
            )
        length = np.array([run.motion.seconds for run in found])
        choice = Choice(
            np.array([rates[run] for run in found]).swapaxes(0, 1),
            self.known,
            self._settled(),
            length,
            _reference(found),
            length if count is None else np.ones(len(found)),
            seconds if count is None else count,
        )
        if choice.cost.min() > choice.budget:
            raise PliantError("every run is longer", accepted=f"at least {length.min():g} s")
        for k in choice.order(choice.best()):
            self.known = self.known + length[k] * rates[found[k]][0]
            yield Step(found[k], self.widths())

    def _rates(self, runs: Sequence[Run]) -> dict[Run, list[Floats]]:
        """Information [1/s] of each run that keeps to the limits, here and for each other guess."""
        found: dict[Run, list[Floats]] = {}
        guesses: list[Planner] = []
        for run in runs:
            logs = [simulated(self.actuator, run, self.limits)]
            if logs[0] is None:
                continue
            here = self.information(logs[0])
            guesses = guesses or [self._guess(seed) for seed in range(GUESSES)]
            logs = [simulated(one.actuator, run, self.limits) for one in guesses]
            there = [
                one.information(log)
                for one, log in zip(guesses, logs, strict=True)
                if log is not None
            ]
            if len(there) == GUESSES:
                found[run] = [one / run.motion.seconds for one in (here, *there)]
        return found

    def _guess(self, seed: int) -> "Planner":
        """The planner of an actuator variant, as far from this one as this one may be from the truth."""
        space, known = self._known_space()
        rng, numbers = np.random.default_rng(seed), self.actuator.all_numbers
        drawn = np.clip(known * np.exp(rng.normal(0.0, UNSURE, len(known))), space.low, space.high)
        values = {n: float(x) for n, x in zip(space.names, drawn, strict=True) if n in numbers}
        return Planner(
            self.actuator.with_values(values, "a guess", "assumed"), self.limits, self._names
        )

    def _settled(self) -> Floats:
        """(D,) variances in the cube at which half an interval is `SETTLED` of the value."""
        space, values = self._known_space()
        at, step = space.to_cube(values), 1e-4
        ends = [space.from_cube(at + s * step) for s in (-1.0, 1.0)]
        slope = (ends[1] - ends[0]) / (2.0 * step)
        return (SETTLED * _sizes(space, values) / (SURE * np.maximum(slope, 1e-300))) ** 2

    def widths(self) -> dict[str, float]:
        """Parameter to half its predicted 90 % interval, relative to its value."""
        space, values = self._known_space()
        spread = np.sqrt(np.diag(np.linalg.inv(self.known)))
        at = space.to_cube(values)
        low, high = (space.from_cube(at + s * SURE * spread) for s in (-1.0, 1.0))
        widths = 0.5 * (high - low) / _sizes(space, values)
        return dict(zip(space.names, widths.tolist(), strict=True))

    def _known_space(self) -> tuple[Space, Floats]:
        """The space of the first log, and the actuator's values."""
        assert self._space is not None
        return self._space, self._values

    def _space_of(self, log: Log) -> Space:
        if self._space is None:
            space = self.rig.space({}, {"plant.position_offset": None}, [log])
            if self._names is not None:
                for name in self._names:
                    check_known(name, space.names, "is not searched in these recordings")
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


def _sizes(space: Space, values: Floats) -> Floats:
    """(D,) reference of relative intervals: the values, or a fraction of the range if these are near zero."""
    return np.maximum(np.abs(values), 0.02 * (space.high - space.low))


def _reference(runs: Sequence[Run]) -> NDArray[np.int64]:
    """(C,) 1 for the usual four; for all, where none of these keeps to the limits."""
    usual = np.array([int(run.motion.name in USUAL) for run in runs])
    return usual if usual.any() else np.ones_like(usual)
