"""Steps a second of the joint engine on one core: one candidate at a time against lanes, and compiling.

Friction M1, M4, M6 on the servo of the XL330 logs, and a series-elastic actuator; both kinds in turn in
one run, and how far apart their motions end up.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from math import inf
from statistics import median

import numpy as np

from pliant import load_actuator, read_logs
from pliant.arrays import Floats
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.io.log import example_logs
from pliant.lower.branchless import WIDTH

ACTUATORS = {
    "M1": "xl330_bam_m1",
    "M4": "xl330_bam_m4",
    "M6": "xl330_bam_m6",
    "series elastic": "sea_trumic_103",
}
STEP = 2.7e-3
"""[s] That of a search."""
TURNS = 7
LOGS = 12


@dataclass(frozen=True)
class Pair:
    """The same candidates both ways."""

    alone: JointEngine
    lanes: JointEngine
    batch: LogBatch
    values: Floats


def pair(name: str) -> Pair:
    """Engines for an actuator of the catalogue, and candidates around it."""
    settings = JointSettings(max_step=STEP, aligned=True)
    alone, lanes = (JointEngine(load_actuator(name), settings=settings) for _ in range(2))
    lanes.expect(inf)
    spread = np.random.default_rng(1).uniform(0.95, 1.05, (2 * WIDTH, len(alone.names)))
    batch = LogBatch(read_logs(example_logs())[:LOGS], alone)
    return Pair(alone, lanes, batch, alone.values() * spread)


def speeds(both: Pair) -> tuple[list[float], list[float], float]:
    """[1/s] alone, and in lanes; and the largest difference [rad]."""
    engines = (both.alone, both.lanes)
    first, second = (e.batch(both.values, both.batch, threads=1)[0] for e in engines)
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(TURNS):
        for engine, into in zip(engines, found, strict=True):
            began = time.process_time()  # of one thread: others may run beside it
            _, steps = engine.batch(both.values, both.batch, threads=1)
            into.append(steps / (time.process_time() - began))
    return *found, float(np.nanmax(np.abs(first - second)))


def compiling(how: str) -> float:
    """[s] One batch of M6 in a process of its own with an empty cache, less one with the cache."""
    program = (
        "import sys; sys.path.insert(0, 'benchmarks'); import lanes;"
        f"p = lanes.pair('xl330_bam_m6'); p.{how}.batch(p.values, p.batch)"
    )
    with tempfile.TemporaryDirectory() as cache:
        took: list[float] = []
        for _ in range(2):
            began = time.perf_counter()
            environment = {**os.environ, "PLIANT_CACHE_DIR": cache}
            subprocess.run([sys.executable, "-c", program], check=True, env=environment)
            took.append(time.perf_counter() - began)
    return took[0] - took[1]


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    found: list[tuple[str, str, str]] = []
    for what, name in ACTUATORS.items():
        alone, lanes, apart = speeds(pair(name))
        one, many = median(alone) / 1e6, median(lanes) / 1e6
        text = f"{one:.1f}, {many:.1f} ({many / one:.1f} times; {apart:.0e} rad apart)"
        bar = ">= 40 in lanes" if what == "M6" else ""
        found.append((f"{what}, one core, alone and in {WIDTH} lanes [million steps/s]", text, bar))
    once = [compiling(how) for how in ("alone", "lanes")]
    found.append(("M6, compiling for one and for lanes [s]", f"{once[0]:.1f}, {once[1]:.1f}", ""))
    return found


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
