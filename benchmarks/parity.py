"""The same actuator in the joint engine and in MuJoCo, on 6 s of recorded commands."""

import dataclasses

import numpy as np

from pliant import load_actuator, read_logs
from pliant.engines.joint.engine import JointEngine
from pliant.engines.mujoco.replay import replay
from pliant.io.log import example_logs


def rows() -> list[tuple[str, str, str]]:
    """(what, measured, bar)"""
    out: list[tuple[str, str, str]] = []
    recorded = read_logs(example_logs())
    for device in ("xl330", "mx106", "erob80_100"):
        for model in ("m1", "m4", "m6"):
            actuator = load_actuator(f"{device}_bam_{model}")
            engine = JointEngine(actuator)
            logs = recorded
            if device != "xl330":
                gain, supply = actuator.value("control.kp"), actuator.value("own.voltage")
                logs = [dataclasses.replace(log, gain=gain, supply=supply) for log in recorded]
            raw, grid = [], []
            for log in logs:
                raw.append(_difference(engine, actuator, log))
                grid.append(_difference(engine, actuator, log.resample(1e-3)))
            out.append((f"joint engine against MuJoCo, {device} {model.upper()} [mrad]",
                        f"{np.mean(grid):.4f} on a grid of 1 ms, {np.mean(raw):.3f} on raw samples",
                        "<= 0.3"))  # fmt: skip
    return out


def _difference(engine, actuator, log) -> float:
    return 1e3 * float(np.mean(np.abs(engine.rollout(log).position - replay(actuator, log))))


if __name__ == "__main__":
    for row in rows():
        print(" | ".join(row))
