"""Time that the usual four trajectories need to tell as much as a plan: by fits.

python tools/plan_trials.py [--trials 24] [--times 4] [--gain 100 400 800] [--mass 0.25 0.49]

A servo is simulated. The usual design is the four trajectories of the example logs at one gain and load; the
planned one is as many seconds that `pliant plan` chooses, at the same gain and load or among those given. Both are recorded again and again with new
noise, alike over 0.1 s, and fitted from the true numbers. The spread of what is found gives k, the factor of time after
which the usual design tells as much as the plan: a variance falls with the time. The usual design repeated
`--times` times checks that.
"""

import argparse
from dataclasses import replace

import numpy as np

from pliant.arrays import Floats
from pliant.assemble import Actuator
from pliant.engines.joint.engine import JointEngine
from pliant.identify.problem.joint_rig import JointRig
from pliant.identify.problem.objective import Objective
from pliant.identify.problem.space import Space
from pliant.identify.search.least_squares import polish
from pliant.identify.uncertainty.sensitivity import Chart
from pliant.io.actuator_file import load_actuator
from pliant.io.log import Log, example_logs, read_log
from pliant.record.plan import MEMORY, NOISE, RATE, SURE, Limits, Planner, candidates, simulated

JACOBIANS, DESCENTS, STILL = 6, 8, 1e-4
"""Steps of a descent, descents of a fit, and the move in the cube at which it has ended."""


def usual(actuator: Actuator) -> list[Log]:
    """The four trajectories, simulated."""
    logs = [replace(read_log(path), arm_mass=0.0) for path in example_logs()]
    logs = [log.resample(1.0 / RATE) for log in logs if log.gain == logs[0].gain]
    line = {log.name: JointEngine(actuator).rollout(log).position for log in logs}
    return [replace(log, position=line[log.name].reshape(-1), velocity=None) for log in logs]


def planned(
    actuator: Actuator, like: list[Log], gains: list[float], masses: list[float]
) -> list[Log]:
    """Runs of a plan of the same length at these gains and loads [kg], simulated without noise."""
    seconds = sum(float(log.time[-1]) for log in like)
    limits = Limits(reach=max(float(np.abs(log.goal).max()) for log in like))
    found: list[Log] = []
    planner = Planner(actuator, limits)
    for step in planner.next(candidates(gains, masses, like[0].length), 20):
        log = simulated(actuator, step.run, limits)
        spent = sum(float(one.time[-1]) for one in found)
        if log is None or spent + float(log.time[-1]) > seconds:
            continue
        line = JointEngine(actuator).rollout(log).position.reshape(-1)
        found.append(replace(log, name=f"{log.name} {len(found)}", position=line, arm_mass=0.0))
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


def spread(actuator: Actuator, logs: list[Log], trials: int) -> tuple[Space, Floats]:
    """(trials, D) what fits to new recordings find, on the chart."""
    rig = JointRig(actuator).coarse()
    space = rig.space({}, {"plant.position_offset": None}, logs)
    chart = Chart(space)
    found: list[Floats] = []
    for trial in range(trials):
        rng = np.random.default_rng(trial)
        made = [noisy(log, f"{log.name} {k}", rng) for k, log in enumerate(logs)]
        goal = Objective(rig.residuals(made, space), "squared")
        found.append(chart.from_cube(_foot(goal)))
    return space, np.array(found)


def _foot(goal: Objective) -> Floats:
    """The minimum next to the true numbers, followed until nothing moves: a descent that stops early is too sure."""
    point = goal.misfit.given
    for _ in range(DESCENTS):
        before, point = point, polish(goal, point, JACOBIANS)
        if np.abs(point - before).max() < STILL:
            break
    return point


def widths(actuator: Actuator, space: Space, points: Floats) -> Floats:
    """(D,) half the 90 % interval, as a part of the value."""
    values = Chart(space).values(points)
    true = np.array([actuator.value(name) for name in space.names])
    # Between the quartiles: a fit in twenty ends in another valley of the friction, and says nothing of this one.
    spread = np.subtract(*np.quantile(values, (0.75, 0.25), axis=0)) / 1.349
    return SURE * spread / np.maximum(np.abs(true), 0.02 * (space.high - space.low))


def main(trials: int, times: int, gains: list[float], masses: list[float]) -> None:
    """Fit both designs, and the usual one repeated; say what k is."""
    actuator = load_actuator("xl330_bam_m4")
    base = usual(actuator)
    plan = planned(actuator, base, gains or [base[0].gain], masses or [base[0].mass])
    seconds = [sum(float(log.time[-1]) for log in logs) for logs in (base, plan)]
    print(
        f"usual {seconds[0]:.0f} s; plan {seconds[1]:.0f} s: {', '.join(log.name for log in plan)}"
    )
    designs = {"usual": base, "plan": plan, f"usual x{times}": base * times}
    found = {name: spread(actuator, logs, trials) for name, logs in designs.items()}
    space = found["plan"][0]
    table = {name: widths(actuator, *one) for name, one in found.items()}
    print("half the 90 % interval, as a part of the value")
    for k, name in enumerate(space.names):
        print(f"  {name:20} " + ", ".join(f"{w}: {x[k]:.3f}" for w, x in table.items()))
    k = (table["usual"] / table["plan"]) ** 2 * seconds[0] / seconds[1]
    free = [k for k in range(len(space.names)) if found["plan"][1][:, k].std() > STILL]
    print(f"k of each: {', '.join(f'{space.names[j]} {k[j]:.1f}' for j in free)}")
    print(f"k in the median: {np.median(k[free]):.1f}")
    gain = (table["usual"] / table[f"usual x{times}"]) ** 2
    print(f"{times} times the usual: variances {np.median(gain[free]):.1f} times smaller")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=24)
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--gain", type=float, nargs="*", default=[], help="that a plan may take")
    parser.add_argument("--mass", type=float, nargs="*", default=[], help="[kg] likewise")
    given = parser.parse_args()
    main(given.trials, given.times, given.gain, given.mass)
