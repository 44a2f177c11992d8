"""Steps a second of the joint engine on one core by the number of lanes, and compiling.

Friction M1, M4, M6 on the servo of the XL330 logs, and a series-elastic actuator; all widths in turn in
one run, and how far apart their motions end up.
"""

import os
import subprocess
import sys
import tempfile
import time
from statistics import median

import numpy as np

from pliant import load_actuator, read_logs
from pliant.arrays import Floats
from pliant.engines.joint import engine as joint
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.io.log import example_logs

ACTUATORS = {
    "M1": "xl330_bam_m1",
    "M4": "xl330_bam_m4",
    "M6": "xl330_bam_m6",
    "series elastic": "sea_trumic_103",
}
STEP = 2.7e-3
"""[s] As in a search."""
TURNS = 7
LOGS = 12


WIDTHS = tuple(sorted({1, joint.NARROW, 8, joint.LANES}))


def prepared(name: str) -> tuple[JointEngine, LogBatch, Floats]:
    """An engine for an actuator of the catalogue, logs, and candidates around it."""
    engine = JointEngine(load_actuator(name), settings=JointSettings(max_step=STEP))
    spread = np.random.default_rng(1).uniform(0.95, 1.05, (2 * joint.LANES, len(engine.names)))
    batch = LogBatch(read_logs(example_logs())[:LOGS], engine)
    return engine, batch, engine.values() * spread


def speeds(name: str) -> tuple[dict[int, float], float]:
    """[1/s] by width, median of the turns; and the largest difference [rad] from a width of one."""
    engine, batch, values = prepared(name)
    found: dict[int, list[float]] = {width: [] for width in WIDTHS}
    motions: dict[int, Floats] = {}
    for turn in range(TURNS + 1):
        for width, into in found.items():
            joint.LANES, joint.NARROW = width, 0
            began = time.thread_time()
            motions[width], steps = engine.batch(values, batch, threads=1)
            if turn:  # the first compiles
                into.append(steps / (time.thread_time() - began))
    apart = max(float(np.nanmax(np.abs(one - motions[1]))) for one in motions.values())
    return {width: median(each) for width, each in found.items()}, apart


def compiling(width: int) -> float:
    """[s] Processor time of one batch of M6 in a new process with an empty cache, minus that with a filled one."""
    program = (
        "import sys, time; sys.path.insert(0, 'benchmarks'); import lanes;"
        f"lanes.joint.LANES, lanes.joint.NARROW = {width}, 0; e, b, v = lanes.prepared('xl330_bam_m6');"
        "t = time.process_time(); e.batch(v, b, threads=1); print(time.process_time() - t)"
    )
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "PLIANT_CACHE_DIR": cache}
        took = [
            float(subprocess.check_output([sys.executable, "-c", program], env=environment))
            for _ in range(2)
        ]
    return took[0] - took[1]


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    found: list[tuple[str, str, str]] = []
    for what, name in ACTUATORS.items():
        by_width, apart = speeds(name)
        text = ", ".join(f"{speed / 1e6:.1f}" for speed in by_width.values())
        widths = ", ".join(map(str, by_width))
        bar = ">= 60 in the widest" if what == "M6" else ""
        label = f"{what}, one core, {widths} lanes [million steps/s]"
        found.append((label, f"{text} ({apart:.0e} rad apart)", bar))
    once = [f"{compiling(width):.2f}" for width in (1, max(WIDTHS))]
    label = f"M6, compiling for 1 and {max(WIDTHS)} lanes [s of the processor]"
    found.append((label, ", ".join(once), "<= 0.6, 1.2"))
    return found


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
