"""Time that the usual four trajectories need to give as much information as a plan.

python tools/plan_trials.py [--seeds 3] [--first 1] [--fits 0] [--more] [--arm]

A servo is drawn around a published one, so that the plan, which is based on the published one, is slightly wrong. The
usual design is the four trajectories of the example logs, at one gain and load; the planned one has the same duration,
chosen by `pliant plan` at the same gain and load, or (--more) also at half and twice the gain and the load. The mass of
the arm is known, or (--arm) searched too. The information of both at the drawn numbers (J'WJ, W the posterior's weights,
as in `pliant.record.plan`) gives the 90 % interval of each number. k of a number is the factor of time after which the
usual design, repeated, has the interval of the plan. Only the seeds are random.

--fits N compares the intervals with the spread of N fits each, to recordings with new noise, started at the true numbers.
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.optimize
from emulated_trials import LENGTH, MASS, PUBLISHED, drawn

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.identification.problem.joint_rig import JointRig
from pliant.identification.problem.posterior import MEMORY, Posterior
from pliant.identification.search.least_squares import polish
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log
from pliant.record.plan import (
    NOISE,
    OPEN_WIDTH,
    RATE,
    SETTLED,
    Limits,
    Planner,
    Run,
    candidates,
    simulated,
)

TIMES = (1, 2, 4, 8)
"""Numbers of repetitions of the usual design in the table."""
MOST = 1e6
"""Largest k that is distinguished from infinity."""
JACOBIANS, DESCENTS, STILL = 6, 8, 1e-4
"""Steps of a descent, descents of a fit, and the move in the cube at which it has ended."""


@dataclass(frozen=True)
class Given:
    """A plan of three gains and loads; the mass of the arm [kg], searched where it is None."""

    more: bool
    arm: float | None


@dataclass(frozen=True)
class Told:
    """Information of a design about a servo.

    Attributes:
        names: (D,) numbers. usual, plan: (D, D) in the cube, without that of the bounds.
        settled: numbers that the plan predicts to determine. logs: of both designs, without noise.
    """

    names: list[str]
    usual: Floats
    plan: Floats
    settled: list[str]
    logs: tuple[list[Log], list[Log]]


def usual(actuator: Actuator, arm: float | None) -> list[Log]:
    """The four trajectories at the servo's own gain, with the trials' load."""
    logs = [read_log(path) for path in example_logs()]
    gain = actuator.value("control.kp")
    bench = {"mass": MASS, "length": LENGTH, "arm_mass": arm, "gain": gain, "supply": None}
    first = [log.resample(1.0 / RATE) for log in logs if log.gain == logs[0].gain]
    return [moved(actuator, replace(log, voltage=None, zero=0.0, **bench)) for log in first]


def moved(actuator: Actuator, log: Log) -> Log:
    """The log with the positions of a simulation."""
    position = JointEngine(actuator).rollout(log).position.reshape(-1)
    return replace(log, position=position, velocity=None)


def planned(
    actuator: Actuator, limits: Limits, seconds: float, given: Given
) -> tuple[list[Run], list[str]]:
    """Runs of a plan of at most these seconds, and the numbers that it says they settle."""
    parts = (0.5, 1.0, 2.0) if given.more else (1.0,)
    gain = actuator.value("control.kp")
    runs = candidates([p * gain for p in parts], [p * MASS for p in parts], LENGTH, given.arm)
    planner = Planner(actuator, limits)
    found = [step.run for step in planner.next(runs, seconds=seconds)]
    return found, [name for name, width in planner.widths().items() if width < SETTLED]


def told(servo: str, seed: int, given: Given) -> Told:
    """Information of both designs about one drawn servo, for the same time."""
    published = load_actuator(PUBLISHED[servo])
    true = drawn(PUBLISHED[servo], np.random.default_rng(seed))
    base = usual(true, given.arm)
    seconds = sum(float(log.time[-1]) for log in base)
    limits = Limits(reach=max(float(np.abs(log.goal).max()) for log in base))
    runs, settled = planned(published, limits, seconds, given)
    logs = [log for run in runs if (log := simulated(true, run, limits)) is not None]
    plan = [replace(moved(true, log), name=f"{log.name} {k}") for k, log in enumerate(logs)]
    spent = sum(float(log.time[-1]) for log in plan)
    planner = Planner(true, limits)
    rng = np.random.default_rng(seed)
    # The usual design counts for the plan's time, which is a little shorter.
    one = [planner.information(noisy(log, log.name, rng)) for log in base]
    other = [planner.information(noisy(log, log.name, rng)) for log in plan]
    names = list(planner.widths())
    return Told(
        names, np.sum(one, axis=0) * spent / seconds, np.sum(other, axis=0), settled, (base, plan)
    )


def spread(information: Floats) -> Floats:
    """(D,) standard deviations in the cube, including the information of the bounds."""
    return np.sqrt(np.diag(np.linalg.inv(information + OPEN_WIDTH * np.eye(len(information)))))


def times(of: Told) -> dict[str, float]:
    """k of each number that the plan settles."""
    wanted = spread(of.plan)
    found: dict[str, float] = {}
    for name in of.settled:
        k = of.names.index(name)

        def wider(log_factor: float, k: int = k) -> float:
            return float(np.log(spread(np.exp(log_factor) * of.usual)[k] / wanted[k]))

        ends = -np.log(MOST), np.log(MOST)
        found[name] = MOST
        if wider(ends[1]) < 0.0:
            optimize: Any = scipy.optimize
            found[name] = float(np.exp(optimize.brentq(wider, *ends)))
    return found


def noisy(log: Log, name: str, rng: np.random.Generator) -> Log:
    """A recording of it: noise with a memory, whose integral is `MEMORY`."""
    keep = np.exp(-2.0 / (MEMORY * RATE))
    drive = rng.normal(0.0, NOISE * np.sqrt(1.0 - keep * keep), len(log.time))
    noise, now = np.empty(len(drive)), rng.normal(0.0, NOISE)
    for k, step in enumerate(drive):
        now = keep * now + step
        noise[k] = now
    return replace(log, name=name, position=log.position + noise)


def fitted(actuator: Actuator, logs: Sequence[Log], fits: int) -> Floats:
    """(D,) standard deviation in the cube of what fits to new recordings find."""
    rig = JointRig(actuator)
    space = rig.space({}, {"plant.position_offset": None}, list(logs))
    found: list[Floats] = []
    for trial in range(fits):
        rng = np.random.default_rng(trial)
        made = [noisy(log, f"{log.name} {k}", rng) for k, log in enumerate(logs)]
        goal = Posterior(rig.residuals(made, space))
        found.append(_foot(goal))
    # From the quartiles: one fit in twenty ends in another minimum of the friction, unrelated to this one.
    return np.subtract(*np.quantile(np.array(found), (0.75, 0.25), axis=0)) / 1.349


def _foot(goal: Posterior) -> Floats:
    """The minimum near the true numbers, converged fully, as stopping early would make the spread too small."""
    point = goal.misfit.given
    for _ in range(DESCENTS):
        before, point = point, polish(goal, point, JACOBIANS)
        if np.abs(point - before).max() < STILL:
            break
    return point


def confirm(servo: str, seed: int, of: Told, fits: int) -> None:
    """Print the spread of the fits relative to the intervals."""
    actuator = drawn(PUBLISHED[servo], np.random.default_rng(seed))
    for what, information, logs in zip(
        ("usual", "plan"), (of.usual, of.plan), of.logs, strict=True
    ):
        ratio = fitted(actuator, logs, fits) / spread(information)
        said = ", ".join(f"{n} {ratio[of.names.index(n)]:.2f}" for n in of.settled)
        print(f"  {what}: spread of {fits} fits, in units of the interval's: {said}", flush=True)


def main(seeds: range, fits: int, given: Given) -> None:
    """Print k of each number, for each servo and seed, and for all."""
    every: list[float] = []
    for servo in PUBLISHED:
        mine: list[float] = []
        for seed in seeds:
            of = told(servo, seed, given)
            k = times(of)
            mine += k.values()
            print(f"{servo}, servo {seed}; plan: {', '.join(log.name for log in of.logs[1])}")
            print("  k: " + ", ".join(f"{name} {x:.2g}" for name, x in k.items()))
            widths = np.array([spread(n * of.usual) for n in TIMES]) / spread(of.plan)
            for n, row in zip(TIMES, widths, strict=True):
                said = ", ".join(f"{name} {row[of.names.index(name)]:.2f}" for name in of.settled)
                print(f"  intervals of the usual, {n} times the time, by the plan's: {said}")
            if fits and seed == seeds[0]:
                confirm(servo, seed, of, fits)
        print(f"{servo}: k {quoted(mine)}", flush=True)
        every += mine
    print(f"all: k {quoted(every)}")


def quoted(k: Sequence[float]) -> str:
    """Median, ends, and how many are below 1."""
    return (
        f"{np.median(k):.1f} in the median, {min(k):.2g} to {max(k):.2g}; "
        f"below 1 for {sum(x < 1.0 for x in k)} of {len(k)}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="servos drawn of each kind")
    parser.add_argument("--first", type=int, default=1, help="seed of the first servo")
    parser.add_argument("--fits", type=int, default=0, help="fits that verify the intervals")
    parser.add_argument("--more", action="store_true", help="plan with three gains and loads")
    parser.add_argument("--arm", action="store_true", help="also search the arm's mass")
    words = parser.parse_args()
    seeds = range(words.first, words.first + words.seeds)
    main(seeds, words.fits, Given(words.more, None if words.arm else 0.0))
