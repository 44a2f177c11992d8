"""Do intervals hold? Servos of known numbers, recorded with noise and 12 bits, identified again.

A third of the recorded commands is held back to judge predictions by. Cases of a wrong model: truth
M6 fitted as M4, a position that arrives one sample late, a mass 5 % heavier than stated. Fits begin
near the truth (the search is measured elsewhere): what is judged is the interval, not the optimum.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from pliant import Actuator, load_actuator, read_logs
from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.identify.problem.space import Space, search_space
from pliant.identify.uncertainty.bands import band
from pliant.identify.uncertainty.draws import (
    BlockProblem,
    Uncertainty,
    blocks_of,
    refits,
    robust_weights,
    uncertainty,
)
from pliant.identify.uncertainty.sensitivity import Chart, sensitivity
from pliant.io.log import Log, example_logs

STEP = JointSettings(max_step=2.7e-3, aligned=True)
"""Settings of truth and fit, as in the search; other steps are measured elsewhere (parity)."""
BIT = 2.0 * np.pi / 4096
RIGHT, WRONG = 40, 5
"""Cases of the right class, and of each wrong model."""
HELD_BACK = 200.0
"""Gain of the logs that are predicted."""


class Fit:
    """An actuator on logs: points of the cube, or values, to motion."""

    def __init__(self, actuator: Actuator, logs: list[Log]) -> None:
        self.engine = JointEngine(actuator, settings=STEP)
        self.batch = LogBatch(logs, self.engine)
        self.space: Space = search_space(actuator)
        self.columns = [self.engine.names.index(name) for name in self.space.names]
        self.log_of = np.repeat(np.arange(len(logs)), np.diff(self.batch.starts))

    def simulate(self, values: Floats) -> Floats:
        candidates = np.repeat(self.engine.values()[None], len(values), axis=0)
        candidates[:, self.columns] = values
        return self.engine.batch(candidates, self.batch)[0]

    def residuals(self, points: Floats) -> Floats:
        return self.simulate(self.space.from_cube(points)) - self.batch.measured

    def refine(self, point: Floats, rounds: int = 15) -> Floats:
        """The robust least-squares point near (D,) one of the cube."""
        chart = Chart(self.space)
        at = chart.from_cube(point)
        block = blocks_of(self.log_of, self.batch.time, 1.0, 1)
        for _ in range(rounds):
            near = sensitivity(self.residuals, at, chart)
            problem = BlockProblem(
                self.residuals, chart, near, robust_weights(near.residual), block
            )
            new = refits(problem, np.ones((1, len(problem.starts))), 5)[0]
            if float(np.abs(new - at).max()) < 1e-4:
                return chart.to_cube(new)
            at = new
        return chart.to_cube(at)


def recorded(
    actuator: Actuator, values: dict[str, float], rng: np.random.Generator, kind: str
) -> list[Log]:
    """Recording of a servo with these numbers."""
    engine = JointEngine(actuator, settings=STEP)
    made: list[Log] = []
    for log in read_logs(example_logs()):
        true = replace(log, mass=1.05 * log.mass) if kind == "mass 5 % wrong" else log
        position = engine.rollout(true, engine.values(values)).position
        if kind == "delay of one sample":
            position = np.concatenate([position[:1], position[:-1]])
        noisy = position + rng.normal(0.0, 0.5 * BIT, len(position))
        made.append(replace(log, position=BIT * np.round(noisy / BIT)))
    return made


def case(kind: str, seed: int) -> tuple[Floats, float, float, Uncertainty]:
    """Which parameters are inside, the share of held-back samples inside, seconds, the intervals"""
    rng = np.random.default_rng(seed)
    truth = load_actuator("xl330_bam_m6" if kind == "wrong class" else "xl330_bam_m4")
    space = search_space(truth)
    point = space.to_cube(space.start) + rng.uniform(-0.1, 0.1, len(space.names))
    values = space.from_cube(np.clip(point, 0.1, 0.9))
    logs = recorded(truth, dict(zip(space.names, values, strict=True)), rng, kind)
    kept = [log for log in logs if log.gain != HELD_BACK]
    other = [log for log in logs if log.gain == HELD_BACK]
    fit = Fit(load_actuator("xl330_bam_m4"), kept)
    known = dict(zip(space.names, values, strict=True))
    begin = [known.get(n, s) for n, s in zip(fit.space.names, fit.space.start, strict=True)]
    near = fit.space.to_cube(np.array(begin)) + rng.normal(0.0, 0.02, len(begin))
    best = fit.refine(np.clip(near, 0.01, 0.99))
    began = time.monotonic()
    found = uncertainty(fit.residuals, best, fit.space, fit.log_of, fit.batch.time)
    seconds = time.monotonic() - began
    unseen = Fit(fit.engine.actuator, other)
    share = band(found, unseen.simulate).share(unseen.batch.measured)
    true = np.array(begin)
    return (true >= found.low) & (true <= found.high), share, seconds, found


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    right = [case("right class", seed) for seed in range(RIGHT)]
    inside = np.array([one[0] for one in right])
    out = [
        (
            "known truth, right class: parameters inside their 90 % intervals",
            f"{inside.mean():.0%} of {inside.size} ({RIGHT} cases), "
            f"{np.median([one[2] for one in right]):.1f} s each",
            ">= 85 %",
        ),
        (
            "  predictions inside theirs, gain held back",
            f"{np.mean([one[1] for one in right]):.0%} of the samples",
            "report",
        ),
    ]
    for kind in ("wrong class", "delay of one sample", "mass 5 % wrong"):
        shares = np.array([case(kind, 100 + seed)[1] for seed in range(WRONG)])
        out.append(
            (
                f"  {kind}: predictions inside theirs",
                f"{shares.mean():.0%} of the samples, {shares.min():.0%} in the worst of "
                f"{WRONG} cases",
                ">= 80 %",
            )
        )
    return out


if __name__ == "__main__":
    if sys.argv[1:]:
        kind, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
        for seed in range(first, last):
            inside, share, seconds, found = case(kind, seed)
            print(
                seed,
                inside.astype(int),
                f"{share:.3f}",
                f"{seconds:.1f}",
                f"{1e3 * found.model_error:.1f} mrad",
                np.round(found.widened, 1),
                flush=True,
            )
    else:
        for row in rows():
            print(" | ".join(row))
