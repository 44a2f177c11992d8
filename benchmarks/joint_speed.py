"""Steps a second of the joint engine on one core: firmware law, DC motor, M6 friction."""

import time
from statistics import median

import numpy as np

from pliant import load_actuator, read_logs
from pliant.engines.joint.engine import JointEngine, JointSettings, LogBatch
from pliant.io.log import example_logs

REFERENCE = 0.055e6
"""[1/s] The published program on one core (measured by others; see docs/explanation/published_figures.md)."""


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    logs = read_logs(example_logs())
    engine = JointEngine(load_actuator("xl330_bam_m6"), settings=JointSettings(max_step=1e-3))
    batch = LogBatch(logs, engine)
    values = np.repeat(engine.values()[None], 8, axis=0)
    engine.batch(values, batch, threads=1)
    speeds: list[float] = []
    for _ in range(7):
        began = time.perf_counter()
        _, steps = engine.batch(values, batch, threads=1)
        speeds.append(steps / (time.perf_counter() - began))
    speed = median(speeds)
    return [
        (
            "joint engine, M6 with firmware law, one core [million steps/s]",
            f"{speed / 1e6:.1f} (range {min(speeds) / 1e6:.1f}-{max(speeds) / 1e6:.1f}; "
            f"{speed / REFERENCE:.0f} times the published program)",
            ">= 5",
        ),
    ]


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
